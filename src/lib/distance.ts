/** Computes distances on the globe. A list of points alternates between latitude and longitude, in degrees. */

/** Mean radius of the Earth, in miles. */
export const EARTH_MILES = 3_958.7613

const radians = (angle: number) => (angle * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/**
 * Returns half the height and half the width, in degrees, of the box around a circle. The box is slightly larger than
 * necessary, because rounding must not exclude any point. If the circle contains a pole, the box covers all longitudes.
 */
export function boxAround(lat: number, miles: number): { high: number; wide: number } {
  const angle = (miles / EARTH_MILES) * (1 + 1e-9) + 1e-12
  const reach = Math.sin(angle) / Math.cos(radians(lat))
  const isPolar = Math.abs(radians(lat)) + angle >= Math.PI / 2
  return { high: degrees(angle), wide: isPolar ? 180 : degrees(Math.asin(Math.min(1, reach))) }
}

/**
 * Returns the great-circle distance in miles from a point to the nearest point of a list, or Infinity if the list is
 * empty. src/lists/radius.ts computes the same distance in SQL.
 */
export function distanceMiles(places: readonly number[], lat: number, lon: number): number {
  let nearest = Number.POSITIVE_INFINITY
  for (let index = 0; index + 1 < places.length; index += 2) {
    const halfLat = Math.sin(radians(places[index]! - lat) / 2)
    const halfLon = Math.sin(radians(places[index + 1]! - lon) / 2)
    const square = halfLat * halfLat + Math.cos(radians(lat)) * Math.cos(radians(places[index]!)) * halfLon * halfLon
    nearest = Math.min(nearest, 2 * EARTH_MILES * Math.asin(Math.min(1, Math.sqrt(square))))
  }
  return nearest
}
