/** The query grammar of all lists: filters with operator suffixes, sorting, and both paging styles. */
import { type BrokenRule, FAULTS_MAX, type ParameterFault } from '../lib/errors.ts'
import { nameHint } from '../lib/nearest.ts'
import { limitTerms } from '../search/text/words.ts'
import { type Cursor, QueryCursors } from './cursor.ts'
import {
  echo,
  type Parameter,
  parseList,
  parseScalar,
  type ScalarValue,
  type Suffix,
  splitList,
  suffixes,
} from './parameters.ts'

export type Operator = 'is' | Suffix
export type Direction = 'asc' | 'desc'

export type FilterValue = ScalarValue | readonly ScalarValue[] | Radius | NamedLocation

/** The circle of a radius search, given by a location and a distance. */
export interface Radius {
  lat: number
  lon: number
  miles: number
}

/** The value of `location` without a distance: the text, and the codes of the areas that it can name. */
export interface NamedLocation {
  text: string
  areas: readonly string[]
}

export interface ListDeclaration<F extends string = string, S extends string = string> {
  /** The name of the list. Cursors are valid only for their own list. */
  name: string
  filters: Record<F, Parameter>
  filterAliases?: Record<string, F>
  /**
   * Sortable fields. A field with `within` requires that filter. If the filter is `search`, the field sorts only in
   * descending order.
   */
  sorts: Record<S, { within?: string }>
  sortAliases?: Record<string, S>
  defaultSort: readonly SortTerm<S>[]
  /** The default sort if `filter` is given. */
  defaultSortWithin?: { filter: string; sort: readonly SortTerm<S>[] }
  /** Field names and aliases. Each sorts in descending order by default if `sort` contains nothing else. */
  pairSorts?: readonly string[]
  /** Pairs of parameters. The value of the first must not exceed the value of the second. Equal times are rejected. */
  ranges?: readonly (readonly [string, string])[]
  /** Pairs of parameters, the first of which requires the second. */
  needs?: readonly (readonly [string, string])[]
  /** Filters whose values `facets` can count. Facets are not available in a query with the filter `notWith`. */
  facets?: { names: readonly F[]; notWith?: string }
  /**
   * With the filter `within`, page numbers reach only the first `max` rows, because reading a page also reads all rows
   * before it.
   */
  pagedRows?: { within: F; max: number }
  /** Whether the list can also be read as a stream, with `after` and `wait_seconds` instead of a paging style. */
  isStream?: true
  /** Geocodes a location. If set, `location` and `distance` together form a radius search. */
  geocode?: (text: string) => { lat: number; lon: number } | undefined
  /** Returns the codes of the areas that a text can name. If set, the value of `location` is a `NamedLocation`. */
  areasNamed?: (text: string) => readonly string[]
}

export interface SortTerm<S extends string = string> {
  field: S
  direction: Direction
}

export interface AppliedFilter<F extends string = string> {
  filter: F
  operator: Operator
  value: FilterValue
}

export interface FacetCount {
  value: string | boolean
  count: number
}

export interface ListQuery<F extends string = string, S extends string = string> {
  filters: readonly AppliedFilter<F>[]
  /** The content of `meta.filters_applied`: the name of each filter as sent, with its value. */
  applied: Readonly<Record<string, unknown>>
  sort: readonly SortTerm<S>[]
  /** The filters whose values are counted. */
  facets: readonly F[]
  limit: number
  /** Undefined in cursor style. */
  page: number | undefined
  /** The highest page number that this query accepts. */
  pageMax: number
  ignoredTerms: readonly string[]
  cursor: Cursor
  cursors: QueryCursors
  /** Set if the total is not needed. The total may then be 0. */
  isUncounted?: boolean
  /** Set if the response shows only page numbers. The response then needs no cursors. */
  isNumbered?: boolean
  /** Set if the query selects the stream. */
  stream?: StreamQuery | undefined
}

/** A query of the list that has this declaration. */
export type QueryOf<List extends ListDeclaration> = ListQuery<
  keyof List['filters'] & string,
  keyof List['sorts'] & string
>

