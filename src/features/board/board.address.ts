/** URLs of the job list page: the parameters, and the shortest URL for a search. */
import { countryOf, findNamesakes, resolvePlace, suggestPlaces } from '../../geo/gazetteer.ts'
import { DAY_MS } from '../../lib/time.ts'
import { parameter } from '../../lists/parameters.ts'
import { isParameterOf, type ListDeclaration, type ListQuery } from '../../lists/query.ts'
import { jobList, plainJobList } from '../jobs/index.ts'
import { type DistanceUnit, distanceAround, inMiles } from './board.units.ts'

const HOUR_MS = DAY_MS / 24

/** The parameters that all job lists have, the facets of GET /v1/jobs, and a filter for recently posted jobs. */
export const pageList = {
  ...plainJobList,
  filters: {
    ...plainJobList.filters,
    posted: parameter.choice('Number of days within which the job was posted.', ['1', '7', '30'], { suffixes: [] }),
  },
  facets: jobList.facets,
} as const satisfies ListDeclaration

/** Filters for which the page offers several values as checkboxes. */
export const manyValued: ReadonlySet<string> = new Set([
  ...['category', 'job_type', 'workplace', 'experience_level', 'language'],
])

/**
 * Converts a page's query to one that the board understands. Counts the days of `posted` back from the last full hour,
 * because the board caches the set of jobs for each time.
 */
export function boardQueryOf(query: ListQuery, now: Date): ListQuery {
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  const filters = query.filters.map((filter) =>
    filter.filter === 'posted'
      ? { filter: 'posted_at', operator: 'gt' as const, value: new Date(hour - Number(filter.value) * DAY_MS) }
      : filter,
  )
  return { ...query, filters }
}

/** Returns whether a location names a town, a part of a country, or a country. */
export const isPlaceKnown = (location: string): boolean => countryOf(location) !== undefined

/** Returns up to six towns that share the location's name, most likely first. Returns none if the name is unique. */
export const placesNamed = (location: string): string[] => findNamesakes(location, 6)

/** Returns the places whose name begins with a text, most likely first. */
export const placesLike = suggestPlaces

function addressOf(path: string, parameters: readonly (readonly [string, string])[]): string {
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()
  return query === '' ? path : `${path}?${query.replaceAll('%2C', ',')}`
}

function split(url: string): [path: string, sent: [string, string][]] {
  const [path, query = ''] = url.split(/\?(.*)/s, 2) as [string, string?]
  return [path, [...new URLSearchParams(query)]]
}

/** Returns the URL with only the parameters of this list, for links on the page. */
export function knownAddress(url: string): string {
  const [path, sent] = split(url)
  return addressOf(
    path,
    sent.filter(([name]) => isParameterOf(pageList, name)),
  )
}

/**
 * Returns the shortest equivalent URL for a submitted search form. Drops empty and ineffective parameters, renames
 * `type` to `job_type`, converts the distance to miles, and combines several values of a filter into one parameter. If
 * the location names a town and no distance was sent, adds the default distance. Returns undefined if nothing changes.
 * `defaultCurrency` is the currency in which the board sorts by salary.
 */
export function tidied(url: string, unit: DistanceUnit, defaultCurrency: string): string | undefined {
  if (!url.includes('?')) return undefined
  const [path, sent] = split(url)
  const values = new Map<string, string[]>()
  for (const [sentName, value] of sent) {
    const name = sentName.replace(/^type(?=$|_)/, 'job_type')
    if (value === '' && name !== 'cursor') continue
    values.set(name, [...(values.get(name) ?? []), value])
  }
  joinValues(values)
  convertDistance(values)
  const location = values.get('location')?.[0]
  if (location === undefined || !resolvePlace(location)) values.delete('distance')
  else if (!values.has('distance')) values.set('distance', [distanceAround(unit)])
  const sort = values.get('sort')?.[0] ?? ''
  // Newest first is the default order.
  if (sort === 'date_posted' && !values.has('order')) values.delete('sort')
  if (sort.startsWith('relevance') && !values.has('search')) values.delete('sort')
  if (sort.startsWith('distance') && !values.has('distance')) values.delete('sort')
  const currency = values.get('salary_in')?.[0]
  const isPayLimited = [...values.keys()].some((name) => name.startsWith('salary_m'))
  const isPaySorted = sort.startsWith('salary') && currency !== defaultCurrency
  if (!isPayLimited && !isPaySorted) values.delete('salary_in')
  const meant = [...values].flatMap(([name, all]) => all.map((value): [string, string] => [name, value]))
  return JSON.stringify(meant) === JSON.stringify(sent) ? undefined : addressOf(path, meant)
}

/** Converts a distance to miles, the unit of the search bar's `distance` field. */
function convertDistance(values: Map<string, string[]>): void {
  const [distance, distance_unit] = ['distance', 'distance_unit'].map((name) => values.get(name)?.[0])
  const plain = inMiles({ ...(distance !== undefined && { distance }), distance_unit })
  if (distance_unit === undefined || plain.distance_unit !== undefined) return
  values.delete('distance_unit')
  if (distance !== undefined) values.set('distance', [String(plain.distance)])
}

/** Joins the values of filters that were sent as separate checkboxes. */
function joinValues(values: Map<string, string[]>): void {
  for (const [name, all] of [...values]) {
    if (all.length === 1) continue
    const each = [...new Set(all)]
    const joined = `${name}_in`
    if (name.endsWith('_in')) values.set(name, [each.join(',')])
    else if (name === 'remote' || manyValued.has(name)) {
      values.delete(name)
      if (each.length === 1) values.set(name, each)
      // Both values of `remote` together match all jobs, so no filter remains.
      else if (name !== 'remote') values.set(joined, [[...(values.get(joined) ?? []), ...each].join(',')])
    }
  }
}
