/** Radius searches over a column of places (migrations/0011_places.sql), and filling that column where it is not yet. */
import { type RawBuilder, sql } from 'kysely'
import { boxAround, EARTH_MILES } from '../lib/distance.ts'
import type { ListQuery, Radius } from '../lib/list-query.ts'
import type { Tx } from './database.ts'
import { type FilterSql, type SortKey, sortKey } from './list-page.ts'

/**
 * Great-circle miles to the place whose latitude has the index `i`, as `distanceMiles` does it. Written out where it is
 * needed: called as a function of the database it took 9 times as long (19 µs a row).
 */
function milesTo(column: string, { lat, lon }: Radius): RawBuilder<number> {
  const places = sql.ref(column)
  return sql`2 * ${sql.lit(EARTH_MILES)} * asin(least(1, sqrt(sin(radians(${places}[i] - ${lat}::float8) / 2) ^ 2
    + cos(radians(${lat}::float8)) * cos(radians(${places}[i])) * sin(radians(${places}[i + 1] - ${lon}::float8) / 2) ^ 2)))`
}

const eachPlace = (column: string) => sql`generate_series(1, cardinality(${sql.ref(column)}) - 1, 2) as i`

/** Any of the places is within the radius; the box around the circle comes first, as subtractions cost less than sines. */
export function withinRadius(column: string): FilterSql {
  return (_operator, value) => {
    const radius = value as Radius
    const { high, wide } = boxAround(radius.lat, radius.miles)
    const places = sql.ref(column)
    const aside = sql`abs(${places}[i + 1] - ${radius.lon}::float8)`
    // Across the date line the way round is the shorter.
    return sql`exists (select from ${eachPlace(column)}
      where abs(${places}[i] - ${radius.lat}::float8) <= ${high}::float8
        and (${aside} <= ${wide}::float8 or ${aside} >= ${360 - wide}::float8)
        and ${milesTo(column, radius)} <= ${radius.miles}::float8)`
  }
}

/** What a query measures distances from, if it does. */
function centreOf({ filters }: Pick<ListQuery, 'filters'>): Radius | undefined {
  return filters.find(({ filter }) => filter === 'distance')?.value as Radius | undefined
}

function nearest(column: string, centre: Radius): RawBuilder<number> {
  return sql`(select min(${milesTo(column, centre)}) from ${eachPlace(column)})`
}

/** `distance_miles` for a radius search, as a column to select after others; nothing for other searches. */
export function distanceColumn(column: string, query: Pick<ListQuery, 'filters'>): RawBuilder<unknown> {
  const centre = centreOf(query)
  return centre ? sql`, ${nearest(column, centre)} as distance_miles` : sql``
}

/** The order of the distances as they are shown, in tenths of a mile: what comes after it decides within a town. */
export function distanceKey(column: string, query: Pick<ListQuery, 'filters'>): SortKey {
  const centre = centreOf(query)
  if (!centre) return sortKey.expression('bigint', sql`0::bigint`)
  return sortKey.expression('bigint', sql`coalesce(floor(${nearest(column, centre)} * 10 + 0.5), 0)::bigint`)
}

/**
 * Finds the places of up to `limit` rows whose location nobody has looked at yet; answers how many there were. Those that
 * another process holds are left to it.
 */
export async function placeUnplaced(
  tx: Tx,
  table: 'job' | 'candidate',
  limit: number,
  placesOf: (location: string | null) => readonly number[],
): Promise<number> {
  const { rows } = await sql<{ id: string; location: string | null }>`
    select id, location from ${sql.table(table)} where places is null
    order by id limit ${limit} for no key update skip locked`.execute(tx)
  const placed = rows.map(({ id, location }) => ({ id, places: placesOf(location) }))
  await sql`
    update ${sql.table(table)} as placed set places = found.places
    from json_to_recordset(${JSON.stringify(placed)}::json) as found (id text, places float8[])
    where placed.id = found.id`.execute(tx)
  return rows.length
}
