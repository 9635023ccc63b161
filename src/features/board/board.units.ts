/** The distances and salaries that the search offers, in the units of the reader's country. */
import type { Language } from '../../locale/languages.ts'
import { t } from '../../locale/messages.ts'

export type DistanceUnit = 'mi' | 'km'

const MILES_COUNTRIES: ReadonlySet<string | undefined> = new Set(['US', 'GB', 'LR', 'MM'])
const KM_PER_MILE = 1.609_344

/**
 * Returns the unit of the reader's country. Derives the country from the first language of `Accept-Language`. If the
 * reader chose a language that the browser does not prefer, derives the country from that language.
 */
export function distanceUnitOf(acceptLanguage: string | undefined, language: Language): DistanceUnit {
  const [preferred] = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}/i.exec(acceptLanguage ?? '') ?? []
  const isChosen = language !== 'en' && !preferred?.toLowerCase().startsWith(language)
  const tag = isChosen ? language : (preferred ?? 'en')
  try {
    // `en` alone stands for the United States, and `de` for Germany.
    return MILES_COUNTRIES.has(new Intl.Locale(tag).maximize().region) ? 'mi' : 'km'
  } catch {
    return 'mi'
  }
}

const offeredDistances: Readonly<Record<DistanceUnit, readonly number[]>> = {
  mi: [5, 10, 25, 50, 100],
  km: [10, 20, 40, 80, 160],
}
const defaultDistance: Readonly<Record<DistanceUnit, number>> = { mi: 25, km: 40 }

/** Converts a distance to the list's parameter `distance`, which is in miles. */
const distanceParameter = (amount: number, unit: DistanceUnit): string =>
  unit === 'mi' ? String(amount) : (amount / KM_PER_MILE).toFixed(3)

/** Returns the parameters of a search with its distance in miles, whatever their `distance_unit`. */
export function inMiles(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { distance_unit: unit, ...rest } = parameters
  const distance = Number(rest.distance)
  if (unit === 'mi' || (unit === 'km' && rest.distance === undefined)) return rest
  if (unit !== 'km' || !Number.isFinite(distance)) return parameters
  return { ...rest, distance: distanceParameter(distance, 'km') }
}

/** The parameter `distance` for a place that was entered without a distance. */
export const distanceAround = (unit: DistanceUnit): string => distanceParameter(defaultDistance[unit], unit)

export const distanceChoices = (unit: DistanceUnit): string[] =>
  offeredDistances[unit].map((amount) => distanceParameter(amount, unit))

/** Formats a number of miles, such as `25 miles` or `40 km`. */
export function formatDistance(miles: number, unit: DistanceUnit): string {
  const amount = unit === 'mi' ? miles : miles * KM_PER_MILE
  const rounded = amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount)
  return t(unit === 'km' ? 'shared.kilometers' : 'shared.miles', { amount: rounded })
}

/** The minimum salaries that the search offers: annual amounts in the currency of the job. */
export const payChoices = ['20000', '30000', '40000', '50000', '60000', '80000', '100000', '150000'] as const
