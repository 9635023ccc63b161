/** Distances on the globe. Places are flat lists of degrees: latitude, longitude, latitude, longitude … */

/** The mean radius of the earth. */
export const EARTH_MILES = 3_958.7613

const radians = (angle: number) => (angle * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/**
 * Half the height and width, in degrees, of the box around a circle: a little more than it needs, so that rounding leaves
 * nothing out. Around a pole it is all the way round.
 */
export function boxAround(lat: number, miles: number): { high: number; wide: number } {
  const angle = (miles / EARTH_MILES) * (1 + 1e-9) + 1e-12
  const reach = Math.sin(angle) / Math.cos(radians(lat))
  const isPolar = Math.abs(radians(lat)) + angle >= Math.PI / 2
  return { high: degrees(angle), wide: isPolar ? 180 : degrees(Math.asin(Math.min(1, reach))) }
}

/** Great-circle miles from a point to the nearest of some places; Infinity without any. src/db/places.ts is the same. */
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
