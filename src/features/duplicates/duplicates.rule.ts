/** The rule that finds copies of a job. The rule uses neither the database nor the clock. */
import { createHash, hash } from 'node:crypto'
import { breather } from '../../lib/breather.ts'
import { boxAround, distanceMiles } from '../../lib/distance.ts'
import { fold } from '../../search/text/fold.ts'
import { foldedWords, words } from '../../search/text/words.ts'
import { UNSPECIFIED } from '../jobs/index.ts'

/** The members of a job that the rule compares. */
export interface ComparedJob {
  company: string
  title: string
  type: string
  location: string
  description: string
  requirements: readonly string[]
  benefits: readonly string[]
}

export type Kind = 'same' | 'near'

/** How much two jobs have in common. `similarity` is the Jaccard similarity of the texts' words, from 0 to 1. */
interface Likeness {
  kind: Kind | undefined
  similarity: number
}

/**
 * Minimum similarity of near copies, except shortened versions. `bench/duplicates.ts` measures the precision and the
 * recall.
 */
const SIMILARITY_MIN = 0.68
/**
 * Thresholds for a text and a shortened version of it. `similarity` is lower than `SIMILARITY_MIN`, but the longer text
 * must contain at least the proportion `passages` of the shorter text's passages.
 */
const SHORTENED_MIN = { similarity: 0.55, passages: 0.8 }
/**
 * Minimum similarity of suspected copies that are in the same block but not folded. For such jobs, the rule may be
 * wrong, and operators can overrule it.
 */
export const SUSPECTED_MIN = 0.5
/**
 * Minimum length of each text of near copies, in characters. A company's short texts differ in only a few words, even
 * if they advertise different jobs.
 */
const TEXT_MIN = 400

/** Legal forms at the end of a company's name. */
const LEGAL_FORMS = new Set(
  'ab ag as asa aps bv co company corp corporation cv ev gmbh inc incorporated kg kgaa kk limited llc llp ltd mbh nv ohg oy oyj plc pte pty pvt sa sarl sas se sl spa srl ug'.split(
    ' ',
  ),
)
const JAPANESE_FORMS = ['株式会社', '合同会社', '有限会社']

/** Returns the words of a company's name without its legal form. */
export function bareCompany(company: string): string {
  const named = JAPANESE_FORMS.reduce((name, form) => name.replaceAll(form, ' '), fold(company))
  const found = foldedWords(named.replaceAll('.', ''))
  const end = found.findLastIndex((word) => !LEGAL_FORMS.has(word))
  return (end === -1 ? found : found.slice(0, end + 1)).join(' ')
}

/** Feminine endings that follow a mark, as in `Entwickler:in`, `Kaufmann/-frau` or `Vendeur(se)`. */
const FEMININE = /[/:*_(·]-?(?:in|innen|frau|e|ne|se|euse|rice)(?![\p{L}\p{N}])/gu

/** Abbreviated genders. Two or more in a row do not distinguish titles, as in `(m/w/d)`. */
const GENDERS = new Set('m w d f h x v div divers diverse gn'.split(' '))
const GENDER_WORDS = new Set('mwd wmd mfd fmd mwx wmx mfx fmx'.split(' '))
const GENDER_PHRASES = ['all genders', 'all gender', 'any gender', 'alle geschlechter', 'tous genres']

/** Words that precede a reference number. */
const LABELS = new Set(
  'id job kennziffer no nr number ref reference referenz referenznummer req requisition'.split(' '),
)

/**
 * Returns whether a word is a reference number: at most three letters followed by at least four digits, but not a year.
 */
function isReference(word: string): boolean {
  const digits = word.replace(/^[a-z]{1,3}/, '')
  if (digits.length < 4 || !/^[0-9]+$/.test(digits)) return false
  return digits.length > 4 || word !== digits || !(word.startsWith('19') || word.startsWith('20'))
}

/** Returns the words of a title without genders and reference numbers. */
export function bareTitle(title: string): string {
  let text = ` ${words(fold(title).replace(FEMININE, ' ')).join(' ')} `
  for (const phrase of GENDER_PHRASES) text = text.replaceAll(` ${phrase} `, ' ')
  const all = text.trim().split(' ')
  const kept: string[] = []
  for (let at = 0; at < all.length; at++) {
    let end = at
    while (end < all.length && GENDERS.has(all[end]!)) end++
    if (end - at >= 2) at = end - 1
    else if (isReference(all[at]!)) {
      while (kept.length > 1 && (LABELS.has(kept.at(-1)!) || kept.at(-1)!.length === 1)) kept.pop()
    } else if (!GENDER_WORDS.has(all[at]!)) kept.push(all[at]!)
  }
  return kept.length === 0 ? all.join(' ') : kept.join(' ')
}

/** Words that do not distinguish titles. */
const FILLERS = new Set('a an and at for hiring in of onsite or the with'.split(' '))
/** Replacements for alternative spellings of words in titles, applied after the removal of each plural `s`. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  [' full time ', ' '],
  [' front end ', ' frontend '],
  [' back end ', ' backend '],
  [' full stack ', ' fullstack '],
  [' dev ', ' developer '],
  [' sr ', ' senior '],
  [' jr ', ' junior '],
]

/** Returns the distinguishing words of a title, sorted. Copies have titles with equal keys. */
export function titleKey(title: string): string {
  const singular = bareTitle(title)
    .split(' ')
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word))
  const spelled = SPELLINGS.reduce((text, [from, to]) => text.replaceAll(from, to), ` ${singular.join(' ')} `)
  const kept = new Set(
    spelled
      .trim()
      .split(' ')
      .filter((word) => !FILLERS.has(word)),
  )
  return kept.size === 0 ? singular.join(' ') : [...kept].sort().join(' ')
}

