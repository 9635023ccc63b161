/** The distances and salaries that the search offers, in the reader's unit of distance and in one currency. */
import type { Exchange } from '../../lib/exchange.ts'
import { remembering } from '../../lib/remember.ts'
import type { Language } from '../../locale/languages.ts'
import { currentLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'

export type DistanceUnit = 'mi' | 'km'

const MILES_COUNTRIES: ReadonlySet<string | undefined> = new Set(['US', 'GB', 'LR', 'MM'])
const KM_PER_MILE = 1.609_344

/**
 * Returns the unit of the reader's country. Derives the country from the first language of `Accept-Language`. If the
 * reader chose a language other than English that the browser does not prefer, derives the country from that language.
 */
export function distanceUnitOf(acceptLanguage: string | undefined, language: Language): DistanceUnit {
  const [preferred] = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}/i.exec(acceptLanguage ?? '') ?? []
  const isChosen = language !== 'en' && !preferred?.toLowerCase().startsWith(language)
  const tag = isChosen ? language : (preferred ?? 'en')
  return units(tag, () => unitOfTag(tag))
}

const units = remembering<DistanceUnit>()

function unitOfTag(tag: string): DistanceUnit {
  try {
    // `en` alone means the United States, and `de` means Germany.
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

/**
 * Converts the distance in a search's parameters to miles, and removes `distance_unit`. Returns invalid parameters
 * unchanged.
 */
export function inMiles(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { distance_unit: unit, ...rest } = parameters
  const distance = Number(rest.distance)
  if (unit === 'mi' || (unit === 'km' && rest.distance === undefined)) return rest
  if (unit !== 'km' || !Number.isFinite(distance)) return parameters
  return { ...rest, distance: distanceParameter(distance, 'km') }
}

/** Returns the `distance` parameter for a location that was entered without a distance. */
export const distanceAround = (unit: DistanceUnit): string => distanceParameter(defaultDistance[unit], unit)

export const distanceChoices = (unit: DistanceUnit): string[] =>
  offeredDistances[unit].map((amount) => distanceParameter(amount, unit))

const distances = remembering<string>()

/** Formats a distance in miles for a reader, such as `25 miles` or `40 km`. */
export function formatDistance(miles: number, unit: DistanceUnit): string {
  const amount = unit === 'mi' ? miles : miles * KM_PER_MILE
  const rounded = amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount)
  return distances(`${currentLocale().language} ${unit} ${rounded}`, () =>
    t(unit === 'km' ? 'shared.kilometers' : 'shared.miles', { amount: rounded }),
  )
}

const offeredPay = [20_000, 30_000, 40_000, 50_000, 60_000, 80_000, 100_000, 150_000]

/**
 * Returns the amounts that the search offers as minimum annual pay in a currency. Amounts in yen have two more digits
 * than amounts in euros.
 */
export function payChoices(currency: string, exchange: Exchange): string[] {
  const perEuro = exchange.conversionTo(currency).factors.get('EUR') ?? 1
  // With the factor 1.5, amounts in Danish kroner (7.5 per euro) have one more digit than amounts in euros. Amounts in
  // złoty (4.3 per euro) have the same number of digits.
  const digits = Math.floor(Math.log10(perEuro * 1.5))
  return offeredPay.map((amount) => String(Math.round(amount * 10 ** digits)))
}