/** Returns the circle of a radius search, or undefined for other queries. */
export const radiusOf = ({ filters }: Pick<ListQuery, 'filters'>): Radius | undefined =>
  filters.find(({ filter }) => filter === 'distance')?.value as Radius | undefined

export interface StreamQuery {
  /** Empty for the start of the stream. */
  after: string
  waitSeconds: number
}

export const LIMIT_DEFAULT = 20
export const LIMIT_MAX = 100
/** Maximum page number. Keeps offsets within the range that the database accepts. */
export const PAGE_MAX = 1_000_000_000
/** Maximum wait for an event of a stream, in seconds. Shorter than the timeouts of common proxies. */
export const WAIT_SECONDS_MAX = 30
const KM_PER_MILE = 1.609344

export type RawQuery = Record<string, string | string[]>

/** Returns the value of a parameter that must appear only once. */
type ReadScalar = (name: string) => string | undefined

/** Parses a raw query; `faults` is empty if the query is valid. */
export function parseListQuery<F extends string, S extends string>(
  list: ListDeclaration<F, S>,
  raw: RawQuery,
  cursorSecret: Uint8Array,
): { query: ListQuery<F, S>; faults: ParameterFault[] } {
  const faults: ParameterFault[] = []
  const fault: ReportFault = (name, detail, code = 'invalid_parameter', rule) =>
    faults.push({ parameter: name, code, detail, ...(rule && { rule }) })

  /** Returns the value of a scalar parameter. An empty value counts as absent. */
  const scalar: ReadScalar = (name) => {
    const value = raw[name]
    if (Array.isArray(value)) {
      fault(name, `${name} must appear only once.`)
      return undefined
    }
    return value === '' ? undefined : value
  }

  const isFull = () => faults.length >= FAULTS_MAX
  const parsed = parseFilters(list, raw, { scalar, fault, isFull })
  const { applied, ignoredTerms } = parsed
  let { filters } = parsed
  checkRanges(list, filters, fault)
  // An invalid distance also counts as a radius; otherwise, a sort by distance would be reported as a second fault.
  const isRadius =
    list.geocode !== undefined && 'distance' in list.filters && raw.distance !== undefined && raw.distance !== ''
  if (isRadius) filters = withRadius(list, filters, raw, fault)

  const isGiven = (filter: string) => (filter === 'distance' ? isRadius : filters.some((one) => one.filter === filter))
  for (const [name, other] of list.needs ?? []) {
    if (isGiven(name) && !isGiven(other)) fault(name, `${name} needs ${other}.`)
  }
  const facets = parseFacets(list, raw.facets, isGiven, fault)
  const sort = parseSort(list, { sort: scalar('sort'), order: scalar('order') }, isGiven, fault)
  const limit = parsePositive({ name: 'limit', fallback: LIMIT_DEFAULT, maximum: LIMIT_MAX }, scalar('limit'), fault)
  // The binding must not depend on the order of the query's parameters.
  const sentFilters = Object.entries(applied).sort(([a], [b]) => (a < b ? -1 : 1))
  const binding = JSON.stringify([list.name, sort.map((term) => [term.field, term.direction]), sentFilters])

  const cursors = new QueryCursors(cursorSecret, binding)

  const { pagedRows, areasNamed } = list
  const isPagedShortly = pagedRows !== undefined && isGiven(pagedRows.within)
  const pageMax = isPagedShortly ? Math.floor(pagedRows.max / limit) : PAGE_MAX
  let page: number | undefined
  let cursor: Cursor = { direction: 'next', key: null }
  const cursorText = raw.cursor
  if (Array.isArray(cursorText)) {
    fault('cursor', 'cursor must appear only once.')
  } else if (cursorText !== undefined && raw.page !== undefined && raw.page !== '') {
    fault('cursor', 'page and cursor cannot be used together.', 'pagination_conflict')
  } else if (cursorText === undefined) {
    page = parsePositive({ name: 'page', fallback: 1, maximum: PAGE_MAX }, scalar('page'), fault)
    if (page > pageMax) {
      const { max, within } = pagedRows!
      fault('page', `page × limit must be at most ${max} with ${within}. Use cursor to read further.`)
    }
  } else if (cursorText !== '' && faults.length === 0) {
    // The cursor's binding is known only if all other parameters are valid.
    const decoded = cursors.decode(cursorText)
    if (decoded) cursor = decoded
    else fault('cursor', 'cursor does not match this list, sort and filters.', 'invalid_cursor')
  }
  if (areasNamed) filters = filters.map((one) => withAreas(one, areasNamed))
  const stream = list.isStream ? parseStream(list, raw, scalar, fault) : undefined
  return {
    query: { filters, applied, sort, facets, limit, page, pageMax, ignoredTerms, cursor, cursors, stream },
    faults,
  }
}

