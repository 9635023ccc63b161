/**
 * Generates tables from the code and writes them between the markers in the documents. With --check, only compares the
 * tables with the documents.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { eventDataSchemas, eventTypes } from '../src/events/catalogue.ts'
import { accountKinds } from '../src/lib/api-keys.ts'
import { errorCatalogue } from '../src/lib/errors.ts'
import { allScopes, scopesOf } from '../src/lib/scopes.ts'
import { fileVariableOf, variables } from '../src/main/config.ts'
import { personalColumns } from '../src/main/personal-columns.ts'

const ROOT = new URL('../', import.meta.url)

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The files of the decisions, by number. */
const decisions = new Map(
  globSync('docs/decisions/[0-9]*.md', { cwd: ROOT })
    .sort()
    .map((file) => [Number(basename(file).slice(0, 4)), file]),
)

/** The subjects in the index of decisions, with their decision numbers. */
const subjects: Readonly<Record<string, readonly number[]>> = {
  'Code and structure': [81, 83, 1, 2, 8, 128],
  'Lists and search': [5, 3, 4, 94, 26, 28, 27, 86, 87, 127, 29, 30, 35, 50, 73, 129, 135, 136, 141, 143],
  'HTTP and the API': [7, 9, 37, 38, 39, 40, 41, 62, 74, 82, 105, 113, 114, 115],
  'Accounts, keys and sessions': [57, 63, 64, 65, 66, 67, 69, 107, 118, 123, 124, 125, 126, 130],
  'Candidates and applications': [13, 14, 15, 16, 17, 79, 108],
  'Jobs, payments and imports': [6, 10, 111, 117, 132, 119, 120, 43, 48, 52, 54, 90, 97, 103],
  'Alerts and emails': [12, 18, 19, 78, 99, 131],
  'Webhooks and events': [21, 22, 23, 24, 25, 33, 53, 106, 122, 144],
  Website: [49, 51, 55, 56, 88, 89, 91, 92, 93, 95, 96, 98, 100, 102, 109, 110],
  'Database and storage': [42, 44, 45, 47, 68, 70, 71, 72, 75, 76, 80, 142],
  Operation: [34, 59, 60, 61, 121],
}

const code = (text: string) => `\`${text}\``

const tables: Record<string, () => string> = {
  configuration: () =>
    table(
      ['Variable', 'Default', 'Meaning'],
      Object.entries<{ fallback?: string | undefined; description: string; secret?: boolean }>(variables).map(
        ([name, { fallback, description, secret }]) => [
          secret ? `${code(name)} or ${code(fileVariableOf(name))}` : code(name),
          fallback === undefined ? '' : code(fallback),
          description,
        ],
      ),
    ),
  errors: () =>
    table(
      ['Status', 'Code', 'Title'],
      Object.entries(errorCatalogue).map(([name, { status, title }]) => [String(status), code(name), title]),
    ),
  scopes: () =>
    table(
      ['Scope', ...accountKinds],
      allScopes.map((scope) => [
        code(scope),
        ...accountKinds.map((kind) => (scopesOf(kind).includes(scope) ? 'yes' : '')),
      ]),
    ),
  decisions: () => {
    const listed = new Set(Object.values(subjects).flat())
    for (const number of decisions.keys()) if (!listed.has(number)) faults.push(`decision ${number} has no subject`)
    return Object.entries(subjects)
      .map(([subject, numbers]) => {
        const lines = numbers.map((number) => {
          const file = decisions.get(number)
          if (file === undefined) throw new Error(`Decision ${number} does not exist`)
          const [, title] = /^# (.+)$/m.exec(readFileSync(new URL(file, ROOT), 'utf8'))!
          return `- [${title}](${basename(file)})`
        })
        return `## ${subject}\n\n${lines.join('\n')}`
      })
      .join('\n\n')
  },
  personal: () =>
    table(
      ['Table', 'Columns', 'Purpose', 'Kept until'],
      Object.entries(personalColumns)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, { columns, purpose, until }]) => [code(name), columns.map(code).join(', '), purpose, until]),
    ),
  events: () =>
    table(
      ['Type', 'Fields of `data`'],
      eventTypes.map((type) => [
        code(type),
        Object.keys((eventDataSchemas[type] as { properties: object }).properties)
          .map(code)
          .join(', '),
      ]),
    ),
}

const MARKED = /(<!-- generated: ([a-z]+) -->\n)[\s\S]*?(<!-- end -->)/g

const isCheck = process.argv.includes('--check')
const unused = new Set(Object.keys(tables))
const faults: string[] = []
for (const file of globSync('{*.md,docs/**/*.md}', { cwd: ROOT })) {
  const url = new URL(file, ROOT)
  const text = readFileSync(url, 'utf8')
  const fresh = text.replace(MARKED, (whole, start: string, name: string, end: string) => {
    const make = tables[name]
    if (!make) faults.push(`${file}: the table ${name} does not exist`)
    unused.delete(name)
    return make ? `${start}\n${make()}\n\n${end}` : whole
  })
  if (fresh === text) continue
  if (isCheck) faults.push(`${file} is outdated. Run "npm run docs".`)
  else writeFileSync(url, fresh)
}
for (const name of unused) faults.push(`no document contains the table ${name}`)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
