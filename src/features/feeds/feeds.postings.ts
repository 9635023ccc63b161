/** Checks and normalizes the postings of all formats. */
import { createHash } from 'node:crypto'
import { bodyValidator } from '../../http/validation.ts'
import { isStorableText } from '../../lib/bad-text.ts'
import { characterFault, type TextUse } from '../../lib/characters.ts'
import { isLanguageTag } from '../../lib/language-tags.ts'
import { LOCATIONS_MAX } from '../../lib/locations.ts'
import { isCurrency, type PayPeriod, payPeriods, SALARY_MAX } from '../../lib/salary.ts'
import { isHttpUrl } from '../../lib/url.ts'
import { type experienceLevels, type ImportedJob, ImportedJobSchema, UNSPECIFIED } from '../jobs/index.ts'
import { blocksOf, ITEM_LENGTH_MAX, ITEMS_MAX, markdownOf, takeLists } from './formats/html.ts'
import type { ForeignPosting, Note } from './formats/posting.ts'

/** A posting of a feed as a job of this board. */
export interface Posting {
  externalId: string
  url: string | null
  job: ImportedJob
  /** Hash of everything that an update of the job would change. */
  hash: string
  /** Length of the hashed JSON, in characters. */
  length: number
  notes: readonly Note[]
}

const validate = bodyValidator(ImportedJobSchema)

const TITLE_LENGTH_MAX = 200
const LOCATION_LENGTH_MAX = 200
const DESCRIPTION_LENGTH_MAX = 50_000

/** Returns the posting as a job, or the reason why it cannot be one. `company` applies if the posting names none. */
export function normalizePosting(
  foreign: ForeignPosting,
  { company, now }: { company: string; now: Date },
): Posting | (Note & { externalId: string }) {
  const notes: Note[] = [...(foreign.notes ?? [])]
  const note = (code: string, detail: string) => void notes.push({ code, detail })
  const refuse = (code: string, detail: string) => ({ externalId: foreign.id, code, detail })
  if (!isStorableText(foreign.id)) return refuse('invalid_id', 'The ID contains characters that cannot be stored.')
  if (foreign.expiresAt && foreign.expiresAt <= now) return refuse('expired', 'The deadline has passed.')

  const title = cut(nameOf(foreign.title), TITLE_LENGTH_MAX)
  if (title.isCut) note('title_cut', `The title is longer than ${TITLE_LENGTH_MAX} characters.`)
  const isRemote = foreign.isRemote ?? false
  const named = distinctNames(foreign.locations).map((name) => cut(name, LOCATION_LENGTH_MAX))
  const locations = named.slice(0, LOCATIONS_MAX).map((name) => name.text)
  const changed = named.filter(({ isCut }, index) => isCut || index >= LOCATIONS_MAX).length
  if (changed > 0) note('locations_cut', `Locations shortened or left out: ${changed}.`)
  const text = textsOf(foreign)
  // Some systems return an empty text for a language that a posting lacks. Such a text must not replace the job's text.
  if (!foreign.isMarkdown && text.description === '') return refuse('no_text', 'The posting has no text.')
  const description = cut(text.description, DESCRIPTION_LENGTH_MAX)
  if (description.isCut) note('description_cut', `The description is longer than ${DESCRIPTION_LENGTH_MAX} characters.`)

  const job: Record<string, unknown> = {
    title: title.text,
    company: nameOf(foreign.company ?? company),
    location: locations[0] ?? (isRemote ? 'Remote' : ''),
    ...(locations.length > 1 && { locations }),
    description: description.text,
    requirements: text.requirements,
    benefits: text.benefits,
    category: slugOf(foreign.category) ?? UNSPECIFIED,
    type: typeOf(foreign.type),
    remote: isRemote,
    // `workplace` is absent unless the job is hybrid, because adding it would change the hashes of all other postings.
    ...(foreign.isHybrid && { workplace: 'hybrid' }),
    experience_level: levelOf(foreign.level),
    language: foreign.language && isLanguageTag(foreign.language) ? foreign.language : null,
    skills: [...new Set((foreign.skills ?? []).map(nameOf))]
      .filter((skill) => skill !== '' && skill.length <= 64)
      .slice(0, 100),
    salary: salaryOf(foreign, note),
    expires_at: foreign.expiresAt?.toISOString() ?? null,
    application_url: webAddress(foreign.applyUrl),
    company_website: webAddress(foreign.companyWebsite),
    company_logo_url: webAddress(foreign.companyLogo),
    ...foreign.more,
  }
  const [fault] = validate(job)
  if (fault) return refuse(`invalid_${fault.pointer.split('/')[1]}`, fault.detail)
  const { company_website: _website, company_logo_url: _logo, company: _company, ...updatable } = job
  const url = webAddress(foreign.url)
  const content = JSON.stringify([updatable, url])
  const hash = createHash('sha256').update(content).digest('base64url')
  // Ignores a publication date in the future, because it is a mistake. The content hash excludes the date.
  const postedAt = foreign.postedAt && foreign.postedAt <= now ? foreign.postedAt.toISOString() : null
  const { length } = content
  return { externalId: foreign.id, url, job: { ...job, posted_at: postedAt } as ImportedJob, hash, length, notes }
}

