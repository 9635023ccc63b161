/** Creates the content of the gazetteer file, in the format that src/geo/gazetteer-file.ts defines. */
import { aligned, type Columns, columnNames, type Header, likelihood, SCALE } from '../src/geo/gazetteer-file.ts'

/** The data from which the file is created. */
export interface GazetteerSource {
  places: readonly SourcePlace[]
  zips: readonly { code: number; lat: number; lon: number }[]
  /**
   * Maps the name of a country or part of a country to its keys, such as `US` and `US.CA`. A name may have several
   * keys.
   */
  regions: Readonly<Record<string, readonly string[]>>
}

interface SourcePlace {
  name: string
  /** Key of the country or the part of a country that contains the place. */
  region: string
  lat: number
  lon: number
  population: number
  /** Names as `placeName` returns them. Alternate names, which may be little known, have `isMain: false`. */
  names: readonly { name: string; isMain: boolean }[]
}

/** Returns the uncompressed file. */
export function packGazetteer({ places: unsorted, zips, regions }: GazetteerSource): Uint8Array {
  // Keeps neighboring places adjacent, which compresses best.
  const places = unsorted.toSorted((a, b) => (a.region === b.region ? a.lat - b.lat : a.region < b.region ? -1 : 1))
  const regionKeys = [...new Set(places.map(({ region }) => region))]
  const regionNumber = new Map(regionKeys.map((key, index) => [key, index]))
  const byName = new Map<string, { place: number; isMain: boolean; score: number }[]>()
  for (const [place, { names, population }] of places.entries()) {
    for (const { name, isMain } of names) {
      const list = byName.get(name) ?? []
      list.push({ place, isMain, score: likelihood(population, isMain) })
      byName.set(name, list)
    }
  }
  const names = [...byName]
    .map(([name, list]) => ({ bytes: Buffer.from(name), list: list.sort((a, b) => b.score - a.score) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
  const labels = places.map(({ name }) => Buffer.from(name))
  const sortedZips = zips.toSorted((a, b) => a.code - b.code)
  const scaled = (degrees: number) => Math.round(degrees * SCALE)
  const columns: Columns = {
    lat: Int32Array.from(places, ({ lat }) => scaled(lat)),
    lon: Int32Array.from(places, ({ lon }) => scaled(lon)),
    population: Uint32Array.from(places, ({ population }) => population),
    region: Uint16Array.from(places, ({ region }) => regionNumber.get(region)!),
    labelLength: Uint8Array.from(labels, ({ length }) => length),
    labels: Buffer.concat(labels),
    nameLength: Uint8Array.from(names, ({ bytes }) => bytes.length),
    names: Buffer.concat(names.map(({ bytes }) => bytes)),
    placeCount: Uint16Array.from(names, ({ list }) => list.length),
    placesOfName: Uint32Array.from(
      names.flatMap(({ list }) => list.map(({ place, isMain }) => place * 2 + (isMain ? 0 : 1))),
    ),
    zip: Uint32Array.from(sortedZips, ({ code }) => code),
    zipLat: Int32Array.from(sortedZips, ({ lat }) => scaled(lat)),
    zipLon: Int32Array.from(sortedZips, ({ lon }) => scaled(lon)),
  }
  const lengths = Object.fromEntries(columnNames.map((name) => [name, columns[name].length])) as Header['lengths']
  const header = Buffer.from(JSON.stringify({ lengths, regionKeys, regions } satisfies Header))
  const start = aligned(4 + header.length)
  const size = columnNames.reduce((sum, name) => sum + aligned(columns[name].byteLength), start)
  const file = Buffer.alloc(size)
  file.writeUInt32LE(header.length)
  header.copy(file, 4)
  let at = start
  for (const name of columnNames) {
    const { buffer, byteOffset, byteLength } = columns[name]
    file.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += aligned(byteLength)
  }
  return file
}