/** Parses the parameters that are filters, and reports parameters that the list does not have. */
function parseFilters<F extends string>(
  list: ListDeclaration<F>,
  raw: RawQuery,
  { scalar, fault, isFull }: { scalar: ReadScalar; fault: ReportFault; isFull: () => boolean },
): { filters: AppliedFilter<F>[]; applied: Record<string, unknown>; ignoredTerms: readonly string[] } {
  const filters: AppliedFilter<F>[] = []
  const applied: Record<string, unknown> = {}
  let ignoredTerms: readonly string[] = []
  for (const name of Object.keys(raw)) {
    if (isControl(list, name)) continue
    const found = findFilter(list, name)
    if (found === undefined) {
      // Finds no hints beyond the maximum number of faults: the response omits further faults, and hints for thousands
      // of them would take too long.
      const hint = isFull() ? '' : nameHint(name, parameterNames(list))
      fault(name, `${describeName(name)} is not a parameter of this list.${hint}`, 'unknown_parameter')
      continue
    }
    const { filter, operator } = found
    const declared = list.filters[filter]
    if (operator !== 'is' && !declared.suffixes.includes(operator)) {
      fault(name, `${name.slice(0, -operator.length - 1)} does not support the suffix _${operator}.`)
      continue
    }
    const isList = declared.type === 'text-list' || operator === 'in'
    const text = isList ? [raw[name]!].flat().join(',') : scalar(name)
    if (text === undefined || text === '') continue
    const items = isList ? splitList(text) : [text]
    const parsed = isList ? parseList(declared, items) : parseScalar(declared, text)
    if ('fault' in parsed) {
      fault(name, `${name} ${parsed.fault}`, undefined, parsed.rule)
      continue
    }
    let { value } = parsed
    if (declared.termsMax !== undefined) {
      const limited = limitTerms(value as string, declared.termsMax)
      value = limited.text
      ignoredTerms = limited.ignored
    }
    filters.push({ filter, operator, value })
    applied[name] = echo(parsed.value, items, declared)
  }
  return { filters, applied, ignoredTerms }
}

/** Parameters that select the stream of a list. */
const streamParameters: ReadonlySet<string> = new Set(['after', 'wait_seconds'])

function parseStream(
  list: ListDeclaration,
  raw: RawQuery,
  scalar: ReadScalar,
  fault: ReportFault,
): StreamQuery | undefined {
  const [after, wait] = [scalar('after'), scalar('wait_seconds')]
  if (raw.after === undefined && wait === undefined) return undefined
  for (const name of Object.keys(raw)) {
    if (name === 'limit' || streamParameters.has(name) || !isParameterOf(list, name)) continue
    const code = name === 'page' || name === 'cursor' ? 'pagination_conflict' : 'invalid_parameter'
    fault(name, `${name} cannot be used with after or wait_seconds.`, code)
  }
  const waitSeconds = Number(wait ?? 0)
  if (!/^\d{1,2}$/.test(wait ?? '0') || waitSeconds > WAIT_SECONDS_MAX)
    fault('wait_seconds', `wait_seconds must be a whole number from 0 to ${WAIT_SECONDS_MAX}.`)
  return { after: after ?? '', waitSeconds }
}

/** Parameters that every list accepts in addition to its filters. */
export const controlParameters: ReadonlySet<string> = new Set(['page', 'limit', 'cursor', 'sort', 'order'])

/** Returns whether a list has a parameter with this name that is not a filter. */
const isControl = (list: ListDeclaration, name: string) =>
  controlParameters.has(name) ||
  (name === 'facets' && list.facets !== undefined) ||
  (list.isStream === true && streamParameters.has(name))

