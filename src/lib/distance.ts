/** Distances on the globe. Places are flat lists of degrees: latitude, longitude, latitude, longitude … */

/** The mean radius of the earth. */
const EARTH_MILES = 3_958.7613

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Great-circle miles from a point to the nearest of some places; Infinity without any. `distance_miles` in SQL is the same. */
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
