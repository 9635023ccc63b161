/** Suggests places while a person types a location. */
import { remembering } from '../lib/remember.ts'
import { regionName } from '../locale/formats.ts'
import { currentLocale } from '../locale/locale.ts'
import { type Gazetteer, placeName, REGION_CODE_LENGTH_MAX } from './gazetteer-file.ts'
import { namedIn } from './location.ts'

/** Countries and parts of countries rank among towns as if they had these populations. */
const COUNTRY_SCORE = 1_500_000
const REGION_SCORE = 150_000
/** Weight of a country whose shown name does not begin with the text, although another of its names does. */
const OTHER_NAME_WEIGHT = 1 / 5

const englishNames = new Intl.DisplayNames('en', { type: 'region' })
const countryNames = remembering<string>({ resultsMax: 2_000 })

/**
 * Returns the name of a country in the reader's language, or in English if the gazetteer does not resolve that name to
 * the country. When a suggestion is submitted, the service must find the place that it suggested.
 */
function countryName(gazetteer: Gazetteer, code: string): string {
  return countryNames(`${currentLocale().language} ${code}`, () => {
    const own = regionName(code)
    const { places, regions } = namedIn(gazetteer, own)
    const countries = [...places.map(({ country }) => country), ...regions.flat().map((region) => region.slice(0, 2))]
    const isFound = countries.length > 0 && countries.every((country) => country === code)
    return isFound ? own : englishNames.of(code)!
  })
}

/** Words within a name that stay lowercase. */
const SMALL = new Set(['and', 'of', 'the', 'de', 'del', 'la', 'do', 'da'])

/**
 * Capitalizes a name: `tyne and wear` becomes `Tyne and Wear`. The gazetteer stores parts of countries only in
 * lowercase.
 */
function capitalized(name: string): string {
  return name.replace(/\p{L}+/gu, (word, at: number) =>
    at > 0 && SMALL.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1),
  )
}

interface Suggestion {
  label: string
  score: number
}

/** Returns countries and parts of countries without duplicates. */
function regionSuggestions(gazetteer: Gazetteer, beginning: string): Suggestion[] {
  const found = new Map<string, Suggestion>()
  for (const [name, keys] of gazetteer.findRegionsBeginning(beginning)) {
    for (const key of keys) {
      const isCountry = !key.includes('.')
      if (found.has(key) || (!isCountry && name.length <= REGION_CODE_LENGTH_MAX)) continue
      const label = isCountry ? countryName(gazetteer, key) : capitalized(name)
      const isOwnName = name === beginning || placeName(label).startsWith(beginning)
      const score = (isCountry ? COUNTRY_SCORE : REGION_SCORE) * (isOwnName ? 1 : OTHER_NAME_WEIGHT)
      found.set(key, { label, score })
    }
  }
  return [...found.values()]
}

/** Returns the name of a town with its country or, in the United States, with its state. */
function townLabel(gazetteer: Gazetteer, place: number): string {
  const [country, part] = gazetteer.regionOf(place).split('.') as [string, string?]
  const within = country === 'US' && part !== undefined ? part : countryName(gazetteer, country)
  return `${gazetteer.place(place).name}, ${within}`
}

const townSuggestions = (gazetteer: Gazetteer, beginning: string, max: number): Suggestion[] =>
  gazetteer.findBeginning(beginning, max).map(({ place, score }) => ({ label: townLabel(gazetteer, place), score }))

/** Minimum population of a town that a name may mean instead of a larger one. `Leeds, AL` has 12,000 inhabitants. */
const NAMESAKE_MIN = 10_000

/**
 * Returns the towns that share a name, likeliest first, if the text consists only of this name. Searches use the first
 * town. Omits towns whose label does not identify them, such as a second town of that name in the same country.
 */
export function namesakesOf(gazetteer: Gazetteer, text: string, max: number): string[] {
  const { places } = namedIn(gazetteer, text)
  if (places.length !== 1) return []
  const name = placeName(text)
  const labels = gazetteer
    .find(name)
    .filter(({ place, score }, n) => n === 0 || (score >= NAMESAKE_MIN && hasName(gazetteer, place, name)))
    .filter(({ place }) => meansPlace(gazetteer, townLabel(gazetteer, place), place))
    .map(({ place }) => townLabel(gazetteer, place))
  return labels.length > 1 ? labels.slice(0, max) : []
}

const hasName = (gazetteer: Gazetteer, place: number, name: string) => placeName(gazetteer.place(place).name) === name

/** Returns whether the service resolves a label to this town and no other. */
function meansPlace(gazetteer: Gazetteer, label: string, place: number): boolean {
  const { places } = namedIn(gazetteer, label)
  const { lat, lon } = gazetteer.place(place)
  return places.length === 1 && places[0]!.lat === lat && places[0]!.lon === lon
}

/** Returns the places whose names begin with a text, likeliest first. */
export function placesBeginning(gazetteer: Gazetteer, text: string, max: number): string[] {
  const beginning = placeName(text)
  if (beginning.length < 2) return []
  const found = [...regionSuggestions(gazetteer, beginning), ...townSuggestions(gazetteer, beginning, max)]
  const labels = found.sort((a, b) => b.score - a.score).map(({ label }) => label)
  return [...new Set(labels)].slice(0, max)
}