/** Returns a list's filters by name, and again by alias. */
export function namedParameters({ filters, filterAliases = {} }: ListDeclaration): [string, Parameter][] {
  const aliases = Object.entries(filterAliases).map(([alias, name]): [string, Parameter] => [alias, filters[name]!])
  return [...Object.entries(filters), ...aliases]
}

/** Returns all of a list's parameter names, including names with suffixes. */
export function parameterNames(list: ListDeclaration): string[] {
  const names = [...controlParameters, ...(list.facets ? ['facets'] : []), ...(list.isStream ? streamParameters : [])]
  for (const [name, { suffixes }] of namedParameters(list)) {
    names.push(name, ...suffixes.map((suffix) => `${name}_${suffix}`))
  }
  return names
}

/** Returns whether a list has a parameter with this name. */
export function isParameterOf(list: ListDeclaration, name: string): boolean {
  if (isControl(list, name)) return true
  const found = findFilter(list, name)
  return (
    found !== undefined && (found.operator === 'is' || list.filters[found.filter]!.suffixes.includes(found.operator))
  )
}

/** Returns a parameter name as sent by a client, shortened and escaped for use in a message. */
function describeName(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name)
}

/** Parses a parameter name into its filter and operator, even if the filter does not support the suffix. */
export function findFilter<F extends string>(
  list: ListDeclaration<F>,
  name: string,
): { filter: F; operator: Operator } | undefined {
  const resolve = (base: string) => resolveName(base, list.filters, list.filterAliases)
  const exact = resolve(name)
  if (exact !== undefined) return { filter: exact, operator: 'is' }
  const cut = name.lastIndexOf('_')
  const suffix = name.slice(cut + 1) as Suffix
  const filter = cut > 0 && suffixes.includes(suffix) ? resolve(name.slice(0, cut)) : undefined
  return filter === undefined ? undefined : { filter, operator: suffix }
}

/** Returns the declared name for a name or an alias, or undefined if it is unknown. */
function resolveName<N extends string>(
  name: string,
  declared: Record<N, unknown>,
  aliases: Record<string, N> = {},
): N | undefined {
  if (Object.hasOwn(declared, name)) return name as N
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined
}

type ReportFault = (name: string, detail: string, code?: ParameterFault['code'], rule?: BrokenRule) => void

function checkRanges(list: ListDeclaration, filters: readonly AppliedFilter[], fault: ReportFault): void {
  const plain = (name: string) => filters.find(({ filter, operator }) => filter === name && operator === 'is')?.value
  for (const [low, high] of list.ranges ?? []) {
    const [from, to] = [plain(low), plain(high)]
    if (from === undefined || to === undefined) continue
    if (from instanceof Date) {
      if (from >= to) fault(low, `${low} must be before ${high}.`)
    } else if (from > to) fault(low, `${low} must not be greater than ${high}.`, undefined, { keyword: 'x-range' })
  }
  for (const low of filters.filter(({ operator }) => operator === 'gt' || operator === 'gte')) {
    const isUpper = ({ filter, operator }: AppliedFilter) => filter === low.filter && /^lte?$/.test(operator)
    for (const high of filters.filter(isUpper)) {
      const [from, to] = [Number(low.value), Number(high.value)]
      const isOpen = low.operator === 'gt' || high.operator === 'lt'
      const [lowName, highName] = [low, high].map(({ filter, operator }) => `${filter}_${operator}`)
      if (from > to || (from === to && isOpen)) fault(lowName!, `No value lies between ${lowName} and ${highName}.`)
    }
  }
}

function parseFacets<F extends string>(
  { facets }: ListDeclaration<F>,
  sent: string | string[] | undefined,
  isGiven: (filter: string) => boolean,
  fault: ReportFault,
): readonly F[] {
  if (!facets || sent === undefined) return []
  const text = [sent].flat().join(',')
  const names = splitList(text) as F[]
  if (names.length === 0 && text !== '') fault('facets', 'facets needs at least one value.')
  for (const [index, name] of names.slice(0, FAULTS_MAX).entries()) {
    if (!facets.names.includes(name)) {
      fault('facets', `${describeName(name)} is not a facet. Use one of ${facets.names.join(', ')}.`)
    } else if (names.indexOf(name) < index) fault('facets', `${name} must appear only once.`)
  }
  const { notWith } = facets
  if (names.length > 0 && notWith && isGiven(notWith)) fault('facets', `facets and ${notWith} cannot be used together.`)
  return names
}

