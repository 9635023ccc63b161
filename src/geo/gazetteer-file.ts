/**
 * The gazetteer file: columns of numbers and a sorted list of names, which the service uses without converting them to
 * objects. The file starts with a length (4 bytes), and JSON of that length with the regions and the column lengths.
 * The columns follow, each aligned to 8 bytes. All numbers are little-endian.
 */
import { lowerBound } from '../lib/lower-bound.ts'
import { fold } from '../search/text/fold.ts'

const SHORT: Readonly<Record<string, string>> = { saint: 'st', sainte: 'ste', fort: 'ft', mount: 'mt' }

/** Normalizes a name for comparison: `Coeur d’Alene` becomes `coeur dalene`, and `Saint Louis` becomes `st louis`. */
export function placeName(text: string): string {
  return fold(text)
    .replace(/['.`]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
    .replace(/\p{L}+/gu, (word) => SHORT[word] ?? word)
}

/** The columns of the file and their types, in order. */
const columnTypes = {
  lat: Int32Array,
  lon: Int32Array,
  population: Uint32Array,
  region: Uint16Array,
  labelLength: Uint8Array,
  labels: Uint8Array,
  nameLength: Uint8Array,
  names: Uint8Array,
  placeCount: Uint16Array,
  /**
   * The places of each name, likeliest first. Each entry is twice the number of the place, plus one for an alternate
   * name.
   */
  placesOfName: Uint32Array,
  zip: Uint32Array,
  zipLat: Int32Array,
  zipLon: Int32Array,
} as const
type Column = keyof typeof columnTypes
export type Columns = { [C in Column]: InstanceType<(typeof columnTypes)[C]> }
export const columnNames = Object.keys(columnTypes) as Column[]

/** The JSON at the start of the file. */
export interface Header {
  lengths: Record<Column, number>
  regionKeys: string[]
  regions: Record<string, readonly string[]>
}

/** Stored coordinates are in ten-thousandths of a degree (about 10 m). */
export const SCALE = 10_000

/**
 * Weight of a population when an alternate name refers to the place. With this weight, `Cologne` means Köln rather than
 * a village, but `Victoria` means the city in Canada rather than Hong Kong.
 */
const ALTERNATE_WEIGHT = 1 / 30

/** Maximum length of a code of a country or part of a country, such as `usa`. */
export const REGION_CODE_LENGTH_MAX = 3

export const aligned = (length: number) => Math.ceil(length / 8) * 8

/** Returns the likelihood that a name means a place, expressed as a population. */
export function likelihood(population: number, isMain: boolean): number {
  return isMain ? population : population * ALTERNATE_WEIGHT
}

/** A place that a name can refer to. */
export interface Candidate {
  place: number
  population: number
  /** The likelihood, expressed as a population. Lower for an alternate name. */
  score: number
  isMain: boolean
}

export class Gazetteer {
  readonly #columns: Columns
  readonly #regionKeys: readonly string[]
  readonly #regions: Map<string, readonly string[]>
  readonly #labelStart: Uint32Array
  readonly #nameStart: Uint32Array
  readonly #placesStart: Uint32Array

  constructor(file: Uint8Array) {
    // Copies a view that does not start at offset 0, because typed arrays need aligned offsets.
    const buffer = file.byteOffset === 0 ? file.buffer : file.slice().buffer
    const headerLength = new DataView(buffer).getUint32(0, true)
    const header = JSON.parse(Buffer.from(buffer, 4, headerLength).toString()) as Header
    let at = aligned(4 + headerLength)
    const columns = Object.fromEntries(
      columnNames.map((name) => {
        const column = new columnTypes[name](buffer as ArrayBuffer, at, header.lengths[name])
        at += aligned(column.byteLength)
        return [name, column]
      }),
    )
    this.#columns = columns as unknown as Columns
    this.#regionKeys = header.regionKeys
    this.#regions = new Map(Object.entries(header.regions))
    this.#labelStart = startsOf(this.#columns.labelLength)
    this.#nameStart = startsOf(this.#columns.nameLength)
    this.#placesStart = startsOf(this.#columns.placeCount)
  }

  /** Returns whether any place has this name. The name must be normalized by `placeName`. */
  has(name: string): boolean {
    return this.#numberOf(name) !== undefined
  }

  find(name: string): Candidate[] {
    const { placesOfName, population } = this.#columns
    const number = this.#numberOf(name)
    if (number === undefined) return []
    const found = placesOfName.subarray(this.#placesStart[number]!, this.#placesStart[number + 1]!)
    return Array.from(found, (entry) => {
      const [place, isMain] = [entry >>> 1, (entry & 1) === 0]
      const inhabitants = population[place]!
      return { place, population: inhabitants, score: likelihood(inhabitants, isMain), isMain }
    })
  }

  /** Returns up to `max` places with a name that begins with this text, likeliest first. Each place appears once. */
  findBeginning(text: string, max: number): Candidate[] {
    const { placesOfName, population } = this.#columns
    const start = Buffer.from(text)
    // No name contains the byte 0xff, so all names with this prefix sort before the prefix followed by 0xff.
    const [first, end] = [start, Buffer.concat([start, Buffer.of(0xff)])].map((bytes) => this.#lowerBound(bytes))
    const best: Candidate[] = []
    for (const entry of placesOfName.subarray(this.#placesStart[first!]!, this.#placesStart[end!]!)) {
      const [place, isMain] = [entry >>> 1, (entry & 1) === 0]
      const score = likelihood(population[place]!, isMain)
      if (best.length === max && score <= best.at(-1)!.score) continue
      const same = best.findIndex((other) => other.place === place)
      if (same >= 0 && best[same]!.score >= score) continue
      if (same >= 0) best.splice(same, 1)
      const at = lowerBound(best.length, (index) => best[index]!.score >= score)
      best.splice(at, 0, { place, population: population[place]!, score, isMain })
      if (best.length > max) best.pop()
    }
    return best
  }

  #numberOf(name: string): number | undefined {
    const wanted = Buffer.from(name)
    const number = this.#lowerBound(wanted)
    const isFound = number < this.#columns.nameLength.length && this.#compare(wanted, number) === 0
    return isFound ? number : undefined
  }

  /** Returns the number of the first name that is not less than these bytes. */
  #lowerBound(bytes: Buffer): number {
    return lowerBound(this.#columns.nameLength.length, (number) => this.#compare(bytes, number) > 0)
  }

  #compare(bytes: Buffer, number: number): number {
    return bytes.compare(this.#columns.names, this.#nameStart[number]!, this.#nameStart[number + 1]!)
  }

  /**
   * Returns the keys of all countries and parts of countries with this name or code, or undefined if there are none.
   */
  findRegions(name: string): readonly string[] | undefined {
    return this.#regions.get(name)
  }

  /**
   * Returns the names of countries and parts of countries that begin with this text, and the codes that equal this
   * text. Pairs each name or code with the keys that it can refer to.
   */
  findRegionsBeginning(text: string): [name: string, keys: readonly string[]][] {
    return [...this.#regions].filter(
      ([name]) => name.startsWith(text) && (name.length > REGION_CODE_LENGTH_MAX || name === text),
    )
  }

  /** Returns the key of the country or the part of a country that contains a place, such as `US.CA`. */
  regionOf(place: number): string {
    return this.#regionKeys[this.#columns.region[place]!]!
  }

  place(place: number): { name: string; lat: number; lon: number } {
    const { lat, lon, labels } = this.#columns
    const label = labels.subarray(this.#labelStart[place]!, this.#labelStart[place + 1]!)
    return { name: Buffer.from(label).toString(), lat: lat[place]! / SCALE, lon: lon[place]! / SCALE }
  }

  /** Returns the center of a US postal code, or undefined if the code is unknown. */
  findZip(code: number): { lat: number; lon: number } | undefined {
    const { zip, zipLat, zipLon } = this.#columns
    const at = lowerBound(zip.length, (index) => zip[index]! < code)
    return zip[at] === code ? { lat: zipLat[at]! / SCALE, lon: zipLon[at]! / SCALE } : undefined
  }
}

/** Returns the start of each item in a sequence with these lengths, and the end of the last item. */
function startsOf(lengths: Uint8Array | Uint16Array): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1)
  for (let index = 0; index < lengths.length; index++) starts[index + 1] = starts[index]! + lengths[index]!
  return starts
}
