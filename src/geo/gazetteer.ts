/**
 * Where places are, without a network (docs/decisions/0027). The file is opened when the first location is resolved, and
 * kept.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Gazetteer } from './gazetteer-file.ts'
import { type Place, placesIn } from './location.ts'

export type { Place }

const FILE = new URL('gazetteer.bin.gz', import.meta.url)
let opened: Gazetteer | undefined

function gazetteer(): Gazetteer {
  // In few large pieces: the default of 16 KiB leaves 14 MB more behind.
  opened ??= new Gazetteer(gunzipSync(readFileSync(FILE), { chunkSize: 1 << 20 }))
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
