/** Checks that no regular expression is slow for any input. */
import { globSync, readFileSync } from 'node:fs'
import { isSafe } from 'redos-detector'
import { describe, expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { useBoard } from '../support/board.ts'

const ROOT = new URL('../../', import.meta.url)
const board = useBoard()

/** Expressions that may read a character more than once, and why that is harmless. */
const judged: Record<string, string> = {
  '/(?<!cu)bot\\b|(?<!cu)bot[/_-]|crawl|spider|slurp|scrape|headless|phantom|preview|monitor|lighthouse|archiver|facebookexternalhit|embedly|whatsapp|curl|wget|python|java\\/|go-http|okhttp|axios|node|libwww|httpclient|ruby|perl|php/i':
    'words without repetition, in a header of at most 16 KB',
  '/(?<![a-z0-9])[a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}(?![^/?#])/':
    'a URL of at most 8 KB; a prefix has at most eight letters and never follows a letter or digit',
  '/.{64}(?!$)/g': 'a certificate that we create',
  '/^(?:[^<>"\\p{Cc}]{1,100} <)?[^\\s@<>,;:"()[\\]\\\\\\p{Cc}]+@[A-Za-z0-9.-]+>?$/u': 'the operator writes MAIL_FROM',
  '/(-*)(?:"([^"]*)"?|([^\\s",;、]+))/g': 'a search of at most 400 characters',
  '/^[^\\s\\p{Cc}\\p{Cf}@<>()[\\]\\\\,;:"]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/u':
    'backtracking stays within one label, because the dots are fixed',
  '/\\b(?:https?:|www\\.)\\S+|\\S+@\\S+/gi': 'a location of at most 200 characters',
  '/^[. ]+|[. ]+$/g': 'the last 1,000 characters of a name',
  '/[. ]+$/': 'the first 255 characters of a name',
  '/<(\\/?)([\\w:.-]+)(?![\\w:.-])[^<>]*>|<[^<>]*>?|[^<]+/g':
    'backtracking happens once for an unterminated tag, and the next match begins after the tag',
  "/'([^']*)'(:\\*)?|<\\d+>|[()&|!]/g": 'a tsquery from PostgreSQL for a search of at most 400 characters',
  '/(?:W\\/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"/y': 'a header of at most 16 KB; an unterminated tag ends the list',
  "/(--[^\\n]*|\\/\\*(?:(?!\\/\\*)[\\s\\S])*?\\*\\/)|(?<![\\w$])[eE]'(?:[^'\\\\]|\\\\[\\s\\S]|'')*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(?<![\\w$])\\$((?:[a-zA-Z_]\\w*)?)\\$[\\s\\S]*?\\$\\2\\$|[\\s\\S]/g":
    'our own migrations',
  "/ \\| '[^'/ ]*\\/(\\w*)'(?::[A-D])?/g": 'a tsquery of our own, whose lexemes contain no quotes and spaces',
  '/^create or replace trigger \\w+ .+ on (\\w+) for each row /': 'our own migrations',
  '/[*_`[\\]<&\\\\]|^[ \\t]*(?:[-+>]|\\d+[.)])/gm': 'spaces and digits at the start of a line, once per line',
  '/[*_`[\\]<>&\\\\#~]|^[ \\t]*(?:[-+=]|\\d+[.)])| {2}$/m': 'spaces and digits at the start of a line, once per line',
  '/<[^>]*>/g': 'HTML that we rendered, in which every "<" begins a tag',
  '/<[^>]*>|&quot;|&#39;/g': 'HTML that we rendered, in which every "<" begins a tag',
  '/^[^.]*$|(?:^|\\.)(?:localhost|local|internal)$/': 'the host of a URL of at most 2,048 characters',
}

/**
 * Files with expressions that have the v flag, which the checker does not support. Each alternative in these
 * expressions repeats only its last character class, so they never backtrack.
 */
const unjudgeable = ['src/search/text/words.ts']

/** Returns every regular expression literal in the sources, with a file that contains it. */
function literals(): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (node: unknown, file: string): void => {
    if (node === null || typeof node !== 'object') return
    const { regex } = node as { regex?: { pattern: string; flags: string } }
    if (regex) found.set(`/${regex.pattern}/${regex.flags}`, file)
    for (const inner of Object.values(node)) visit(inner, file)
  }
  for (const file of globSync('src/**/*.ts', { cwd: ROOT })) {
    visit(parseAst(readFileSync(new URL(file, ROOT), 'utf8'), { lang: 'ts' }), file)
  }
  return found
}