/** Returns the text without characters that are forbidden for its purpose. Most texts contain none. */
function clean(text: string, use: TextUse): string {
  const storable = isStorableText(text) ? text : text.toWellFormed().replaceAll('\0', '')
  if (characterFault(storable, use) === undefined) return storable
  // Checks each distinct character only once, because a check takes about 1 µs.
  const isRefused = (one: string) => one.trim() !== '' && characterFault(one, use) !== undefined
  const refused = new Set([...new Set(storable)].filter(isRefused))
  return [...storable].filter((one) => !refused.has(one)).join('')
}

/** Returns a name on one line. */
const nameOf = (text: string): string => clean(text.split(/\s+/).filter(Boolean).join(' '), 'name')

const proseOf = (text: string): string => clean(text, 'text').trim()

/** Truncates a text that is too long, preferably at a space, and appends an ellipsis. */
function cut(text: string, lengthMax: number): { text: string; isCut: boolean } {
  // `lengthMax` counts characters. A text with at most this many UTF-16 code units is never too long.
  if (text.length <= lengthMax || [...text].length <= lengthMax) return { text, isCut: false }
  const start = [...text].slice(0, lengthMax - 1).join('')
  const end = start.lastIndexOf(' ')
  return { text: `${end > lengthMax / 2 ? start.slice(0, end) : start}…`, isCut: true }
}

/** Returns distinct names, ignoring case. */
function distinctNames(names: readonly string[]): string[] {
  const known = names.map(nameOf).filter(Boolean)
  return [...new Map(known.map((name) => [name.toLowerCase(), name])).values()]
}

function textsOf({ description, isMarkdown, requirements = [], benefits = [] }: ForeignPosting) {
  const listed = (texts: readonly string[]) =>
    texts
      .map(proseOf)
      .filter((text) => text !== '' && text.length <= ITEM_LENGTH_MAX)
      .slice(0, ITEMS_MAX)
  if (isMarkdown) {
    return { description: proseOf(description), requirements: listed(requirements), benefits: listed(benefits) }
  }
  const blocks = blocksOf(description)
  const found = takeLists(blocks)
  // Keeps requirements and benefits in a description that contains nothing else.
  const isWhole = found.rest.length === 0
  return {
    description: proseOf(markdownOf(isWhole ? blocks : found.rest)),
    requirements: listed(requirements.length > 0 || isWhole ? requirements : found.requirements),
    benefits: listed(benefits.length > 0 || isWhole ? benefits : found.benefits),
  }
}

const slugOf = (text: string | undefined) =>
  text && text.length <= 100 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) ? text : undefined

/** Employment types, and the parts of words that indicate them. The first match wins. */
const TYPES: readonly [type: string, ...parts: string[]][] = [
  ['internship', 'intern', 'trainee', 'praktik', 'stage'],
  ['apprenticeship', 'apprentice', 'ausbildung', 'alternance'],
  ['freelance', 'freelanc'],
  ['volunteer', 'volunteer'],
  ['part-time', 'part', 'teilzeit'],
  ['temporary', 'temporary', 'seasonal', 'fixedterm', 'befristet'],
  ['full-time', 'full', 'permanent', 'vollzeit', 'festanstellung'],
  ['contract', 'contract'],
]

function typeOf(text = ''): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const known = TYPES.find(([, ...parts]) => parts.some((part) => words.includes(part)))
  return known?.[0] ?? slugOf(text) ?? UNSPECIFIED
}

const LEVELS: readonly [level: (typeof experienceLevels)[number], ...parts: string[]][] = [
  ['entry', 'intern', 'student', 'entry', 'graduate'],
  ['junior', 'associate', 'junior'],
  ['senior', 'midsenior', 'senior'],
  ['mid', 'experienced', 'mid'],
  ['lead', 'director', 'lead'],
  ['executive', 'executive'],
]

function levelOf(text = ''): string | null {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return LEVELS.find(([, ...parts]) => parts.some((part) => words.includes(part)))?.[0] ?? null
}

function periodOf(text: string): PayPeriod | undefined {
  const words = text.toLowerCase()
  if (words.includes('annual')) return 'year'
  return payPeriods.find((period) => words.includes(period))
}

function salaryOf({ salary }: ForeignPosting, note: (code: string, detail: string) => void) {
  if (!salary) return null
  const round = (amount: number | null) => (amount === null ? null : Math.round(amount))
  const [min, max] = [round(salary.min), round(salary.max)]
  const period = periodOf(salary.period)
  const bounds = [min, max].filter((bound) => bound !== null)
  const isValid =
    bounds.length > 0 &&
    bounds.every((bound) => bound > 0 && bound <= SALARY_MAX) &&
    (min === null || max === null || min <= max)
  if (!isValid || !period || !isCurrency(salary.currency)) {
    note('salary_ignored', 'The salary has an unclear amount, currency or period.')
    return null
  }
  if (min !== salary.min || max !== salary.max) note('salary_rounded', 'The salary was rounded to whole numbers.')
  return { min, max, currency: salary.currency, period }
}

const webAddress = (url: string | undefined): string | null =>
  url !== undefined && url.length <= 2_048 && isHttpUrl(url) ? url : null
