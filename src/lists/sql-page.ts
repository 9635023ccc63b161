/**
 * Runs a `ListQuery` as one SQL statement that returns the page and, unless `isUncounted` is set, the exact total from
 * the same snapshot.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../db/database.ts'
import { statement } from '../db/statement.ts'
import { fold } from '../search/text/fold.ts'
import { withLanguages } from '../search/text/stems.ts'
import { searchQuery, words } from '../search/text/words.ts'
import type { Cursor } from './cursor.ts'
import type { Direction, FilterValue, ListQuery, Operator } from './query.ts'

export type Condition = RawBuilder<SqlBool>

/** Returns the SQL of a filter for any operator that its parameter accepts. */
export type FilterSql = (operator: Operator, value: FilterValue) => Condition

/**
 * The SQL of a sort field, one expression for each direction. The expressions are never null: null values are replaced
 * by a value that sorts last. If all fields sort in the same direction, a single row comparison can therefore find the
 * next page in an index.
 */
export interface SortKey {
  type: 'text' | 'bigint' | 'timestamptz'
  asc: RawBuilder<unknown>
  desc: RawBuilder<unknown>
}

export interface ListPlan<F extends string, S extends string> {
  /** The table whose rows the list contains. */
  table: string
  /** The table with its joins. Default: only the table. */
  from?: RawBuilder<unknown>
  /**
   * The tables of `from` that the conditions use. Default: all. PostgreSQL removes left joins from counts, but then
   * cannot count from an index without the columns of the join conditions.
   */
  counted?: RawBuilder<unknown>
  /** Default: the column `id` of the table. */
  id?: RawBuilder<unknown>
  /** Default: all columns of the table. */
  columns?: RawBuilder<unknown>
  /** Conditions that always apply, such as visibility and ownership. */
  where?: readonly Condition[]
  /** Disjoint parts that together form the list. Each part uses its own indexes. */
  parts?: readonly ListPart<S>[]
  filters: Record<F, FilterSql>
  sorts: Record<S, SortKey>
}

export interface ListPart<S extends string> {
  where: Condition
  /** Sort keys that replace the list's keys without changing the order. */
  sorts?: Partial<Record<S, SortKey>>
}

export interface Page<Row> {
  rows: Row[]
  total: number
  hasMore: boolean
  nextCursor: string | null
  prevCursor: string | null
}

const TEXT_HIGHEST = '\u{10FFFF}'
const BIGINT_HIGHEST = Number.MAX_SAFE_INTEGER

/** Functions that create sort keys by type and nullability. */
export const sortKey = {
  text: (column: string) => expressionKey('text', sql.ref(column)),
  bigint: (column: string) => expressionKey('bigint', sql.ref(column)),
  time: (column: string) => expressionKey('timestamptz', sql.ref(column)),
  nullableText: (column: string): SortKey => ({
    type: 'text',
    asc: sql`coalesce(${sql.ref(column)}, ${sql.lit(TEXT_HIGHEST)})`,
    desc: sql`coalesce(${sql.ref(column)}, '')`,
  }),
  nullableBigint: (column: string | RawBuilder<unknown>, highest = BIGINT_HIGHEST): SortKey => {
    const expression = typeof column === 'string' ? sql.ref(column) : column
    return {
      type: 'bigint',
      asc: sql`coalesce(${expression}, ${sql.lit(highest)})`,
      desc: sql`coalesce(${expression}, -1)`,
    }
  },
  nullableTime: (column: string): SortKey => ({
    type: 'timestamptz',
    asc: sql`coalesce(${sql.ref(column)}, '9999-12-31T23:59:59.999Z')`,
    desc: sql`coalesce(${sql.ref(column)}, '0001-01-01T00:00:00.000Z')`,
  }),
  /** Creates the sort key of an expression that is never null. */
  expression: expressionKey,
}

function expressionKey(type: SortKey['type'], expression: RawBuilder<unknown>): SortKey {
  return { type, asc: expression, desc: expression }
}

const comparisons = { is: '=', gt: '>', lt: '<', gte: '>=', lte: '<=' } as const

/** Returns a filter that compares a column or an expression with the value. */
export function comparing(
  compared: string | RawBuilder<unknown>,
  convert: (value: FilterValue) => unknown = (value) => value,
): FilterSql {
  const expression = typeof compared === 'string' ? sql.ref(compared) : compared
  return (operator, value) => {
    if (operator === 'in')
      return sql`${expression} = any(${(value as unknown[]).map((item) => convert(item as string))})`
    if (operator === 'not') return sql`${expression} is distinct from ${convert(value)}`
    return sql`${expression} ${sql.raw(comparisons[operator])} ${convert(value)}`
  }
}

/** Returns filters that compare the columns with their names. */
export function comparingColumns<Name extends string>(table: string, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, comparing(`${table}.${name}`)])) as Record<Name, FilterSql>
}

/** Matches texts that start with a prefix, in a column with collation "C". Uses a range, which an index can find. */
export const startingWith = (column: string, prefix: string): Condition =>
  sql`${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${prefix + TEXT_HIGHEST}`

