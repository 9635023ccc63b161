/** The in-memory index of the jobs on the board: filters, counts and pages. `Board` keeps the index current. */
import { isDeepStrictEqual } from 'node:util'
import { distanceMiles } from '../../lib/distance.ts'
import type { Conversion, Exchange } from '../../lib/exchange.ts'
import { sortedPart } from '../../lib/sorted-part.ts'
import { workplaces } from '../../lib/workplaces.ts'
import { type Direction, type FacetCount, type Radius, radiusOf } from '../../lists/query.ts'
import { includesDuplicates, type JobFilterName, jobFilter, requestedConversion, salaryTermsOf } from '../filters.ts'
import type { BoardQuery, FacetName, Key, Measured, SortField } from '../job-index.ts'
import { Vocabulary } from '../text/spelling.ts'
import { foldedWords } from '../text/words.ts'
import { Bits, narrow, passingSlots, slotsOf, wordsFor } from './bits.ts'
import { type BoardRow, Columns, fromSortable, type Parts, toSortable } from './columns.ts'
import { Conditions } from './conditions.ts'
import { type KeyOf, Order, type OrderName, orderKeys, salaryKey } from './orders.ts'
import type { ChangedRow } from './queries.ts'
import { Texts } from './texts.ts'

interface Walk {
  /** A term that depends on the query has no `name`, because the board stores no order by that term. */
  terms: readonly { name: OrderName | undefined; keyOf: KeyOf; isAscending: boolean }[]
  isIdAscending: boolean
  /** The page contains only jobs that follow this job. */
  anchor: { keys: readonly Key[]; id: string } | undefined
}

/** The range of matches that a page contains. */
interface Part {
  skip: number
  take: number
}

export interface IndexPage {
  slots: number[]
  hasMore: boolean
  hasPrevious: boolean
}

/**
 * Functions that return the value of a job for the fields that depend on the query. For salaries, the board stores an
 * order only in its default currency.
 */
export type Measures = Partial<Record<Measured, (slot: number) => number>>
type FacetValue = string | boolean | undefined

const textFields: ReadonlySet<string> = new Set<SortField>(['title', 'location', 'company_name'])

/** Encodes a sort value for a cursor. */
export function toCursor(field: SortField, key: Key): Key {
  if (field === 'posted_at') return new Date(key as number).toISOString()
  return textFields.has(field) ? fromSortable(key as string) : key
}

/** Decodes a sort value from a cursor. */
export function fromCursor(field: SortField, value: Key): Key {
  if (field === 'posted_at') return Date.parse(String(value))
  return textFields.has(field) ? toSortable(String(value)) : value
}

