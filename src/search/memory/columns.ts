/** Stores the board's jobs in columns. A job has the same slot in every column. Slots of removed jobs are reused. */
import type { Selectable } from 'kysely'
import type { JobTable } from '../../db/schema.ts'
import { type Conversion, convert } from '../../lib/exchange.ts'
import { workplaceOf, workplaces } from '../../lib/workplaces.ts'
import { lengthByte } from '../text/relevance.ts'
import { foldedWords } from '../text/words.ts'
import { enlarged } from './bits.ts'
import { JobIds } from './job-ids.ts'
import { NumberLists } from './number-lists.ts'
import { SlotTable } from './slot-table.ts'

/** Columns that the board reads unchanged, each with the kind of its values. */
export const copiedColumns = {
  id: 'text',
  number: 'number',
  title_sort: 'text',
  company_sort: 'text',
  location_sort: 'text',
  salary_min: 'number',
  salary_max: 'number',
  salary_annual_low: 'number',
  salary_annual_high: 'number',
  salary_currency: 'text',
  application_count: 'number',
  remote: 'flag',
  is_hybrid: 'flag',
  is_featured: 'flag',
  category: 'text',
  type: 'text',
  experience_level: 'text',
  employer_id: 'text',
} as const

/** A job's data. Times are in epoch milliseconds. */
export interface BoardRow extends Pick<Selectable<JobTable>, keyof typeof copiedColumns> {
  posted_at: number
  expires_at: number
  skills: string[]
  /** Geocoded points, alternating between latitude and longitude. Null until the locations are geocoded. */
  places: number[] | null
  /** The folded texts of all locations. Null if the job has only one. */
  locations: string[] | null
  /** Codes of the areas that contain the locations. Null until the areas are determined. */
  areas: string[] | null
  /** The language without a region. Null until it is detected. */
  language: string | null
  description_bytes: number
  /** Whether lists show a copy instead. */
  is_folded: boolean
}

/** Unused values are freed once there are more of them than this limit and than used values. */
const UNUSED_MIN = 1_000

/**
 * Assigns codes to values that jobs share. Code 0 means no value. Unused codes are reused, because repeated changes to
 * a job would otherwise exhaust the memory.
 */
export class Dictionary<T> {
  readonly values: (T | undefined)[] = [undefined]
  additions = 0
  /** Increases when codes are freed, because a freed code may later represent another value. */
  edition = 0
  readonly #codes = new Map<string, number>()
  /** Number of jobs with each code. */
  readonly #uses: number[] = [0]
  #unused = 0
  readonly #free: number[] = []
  readonly #make: (key: string) => T

  constructor(make: (key: string) => T) {
    this.#make = make
  }