/** Returns a filter that ignores case and accents, on a folded column. */
export const foldedText = (column: string): FilterSql => comparing(column, (value) => fold(String(value)))

/** Returns a filter for complete words in any order. A parameter with a suffix compares the whole folded text. */
export function wordsOf(wordsColumn: string, foldedColumn: string): FilterSql {
  const whole = foldedText(foldedColumn)
  return (operator, value) => {
    if (operator !== 'is') return whole(operator, value)
    const wanted = words(String(value))
    // A filter value without words matches no row.
    return wanted.length === 0 ? sql`false` : sql`${sql.ref(wordsColumn)} @> ${wanted}::text[]`
  }
}

/** Returns the words of a folded text. Characters that the parser would treat as parts of a word become spaces. */
const wordsIn = (text: RawBuilder<unknown>) =>
  sql`to_tsvector('simple'::regconfig, translate(${text}, '-./@_+<>&', '         '))`

/** Maximum length of a word, in UTF-16 units. Longer words are cut, because PostgreSQL refuses very long words. */
const WORD_MAX = 200

/**
 * Matches folded texts that contain, for each word of `value`, a word that begins with it. A value without words
 * matches nothing. Migrations create the indexes on this expression.
 */
export function beginningsIn(text: RawBuilder<unknown>, value: string): Condition {
  const wanted = fold(value).match(/[\p{L}\p{M}\p{N}]+/gu)
  if (!wanted) return sql`false`
  const query = wanted.map((word) => `${word.slice(0, WORD_MAX).toWellFormed()}:*`).join(' & ')
  return sql`${wordsIn(text)} @@ to_tsquery('simple', ${query})`
}

/** Returns a filter for lists that contain all names, any of them (`_in`) or none of them (`_not`). */
export function foldedList(column: string): FilterSql {
  return (operator, value) => {
    const wanted = (value as string[]).map(fold)
    if (operator === 'in') return sql`${sql.ref(column)} && ${wanted}::text[]`
    if (operator === 'not') return sql`not ${sql.ref(column)} && ${wanted}::text[]`
    return sql`${sql.ref(column)} @> ${wanted}::text[]`
  }
}

/** Converts a search to a `tsquery` literal, or to null if the search contains no words. */
type SearchQuery = (search: string) => string | null

/** Returns the `tsquery` literal for vectors of texts without a language. */
export function searchQueryWithoutLanguage(search: string): string | null {
  const query = searchQuery(search)
  return query && withLanguages(query, [])
}

/** Returns a full-text filter on a search vector. A search without words matches nothing. */
export function searchOf(column: string, queryOf: SearchQuery = searchQuery): FilterSql {
  return (_operator, value) => {
    const tsquery = queryOf(value as string)
    return tsquery === null ? sql`false` : sql`${sql.ref(column)} @@ ${tsquery}::tsquery`
  }
}

const searchWeights = sql.raw("'{0.1, 0.2, 0.5, 1.0}'")

/** Returns the sort key for relevance in whole millionths, which a cursor can represent exactly. */
export function relevanceKey(
  column: string,
  { filters }: Pick<ListQuery, 'filters'>,
  queryOf: SearchQuery = searchQuery,
): SortKey {
  const search = filters.find(({ filter }) => filter === 'search')
  const tsquery = search ? queryOf(search.value as string) : null
  const rank = sql`(ts_rank(${searchWeights}, ${sql.ref(column)}, ${tsquery}::tsquery) * 1000000)::bigint`
  return expressionKey('bigint', tsquery === null ? sql`0::bigint` : rank)
}

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)

