/** Lists as CSV files, for spreadsheets. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { attachment } from '../lib/content-disposition.ts'
import { csvLine } from '../lib/csv.ts'
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