/**
 * Combines `location` and `distance` into one condition. If `location` is absent or names no known place, drops
 * `distance` and reports a fault.
 */
function withRadius<F extends string>(
  list: ListDeclaration<F>,
  filters: readonly AppliedFilter<F>[],
  raw: RawQuery,
  fault: ReportFault,
): AppliedFilter<F>[] {
  const distance = filters.find(({ filter }) => filter === 'distance')
  const location = filters.find(({ filter, operator }) => filter === 'location' && operator === 'is')
  const point = location && list.geocode!(location.value as string)
  if (raw.location === undefined || raw.location === '') {
    fault('distance', 'distance needs location.', undefined, { keyword: 'x-needs-place' })
  } else if (location && !point) {
    const detail = 'location must name a known place when distance is set.'
    fault('location', detail, 'location_not_resolved', { keyword: 'x-known-place' })
  }
  const others = filters.filter((one) => one !== distance)
  if (!distance || !point) return others
  const { lat, lon } = point
  const isMetric = filters.some(({ filter, value }) => filter === 'distance_unit' && value === 'km')
  const radius: Radius = { lat, lon, miles: (distance.value as number) / (isMetric ? KM_PER_MILE : 1) }
  return [...others.filter((one) => one !== location), { ...distance, value: radius }]
}

function withAreas<F extends string>(
  applied: AppliedFilter<F>,
  areasNamed: (text: string) => readonly string[],
): AppliedFilter<F> {
  if (applied.filter !== 'location' || applied.operator !== 'is') return applied
  const text = applied.value as string
  return { ...applied, value: { text, areas: areasNamed(text) } }
}

function parseSort<S extends string>(
  list: ListDeclaration<string, S>,
  raw: { sort: string | undefined; order: string | undefined },
  isGiven: (filter: string) => boolean,
  fault: ReportFault,
): readonly SortTerm<S>[] {
  const { sort: text } = raw
  const order = raw.order === 'asc' || raw.order === 'desc' ? raw.order : undefined
  if (raw.order !== undefined && order === undefined) fault('order', 'order must be asc or desc.')
  if (text === undefined) {
    const within = list.defaultSortWithin
    const sort = within && isGiven(within.filter) ? within.sort : list.defaultSort
    return order ? sort.map((term) => ({ ...term, direction: order })) : sort
  }
  const fallback: Direction = list.pairSorts?.includes(text) ? (order ?? 'desc') : (order ?? 'asc')
  const terms: SortTerm<S>[] = []
  for (const part of text.split(',')) {
    const [name = '', direction = fallback, ...rest] = part.trim().split(':')
    const field = resolveName(name, list.sorts, list.sortAliases)
    const within = field && list.sorts[field].within
    if (field === undefined) {
      const known = [...Object.keys(list.sorts), ...Object.keys(list.sortAliases ?? {})]
      fault('sort', `${describeName(name)} is not a sort field. Use one of ${known.join(', ')}.`)
    } else if ((direction !== 'asc' && direction !== 'desc') || rest.length > 0) {
      fault('sort', `The direction of ${name} must be asc or desc.`)
    } else if (terms.some((term) => term.field === field)) {
      fault('sort', `${name} must appear only once.`)
    } else if (within && !isGiven(within)) {
      fault('sort', `${name} needs ${within === 'distance' ? 'location and distance' : within}.`)
    } else if (within === 'search' && direction === 'asc') {
      fault('sort', `${name} sorts only in descending order. Use ${name}:desc.`)
    } else {
      terms.push({ field, direction })
    }
  }
  return terms
}

function parsePositive(
  { name, fallback, maximum }: { name: string; fallback: number; maximum: number },
  text: string | undefined,
  fault: ReportFault,
): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d{1,10}$/.test(text) && value >= 1 && value <= maximum) return value
  fault(name, `${name} must be a whole number from 1 to ${maximum}.`)
  return fallback
}