export async function listPage<Row extends object, F extends string = string, S extends string = string>(
  reader: Reader,
  query: ListQuery<F, S>,
  plan: ListPlan<F, S>,
): Promise<Page<Row>> {
  // Sorts the filters by name: requests with the same filters in another order then share a prepared statement and a
  // cached total.
  const filters = query.filters.toSorted((a, b) => (a.filter + a.operator < b.filter + b.operator ? -1 : 1))
  const conditions = [
    ...(plan.where ?? []),
    ...filters.map(({ filter, operator, value }) => plan.filters[filter](operator, value)),
  ]
  const { from = sql.table(plan.table), id = sql.ref(`${plan.table}.id`) } = plan
  const { counted = from, columns = sql`${sql.table(plan.table)}.*` } = plan
  const parts: readonly ListPart<S>[] = plan.parts ?? [{ where: sql`true` }]
  const isBackward = query.cursor.direction === 'prev'
  const keysOf = ({ sorts }: ListPart<S>): WalkedKey[] => {
    const keys: WalkedKey[] = query.sort.map(({ field, direction }) => {
      const key = sorts?.[field] ?? plan.sorts[field]
      return { type: key.type, expression: key[direction], direction }
    })
    // Every order ends with the ID, in the direction of the last field. One index then serves both directions.
    keys.push({ type: 'text', expression: id, direction: query.sort.at(-1)?.direction ?? 'asc' })
    return isBackward ? keys.map((key) => ({ ...key, direction: opposite[key.direction] })) : keys
  }
  const keys = keysOf(parts[0]!)

  const anchor = query.cursor.key
  const outerOrder = keys.map((key, index) => sql`page.${keyName(index)} ${sql.raw(key.direction)}`)
  const pageOf = (part: ListPart<S>, limit: RawBuilder<unknown>) => {
    const walked = keysOf(part)
    const keyColumns = walked.map((key, index) => sql`${key.expression} as ${keyName(index)}`)
    const order = walked.map((key) => sql`${key.expression} ${sql.raw(key.direction)}`)
    return sql`
      select ${columns}, ${sql.join(keyColumns)}
      from ${from}
      where ${allOf([part.where, ...conditions])}
        ${anchor ? sql`and ${isBeyond(walked, anchor)}` : sql``}
      order by ${sql.join(order)}
      ${limit}`
  }
  const page =
    parts.length === 1
      ? pageOf(parts[0]!, limitAndOffset(query))
      : sql`
      select page.* from (${sql.join(
        parts.map((part) => sql`(${pageOf(part, limitToOffset(query))})`),
        sql` union all `,
      )}) as page
      order by ${sql.join(outerOrder)}
      ${limitAndOffset(query)}`
  const counts = parts.map(
    (part) =>
      sql`(select count(*) from ${counted}
        where ${allOf([part.where, ...conditions])})`,
  )
  const found = await statement<Row & Record<string, unknown> & { total: number }>`
    select totals.*, page.*
    from (select ${query.isUncounted ? sql`0` : sql.join(counts, sql` + `)} as total) as totals
    left join lateral (${page}) as page on true
    order by ${sql.join(outerOrder)}`.all(reader)

  const { total } = found[0]!
  const rows = found.filter((row) => row.key_0 !== null)
  const isCut = rows.length > query.limit
  if (isCut) rows.pop()
  if (isBackward) rows.reverse()

  const cursorAt = (direction: Cursor['direction'], row: Record<string, unknown> | undefined) =>
    query.cursors.encode({
      direction,
      key: row ? keys.map((_, i) => keyValue(row[`key_${i}`])) : null,
    })
  const hasMore = isBackward ? anchor !== null : isCut
  const isFirst = query.page === undefined ? anchor === null : query.page === 1 || total === 0
  const hasPrevious = isBackward ? isCut : !isFirst
  return {
    rows,
    total,
    hasMore,
    nextCursor: hasMore ? cursorAt('next', rows.at(-1)) : null,
    prevCursor: hasPrevious ? cursorAt('prev', rows[0]) : null,
  }
}

interface WalkedKey {
  type: SortKey['type']
  expression: RawBuilder<unknown>
  direction: Direction
}

const opposite = { asc: 'desc', desc: 'asc' } as const

const keyName = (index: number) => sql.raw(`key_${index}`)

const keyValue = (value: unknown) => (value instanceof Date ? value.toISOString() : (value as string | number))

/** Returns the limit and the offset. Reads one row more than requested, which shows whether another page follows. */
function limitAndOffset({ limit, page }: ListQuery): RawBuilder<unknown> {
  const size = limit + 1
  // Uses a literal limit for the first page, which is the most common. The planner would have to guess the value of a
  // parameter.
  if (page === undefined || page === 1) return sql`limit ${sql.lit(size)}`
  return sql`limit ${size} offset ${(page - 1) * limit}`
}

/** Returns the limit of each part: the maximum number of its rows that the page can need. */
function limitToOffset({ limit, page = 1 }: ListQuery): RawBuilder<unknown> {
  return page === 1 ? sql`limit ${sql.lit(limit + 1)}` : sql`limit ${page * limit + 1}`
}

/** Returns the condition for rows that follow the anchor in the direction of the page. */
function isBeyond(keys: readonly WalkedKey[], anchor: readonly (string | number)[]): Condition {
  const values = keys.map((key, index) => sql`${anchor[index]}::${sql.raw(key.type)}`)
  const after = (key: WalkedKey) => sql.raw(key.direction === 'asc' ? '>' : '<')
  if (keys.every((key) => key.direction === keys[0]!.direction)) {
    return sql`(${sql.join(keys.map((key) => key.expression))}) ${after(keys[0]!)} (${sql.join(values)})`
  }
  const branches = keys.map((key, index) => {
    const ties = keys.slice(0, index).map((tied, i) => sql<SqlBool>`${tied.expression} = ${values[i]}`)
    return sql`(${allOf([...ties, sql<SqlBool>`${key.expression} ${after(key)} ${values[index]}`])})`
  })
  // Adds the bound of the first field as a separate condition, because index scans cannot start from alternatives.
  const bound = sql`${keys[0]!.expression} ${after(keys[0]!)}= ${values[0]}`
  return sql`${bound} and (${sql.join(branches, sql` or `)})`
}
