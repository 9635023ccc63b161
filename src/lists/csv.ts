/** Lists as CSV files (RFC 4180), which spreadsheets do not interpret as formulas. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { attachment } from '../lib/content-disposition.ts'
import type { ListQuery } from './query.ts'
import { wholeList } from './whole-list.ts'

export const CSV = 'text/csv'

/** Rows per query. The largest rows have 20,000 characters, so a page is at most a few megabytes. */
const ROWS_PER_PAGE = 200

interface CsvList<Row, Query extends ListQuery> {
  /** The columns by name, each with a function that returns a row's value. */
  columns: Readonly<Record<string, (row: Row) => string | number | null>>
  query: Query
  read(query: Query): Promise<{ rows: readonly Row[]; nextCursor: string | null }>
}

/** Yields the column names and all rows of a list as lines of CSV. */
export async function* csvOf<Row, Query extends ListQuery>(list: CsvList<Row, Query>): AsyncGenerator<string> {
  const { columns, query, read } = list
  yield csvLine(Object.keys(columns))
  for await (const rows of wholeList(query, ROWS_PER_PAGE, read)) {
    yield rows.map((row) => csvLine(Object.values(columns).map((cellOf) => cellOf(row)))).join('')
  }
}

/** Prepends a byte order mark. Without the mark, some spreadsheets do not read the file as UTF-8. */
export async function* markedAsUtf8(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  yield '\uFEFF'
  yield* lines
}

/** Streams lines of CSV as a file. */
export function sendCsv(request: FastifyRequest, reply: FastifyReply, name: string, lines: AsyncGenerator<string>) {
  reply.type(`${CSV}; charset=utf-8`).header('content-disposition', attachment(name))
  return reply.send(request.method === 'HEAD' ? Buffer.alloc(0) : Readable.from(lines))
}

/** Characters that start a formula in a spreadsheet. */
const FORMULA = new Set('=+-@＝＋－＠')
/** Characters after which a spreadsheet that does not use commas as separators may start another cell. */
const SEPARATORS = new Set(';\t\n\r')

/**
 * Returns the text with an apostrophe before each character that a spreadsheet could read as the start of a formula.
 * Spreadsheets then show the cell as text.
 */
function withoutFormulas(text: string): string {
  let safe = ''
  let isStart = true
  for (const character of text) {
    if (isStart && FORMULA.has(character)) safe += "'"
    safe += character
    // A quote after a separator starts a quoted cell, which may start with a formula, too.
    isStart = SEPARATORS.has(character) || (isStart && (character === '"' || character.trim() === ''))
  }
  return safe
}

/** Returns a line with a cell for each value. Null is an empty cell. */
function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    const text = withoutFormulas(String(value ?? ''))
    return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${cells.join(',')}\r\n`
}
