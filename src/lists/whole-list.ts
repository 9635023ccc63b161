import type { ListQuery } from './query.ts'

/**
 * Yields all rows of a list in pages, regardless of the requested page. Reads each page of at most `limit` rows only
 * after the previous one has been used. Does not count the rows, because each page would count them again.
 */
export async function* wholeList<Row, Query extends ListQuery>(
  query: Query,
  limit: number,
  read: (query: Query) => Promise<{ rows: readonly Row[]; nextCursor: string | null }>,
): AsyncGenerator<readonly Row[]> {
  let cursor: ListQuery['cursor'] | undefined = { direction: 'next', key: null }
  while (cursor) {
    const { rows, nextCursor } = await read({ ...query, limit, page: undefined, cursor, isUncounted: true })
    yield rows
    cursor = nextCursor === null ? undefined : query.cursors.decode(nextCursor)
  }
}
