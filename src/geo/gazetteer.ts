/**
 * Geocodes locations without network access (docs/decisions/0027). The server opens the gazetteer file at startup.
 * Other programs open the file when they geocode the first location.
 */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { Gazetteer } from './gazetteer-file.ts'
import { type Place, placesIn } from './location.ts'
import { placeName } from './names.ts'

export type { Place }

const FILE = new URL('gazetteer.bin.gz', import.meta.url)
let opened: Gazetteer | undefined

/** Large chunks, because the default of 16 KiB leaves 14 MB more memory in use. */
const UNPACKING = { chunkSize: 1 << 20 }

/** Opens the file in the background, so that no request or transaction has to wait for it. */
export async function openGazetteer(): Promise<void> {
  const file = await promisify(gunzip)(await readFile(FILE), UNPACKING)
  opened ??= new Gazetteer(file)
}

function gazetteer(): Gazetteer {
  opened ??= new Gazetteer(gunzipSync(readFileSync(FILE), UNPACKING))
  return opened
}

/** Maximum number of cached locations, which take about 3 MB. Many jobs share a location. */
const RESOLVED_MAX = 10_000
/**
 * Maximum length of a cached location, in characters. A job's location is never longer, but a location in a query may
 * be.
 */
const KEPT_LENGTH_MAX = 200
const resolved = new Map<string, readonly Place[]>()

/**
 * Returns all places that a location names. Returns none for `Remote`, a country without a place, or an unknown place.
 */
export function resolvePlaces(location: string): readonly Place[] {
  let places = resolved.get(location)
  if (places === undefined) {
    places = placesIn(gazetteer(), location)
    if (location.length > KEPT_LENGTH_MAX) return places
    if (resolved.size >= RESOLVED_MAX) resolved.clear()
    resolved.set(location, places)
  }
  return places
}

/** Returns the geocoded points of a location as stored in the database: latitude, longitude, latitude, longitude … */
export function pointsOf(location: string | null): number[] {
  return location === null ? [] : resolvePlaces(location).flatMap(({ lat, lon }) => [lat, lon])
}

/** Returns the center of a radius search, or undefined if the place is unknown. */
export function resolvePlace(text: string): Place | undefined {
  return resolvePlaces(text)[0]
}

/**
 * Returns the ISO 3166-1 code of a location's country, even if the location names only a country. Returns undefined if
 * the country is unknown.
 */
export function countryOf(location: string): string | undefined {
  const [place] = resolvePlaces(location)
  if (place) return place.country
  const [region] = gazetteer().findRegions(placeName(location.split(',').at(-1)!)) ?? []
  return region?.slice(0, 2)
}