/**
 * Returns a job's block: 48 bits of a hash of the title and of the company's first word. All copies that the rule can
 * find are in the job's block, but the jobs in a block must still be compared.
 */
export function blockOf({ company, title }: Pick<ComparedJob, 'company' | 'title'>): number {
  const [first] = bareCompany(company).split(' ')
  return createHash('sha256')
    .update(`${first}\0${titleKey(title)}`)
    .digest()
    .readUIntBE(0, 6)
}

/** The values that the rule compares, computed once per job. */
interface Fingerprint {
  company: string
  title: string
  titleKey: string
  type: string
  location: string
  /** Hash of the text's words, or an empty string if the text has none. */
  text: string
  length: number
  words: Uint32Array
  /** The passages of the text: each pair of consecutive words. */
  passages: Uint32Array
}

export function fingerprintOf(job: ComparedJob): Fingerprint {
  const text = [job.description, ...job.requirements, ...job.benefits].join('\n').trim()
  const all = words(text)
  const bare = withoutAddresses(text)
  return {
    company: bareCompany(job.company),
    title: bareTitle(job.title),
    titleKey: titleKey(job.title),
    type: job.type,
    location: words(job.location).join(' '),
    text: all.length === 0 ? '' : hash('sha256', all.join(' '), 'base64url'),
    length: text.length,
    words: hashesOf(bare === text ? all : words(bare)),
    passages: hashesOf(all.slice(1).map((word, index) => `${all[index]} ${word}`)),
  }
}

/**
 * Returns 32-bit hashes of distinct texts, sorted. They take a tenth of the memory and of the time to compare, and two
 * texts with the same hash hardly change the similarity.
 */
function hashesOf(texts: readonly string[]): Uint32Array {
  const hashes = Uint32Array.from(texts, fnv1a).sort()
  return hashes.filter((one, index) => index === 0 || one !== hashes[index - 1])
}

/** The hash FNV-1a, of UTF-16 units instead of bytes. */
function fnv1a(text: string): number {
  let hashed = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hashed = Math.imul(hashed ^ text.charCodeAt(index), 0x01000193)
  return hashed
}

/** Removes URLs and email addresses, because each source of a job has its own. */
function withoutAddresses(text: string): string {
  const isAddress = (part: string) => part.includes('://') || part.includes('@')
  if (!isAddress(text)) return text
  return text
    .split(/\s/)
    .filter((part) => !isAddress(part))
    .join(' ')
}

function countCommon(a: Uint32Array, b: Uint32Array): number {
  let [both, at, other] = [0, 0, 0]
  while (at < a.length && other < b.length) {
    const [one, two] = [a[at]!, b[other]!]
    if (one === two) both++
    if (one <= two) at++
    if (two <= one) other++
  }
  return both
}

/** Returns the size of two sets' intersection divided by the size of their union, or 1 if both sets are empty. */
function jaccard(a: Uint32Array, b: Uint32Array): number {
  const both = countCommon(a, b)
  const either = a.length + b.length - both
  return either === 0 ? 1 : both / either
}

/** Returns whether one of two texts contains most of the other's passages. */
const isShortened = (a: Uint32Array, b: Uint32Array): boolean =>
  countCommon(a, b) >= SHORTENED_MIN.passages * Math.min(a.length, b.length)

/** Returns whether one name begins with the words of the other, as in `Voltaire` and `Voltaire Energy`. */
const areRelated = (a: string, b: string) => `${a} `.startsWith(`${b} `) || `${b} `.startsWith(`${a} `)

const areTypesAlike = (a: string, b: string) => a === b || a === UNSPECIFIED || b === UNSPECIFIED

