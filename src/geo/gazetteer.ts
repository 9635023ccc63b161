/**
 * Where places are, without a network: the points of a location as people write it (docs/decisions/0027). The file is
 * read when the first location is resolved, and kept.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { distanceMiles } from '../lib/distance.ts'
import { type Candidate, Gazetteer } from './gazetteer-file.ts'
import { placeName } from './names.ts'

export interface Place {
  name: string
  lat: number
  lon: number
}

/** A location names no more than these; what is longer is a list of the world. */
const PLACES_MAX = 20
/** `San Luis Obispo County` has four words; no name that people write has more. */
const WORDS_MAX = 6

/** A name without a country or state means a place of this many inhabitants at least … */
const TOWN_MIN = 15_000
/** … or of this many among words that are no places, where anything may be the name of a village. */
const CITY_MIN = 100_000
/** So large that nothing else is meant. */
const METROPOLIS_MIN = 500_000
/** Countries whose parts people here name alone: Victoria is one, Saint-Louis in Senegal is not. */
const WITH_WELL_KNOWN_PARTS = new Set(['US', 'CA', 'GB', 'AU'])
/** Another place than the likeliest one is meant where something speaks for it, unless it is that many times less likely. */
const UNLIKELY = 10
const NEAR_MILES = 40
/** Some names are those of thousands of villages. */
const NEAR_CANDIDATES = 50

/** Words about the work that are also names of places: a place only as the whole text, or before a state or country. */
const COMMON_WORDS = new Set(
  (
    'mobile reading nice bath orange man van sale most same date male mary central bar mission angel university ' +
    'west north south east center centre park village home work data java ruby march media split both marketing senior ' +
    'engineer web ios best imperial stack union market square tower street avenue house salary young deal bar come of'
  ).split(' '),
)

/** Words that say nothing about the place, and do not make a location one of many words. */
const NOISE = new Set(
  (
    'remote onsite hybrid on site in the of at near only full part time area greater metro metropolitan region ' +
    'downtown central office offices hq headquarters city location locations preferred relocation relocate to from with ' +
    'possible optional ok okay flexible anywhere worldwide global us based various multiple several close around or and is it as do my am me hi so no fulltime visa interns'
  ).split(' '),
)

/** What streets end in: the name before one is that of a street. `St.` stands before places as well, but not after a name. */
const STREET_WORDS = new Set(
  'ave avenue street st rd road blvd boulevard dr drive pike hwy highway ln lane pkwy parkway plaza strasse str'.split(
    ' ',
  ),
)

/** Codes of states and countries that are words: after a city only where nothing but an end or a separator follows. */
const WORD_CODES = new Set('in or me hi ok is at be no so it as do my am to us la de co al ma pa id'.split(' '))

