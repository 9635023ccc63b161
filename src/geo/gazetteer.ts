/**
 * Where places are, without a network (docs/decisions/0027). What serves opens the file at its start; elsewhere
 * the first location that is resolved does.
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

/** In few large pieces: the default of 16 KiB leaves 14 MB more behind. */
const UNPACKING = { chunkSize: 1 << 20 }

/** Opens the file beside other work, so that no request has to wait for it and no transaction reads it. */
export async function openGazetteer(): Promise<void> {
  const file = await promisify(gunzip)(await readFile(FILE), UNPACKING)
  opened ??= new Gazetteer(file)
}

function gazetteer(): Gazetteer {
  opened ??= new Gazetteer(gunzipSync(readFileSync(FILE), UNPACKING))
  return opened
}

/** Boards repeat their locations: what was resolved is kept, up to so many texts (some 3 MB). */
const RESOLVED_MAX = 10_000
/** As long as a job's location may be: a query's could be longer. */
const KEPT_LENGTH_MAX = 200
const resolved = new Map<string, readonly Place[]>()

/** Where a location is, every place that it names; none for `Remote`, a country alone or what nobody knows. */
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

/** The same as the columns have it: latitude, longitude, latitude, longitude … */
export function placeColumn(location: string | null): number[] {
  return location === null ? [] : resolvePlaces(location).flatMap(({ lat, lon }) => [lat, lon])
}

/** The place that somebody looks around, or undefined where none is known. */
export function resolvePlace(text: string): Place | undefined {
  return resolvePlaces(text)[0]
}

/** The country that a location is in, ISO 3166-1, also where it names nothing but that; undefined where none is known. */
export function countryOf(location: string): string | undefined {
  const [place] = resolvePlaces(location)
  if (place) return place.country
  const [region] = gazetteer().findRegions(placeName(location.split(',').at(-1)!)) ?? []
  return region?.slice(0, 2)
}
