/** Sorts the rows of lists in the engine, and merges changed jobs into them. */
import { EARTH_MILES } from '../../lib/distance.ts'
import { CONVERTED_MAX, type Conversion } from '../../lib/exchange.ts'
import { type ListQuery, type Radius, radiusOf } from '../../lists/query.ts'
import type { Key, SortField } from '../job-index.ts'
import { fromSortable, NO_SALARY_ASC, NO_SALARY_DESC, toSortable } from '../memory/columns.ts'
import type { Order } from './overlay.ts'

/** The sort key of a job in a list: its sort values, then its ID. */
export interface Sorted {
  keys: readonly Key[]
  id: string
}

/** Returns a function that compares two rows of a list, for `sort`. */
export function comparison({ terms, isIdAscending }: Order, isBackward: boolean) {
  return (a: Sorted, b: Sorted): number => {
    for (const [n, { direction }] of terms.entries()) {
      const [one, other] = [a.keys[n]!, b.keys[n]!]
      if (one !== other) return one < other === ((direction === 'asc') !== isBackward) ? -1 : 1
    }
    return a.id === b.id ? 0 : a.id < b.id === (isIdAscending !== isBackward) ? -1 : 1
  }
}

const sortFields: Partial<Record<SortField, string>> = {
  title: 'title_sort',
  posted_at: 'posted_at',
  location: 'location_sort',
  company_name: 'company_sort',
  application_count: 'application_count',
  relevance: '_score',
}

/** Computes the distance to a job's nearest geocoded point in miles, like `distanceMiles`. */
const NEAREST = `double nearest = Double.POSITIVE_INFINITY;
  for (def place : doc['places']) {
    double high = Math.sin(Math.toRadians(place.lat - params.lat) / 2);
    double wide = Math.sin(Math.toRadians(place.lon - params.lon) / 2);
    double square = high * high
      + Math.cos(Math.toRadians(params.lat)) * Math.cos(Math.toRadians(place.lat)) * wide * wide;
    nearest = Math.min(nearest, 2 * params.radius * Math.asin(Math.min(1, Math.sqrt(square))));
  }`
const inMiles = ({ lat, lon }: Radius) => ({ lat, lon, radius: EARTH_MILES })

/** Returns the script that computes the distance of each row. */
export const milesScript = (radius: Radius) => ({ source: `${NEAREST} return nearest;`, params: inMiles(radius) })

const TENTHS_SCRIPT = `${NEAREST} return Math.floor(nearest * 10 + 0.5);`
/** Converts the highest annual salary, like `convert`. */
const SALARY_SCRIPT = `if (doc['salary_annual_high'].size() == 0) return params.none;
  def factor = params.factors[doc['salary_currency'].value];
  return factor == null
    ? params.none
    : Math.min(Math.floor(doc['salary_annual_high'].value * factor + 0.5), params.highest);`

/** Returns the sort clauses of an order. */
export function sortOf(query: ListQuery, { terms, isIdAscending }: Order, isBackward: boolean, conversion: Conversion) {
  const orderIn = (isAscending: boolean) => (isAscending !== isBackward ? 'asc' : 'desc')
  const script = (source: string, params: object, order: string) => ({
    _script: { type: 'number', order, script: { source, params } },
  })
  const clauses = terms.map(({ field, direction }) => {
    const order = orderIn(direction === 'asc')
    if (field === 'distance') return script(TENTHS_SCRIPT, inMiles(radiusOf(query)!), order)
    if (field === 'salary') {
      const none = direction === 'asc' ? NO_SALARY_ASC : NO_SALARY_DESC
      const factors = Object.fromEntries(conversion.factors)
      return script(SALARY_SCRIPT, { none, factors, highest: CONVERTED_MAX }, order)
    }
    return { [sortFields[field]!]: { order } }
  })
  return [...clauses, { id: { order: orderIn(isIdAscending) } }]
}

/** Converts a sort value from the engine to the value that the in-memory board compares. */
export function fromEngine(field: SortField, value: Key): Key {
  return typeof value === 'string' && field !== 'posted_at' ? toSortable(value) : Number(value)
}

export function toEngine(key: Key): Key {
  return typeof key === 'string' ? fromSortable(key) : key
}
