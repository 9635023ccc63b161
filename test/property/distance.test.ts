/** For any points, JavaScript and SQL with its bounding box agree on distances and on the points within a radius. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { boxAround, distanceMiles } from '../../src/lib/distance.ts'
import type { Radius } from '../../src/lists/query.ts'
import { distanceColumn, distanceKey, withinRadius } from '../../src/lists/radius.ts'
import { useBoard } from '../support/board.ts'

const board = useBoard()

// Coordinates with four decimal places, as in the gazetteer. They include the poles, the equator, Greenwich and the
// date line.
const degrees = (limit: number) => fc.integer({ min: -limit * 10_000, max: limit * 10_000 }).map((n) => n / 10_000)
const lat = fc.oneof(degrees(90), fc.constantFrom(-90, -89.9, 0, 52.5, 89.9, 90))
const lon = fc.oneof(degrees(180), fc.constantFrom(-180, -179.9, 0, 179.9, 180))
const point = fc.tuple(lat, lon)
/** A center and at most four places, each at most 8 degrees of latitude and longitude away. */
const cluster = fc
  .tuple(point, fc.array(fc.tuple(degrees(8), degrees(8)), { maxLength: 4 }))
  .map(([[lat, lon], offsets]) => ({
    center: { lat, lon },
    places: offsets.flatMap(([up, aside]) => {
      const around = lon + aside
      return [
        Math.max(-90, Math.min(90, lat + up)),
        around > 180 ? around - 360 : around < -180 ? around + 360 : around,
      ]
    }),
  }))
const miles = fc.oneof(fc.constantFrom(0.000001, 1, 500), fc.double({ min: 0.1, max: 500, noNaN: true }))

interface Judged {
  is_within: boolean
  distance_miles: number | null
  tenths: number
}

test('radius, distance and order are the same in SQL and in JavaScript', async () => {
  await fc.assert(
    fc.asyncProperty(cluster, miles, async ({ center, places }, reach) => {
      const radius: Radius = { ...center, miles: reach }
      const query = { filters: [{ filter: 'distance', operator: 'is' as const, value: radius }] }
      const { rows } = await board.database.read((db) =>
        sql<Judged>`
          select ${withinRadius('spot.places')('is', radius)} as is_within,
            ${distanceKey('spot.places', query).asc} as tenths ${distanceColumn('spot.places', query)}
          from (select ${places}::float8[] as places) as spot`.execute(db),
      )
      const { is_within, distance_miles, tenths } = rows[0]!
      const expected = distanceMiles(places, center.lat, center.lon)
      if (places.length === 0) {
        expect([is_within, distance_miles, expected]).toEqual([false, null, Number.POSITIVE_INFINITY])
        return
      }
      expect(Math.abs(distance_miles! - expected)).toBeLessThan(1e-6)
      // On the exact edge, the result depends on rounding.
      if (Math.abs(expected - reach) > 1e-6) expect(is_within).toBe(expected <= reach)
      expect(Math.abs(tenths - expected * 10)).toBeLessThanOrEqual(0.5 + 1e-5)
    }),
    { numRuns: 1_000 },
  )
})

test('the bounding box contains the whole circle', () => {
  fc.assert(
    fc.property(point, miles, fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }), ([lat, lon], reach, bearing) => {
      // Computes the point at this bearing, just within the radius.
      const [phi, angle] = [(lat * Math.PI) / 180, (reach * 0.999999) / 3_958.7613]
      const up = Math.asin(Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing))
      const aside = Math.atan2(
        Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
        Math.cos(angle) - Math.sin(phi) * Math.sin(up),
      )
      const { high, wide } = boxAround(lat, reach)
      expect(Math.abs((up * 180) / Math.PI - lat)).toBeLessThanOrEqual(high + 1e-9)
      expect(Math.abs((aside * 180) / Math.PI)).toBeLessThanOrEqual(wide + 1e-9)
      expect(lon).toBeDefined()
    }),
  )
})
