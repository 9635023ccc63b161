/** Finds the places and areas that a location's text names, following the rules in docs/decisions/0027 and 0086. */
import { distanceMiles } from '../lib/distance.ts'
import { type Candidate, type Gazetteer, placeName } from './gazetteer-file.ts'

export interface Place {
  name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  lat: number
  lon: number
  /** Key of the country or part of a country, such as `US.CA`. */
  region: string
  /** Code of the city. Does not change unless the gazetteer moves the city's point. Absent for a bare postal code. */
  city?: string
}

/** The places, countries and parts of countries that a text names. */
export interface Named {
  places: readonly Place[]
  /** For each name of a country or part of a country, the keys that it can refer to. */
  regions: readonly (readonly string[])[]
}

/** Maximum number of places and of region names in a location. Locations with more usually cover the whole world. */
const PLACES_MAX = 20
/** Maximum number of place names to read from a text, because each of them is compared with all others. */
const MENTIONS_MAX = 40
/** Maximum number of words in a name. `San Luis Obispo County` has four. */
const WORDS_MAX = 6

/** Minimum population of a place if no country or state is given. */
const TOWN_MIN = 15_000
/** Minimum population if the text contains other words, because the names of villages can be ordinary words. */
const CITY_MIN = 100_000
/** Minimum population of a city whose name alone is unambiguous. */
const METROPOLIS_MIN = 500_000
/**
 * Countries whose parts often appear without the country: `Victoria` can mean the Australian state, but `Saint-Louis`
 * never means the region in Senegal.
 */
const WITH_WELL_KNOWN_PARTS = new Set(['US', 'CA', 'GB', 'AU'])
/** Maximum ratio between the likelihood of the likeliest place and that of a place chosen by context. */
const UNLIKELY = 10
const NEAR_MILES = 40
/** Maximum number of candidates to measure distances for, because thousands of villages share some names. */
const NEAR_CANDIDATES = 50

/** Ordinary words that count as places only if they are the whole text, or together with a state or country. */
const COMMON_WORDS = new Set(
  (
    'mobile reading nice bath orange man van sale most same date male mary central bar mission angel university ' +
    'west north south east center centre park village home work data java ruby march media split both marketing senior ' +
    'engineer web ios best imperial stack union market square tower street avenue house salary young deal bar come of'
  ).split(' '),
)

/** Words that do not describe the location and do not set `hasOtherWords`. */
const NOISE = new Set(
  (
    'remote onsite hybrid on site in the of at near only full part time area greater metro metropolitan region ' +
    'downtown central office offices hq headquarters city location locations preferred relocation relocate to from with ' +
    'possible optional ok okay flexible anywhere worldwide global us based various multiple several close around or and ' +
    'is it as do my am me hi so no fulltime visa interns eu emea'
  ).split(' '),
)

/**
 * Last words of street names. `St.` can also start the name of a place, but after a house number and a name, it means a
 * street.
 */
const STREET_WORDS = new Set(
  'ave avenue street st rd road blvd boulevard dr drive pike hwy highway ln lane pkwy parkway plaza strasse str'.split(
    ' ',
  ),
)

/**
 * Codes of states and countries that are also ordinary words. They count only at the end, or before a separator, a
 * postal code, or a word such as `or` or `USA`.
 */
const WORD_CODES = new Set('in or me hi ok is at be no so it as do my am to us la de co al ma pa id'.split(' '))

