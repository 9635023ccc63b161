/** Generates tables from the code and writes them between the markers in the documents; --check only compares. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { eventDataSchemas, eventTypes } from '../src/events/catalogue.ts'
import { accountKinds } from '../src/lib/api-keys.ts'
import { errorCatalogue } from '../src/lib/errors.ts'
import { allScopes, scopesOf } from '../src/lib/scopes.ts'
import { fileVariableOf, variables } from '../src/main/config.ts'

const ROOT = new URL('../', import.meta.url)

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

const code = (text: string) => `\`${text}\``

const tables: Record<string, () => string> = {
  configuration: () =>
    table(
      ['Variable', 'Default', 'Meaning'],
      Object.entries<{ fallback: string | undefined; description: string; secret?: boolean }>(variables).map(
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
  decisions: () =>
    globSync('docs/decisions/[0-9]*.md', { cwd: ROOT })
      .sort()
      .map((file) => {
        const [, title] = /^# (.+)$/m.exec(readFileSync(new URL(file, ROOT), 'utf8'))!
        return `- [${title}](${basename(file)})`
      })
      .join('\n'),
  events: () =>
    table(
      ['Type', 'Members of `data`'],
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
    if (!make) faults.push(`${file}: there is no table ${name}`)
    unused.delete(name)
    return make ? `${start}\n${make()}\n\n${end}` : whole
  })
  if (fresh === text) continue
  if (isCheck) faults.push(`${file} is stale: npm run docs`)
  else writeFileSync(url, fresh)
}
for (const name of unused) faults.push(`no document has the table ${name}`)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