  use(key: string | null): number {
    if (key === null) return 0
    let code = this.#codes.get(key)
    if (code === undefined) {
      this.additions++
      code = this.#free.pop() ?? this.values.length
      this.values[code] = this.#make(key)
      this.#uses[code] = 0
      this.#codes.set(key, code)
    } else if (this.#uses[code] === 0) this.#unused--
    this.#uses[code]!++
    return code
  }

  leave(code: number): void {
    if (code === 0 || --this.#uses[code]! > 0) return
    this.#unused++
    if (this.#unused > Math.max(UNUSED_MIN, this.#codes.size / 2)) this.#clear()
  }

  find(key: string): number | undefined {
    return this.#codes.get(key)
  }

  /** Returns the key of each code and the number of its uses. The key of an unused code is null. */
  save(): [key: string | null, uses: number][] {
    const saved = this.#uses.map((uses): [string | null, number] => [null, uses])
    for (const [key, code] of this.#codes) if (this.#uses[code]! > 0) saved[code]![0] = key
    return saved
  }

  /** Loads saved codes. The dictionary must be new. */
  restore(saved: ReturnType<Dictionary<T>['save']>): void {
    for (const [code, [key, uses]] of saved.entries()) {
      this.#uses[code] = uses
      this.values[code] = key === null ? undefined : this.#make(key)
      if (key !== null) this.#codes.set(key, code)
      else if (code > 0) this.#free.push(code)
    }
  }

  #clear(): void {
    for (const [key, code] of this.#codes) {
      if (this.#uses[code]! > 0) continue
      this.#codes.delete(key)
      this.values[code] = undefined
      this.#free.push(code)
    }
    this.#unused = 0
    this.edition++
  }
}

const names = () => new Dictionary((name) => name)

/** A folded text that jobs can share: its sort key and its words. */
interface Name {
  sort: string
  words: readonly string[]
}

const nameOf = (text: string): Name => ({ sort: toSortable(text), words: foldedWords(text) })

/**
 * The locations of a job: the sort key of the first location's folded text, and the words of all locations. Also
 * contains the job's geocoded points and the codes of its areas.
 */
export interface Location {
  sort: string
  /** The folded texts of all locations. Empty if there is only one. */
  names: readonly string[]
  words: ReadonlySet<string>
  /** Points, alternating between latitude and longitude. */
  points: readonly number[]
  areas: ReadonlySet<string>
}

const locationKey = ({ location_sort, places, areas, locations }: BoardRow) =>
  [location_sort, places?.join(','), areas?.join(' '), ...(locations ?? NONE)].join('\0')

const NONE: readonly string[] = []

function locationOf(key: string): Location {
  const [sort, points, areas, ...names] = key.split('\0') as [string, string, string, ...string[]]
  return {
    sort: toSortable(sort),
    names: names.length > 0 ? names : NONE,
    words: new Set([sort, ...names].flatMap(foldedWords)),
    points: points === '' ? [] : points.split(',').map(Number),
    areas: new Set(areas === '' ? [] : areas.split(' ')),
  }
}

/** Sort values for jobs without a salary, as in `sortKey.nullableBigint`. */
export const NO_SALARY_ASC = Number.MAX_SAFE_INTEGER
export const NO_SALARY_DESC = -1

/**
 * Converts a text to a sort key that JavaScript compares like the database's "C" collation. JavaScript compares UTF-16
 * units, but the database compares code points. The two orders differ for surrogates and the units above them, so this
 * function swaps these two ranges.
 */
export function toSortable(text: string): string {
  return EXCHANGED.test(text) ? exchange(text, TO_SORTABLE) : text
}

export function fromSortable(text: string): string {
  return EXCHANGED.test(text) ? exchange(text, FROM_SORTABLE) : text
}

const EXCHANGED = /[\ud800-\uffff]/

const TO_SORTABLE = { start: 0xd800, middle: 0xe000, up: 0x2000, down: -0x800 }
const FROM_SORTABLE = { start: 0xd800, middle: 0xf800, up: 0x800, down: -0x2000 }

/** Adds `up` to the units from `start` to before `middle`, and `down` to the units from `middle`. */
function exchange(text: string, { start, middle, up, down }: typeof TO_SORTABLE): string {
  let exchanged = ''
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    exchanged += String.fromCharCode(unit < start ? unit : unit < middle ? unit + up : unit + down)
  }
  return exchanged
}

type TypedArray = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** The content of an index by name, as a snapshot stores it. */
export interface Parts {
  /** The arrays of the index itself, which must not change before they are written. */
  numbers: Record<string, TypedArray>
  /** Copies of lists. Their elements never change. */
  values: Record<string, readonly unknown[]>
}

const FIRST_CAPACITY = 1_024

export class Columns {
  /** Number of slots, both used and free. */
  size = 0
  capacity = FIRST_CAPACITY
  readonly #free: number[] = []
  readonly #slots = new SlotTable(() => this.number)

  readonly ids = new JobIds()
  readonly title: string[] = []
  number = new Uint32Array(FIRST_CAPACITY)
  /** Times in epoch milliseconds. */
  postedAt = new Float64Array(FIRST_CAPACITY)
  expiresAt = new Float64Array(FIRST_CAPACITY)
  /** Salary bounds. NaN: none. */
  salaryMin = new Float64Array(FIRST_CAPACITY)
  salaryMax = new Float64Array(FIRST_CAPACITY)
  annualLow = new Float64Array(FIRST_CAPACITY)
  annualHigh = new Float64Array(FIRST_CAPACITY)
  /** `annualHigh` in the board's default currency. NaN without a salary or an exchange rate. */
  comparableHigh = new Float64Array(FIRST_CAPACITY)
  applications = new Uint32Array(FIRST_CAPACITY)
  /** Lengths of titles and descriptions, as returned by `lengthByte`. */
  lengths = new Uint8Array(FIRST_CAPACITY)
  remote = new Uint8Array(FIRST_CAPACITY)
  /** Indexes into `workplaces`. */
  workplace = new Uint8Array(FIRST_CAPACITY)
  featured = new Uint8Array(FIRST_CAPACITY)
  /** Codes of values in the dictionaries. */
  category = new Uint32Array(FIRST_CAPACITY)
  type = new Uint32Array(FIRST_CAPACITY)
  level = new Uint32Array(FIRST_CAPACITY)
  language = new Uint32Array(FIRST_CAPACITY)
  currency = new Uint32Array(FIRST_CAPACITY)
  company = new Uint32Array(FIRST_CAPACITY)
  employer = new Uint32Array(FIRST_CAPACITY)
  location = new Uint32Array(FIRST_CAPACITY)
  readonly skills = new NumberLists()

  readonly categories = names()
  readonly types = names()
  readonly levels = names()
  readonly languages = names()
  readonly currencies = names()
  readonly companies = new Dictionary(nameOf)
  readonly employers = names()
  readonly skillNames = new Dictionary(nameOf)
  readonly locations = new Dictionary(locationOf)
  #conversion: Conversion

  /** `conversion`: to the board's default currency. */
  constructor(conversion: Conversion) {
    this.#conversion = conversion
  }

  /** Recomputes the comparable salaries with new exchange rates. */
  compareBy(conversion: Conversion): void {
    this.#conversion = conversion
    for (let slot = 0; slot < this.size; slot++) this.#compare(slot)
  }

  #compare(slot: number): void {
    this.comparableHigh[slot] = this.converted(this.annualHigh[slot]!, slot, this.#conversion)
  }

  /** Converts an amount from the currency of a job's salary. Returns NaN without an exchange rate. */
  converted(amount: number, slot: number, { factors }: Conversion): number {
    return convert(amount, factors.get(this.currencies.values[this.currency[slot]!]!))
  }

  slotOf(number: number): number | undefined {
    return this.#slots.find(number)
  }

  get used(): number {
    return this.size - this.#free.length
  }

  /** Returns the job's slot, assigning one if the job has none. */
  allocate({ number }: Pick<BoardRow, 'number'>): number {
    const present = this.slotOf(number)
    if (present !== undefined) return present
    const slot = this.#free.pop() ?? this.size++
    if (slot >= this.capacity) this.#grow()
    this.number[slot] = number
    this.#slots.add(slot)
    return slot
  }

  release(slot: number): void {
    this.#slots.remove(this.number[slot]!)
    this.#code(slot, undefined)
    this.title[slot] = ''
    this.#free.push(slot)
  }

  write(slot: number, row: BoardRow): void {
    this.ids.set(slot, row.id)
    this.title[slot] = toSortable(row.title_sort)
    this.postedAt[slot] = row.posted_at
    this.expiresAt[slot] = row.expires_at
    this.salaryMin[slot] = row.salary_min ?? Number.NaN
    this.salaryMax[slot] = row.salary_max ?? Number.NaN
    this.annualLow[slot] = row.salary_annual_low ?? Number.NaN
    this.annualHigh[slot] = row.salary_annual_high ?? Number.NaN
    this.applications[slot] = row.application_count
    this.lengths[slot] = lengthByte(row.title_sort.length, row.description_bytes)
    this.remote[slot] = Number(row.remote)
    this.workplace[slot] = workplaces.indexOf(workplaceOf(row))
    this.featured[slot] = Number(row.is_featured)
    this.#code(slot, row)
    this.#compare(slot)
  }

  /**
   * Sets the codes of a slot before releasing the previous codes, so that unchanged values keep their codes. Without a
   * row, only releases the codes.
   */
  #code(slot: number, row: BoardRow | undefined): void {
    const exchange = <T>(codes: Uint32Array, dictionary: Dictionary<T>, key: string | null | undefined) => {
      const before = codes[slot]!
      codes[slot] = dictionary.use(key ?? null)
      dictionary.leave(before)
    }
    exchange(this.category, this.categories, row?.category)
    exchange(this.type, this.types, row?.type)
    exchange(this.level, this.levels, row?.experience_level)
    exchange(this.language, this.languages, row?.language)
    exchange(this.currency, this.currencies, row?.salary_currency)
    exchange(this.company, this.companies, row?.company_sort)
    exchange(this.employer, this.employers, row?.employer_id)
    exchange(this.location, this.locations, row && locationKey(row))
    const before = this.skills.get(slot)
    this.skills.set(slot, row ? row.skills.map((skill) => this.skillNames.use(skill)) : [])
    for (const code of before) this.skillNames.leave(code)
  }

  /** Adds all columns to the content of an index. */
  save({ numbers, values }: Parts): void {
    for (const [name, member] of Object.entries(this)) {
      if (ArrayBuffer.isView(member)) numbers[name] = member as TypedArray
      else if (Array.isArray(member)) values[name] = member.slice()
      else if (member instanceof Dictionary) values[name] = member.save()
    }
    const [ids, skills] = [this.ids.save(), this.skills.save()]
    Object.assign(numbers, { ids: ids.words, skillStarts: skills.starts, skillCodes: skills.numbers })
    values.otherIds = ids.others
    values.free = this.#free.slice()
    values.sizes = [this.size, this.capacity]
  }

  /** Loads saved columns. The columns must be new. */
  restore({ numbers, values }: Parts): void {
    for (const [name, member] of Object.entries(this)) {
      if (ArrayBuffer.isView(member)) Object.assign(this, { [name]: numbers[name] })
      else if (Array.isArray(member)) for (const value of values[name]!) member.push(value)
      else if (member instanceof Dictionary) member.restore(values[name] as [string | null, number][])
    }
    const { ids, skillStarts, skillCodes } = numbers as Record<string, Uint32Array<ArrayBuffer>>
    this.ids.restore({ words: ids!, others: values.otherIds as [number, string][] })
    this.skills.restore({ starts: skillStarts!, numbers: skillCodes! })
    for (const slot of values.free as number[]) this.#free.push(slot)
    ;[this.size, this.capacity] = values.sizes as [number, number]
    const free = new Set(this.#free)
    for (let slot = 0; slot < this.size; slot++) if (!free.has(slot)) this.#slots.add(slot)
  }

  #grow(): void {
    this.capacity *= 2
    for (const [name, column] of Object.entries(this)) {
      if (ArrayBuffer.isView(column)) Object.assign(this, { [name]: enlarged(column as TypedArray, this.capacity) })
    }
  }
}