const LONG_ZIP = /\b(\d{5})-\d{4}\b/g
/** Matches the end of a prefecture or province within an address without spaces. */
const PREFECTURE = /(?<=\p{Script=Han}[都道府県省])(?=\p{Script=Han}{2})/gu
const POSSESSIVE = /['’]s\b/gi
const LINKS = /\b(?:https?:|www\.)\S+|\S+@\S+/gi
/** Matches a word with its inner punctuation, a comma, or a separator, such as a bracket or a dash between spaces. */
const TOKEN = /([\p{L}\p{N}\p{M}]+(?:['’.`][\p{L}\p{N}\p{M}]+)*)|(,)|([/;|&+()[\]•·:<>\n]|[-–—]{2}|\s[-–—]\s)/gu

type Token = { kind: 'word'; text: string; isLower: boolean } | { kind: 'comma' } | { kind: 'break' }

function tokensOf(text: string): Token[] {
  const isAllLower = text === text.toLowerCase()
  return [
    ...text
      .replace(LINKS, ' ; ')
      .replace(POSSESSIVE, '')
      .replace(LONG_ZIP, '$1')
      .replace(PREFECTURE, ',')
      .matchAll(TOKEN),
  ].flatMap(([, word, comma]): Token[] => {
    if (comma) return [{ kind: 'comma' }]
    if (word === undefined) return [{ kind: 'break' }]
    const isLower = !isAllLower && word === word.toLowerCase()
    return placeName(word)
      .split(' ')
      .map((part) => ({ kind: 'word', text: part, isLower }))
  })
}

interface Mention {
  name: string
  /** Possible places, likeliest first. */
  candidates: Candidate[]
  /** The candidates in the countries or states that the text names together with the place. */
  fitting?: Candidate[]
  /** Set if no candidate is in the country or state that the text names together with the place. */
  isElsewhere?: true
  /** Countries and states that the name can also mean. */
  regions?: readonly string[]
  /** The point of the postal code that the text names together with the place. */
  exact?: { lat: number; lon: number }
}

/** Returns whether a country or part of a country equals one of `regions` or lies in one of them. */
function isWithin(region: string, regions: readonly string[]): boolean {
  return regions.some((key) => region === key || region.startsWith(`${key}.`))
}

/** A country or state name in a text. `mention` is set only if a place also has this name. */
interface RegionName {
  regions: readonly string[]
  mention?: Mention | undefined
}

/** Finds the mentions of places in a text, in order. */
class MentionReader {
  readonly mentions: Mention[] = []
  /** Names of countries and states, except names that only specify the location of a place. */
  readonly regionNames: RegionName[] = []
  /** Whether the text contains words other than names, `NOISE`, single letters, and words with digits. */
  hasOtherWords = false
  readonly #gazetteer: Gazetteer
  readonly #tokens: readonly Token[]
  /** The current mention. A state or country may follow it. */
  #open: Mention | undefined
  /** A country or state that may precede a place, as in `Switzerland, Zurich`. */
  #leading: readonly string[] | undefined

  constructor(gazetteer: Gazetteer, tokens: readonly Token[]) {
    this.#gazetteer = gazetteer
    this.#tokens = tokens
    /**
     * A postal code without a place. Counts only if the text names no place and contains no other words, because the
     * postal codes of other countries also have five digits.
     */
    let lone: Mention | undefined
    for (let at = 0; at < tokens.length && this.mentions.length < MENTIONS_MAX; ) {
      if (this.#wordAt(at) === undefined) {
        if (tokens[at]!.kind === 'break') this.#close()
        at++
        continue
      }
      const length = this.#longestName(at)
      if (length > 0) at += this.#readName(at, length)
      else lone = this.#readWord(at++) ?? lone
    }
    if (lone && this.mentions.length === 0 && !this.hasOtherWords) this.mentions.push(lone)
  }

  #wordAt(at: number): string | undefined {
    const token = this.#tokens[at]
    return token?.kind === 'word' ? token.text : undefined
  }

  #nameAt(at: number, length: number): string {
    return Array.from({ length }, (_, index) => this.#wordAt(at + index)).join(' ')
  }

  #isAfterComma(at: number): boolean {
    return this.#tokens[at - 1]?.kind === 'comma'
  }

  /** Ends the current mention, because the next words do not belong to it. */
  #close(): void {
    this.#open = undefined
    this.#leading = undefined
  }

  /** Returns the number of words in the longest name that starts at this token. */
  #longestName(at: number): number {
    let length = 0
    while (length < WORDS_MAX && this.#wordAt(at + length) !== undefined) length++
    for (; length > 0; length--) {
      const name = this.#nameAt(at, length)
      if (this.#gazetteer.findRegions(name)) return length
      if (!(length === 1 && NOISE.has(name)) && this.#gazetteer.has(name)) return length
    }
    return 0
  }

  /** Reads a word that is not a name. Returns a mention for a postal code without a place. */
  #readWord(at: number): Mention | undefined {
    const word = this.#wordAt(at)!
    const exact = /^\d{5}$/.test(word) ? this.#gazetteer.findZip(Number(word)) : undefined
    if (exact) {
      const isAmerican = this.#open?.fitting?.some(({ place }) => this.#gazetteer.regionOf(place).startsWith('US'))
      if (!isAmerican) return { name: word, candidates: [], exact }
      this.#open!.exact = exact
    } else if ((word === 'and' || word === 'or') && !this.#isAfterComma(at)) this.#close()
    else if (!NOISE.has(word) && !/\d|^.$/u.test(word)) this.hasOtherWords = true
    return undefined
  }

  /** Reads a name of `length` words. Returns the number of words read. */
  #readName(at: number, length: number): number {
    const name = this.#nameAt(at, length)
    const isOrdinary = length === 1 && this.#isOrdinaryWord(at)
    if (isOrdinary && NOISE.has(name)) {
      if (name === 'or') this.#close()
      return length
    }
    if (this.#isStreet(at, length)) return length + 1
    const regions = isOrdinary ? undefined : this.#gazetteer.findRegions(name)
    const candidates = this.#gazetteer.find(name)
    if (regions && this.#open && this.#readRegion(at, name, regions, candidates)) return length
    if (candidates.length > 0) this.#readPlace(name, candidates, regions)
    else if (regions) {
      this.#nameRegions(regions)
      this.#leading = regions
    }
    return length
  }

  /** Records the name of a country or state. For `Bavaria, Germany` and `Germany, Bavaria`, records only the state. */
  #nameRegions(regions: readonly string[], mention?: Mention): void {
    const last = this.#leading && this.regionNames.at(-1)
    const inside = last?.regions.filter((key) => isWithin(key, regions)) ?? []
    const within = last ? regions.filter((key) => isWithin(key, last.regions)) : []
    if (last && inside.length + within.length > 0) last.regions = inside.length > 0 ? inside : within
    else this.regionNames.push({ regions, mention })
  }

  /** Returns whether a word that can be the code of a state or country is an ordinary word. */
  #isOrdinaryWord(at: number): boolean {
    const { text, isLower } = this.#tokens[at] as Token & { kind: 'word' }
    if (text.length > 3) return false
    if (isLower && !this.#isAfterComma(at)) return true
    const next = this.#wordAt(at + 1)
    return WORD_CODES.has(text) && next !== undefined && !/^(?:or|and|only|usa?|\d{5})$/.test(next)
  }

  /** Returns whether a name is part of a street name, as in `830 Milwaukee Ave` or `3218 S US Hwy 1`. */
  #isStreet(at: number, length: number): boolean {
    const isAtNumber = [1, 2].some((back) => /^\d+$/.test(this.#wordAt(at - back) ?? ''))
    return isAtNumber && STREET_WORDS.has(this.#wordAt(at + length) ?? '')
  }

  /** Reads the name of a state or country after a place. Returns false if the name refers to another place instead. */
  #readRegion(at: number, name: string, regions: readonly string[], candidates: readonly Candidate[]): boolean {
    const open = this.#open!
    const fitting = (open.fitting ?? open.candidates).filter(({ place }) =>
      isWithin(this.#gazetteer.regionOf(place), regions),
    )
    // `Ontario, CA` is the city in California, because the code of a state follows a city.
    const isCodeOfState = fitting.length > 0 && regions.some((key) => key.includes('.'))
    const isCountryOfState = open.regions?.some((key) => isWithin(key, regions)) && !isCodeOfState
    if (!open.fitting && isCountryOfState && !this.isCity(open.candidates[0]!, open.regions!)) {
      // `Ontario, Canada` is a state and its country.
      this.mentions.pop()
      this.regionNames.pop()
      this.regionNames.push({ regions: open.regions!.filter((key) => isWithin(key, regions)) })
      this.#open = undefined
      this.#leading = open.regions
      return true
    }
    const isMetropolis = candidates[0] !== undefined && candidates[0].score >= METROPOLIS_MIN
    // `Boston, New York` names two cities, even though there is a Boston in the state of New York.
    const isNextCity = isMetropolis && fitting[0] && fitting[0].score * UNLIKELY < open.candidates[0]!.score
    if (fitting.length > 0 && !isNextCity) {
      open.fitting = fitting
      return true
    }
    if (candidates[0] && this.isCity(candidates[0], regions)) return false
    // Without a comma before them, two letters are too ambiguous to count.
    if (name.length > 2 || this.#isAfterComma(at)) open.isElsewhere = true
    return true
  }

  #readPlace(name: string, candidates: Candidate[], regions: readonly string[] | undefined): void {
    const leading = this.#leading
    const fitting = leading && candidates.filter(({ place }) => isWithin(this.#gazetteer.regionOf(place), leading))
    this.#open = { name, candidates, ...(fitting?.length && { fitting }), ...(regions && { regions }) }
    if (fitting?.length) this.regionNames.pop()
    if (regions) this.#nameRegions(regions, this.#open)
    this.#leading = regions && !this.isCity(candidates[0]!, regions) ? regions : undefined
    this.mentions.push(this.#open)
  }

  /**
   * Returns whether a name shared by a city and a country or state means the city. Returns true for `Singapore`,
   * `New York` and `Hamburg`, and false for `Mexico`.
   */
  isCity({ place, score, isMain }: Candidate, regions: readonly string[]): boolean {
    if (score >= METROPOLIS_MIN) return true
    if (isMain && score >= TOWN_MIN && isWithin(this.#gazetteer.regionOf(place), regions)) return true
    return score >= CITY_MIN && !regions.some((key) => !key.includes('.') || WITH_WELL_KNOWN_PARTS.has(key.slice(0, 2)))
  }
}

/**
 * Returns how certain it is that a name alone means a place, expressed as a population. In many languages, short names
 * of small places are ordinary words.
 */
function prominence({ name }: Mention, { population, score }: Candidate): number {
  return name.length >= 6 || !/[a-z]/.test(name) ? population : score
}

/** Returns the places and regions that a text names, in order. */
export function namedIn(gazetteer: Gazetteer, text: string): Named {
  const tokens = tokensOf(text)
  const reader = new MentionReader(gazetteer, tokens)
  const { mentions, regionNames, hasOtherWords } = reader
  const placeOf = ({ place }: Candidate): Place => {
    const found = gazetteer.place(place)
    const region = gazetteer.regionOf(place)
    return { ...found, country: region.slice(0, 2), region, city: `${found.lat},${found.lon}` }
  }
  // Places that are certain help to locate the others. Very large cities count as certain.
  const sure = mentions
    .map(({ fitting, candidates }) => fitting?.[0] ?? candidates.find(({ score }) => score >= METROPOLIS_MIN))
    .flatMap((candidate, index) => (candidate ? [{ ...placeOf(candidate), index }] : []))
  const isAlone = mentions.length === 1 && !hasOtherWords

  const choose = (mention: Mention, index: number): Place | undefined => {
    const { candidates, fitting, isElsewhere, name, regions, exact } = mention
    // All known postal codes are in the United States.
    if (exact) return { ...(fitting ? placeOf(fitting[0]!) : { name, region: 'US' }), country: 'US', ...exact }
    if (fitting) return placeOf(fitting[0]!)
    const top = candidates[0]!
    if (regions && !reader.isCity(top, regions)) return undefined
    if (COMMON_WORDS.has(name)) return name.split(' ').length === tokens.length ? placeOf(top) : undefined
    if (isElsewhere) return prominence(mention, top) >= CITY_MIN ? placeOf(top) : undefined
    if (isAlone) return placeOf(top)
    const isLikely = (candidate: Candidate) => candidate.score * UNLIKELY >= top.score
    const isNear = (candidate: Candidate) => {
      const { lat, lon } = placeOf(candidate)
      return sure.some(
        (other) => other.index !== index && distanceMiles([other.lat, other.lon], lat, lon) <= NEAR_MILES,
      )
    }
    const near = candidates.slice(0, NEAR_CANDIDATES).find(isNear)
    if (near && (isLikely(near) || top.score < CITY_MIN)) return placeOf(near)
    // In `Boston / Cambridge, MA`, the state also applies to the preceding places.
    const next = mentions.slice(index + 1).find((other) => other.fitting)?.fitting?.[0]
    const region = next && gazetteer.regionOf(next.place)
    const shared = region && candidates.find(({ place }) => gazetteer.regionOf(place) === region)
    if (shared && isLikely(shared) && (!hasOtherWords || shared.population >= TOWN_MIN)) return placeOf(shared)
    const least = hasOtherWords && !name.includes(' ') ? CITY_MIN : TOWN_MIN
    return prominence(mention, top) >= least ? placeOf(top) : undefined
  }

  const places = new Map<string, Place>()
  for (const place of mentions.map(choose)) {
    if (place && places.size < PLACES_MAX) places.set(`${place.lat} ${place.lon}`, place)
  }
  // In `New York, USA`, the name means the city. Alone, `New York` can also mean the state.
  const regions = regionNames.filter(({ mention }) => !mention?.fitting).map((named) => named.regions)
  return { places: [...places.values()], regions: regions.slice(0, PLACES_MAX) }
}