/** Sorts the counts of a facet, highest first. Omits zero counts and the count of jobs without a value. */
export function sortedCounts(counts: readonly FacetCount[]): FacetCount[] {
  return counts
    .filter(({ value, count }) => value !== undefined && count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

export class BoardIndex {
  readonly columns: Columns
  readonly conditions: Conditions
  readonly texts: Texts
  /** The jobs that lists show by default. */
  readonly live: Bits
  /** All jobs on the board, including copies that lists hide by default. */
  readonly #all: Bits
  /** The words in titles, companies and skills. */
  readonly vocabulary = new Vocabulary()
  /** The numbers of all jobs that have changed since the position of the board's base, if it has one. */
  readonly changed = new Set<number>()
  /** Increases with every change that can affect a list. */
  revision = 0
  #exchange: Exchange
  readonly #keys: Record<OrderName, KeyOf>
  readonly #orders: Record<OrderName, Order>

  /** `keepsWords`: see `Texts`. */
  constructor(exchange: Exchange, keepsWords = false) {
    this.#exchange = exchange
    this.columns = new Columns(exchange.byDefault)
    this.conditions = new Conditions(this.columns)
    this.texts = new Texts(this.columns, keepsWords)
    this.live = new Bits(wordsFor(this.columns.capacity))
    this.#all = new Bits(wordsFor(this.columns.capacity))
    this.#keys = orderKeys(this.columns)
    const orders = Object.entries(this.#keys).map(([name, key]) => [name, new Order(key, this.columns.ids)])
    this.#orders = Object.fromEntries(orders) as Record<OrderName, Order>
  }

  /**
   * Switches to new exchange rates for comparing salaries. Sorts both salary orders again, which takes 2 s for a
   * million jobs.
   */
  use(exchange: Exchange): void {
    if (exchange === this.#exchange) return
    this.#exchange = exchange
    this.#compareSalaries()
    this.conditions.forget()
    this.revision++
  }

  #compareSalaries(): void {
    this.columns.compareBy(this.#exchange.byDefault)
    for (const name of ['salary_asc', 'salary_desc'] as const) this.#orders[name].build(slotsOf(this.#all))
  }

  get exchange(): Exchange {
    return this.#exchange
  }

  get size(): number {
    return this.columns.used
  }

  /** Adds rows while the board loads. Call `order` after the last rows. */
  load(rows: readonly BoardRow[]): void {
    for (const row of rows) {
      const slot = this.columns.allocate(row)
      this.columns.write(slot, row)
      this.#count(slot, 1)
      this.#put(slot, row)
    }
  }

  /** Sorts all orders, yielding to the event loop between them. */
  async order(pause: () => Promise<void>): Promise<void> {
    for (const order of Object.values(this.#orders)) {
      order.build(slotsOf(this.#all))
      await pause()
    }
  }

  /** Returns the content of the index, without the caches in `conditions` and `texts`. */
  save(): Parts {
    const parts: Parts = { numbers: { live: this.live.words, all: this.#all.words }, values: {} }
    this.columns.save(parts)
    for (const [name, { slots, length }] of Object.entries(this.#orders)) {
      parts.numbers[`by ${name}`] = slots.subarray(0, length)
    }
    parts.values.vocabulary = this.vocabulary.counts
    parts.values.factors = factorsOf(this.#exchange)
    return parts
  }

  /** Loads saved content. The index must be new. */
  restore(parts: Parts): void {
    const { numbers, values } = parts
    this.columns.restore(parts)
    this.live.words = numbers.live as Uint32Array<ArrayBuffer>
    this.#all.words = numbers.all as Uint32Array<ArrayBuffer>
    for (const [word, count] of values.vocabulary as [string, number][]) this.vocabulary.add(word, count)
    for (const [name, order] of Object.entries(this.#orders)) {
      order.restore(numbers[`by ${name}`] as Uint32Array<ArrayBuffer>)
    }
    if (!isDeepStrictEqual(values.factors, factorsOf(this.#exchange))) this.#compareSalaries()
  }

  change(rows: readonly ChangedRow[], removed: readonly number[]): void {
    if (rows.length === 0 && removed.length === 0) return
    const { columns } = this
    const present = rows.flatMap((row) => columns.slotOf(row.number) ?? [])
    const orders = Object.entries(this.#orders) as [OrderName, Order][]
    // The orders are still sorted by the old values, so the positions are looked up before any column changes.
    const before = orders.map(([name, order]) => ({
      order,
      keyOf: this.#keys[name],
      keys: present.map(this.#keys[name]),
      positions: present.map((slot) => order.positions([slot])[0]!),
      gone: order.positions(removed),
    }))
    for (const slot of [...present, ...removed]) this.#count(slot, -1)
    const isPresent = new Set(present)
    const written = rows.map((row) => {
      const slot = columns.allocate(row)
      columns.write(slot, row)
      this.#count(slot, 1)
      return slot
    })
    for (const [index, slot] of written.entries()) this.#put(slot, rows[index]!)
    for (const set of [this.live, this.#all]) for (const slot of removed) set.set(slot, false)
    const added = written.filter((slot) => !isPresent.has(slot))
    for (const { order, keyOf, keys, positions, gone } of before) {
      const moved = present.flatMap((slot, index) => (keyOf(slot) === keys[index] ? [] : [index]))
      const taken = [...gone, ...moved.map((index) => positions[index]!)].sort((a, b) => a - b)
      order.replace(taken, [...added, ...moved.map((index) => present[index]!)])
    }
    // Slots are released last, because updating the orders requires the IDs.
    for (const slot of removed) columns.release(slot)
    this.conditions.refresh(written)
    for (const [index, slot] of written.entries()) this.texts.refresh(slot, rows[index]!.vector)
    this.revision++
  }

  #put(slot: number, { is_folded }: BoardRow): void {
    for (const set of [this.live, this.#all]) set.grow(wordsFor(this.columns.capacity))
    this.live.set(slot, !is_folded)
    this.#all.set(slot, true)
  }

  /** Adds `times` to the vocabulary's count of each word in a job. */
  #count(slot: number, times: number): void {
    const { title, companies, company, skillNames, skills } = this.columns
    const words = new Set(foldedWords(fromSortable(title[slot]!)))
    for (const word of companies.values[company[slot]!]!.words) words.add(word)
    for (const code of skills.get(slot)) for (const word of skillNames.values[code]!.words) words.add(word)
    for (const word of words) this.vocabulary.add(word, times)
  }

  /** Returns the slots of jobs that have expired. */
  expired(now: number): number[] {
    const { slots, length } = this.#orders.expires_at
    let count = 0
    while (count < length && this.columns.expiresAt[slots[count]!]! <= now) count++
    return [...slots.subarray(0, count)]
  }

  /** Returns when the next job expires, in epoch milliseconds, or infinity if the index is empty. */
  get nextExpiry(): number {
    const { slots, length } = this.#orders.expires_at
    return length === 0 ? Number.POSITIVE_INFINITY : this.columns.expiresAt[slots[0]!]!
  }

  /**
   * Returns the jobs of a set that pass all filters except the search. The default set contains all jobs that the query
   * shows.
   */
  matching(all: BoardQuery['filters'], from = includesDuplicates(all) ? this.#all : this.live): Bits {
    const terms = salaryTermsOf(all, this.#exchange)
    const filters = all.filter(({ filter }) => jobFilter[filter as JobFilterName].test)
    return narrow(
      from,
      filters.map((filter) => this.conditions.passing(filter, terms)),
    )
  }

  /** Returns the conversion that a query requests, unless the stored order already uses it. */
  conversionFor({ filters }: Pick<BoardQuery, 'filters'>): Conversion | undefined {
    const conversion = requestedConversion(filters, this.#exchange)
    return conversion === this.#exchange.byDefault ? undefined : conversion
  }

  /**
   * Returns a function that measures distances in a radius search, and the functions for the sort fields that depend on
   * the query, except relevance. Distances are sorted in tenths of a mile, as displayed.
   */
  measuring(query: BoardQuery): { milesOf: ((slot: number) => number) | undefined; measures: Measures } {
    const { columns } = this
    const radius = radiusOf(query)
    const milesOf = radius && this.#milesFrom(radius)
    const conversion = this.conversionFor(query)
    const measures: Measures = {
      ...(conversion && { salary: (slot) => columns.converted(columns.annualHigh[slot]!, slot, conversion) }),
      ...(milesOf && { distance: (slot) => Math.floor(milesOf(slot) * 10 + 0.5) }),
    }
    return { milesOf, measures }
  }

  /** Returns a page of a set of `count` jobs. `measures` covers the sort fields that depend on the query. */
  page(set: Bits, count: number, query: BoardQuery, measures: Measures = {}): IndexPage {
    const isBackward = query.cursor.direction === 'prev'
    const anchor = query.cursor.key
    const walk = this.#walk(query, isBackward, measures)
    const skip = query.page === undefined ? 0 : (query.page - 1) * query.limit
    const slots = skip >= count ? [] : this.#cut(set, count, walk, { skip, take: query.limit + 1 })
    const isCut = slots.length > query.limit
    if (isCut) slots.pop()
    if (isBackward) slots.reverse()
    const isFirst = query.page === undefined ? anchor === null : query.page === 1 || count === 0
    return {
      slots,
      hasMore: isBackward ? anchor !== null : isCut,
      hasPrevious: isBackward ? isCut : !isFirst,
    }
  }

  /** Returns a job's cursor key. `listPage` creates the same key. */
  cursorKey(slot: number, { sort }: BoardQuery, measures: Measures = {}): Key[] {
    const keys = sort.map(({ field, direction }) => toCursor(field, this.#keyOf(field, direction, measures)(slot)))
    return [...keys, this.columns.ids.get(slot)]
  }

  /** Returns a job's sort values. A field without a stored order takes its value from `measures`. */
  keysOf(slot: number, { sort }: Pick<BoardQuery, 'sort'>, measures: Measures): Key[] {
    return sort.map(({ field, direction }) => this.#keyOf(field, direction, measures)(slot))
  }

  /** Returns a function that measures how far a job is from a point, in miles. Measures each location only once. */
  #milesFrom({ lat, lon }: Radius): (slot: number) => number {
    const { location, locations } = this.columns
    const measured = new Map<number, number>()
    return (slot) => {
      const code = location[slot]!
      let miles = measured.get(code)
      if (miles === undefined) {
        miles = distanceMiles(locations.values[code]!.points, lat, lon)
        measured.set(code, miles)
      }
      return miles
    }
  }

  /** Counts the values of a facet among these jobs, highest count first. Ignores jobs without a value. */
  counts(slots: Uint32Array, facet: FacetName): FacetCount[] {
    const { codes, values } = this.#facet(facet)
    const counts = new Uint32Array(values.length)
    const { length } = slots
    for (let n = 0; n < length; n++) counts[codes[slots[n]!]!]!++
    return sortedCounts(values.map((value, code) => ({ value: value!, count: counts[code]! })))
  }

  /** Returns a job's value for a facet, or undefined if it has none. */
  facetValue(slot: number, facet: FacetName): FacetValue {
    const { codes, values } = this.#facet(facet)
    return values[codes[slot]!]
  }

  #facet(facet: FacetName): { codes: Uint8Array | Uint32Array; values: readonly FacetValue[] } {
    const { columns } = this
    switch (facet) {
      case 'category':
        return { codes: columns.category, values: columns.categories.values }
      case 'job_type':
        return { codes: columns.type, values: columns.types.values }
      case 'experience_level':
        return { codes: columns.level, values: columns.levels.values }
      case 'language':
        return { codes: columns.language, values: columns.languages.values }
      case 'remote':
        return { codes: columns.remote, values: [false, true] }
      case 'workplace':
        return { codes: columns.workplace, values: workplaces }
    }
  }

  /**
   * Returns the companies with the most jobs, in descending order: for each, the number of its jobs and the slot of one
   * of these jobs.
   */
  busiestCompanies(max: number): { slot: number; count: number }[] {
    const { company, companies } = this.columns
    const found = companies.values.map(() => ({ slot: -1, count: 0 }))
    for (const slot of slotsOf(this.live)) {
      const own = found[company[slot]!]!
      own.slot = slot
      own.count++
    }
    return found
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .slice(0, max)
  }

  #walk({ sort, cursor }: BoardQuery, isBackward: boolean, measures: Measures): Walk {
    const terms = sort.map(({ field, direction }) => {
      const keyOf = this.#keyOf(field, direction, measures)
      return { name: orderName(field, direction, measures), keyOf, isAscending: (direction === 'asc') !== isBackward }
    })
    const anchorKey = (value: Key, index: number) => fromCursor(sort[index]!.field, value)
    const anchor = cursor.key
      ? { keys: cursor.key.slice(0, -1).map(anchorKey), id: String(cursor.key.at(-1)) }
      : undefined
    return { terms, isIdAscending: terms.at(-1)!.isAscending, anchor }
  }

  #keyOf(field: SortField, direction: Direction, measures: Measures): KeyOf {
    const name = orderName(field, direction, measures)
    if (name) return this.#keys[name]
    const measure = measures[field as Measured]!
    return field === 'salary' ? salaryKey(measure, direction) : measure
  }

  #cut(set: Bits, count: number, walk: Walk, part: Part): number[] {
    const steps = ((part.skip + part.take) * this.size) / Math.max(count, 1)
    if (walk.terms.some(({ name }) => name === undefined)) return this.#cutSorted(set, count, walk, part)
    if (steps > count * Math.log2(count + 2) * STEPS_OF_COMPARISON) return this.#cutSorted(set, count, walk, part)
    return walk.terms.length === 1 ? this.#cutOrder(set, walk, part) : this.#cutRuns(set, walk, part)
  }

  /** Selects a page by partially sorting the set, without a stored order. */
  #cutSorted(set: Bits, count: number, walk: Walk, { skip, take }: Part): number[] {
    const slots = passingSlots(set, count)
    const isAfter = this.#after(walk)
    let length = 0
    for (const slot of slots) if (isAfter(slot)) slots[length++] = slot
    return [...sortedPart(slots.subarray(0, length), this.#comparison(walk), skip, skip + take)]
  }

  /** Selects a page of a list with a single sort field, from that field's stored order. */
  #cutOrder(set: Bits, { terms: [term], anchor }: Walk, { skip, take }: Part): number[] {
    const { name, isAscending } = term!
    const order = this.#orders[name!]
    const { slots, length } = order
    const step = isAscending ? 1 : -1
    let position = isAscending ? 0 : length - 1
    if (anchor) {
      position = order.positionOf(anchor.keys[0]!, anchor.id)
      // The anchor is at this position, unless its sort value has changed or its job has left the board.
      if (!isAscending) position--
      else if (position < length && this.columns.ids.get(slots[position]!) === anchor.id) position++
    }
    const found: number[] = []
    for (let left = skip; position >= 0 && position < length && found.length < take; position += step) {
      const slot = slots[position]!
      if (!set.has(slot)) continue
      if (left > 0) left--
      else found.push(slot)
    }
    return found
  }

  /** Selects a page from the stored order of the first field. Sorts the jobs with equal values by the other fields. */
  #cutRuns(set: Bits, walk: Walk, { skip, take }: Part): number[] {
    const { name, keyOf, isAscending } = walk.terms[0]!
    const order = this.#orders[name!]
    const { slots, length } = order
    const after = this.#after(walk)
    const compare = this.#comparison(walk)
    const step = isAscending ? 1 : -1
    let position = isAscending ? 0 : length - 1
    if (walk.anchor) {
      // Starts at the first job that has the anchor's key or, in descending order, at the last one.
      position = order.positionOf(walk.anchor.keys[0]!, isAscending ? '' : ID_HIGHEST)
      if (!isAscending) position--
    }
    const found: number[] = []
    let left = skip
    while (position >= 0 && position < length && found.length < take) {
      const key = keyOf(slots[position]!)
      const run: number[] = []
      for (; position >= 0 && position < length; position += step) {
        const slot = slots[position]!
        if (keyOf(slot) !== key) break
        if (set.has(slot) && after(slot)) run.push(slot)
      }
      if (run.length <= left) left -= run.length
      else {
        found.push(...sortedPart(Uint32Array.from(run), compare, left, left + take - found.length))
        left = 0
      }
    }
    return found
  }

  #comparison({ terms, isIdAscending }: Walk): (a: number, b: number) => number {
    const { ids } = this.columns
    return (a, b) => {
      for (const { keyOf, isAscending } of terms) {
        const [keyA, keyB] = [keyOf(a), keyOf(b)]
        if (keyA !== keyB) return keyA < keyB === isAscending ? -1 : 1
      }
      return isIdAscending ? ids.compare(a, b) : ids.compare(b, a)
    }
  }

  /** Returns a function that tests whether a job follows the anchor. */
  #after({ terms, isIdAscending, anchor }: Walk): (slot: number) => boolean {
    if (!anchor) return () => true
    const { ids } = this.columns
    return (slot) => {
      for (const [index, { keyOf, isAscending }] of terms.entries()) {
        const [own, other] = [keyOf(slot), anchor.keys[index]!]
        if (own !== other) return own > other === isAscending
      }
      const id = ids.get(slot)
      return id !== anchor.id && id > anchor.id === isIdAscending
    }
  }
}

/** Returns the default currency and the factors by which the board compares salaries. */
const factorsOf = ({ byDefault: { currency, factors } }: Exchange) => [currency, ...factors]

/** Estimated cost of a comparison while sorting, relative to a step along an order. */
const STEPS_OF_COMPARISON = 4

/** Sorts after every ID. */
const ID_HIGHEST = '\uffff'

function orderName(field: SortField, direction: Direction, measures: Measures): OrderName | undefined {
  if (field === 'relevance' || field === 'distance') return undefined
  if (field !== 'salary') return field
  if (measures.salary) return undefined
  return direction === 'asc' ? 'salary_asc' : 'salary_desc'
}
