/** The texts of pages and emails: every language has all messages, every message is used, and no text is hard-coded. */
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { type AnyNode, parse, type TemplateLiteral } from 'acorn'
import { fullAncestor } from 'acorn-walk'
import { IntlMessageFormat } from 'intl-messageformat'
import { expect, test } from 'vitest'
import { languages } from '../../src/locale/languages.ts'
import { jobParameters } from '../../src/search/filters.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const catalogs = Object.fromEntries(
  languages.map((language) => [language, JSON.parse(read(`locales/${language}.json`)) as Record<string, string>]),
)
const keys = Object.keys(catalogs.en!)

test.each(languages)('the catalog in %s has all keys, sorted, and no empty message', (language) => {
  const catalog = catalogs[language]!
  expect(Object.keys(catalog)).toEqual(keys.toSorted())
  for (const [key, text] of Object.entries(catalog)) expect(text.trim(), key).toBe(text)
  expect(Object.values(catalog)).not.toContain('')
})

/** Returns the names of a message's placeholders and tags. */
function namesIn(elements: readonly { type: number; value?: string; [more: string]: unknown }[]): Set<string> {
  const names = new Set<string>()
  for (const element of elements) {
    // The types 0 and 7 are text and the number within a plural form.
    if (element.type !== 0 && element.type !== 7) names.add(String(element.value))
    const { options = {}, children = [] } = element as {
      options?: Record<string, { value: [] }>
      children?: []
    }
    for (const { value } of Object.values(options)) for (const name of namesIn(value)) names.add(name)
    for (const name of namesIn(children)) names.add(name)
  }
  return names
}

test.each(languages)('the messages in %s are valid and have the placeholders of the English messages', (language) => {
  for (const key of keys) {
    const [own, english] = [catalogs[language]![key]!, catalogs.en![key]!].map((text) =>
      [...namesIn(new IntlMessageFormat(text, language).getAst() as never)].sort(),
    )
    expect(own, key).toEqual(english)
  }
})

const files = globSync('src/**/*.ts', { cwd: new URL('../../', import.meta.url) }).map(String)
const sources = new Map(files.map((file) => [file, read(file)]))

test('every message is used', () => {
  const all = [...sources.values()].join('\n')
  const quoted = new Set(Array.from(all.matchAll(/'(?=([\w.-]+)')/g), ([, text]) => text))
  // A key such as `status.${status}` uses all keys with this prefix and suffix.
  const patterns = [...all.matchAll(/`([a-z_]+\.[\w.]*\$\{[^`]*)`/g)].map(
    ([, template]) =>
      new RegExp(
        `^${template!
          .split(/\$\{[^}]*\}/)
          .map((part) => part.replace(/\./g, '\\.'))
          .join('.+')}$`,
      ),
  )
  const unused = keys.filter((key) => !quoted.has(key) && !patterns.some((pattern) => pattern.test(key)))
  expect(unused).toEqual([])
})

test('every form field has a name for error messages', () => {
  const controls = /\.(?:field|emailField|textArea|select|choices)\(\s*(?:name\()?['`]([^'`]+)['`]/g
  const views = [...sources].filter(([file]) => file.endsWith('.views.ts'))
  const fields = views.flatMap(([, source]) => [...source.matchAll(controls)].map(([, name]) => name!))
  const members = fields.map((name) => name.split(/[[.]/).findLast((part) => /^_?[a-z]/.test(part))!)
  const names = members.map((member) => member.replace(/\]$/, '').replace(/^_/, ''))
  expect([...new Set(names)].filter((name) => !keys.includes(`member.${name}`))).toEqual([])
})

test('every filter that compares amounts or times has a name', () => {
  const compared = Object.entries(jobParameters).filter(([, { suffixes }]) => suffixes.includes('gt'))
  expect(compared.filter(([name]) => !keys.includes(`board.filter_${name}`))).toEqual([])
})

/** Files with texts that people read. Error reports to operators are in English. */
const worded = files.filter((file) => /\.(?:views|pages|mails)\.ts$|^src\/(?:pages\/.*|mail\/layout)\.ts$/.test(file))

/** Texts that are the same in every language. */
const universal = /^(?:[\p{Lu}\d_-]+|Atom|PNG|JPEG|WebP|Webhook|Bearer|curl)$/u

const isText = (text: string) => /\p{L}{2}/u.test(text)
const isSentence = (text: string) =>
  !universal.test(text) &&
  (/^[“‘]?\p{Lu}[\p{Ll}’]+(?:$|[ ,.:?!…])/u.test(text) || /\p{L}[ ,]+\p{L}.*[.?!…]$/u.test(text))

/** Returns the words in a markup template: its text, and the attributes that browsers show or screen readers read. */
function wordsInMarkup({ quasis }: TemplateLiteral): string[] {
  const markup = quasis.map(({ value }) => value.raw).join('\u0000')
  const attributes = [...markup.matchAll(/\s(?:aria-label|title|placeholder|alt|data-t)="([^"]*)"/g)]
  const text = markup
    .replace(/<(style|script|code|pre)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '\u0000')
    .replace(/&\w+;/g, '')
  return [...text.split('\u0000'), ...attributes.map(([, value]) => value!)]
    .map((part) => part.trim())
    .filter((part) => isText(part) && !universal.test(part))
}

/** Returns the hard-coded words in a file. */
function wordsIn(file: string): string[] {
  const found: string[] = []
  const program = parse(stripTypeScriptTypes(sources.get(file)!), { ecmaVersion: 'latest', sourceType: 'module' })
  fullAncestor(program, (node: AnyNode, _state, ancestors: AnyNode[]) => {
    const isFailure = ancestors.some(
      (outer) =>
        outer.type === 'ThrowStatement' ||
        (outer.type === 'NewExpression' && outer.callee.type === 'Identifier' && outer.callee.name === 'Error'),
    )
    if (isFailure) return
    const parent = ancestors.at(-2)
    if (node.type === 'TaggedTemplateExpression') {
      const isSql = node.tag.type === 'Identifier' && ['sql', 'statement'].includes(node.tag.name)
      if (!isSql) found.push(...wordsInMarkup(node.quasi))
    } else if (node.type === 'TemplateLiteral' && parent?.type !== 'TaggedTemplateExpression') {
      found.push(...node.quasis.map(({ value }) => value.raw.trim()).filter(isSentence))
    } else if (node.type === 'Literal' && typeof node.value === 'string' && isSentence(node.value))
      found.push(node.value)
  })
  return found
}

test('no texts are hard-coded', () => {
  const left = Object.fromEntries(worded.map((file) => [file, wordsIn(file)]).filter(([, words]) => words!.length > 0))
  expect(left).toEqual({})
})