const LONG_ZIP = /\b(\d{5})-\d{4}\b/g
/** After the prefecture or province of an address that is written without spaces. */
const PREFECTURE = /(?<=\p{Script=Han}[都道府県省])(?=\p{Script=Han}{2})/gu
const POSSESSIVE = /['’]s\b/gi
const LINKS = /\b(?:https?:|www\.)\S+|\S+@\S+/gi
/** A word, with what stands within it; a comma; or what ends a place: brackets, slashes, dashes between spaces and the like. */
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

/** A place that a text names. */
interface Mention {
  candidates: Candidate[]
  /** What of them is in the countries and states named with it. */
  fitting: Candidate[] | undefined
  /** Named with a country or state that it is not in. */
  isElsewhere: boolean
  name: string
  /** The countries and states that it may be instead. */
  regions: readonly string[] | undefined
  /** The point of its postal code. */
  exact?: { lat: number; lon: number }
}

/** Whether a country or part of one is, or is in, one of these. */
function isWithin(region: string, regions: readonly string[]): boolean {
  return regions.some((key) => region === key || region.startsWith(`${key}.`))
}

/** Whether a name that a country or state has too means the city: `Singapore`, `New York`, `Hamburg`, not `Mexico`. */
function isCity(gazetteer: Gazetteer, { place, score, isMain }: Candidate, regions: readonly string[]): boolean {
  if (score >= METROPOLIS_MIN) return true
  if (isMain && score >= TOWN_MIN && isWithin(gazetteer.regionOf(place), regions)) return true
  return score >= CITY_MIN && !regions.some((key) => !key.includes('.') || WITH_WELL_KNOWN_PARTS.has(key.slice(0, 2)))
}

/** Reads the mentions of places, in order, and whether anything else is said. */
function readMentions(gazetteer: Gazetteer, tokens: readonly Token[]): { mentions: Mention[]; hasOtherWords: boolean } {
  const mentions: Mention[] = []
  let hasOtherWords = false
  /** The mention that a state or country may follow. */
  let open: Mention | undefined
  /** A country or state that came before any place: `Switzerland, Zurich`. */
  let leading: readonly string[] | undefined
  /** A postal code without a place, which counts only by itself: other countries have five digits, too. */
  let lone: Mention | undefined
  const wordAt = (index: number) => {
    const token = tokens[index]
    return token?.kind === 'word' ? token : undefined
  }

  for (let at = 0; at < tokens.length; ) {
    const first = wordAt(at)
    if (!first) {
      if (tokens[at]!.kind === 'break') [open, leading] = [undefined, undefined]
      at++
      continue
    }
    const length = longestName(gazetteer, tokens, at)
    const name = tokens
      .slice(at, at + length)
      .map((token) => (token as { text: string }).text)
      .join(' ')
    const isAfterComma = tokens[at - 1]?.kind === 'comma'
    // `830 Milwaukee Ave`, `3218 S US Hwy 1`
    const isAtNumber = [1, 2].some((back) => /^\d+$/.test(wordAt(at - back)?.text ?? ''))
    const following = tokens[at + length]
    at += Math.max(length, 1)

    if (length === 0) {
      const code = /^\d{5}$/.test(first.text) ? gazetteer.findZip(Number(first.text)) : undefined
      const isAmerican = open?.fitting?.some(({ place }) => gazetteer.regionOf(place).startsWith('US'))
      if (code && open && isAmerican) open.exact = code
      else if (code) lone ??= { ...unplaced, name: first.text, exact: code }
      else if ((first.text === 'and' || first.text === 'or') && !isAfterComma) [open, leading] = [undefined, undefined]
      else if (!NOISE.has(first.text) && !/\d|^.$/u.test(first.text)) hasOtherWords = true
      continue
    }

    const isOrdinary = length === 1 && isOrdinaryWord(first, following, isAfterComma)
    if (isOrdinary && NOISE.has(name)) {
      if (name === 'or') [open, leading] = [undefined, undefined]
      continue
    }
    const regions = isOrdinary ? undefined : gazetteer.findRegions(name)
    const candidates = gazetteer.find(name)
    if (following?.kind === 'word' && STREET_WORDS.has(following.text) && isAtNumber) {
      at++
      continue
    }
    if (regions && open) {
      const fitting = (open.fitting ?? open.candidates).filter(({ place }) =>
        isWithin(gazetteer.regionOf(place), regions),
      )
      const isStateOfCountry =
        open.regions?.some((key) => isWithin(key, regions)) && !isNamedLikeState(fitting, regions)
      if (!open.fitting && isStateOfCountry && !isCity(gazetteer, open.candidates[0]!, open.regions!)) {
        // `Ontario, Canada`: a state and its country.
        mentions.pop()
        ;[open, leading] = [undefined, open.regions]
        continue
      }
      if (fitting.length > 0 && !isCityOfList(candidates, fitting[0]!, open)) {
        open.fitting = fitting
        continue
      }
      if (!candidates[0] || !isCity(gazetteer, candidates[0], regions)) {
        // Two letters may be anything.
        if (name.length > 2 || isAfterComma) open.isElsewhere = true
        continue
      }
    }
    if (candidates.length === 0) {
      if (regions) leading = regions
      continue
    }
    const inLeading = leading && candidates.filter(({ place }) => isWithin(gazetteer.regionOf(place), leading!))
    open = {
      candidates,
      fitting: inLeading && inLeading.length > 0 ? inLeading : undefined,
      isElsewhere: false,
      name,
      regions,
    }
    leading = regions && !isCity(gazetteer, candidates[0]!, regions) ? regions : undefined
    mentions.push(open)
  }
  if (lone && mentions.length === 0 && !hasOtherWords) mentions.push(lone)
  return { mentions, hasOtherWords }
}

const unplaced: Mention = {
  candidates: [],
  fitting: undefined,
  isElsewhere: false,
  name: '',
  regions: undefined,
}

/** How many words from here on make the longest name of a place, state or country. */
function longestName(gazetteer: Gazetteer, tokens: readonly Token[], at: number): number {
  let available = 0
  while (available < WORDS_MAX && tokens[at + available]?.kind === 'word') available++
  for (let length = available; length > 0; length--) {
    const name = tokens
      .slice(at, at + length)
      .map((token) => (token as { text: string }).text)
      .join(' ')
    if (length === 1 && (NOISE.has(name) || name === 'and') && !gazetteer.findRegions(name)) return 0
    if (gazetteer.findRegions(name) || gazetteer.find(name).length > 0) return length
  }
  return 0
}

/** Whether a word that could be the code of a state or country is just a word. */
function isOrdinaryWord(
  { text, isLower }: { text: string; isLower: boolean },
  next: Token | undefined,
  isAfterComma: boolean,
) {
  if (text.length > 3) return false
  if (isLower && !isAfterComma) return true
  return WORD_CODES.has(text) && next?.kind === 'word' && !/^(?:or|and|usa?|\d{5})$/.test(next.text)
}

/** `Ontario, CA` is the city in California, not the province in Canada: the code of a state comes after a city. */
function isNamedLikeState(fitting: readonly Candidate[], regions: readonly string[]): boolean {
  return fitting.length > 0 && regions.some((key) => key.includes('.'))
}

/** Whether a name that is a state's or country's as well is the next city of a list: `Boston, New York`. */
function isCityOfList(candidates: readonly Candidate[], fitting: Candidate, open: Mention): boolean {
  if ((candidates[0]?.score ?? 0) < METROPOLIS_MIN) return false
  return fitting.score * UNLIKELY < open.candidates[0]!.score
}

/** How sure a name is of a place without a state or country: short ones of few people are words of many languages. */
function prominence({ name }: Mention, { population, score }: Candidate): number {
  if (COMMON_WORDS.has(name)) return 0
  return name.length >= 6 || !/[a-z]/.test(name) ? population : score
}

/** Decides which place each mention means. */
function choose(gazetteer: Gazetteer, mentions: readonly Mention[], words: number, hasOtherWords: boolean): Place[] {
  const placeOf = ({ place }: Candidate) => gazetteer.place(place)
  // What is sure, or so large that nothing else is meant, tells where the others are.
  const sure = mentions
    .map(({ fitting, candidates }) => fitting?.[0] ?? candidates.find(({ score }) => score >= METROPOLIS_MIN))
    .flatMap((candidate, index) => (candidate ? [{ ...placeOf(candidate), index }] : []))
  const isAlone = mentions.length === 1 && !hasOtherWords

  const chosen = mentions.map((mention, index): Place | undefined => {
    const { candidates, fitting, isElsewhere, name, regions, exact } = mention
    if (exact) return { name: fitting ? placeOf(fitting[0]!).name : name, ...exact }
    if (fitting) return placeOf(fitting[0]!)
    const top = candidates[0]!
    const isCommonWord = COMMON_WORDS.has(name)
    if (regions && !isCity(gazetteer, top, regions)) return undefined
    if (isAlone && !isElsewhere && (!isCommonWord || name.split(' ').length === words)) return placeOf(top)
    if (isElsewhere || isCommonWord) return prominence(mention, top) >= CITY_MIN ? placeOf(top) : undefined
    const isLikely = (candidate: Candidate) => candidate.score * UNLIKELY >= top.score
    const isNear = (candidate: Candidate) => {
      const { lat, lon } = placeOf(candidate)
      return sure.some(
        (other) => other.index !== index && distanceMiles([other.lat, other.lon], lat, lon) <= NEAR_MILES,
      )
    }
    const near = candidates.slice(0, NEAR_CANDIDATES).find(isNear)
    if (near && (isLikely(near) || top.score < CITY_MIN)) return placeOf(near)
    // `Boston / Cambridge, MA`: the state is also that of the places before.
    const next = mentions.slice(index + 1).find((other) => other.fitting)?.fitting?.[0]
    const region = next && gazetteer.regionOf(next.place)
    const shared = region && candidates.find(({ place }) => gazetteer.regionOf(place) === region)
    const least = hasOtherWords && !name.includes(' ') ? CITY_MIN : TOWN_MIN
    if (shared && isLikely(shared) && (!hasOtherWords || shared.population >= TOWN_MIN)) return placeOf(shared)
    return prominence(mention, top) >= least ? placeOf(top) : undefined
  })
  const seen = new Set<string>()
  return chosen
    .filter((place) => place !== undefined)
    .filter(({ lat, lon }) => !seen.has(`${lat} ${lon}`) && seen.add(`${lat} ${lon}`))
    .slice(0, PLACES_MAX)
}

const FILE = new URL('gazetteer.bin.gz', import.meta.url)
let opened: Gazetteer | undefined

function gazetteer(): Gazetteer {
  // In few large pieces: the default of 16 KiB leaves 14 MB more behind.
  opened ??= new Gazetteer(gunzipSync(readFileSync(FILE), { chunkSize: 1 << 20 }))
  return opened
}

/** Boards repeat their locations: what was resolved is kept, up to so many texts (some 3 MB). */
const RESOLVED_MAX = 10_000
/** As long as a job's location may be: a query's could be longer. */
const KEPT_LENGTH_MAX = 200
const resolved = new Map<string, readonly Place[]>()

/** Where a location is, every place that it names; none for `Remote`, a country alone or what nobody knows. */
export function resolvePlaces(location: string): readonly Place[] {
  let places = resolved.get(location)
  if (places === undefined) {
    const tokens = tokensOf(location)
    const { mentions, hasOtherWords } = readMentions(gazetteer(), tokens)
    places = choose(gazetteer(), mentions, tokens.length, hasOtherWords)
    if (location.length > KEPT_LENGTH_MAX) return places
    if (resolved.size >= RESOLVED_MAX) resolved.clear()
    resolved.set(location, places)
  }
  return places
}

/** The same as the columns have it: latitude, longitude, latitude, longitude … */
export function placeColumn(location: string | null): number[] {
  return location === null ? [] : resolvePlaces(location).flatMap(({ lat, lon }) => [lat, lon])
}

/** The place that somebody looks around, or undefined where none is known. */
export function resolvePlace(text: string): Place | undefined {
  return resolvePlaces(text)[0]
}