/**
 * The pattern of a `sort` parameter. The checker needs a second for a long list of fields. The fields affect the verdict
 * only if the name of one is a prefix of another.
 */
const sortPattern = /^\^\(\(([\w|]+)\)(\(:\(asc\|desc\)\)\?)\(,\(\1\)\2\)\*\)\?\$$/

/** Replaces the fields of a sort pattern with two others. Throws if a field is a prefix of another. */
function shorten(pattern: string): string {
  const list = sortPattern.exec(pattern)?.[1]
  if (list === undefined) return pattern
  const fields = list.split('|')
  for (const field of fields) expect(fields.filter((other) => other.startsWith(field))).toEqual([field])
  return pattern.replaceAll(`(${list})`, '(name|place)')
}

/** Returns every pattern in the OpenAPI document, with a location. */
function patterns(): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (value: unknown, at: string): void => {
    if (value === null || typeof value !== 'object') return
    const { pattern } = value as { pattern?: unknown }
    if (typeof pattern === 'string') found.set(`/${shorten(pattern)}/u`, at)
    for (const [name, inner] of Object.entries(value)) visit(inner, `${at}/${name}`)
  }
  visit(board.contract.document, '#')
  return found
}

/** Returns the expressions that modules in five folders create when loaded, each with a module that creates it. */
async function made(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const files = globSync('src/{lib,http,search,lists,geo}/**/*.ts', { cwd: ROOT }).filter((file) =>
    readFileSync(new URL(file, ROOT), 'utf8').includes('new RegExp('),
  )
  const real = RegExp
  for (const file of files) {
    globalThis.RegExp = class extends real {
      constructor(pattern: string | RegExp, flags?: string) {
        super(pattern, flags)
        found.set(String(this), file)
      }
    } as RegExpConstructor
    await import(`${new URL(file, ROOT).href}?anew`).finally(() => {
      globalThis.RegExp = real
    })
  }
  return found
}

/** Returns whether the checker clears an expression within 5,000 steps. All quick expressions need at most half. */
const isQuick = (text: string) => {
  const end = text.lastIndexOf('/')
  return isSafe(new RegExp(text.slice(1, end), text.slice(end + 1)), { maxScore: 200, maxSteps: 5_000 }).safe
}

describe('regular expressions', () => {
  test('are fast for any text, or reviewed exceptions', async () => {
    const all = new Map([...literals(), ...patterns(), ...(await made())])
    expect(all.size).toBeGreaterThan(80)
    const isKnown = ([text]: [string, string]) => !/v\w*$/.test(text.slice(text.lastIndexOf('/')))
    expect([...all].filter((one) => !isKnown(one)).map(([, file]) => file)).toEqual(unjudgeable)
    const slow = [...all].filter((one) => isKnown(one) && !isQuick(one[0]))
    expect(slow.filter(([text]) => !(text in judged))).toEqual([])
    // The list contains no unnecessary exceptions.
    expect(slow.map(([text]) => text).sort()).toEqual(Object.keys(judged).sort())
  }, 120_000)

  test('are reported as slow if they backtrack in quadratic or exponential time', () => {
    for (const text of ['/^(a+)+$/', '/^(?:\\w+\\s?)*$/u', '/\\s+$/']) expect(isQuick(text), text).toBe(false)
  }, 120_000)
})
