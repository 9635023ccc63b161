/**
 * Reads migration files. A file runs in one transaction by default. If its first line is
 * `-- migrate: outside-transaction`, its statements run one by one, and each can be repeated after an interruption.
 */
import { readdir, readFile } from 'node:fs/promises'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** A statement of a migration that does not run in one transaction. `text` is the statement without its directive. */
export type Step =
  /** `create index concurrently if not exists`. */
  | { kind: 'index'; index: string; table: string; text: string }
  /** `$1` is an array of at most `batch` keys. If `isQuiet` is set, processes do not reread the changed rows. */
  | { kind: 'backfill'; table: string; key: string; batch: number; isQuiet: boolean; text: string }
  /** `drop index concurrently if exists`. */
  | { kind: 'drop-index'; index: string; text: string }
  /** A new column without a default, or a trigger: the lock on the table lasts only a moment. */
  | { kind: 'definition'; table: string; text: string }
  /** `alter table … validate constraint` or `analyze`: they scan the table and block neither reads nor writes. */
  | { kind: 'scan'; table: string; text: string }

export interface MigrationFile {
  name: string
  text: string
  /** Absent if the file runs in one transaction. */
  steps?: Step[]
}

export async function listMigrations(folder: URL = FOLDER): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
}

/** Reads a migration; throws if its directives or its statements outside a transaction are invalid. */
export async function readMigration(name: string, folder: URL = FOLDER): Promise<MigrationFile> {
  return parseMigration(name, await readFile(new URL(name, folder), 'utf8'))
}

const OUTSIDE = '-- migrate: outside-transaction'
const DIRECTIVE = /^[ \t]*--[ \t]*migrate\b.*$/gm
const BACKFILL = /^-- migrate: backfill table=(\w+) key=(\w+) batch=([1-9]\d*)( quiet)?$/

export function parseMigration(name: string, text: string): MigrationFile {
  const [first] = text.split('\n', 1)
  if (first === OUTSIDE) return { name, text, steps: splitStatements(text.slice(first.length)).map(readStep) }
  const directives = text.match(DIRECTIVE)
  if (directives) throw new Error(`"${directives[0].trim()}" needs "${OUTSIDE}" in the first line`)
  return { name, text }
}

const patterns = {
  index: /^create (?:unique )?index concurrently if not exists (\w+) on (\w+)\b/,
  column: /^alter table (\w+) add column if not exists \w+ \w+(?:\(\d\))?(?:\[\])?(?: collate "c")?$/,
  trigger: /^create or replace trigger \w+ .+ on (\w+) for each row /,
  dropping: /^drop index concurrently if exists (\w+)$/,
  validation: /^alter table (\w+) validate constraint \w+$/,
  analysis: /^analyze (\w+)$/,
}

function readStep({ text, comments }: Statement): Step {
  const [directive, ...others] = comments.filter((comment) => /^--\s*migrate\b/.test(comment))
  if (others.length > 0) throw new Error(`A statement can have only one directive: ${others[0]}`)
  if (directive !== undefined) {
    const [, table, key, batch, quiet] = BACKFILL.exec(directive) ?? []
    if (batch === undefined) throw new Error(`Unknown directive: ${directive}`)
    if (!/\$1\b/.test(text)) throw new Error('A backfill must select its keys: where … = any($1)')
    return { kind: 'backfill', table: table!, key: key!, batch: Number(batch), isQuiet: quiet !== undefined, text }
  }
  const plain = text.replaceAll(/\s+/g, ' ').toLowerCase()
  const [, index, table] = patterns.index.exec(plain) ?? []
  if (index !== undefined) return { kind: 'index', index, table: table!, text }
  const [, dropped] = patterns.dropping.exec(plain) ?? []
  if (dropped !== undefined) return { kind: 'drop-index', index: dropped, text }
  const [, defined] = patterns.column.exec(plain) ?? patterns.trigger.exec(plain) ?? []
  if (defined !== undefined) return { kind: 'definition', table: defined, text }
  const [, scanned] = patterns.validation.exec(plain) ?? patterns.analysis.exec(plain) ?? []
  if (scanned !== undefined) return { kind: 'scan', table: scanned, text }
  throw new Error(`Statements outside a transaction must be repeatable: ${plain}`)
}

/**
 * Matches a comment, an escape string, a string, a quoted name, a dollar quote, or any single character. A name such as
 * `a$b$` does not start a dollar quote.
 */
const TOKEN =
  /(--[^\n]*|\/\*(?:(?!\/\*)[\s\S])*?\*\/)|(?<![\w$])[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])\$((?:[a-zA-Z_]\w*)?)\$[\s\S]*?\$\2\$|[\s\S]/g

/**
 * Matches the start of a string, quoted name, block comment or dollar quote. `TOKEN` matches only the first character
 * of an unterminated one.
 */
const UNENDED = /^(?:['"]|\/\*|\$(?:[a-zA-Z_]\w*)?\$)/

export interface Statement {
  /** Without comments. */
  text: string
  comments: string[]
}

/** Splits SQL at its semicolons; throws if a quote or a comment is unterminated. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = []
  let next: Statement = { text: '', comments: [] }
  const end = () => {
    const text = next.text.trim()
    if (text !== '') statements.push({ ...next, text })
    next = { text: '', comments: [] }
  }
  for (const { 0: token, 1: comment, index } of sql.matchAll(TOKEN)) {
    const isInName = token === '$' && /[\w$]/.test(sql[index - 1] ?? ' ')
    const rest = sql.slice(index, index + 40)
    if (token.length === 1 && !isInName && UNENDED.test(rest)) throw new Error(`Unterminated statement: ${rest}`)
    if (comment !== undefined) {
      next.comments.push(comment)
      next.text += ' '
    } else if (token === ';') end()
    else next.text += token
  }
  end()
  return statements
}
