/** The addresses of the list of jobs as a page: its parameters, and the shortest address of a search. */
import { countryOf, resolvePlace, suggestPlaces } from '../../geo/gazetteer.ts'
import { DAY_MS } from '../../lib/time.ts'
import { isParameterOf, type ListDeclaration, type ListQuery, parameter } from '../../lists/query.ts'
import { jobList, plainJobList } from '../jobs/index.ts'
import { type DistanceUnit, distanceAround } from './board.units.ts'

const HOUR_MS = DAY_MS / 24

/** The parameters of GET /v1/jobs, except those for mirrors, and the number of days since a job was posted. */
export const pageList = {
  ...plainJobList,
  filters: {
    ...plainJobList.filters,
    posted: parameter.choice('Posted in the last days.', ['1', '7', '30'], { suffixes: [] }),
  },
  facets: jobList.facets,
} as const satisfies ListDeclaration

/** Filters of which the page offers several values as checkboxes. */
export const manyValued: ReadonlySet<string> = new Set(['category', 'job_type', 'experience_level', 'language'])

/** Returns the query that the board understands. Times are whole hours, so that their sets of jobs can be kept. */
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

/** Returns the places whose name begins with a text, likeliest first. */
export const placesLike = suggestPlaces

function addressOf(path: string, parameters: readonly (readonly [string, string])[]): string {
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()
  return query === '' ? path : `${path}?${query.replaceAll('%2C', ',')}`
}

function split(url: string): [path: string, sent: [string, string][]] {
  const [path, query = ''] = url.split(/\?(.*)/s, 2) as [string, string?]
  return [path, [...new URLSearchParams(query)]]
}

/** Returns the address with only the parameters that the list knows, for links from the page. */
export function knownAddress(url: string): string {
  const [path, sent] = split(url)
  return addressOf(
    path,
    sent.filter(([name]) => isParameterOf(pageList, name)),
  )
}

/**
 * Returns the address that a search form meant: without empty or ineffective parameters, with several values of a filter
 * in one parameter, and with a distance if the location names a town. Returns undefined if nothing changes.
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
  const location = values.get('location')?.[0]
  if (location === undefined || !resolvePlace(location)) values.delete('distance')
  else if (!values.has('distance')) values.set('distance', [distanceAround(unit)])
  const sort = values.get('sort')?.[0] ?? ''
  // The newest jobs come first anyway.
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
      // Remote and on site together mean any job.
      else if (name !== 'remote') values.set(joined, [[...(values.get(joined) ?? []), ...each].join(',')])
    }
  }
}
