/**
 * Geocodes locations without network access (docs/decisions/0027), and finds their areas (docs/decisions/0086). The
 * server opens the gazetteer file at startup; other programs open it when they first geocode a location.
 */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { remembering } from '../lib/remember.ts'
import { Gazetteer } from './gazetteer-file.ts'
import { type Named, namedIn, type Place } from './location.ts'
import { namesakesOf, placesBeginning } from './suggestions.ts'

export type { Place }

const FILE = new URL('gazetteer.bin.gz', import.meta.url)
let opened: Gazetteer | undefined

/** Uses large chunks, because the default of 16 KiB increases memory use by 14 MB. */
const UNPACKING = { chunkSize: 1 << 20 }

/** Opens the file in advance. Otherwise, a request or a transaction would have to wait for it. */
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
/** Maximum length of a cached location. The locations of jobs are never longer, but the locations in queries can be. */
const KEPT_LENGTH_MAX = 200
const resolved = remembering<Named>({ resultsMax: RESOLVED_MAX, keyLengthMax: KEPT_LENGTH_MAX })

const resolve = (location: string): Named => resolved(location, () => namedIn(gazetteer(), location))

/** Returns the places that a location names: none for `Remote`, a country alone or an unknown place. */
export function resolvePlaces(location: string): readonly Place[] {
  return resolve(location).places
}

/** Returns a location's geocoded points in the database format, alternating between latitude and longitude. */
export function pointsOf(location: string | null): number[] {
  return location === null ? [] : resolvePlaces(location).flatMap(({ lat, lon }) => [lat, lon])
}

/** Returns the first place that a text names, if any. It is the center of a radius search. */
export function resolvePlace(text: string): Place | undefined {
  return resolvePlaces(text)[0]
}

const countryIn = (region: string) => region.slice(0, 2)

/**
 * Returns the widest of the regions, or their country if no single region is the widest. Returns undefined if the
 * regions are in different countries, because the name is ambiguous.
 */
function widest(regions: readonly string[]): string | undefined {
  if (new Set(regions.map(countryIn)).size !== 1) return undefined
  const outer = regions.filter((key) => !regions.some((other) => key.startsWith(`${other}.`)))
  return outer.length === 1 ? outer[0] : countryIn(outer[0]!)
}

/** Returns the codes of all areas that contain a location: countries, parts of countries, and cities. */
export function areasOf(location: string | null): string[] {
  if (location === null) return []
  const { places, regions } = resolve(location)
  const cities = places.flatMap(({ country, region, city = [] }) => [country, region, city].flat())
  const others = regions.flatMap((keys) => widest(keys) ?? [])
  return [...new Set([...cities, ...others.flatMap((key) => [countryIn(key), key])])]
}

/** Maximum number of a row's points, because searches and comparisons measure the distance to each of them. */
const POINTS_MAX = 100

/** Returns the columns of a row that are derived from its locations. */
export function geocode(locations: readonly (string | null)[]): { places: number[]; areas: string[] } {
  if (locations.length === 1) return { places: pointsOf(locations[0]!), areas: areasOf(locations[0]!) }
  const named = locations.flatMap((location) => (location === null ? [] : resolvePlaces(location)))
  const points = new Map(named.map(({ lat, lon }) => [`${lat} ${lon}`, [lat, lon]]))
  return { places: [...points.values()].slice(0, POINTS_MAX).flat(), areas: [...new Set(locations.flatMap(areasOf))] }
}

/**
 * Returns the codes of the areas that a text can mean. If a location is in one of these areas, the result of `areasOf`
 * contains the area's code.
 */
export function areasNamed(text: string): string[] {
  const { places, regions } = resolve(text)
  return [...new Set([...places.flatMap(({ city }) => city ?? []), ...regions.flat()])]
}

/** Returns towns, parts of countries and countries whose names begin with a text, likeliest first. */
export function suggestPlaces(text: string, max: number): string[] {
  return placesBeginning(gazetteer(), text, max).filter((label) => countryOf(label) !== undefined)
}

/** Returns the towns, likeliest first, if a text is a name that several towns share. Returns none otherwise. */
export function findNamesakes(text: string, max: number): string[] {
  return text.length > KEPT_LENGTH_MAX ? [] : namesakesOf(gazetteer(), text, max)
}

/**
 * Returns the code of a place's state, such as `CA`, if it has one. Returns undefined for numeric codes, which most
 * countries use, because readers would not recognize them.
 */
export function stateOf({ region }: Place): string | undefined {
  const [, part = ''] = region.split('.')
  return part >= 'A' ? part : undefined
}

/** Returns the ISO 3166-1 code of the first country that `areasOf` finds, even if the location names only a country. */
export function countryOf(location: string): string | undefined {
  return areasOf(location)[0]?.slice(0, 2)
}