/** Returns how alike two jobs are. */
export function compare(a: Fingerprint, b: Fingerprint): Likeness {
  const isEqual = a.text === b.text
  const similarity = isEqual ? 1 : jaccard(a.words, b.words)
  if (!areTypesAlike(a.type, b.type)) return { kind: undefined, similarity }
  // Without a text, jobs with the same title may be different openings.
  if (isEqual && a.text !== '' && a.company === b.company && a.title === b.title && a.location === b.location)
    return { kind: 'same', similarity }
  const isNear =
    areRelated(a.company, b.company) &&
    a.titleKey === b.titleKey &&
    Math.min(a.length, b.length) >= TEXT_MIN &&
    (similarity >= SIMILARITY_MIN || (similarity >= SHORTENED_MIN.similarity && isShortened(a.passages, b.passages)))
  return { kind: isNear ? 'near' : undefined, similarity }
}

/**
 * Maximum distance, in miles, between a geocoded point of a folded job and the nearest point of the shown job. A search
 * with this radius around the folded job finds the shown job.
 */
const NEARBY_MILES = 20
/** The same distance in degrees of latitude. Comparing latitudes first rules out most points. */
const NEARBY_DEGREES = boxAround(0, NEARBY_MILES).high

/**
 * Returns whether lists may show the job at `shown` instead of the job at `places`. Each geocoded point in `places`
 * must be near a point in `shown`. Otherwise, a search around that point would find neither job. Latitudes and
 * longitudes alternate, as in `distanceMiles`.
 */
export function isCovered(shown: readonly number[] | null, places: readonly number[] | null): boolean {
  const isNear = (lat: number, lon: number) =>
    shown?.some(
      (other, index) =>
        index % 2 === 0 &&
        Math.abs(other - lat) <= NEARBY_DEGREES &&
        distanceMiles([other, shown[index + 1]!], lat, lon) <= NEARBY_MILES,
    ) ?? false
  return (places ?? []).every((lat, index, all) => index % 2 === 1 || isNear(lat, all[index + 1]!))
}

export type Decision = 'same' | 'different'

/** Decisions of operators, by the IDs of both jobs in either order. */
export type Decisions = ReadonlyMap<string, ReadonlyMap<string, Decision>>

/** A job on the board that may be folded, or under which other jobs may be folded. */
export interface Member {
  id: string
  block: number
  feed_id: string | null
}

/** How two jobs of one block relate to each other. */
interface Relations {
  /** Returns whether `shown` covers the locations of `job`, as defined by `isCovered`. */
  covers(shown: Member, job: Member): boolean
  areCopies(original: Member, job: Member): boolean
}

/**
 * Returns, for each folded job, the job that lists show instead. Jobs that people maintain are never folded and precede
 * jobs from feeds. Otherwise, earlier jobs precede later ones. A job from a feed is folded under the first shown job
 * that covers its locations and of which it is a copy. Operators' decisions take precedence. A later job with
 * additional locations replaces a shown job from a feed. The shown job and all jobs folded under it must be copies of
 * the later job. Pauses regularly, so that the process can do other work.
 */
export async function foldMembers(
  members: readonly Member[],
  decisions: Decisions,
  relations: Relations,
): Promise<Map<string, string>> {
  const folded = new Map<string, string>()
  const copies = new Map<Member, Member[]>()
  const shownById = new Map<string, Member>()
  const shownInBlock = new Map<number, Member[]>()
  const isFoldedUnder = (original: Member, job: Member) => {
    const decision = decisions.get(job.id)?.get(original.id)
    if (decision !== undefined) return decision === 'same'
    return original.block === job.block && relations.covers(original, job) && relations.areCopies(original, job)
  }
  const foldUnder = (original: Member, jobs: readonly Member[]) => {
    for (const { id } of jobs) folded.set(id, original.id)
    copies.set(original, [...(copies.get(original) ?? []), ...jobs])
  }
  const breathe = breather()
  for (const job of members.toSorted(byRank)) {
    const elsewhere = [...(decisions.get(job.id)?.keys() ?? [])].flatMap((id) => shownById.get(id) ?? [])
    const here = shownInBlock.get(job.block) ?? []
    const candidates = elsewhere.length === 0 ? here : [...elsewhere, ...here].sort(byRank)
    let original: Member | undefined
    for (const shown of job.feed_id === null ? [] : candidates) {
      await breathe()
      if (!isFoldedUnder(shown, job)) continue
      original = shown
      break
    }
    if (original) {
      foldUnder(original, [job])
      continue
    }
    const replaced = here.filter((shown) => {
      if (shown.feed_id === null || !relations.covers(job, shown) || relations.covers(shown, job)) return false
      return [shown, ...(copies.get(shown) ?? [])].every((copy) => isFoldedUnder(job, copy))
    })
    for (const shown of replaced) {
      shownById.delete(shown.id)
      foldUnder(job, [shown, ...(copies.get(shown) ?? [])])
    }
    shownById.set(job.id, job)
    shownInBlock.set(job.block, [...here.filter((shown) => !replaced.includes(shown)), job])
  }
  return folded
}

/** Compares jobs by the order in which `foldMembers` prefers to show them. */
export function byRank(a: Member, b: Member): number {
  return Number(a.feed_id !== null) - Number(b.feed_id !== null) || (a.id < b.id ? -1 : 1)
}
