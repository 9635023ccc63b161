/**
 * Feeds that partner boards read: XML with Indeed's elements, which most aggregators accept, and LinkedIn's XML. Both
 * contain the complete texts of jobs (decision 0109).
 */
import { setImmediate } from 'node:timers/promises'
import { countryOf, resolvePlace, stateOf } from '../../geo/gazetteer.ts'
import { cdataElement, xmlElement } from '../../lib/xml.ts'
import { regionName } from '../../locale/formats.ts'
import { isLanguage } from '../../locale/languages.ts'
import { inLocale } from '../../locale/locale.ts'
import { nameOfSlug } from '../catalogue/index.ts'
import { formatSalary } from '../jobs/index.ts'
import { type FeedJob, type FeedOf, type FeedPages, urlOf, XML } from './board.feeds.ts'
import { descriptionOf } from './board.posting.ts'

type Element = readonly [name: string, text: string | null | undefined]

/** Partners expect names in English, the language of the element names. */
const ENGLISH = { language: 'en', timeZone: 'UTC' } as const

/** Streams XML for Indeed and other aggregators: a `source` element with one `job` element per job. */
export async function* indeedFeed(pages: FeedPages, feed: FeedOf): AsyncGenerator<string> {
  const { origin, brand, now } = feed
  yield `${XML}<source>${xmlElement('publisher', brand.name)}${xmlElement('publisherurl', origin)}<lastBuildDate>${now.toUTCString()}</lastBuildDate>\n`
  yield* eachJob(pages, (job) => elements(indeedJob(job, feed)))
  yield '</source>\n'
}

/** Streams XML for LinkedIn. Omits jobs whose text is too short for LinkedIn. */
export async function* linkedInFeed(pages: FeedPages, feed: FeedOf): AsyncGenerator<string> {
  const { origin, brand, now, total } = feed
  yield `${XML}<source><lastBuildDate>${now.toUTCString()}</lastBuildDate>${xmlElement('publisherUrl', origin)}${xmlElement('publisher', brand.name)}<expectedJobCount>${total}</expectedJobCount>\n`
  yield* eachJob(pages, (job) => linkedInJob(job, feed))
  yield '</source>\n'
}

async function* eachJob(pages: FeedPages, render: (job: FeedJob) => string): AsyncGenerator<string> {
  for await (const jobs of pages) {
    let text = ''
    for (const job of jobs) {
      const content = inLocale(ENGLISH, () => render(job))
      if (content !== '') text += `<job>${content}</job>\n`
      // Lets other requests proceed, because rendering a long description takes milliseconds.
      await setImmediate()
    }
    yield text
  }
}

const elements = (members: readonly Element[]) => members.map(([name, text]) => cdataElement(name, text)).join('')

/** Matches the tags of rendered Markdown, and the entities that are unnecessary outside tags. */
const TAG_OR_QUOTE = /<[^>]*>|&quot;|&#39;/g

/**
 * Returns a job's text as HTML, with headings in the job's language if possible. Decodes quotation marks and
 * apostrophes, because Indeed refuses most entities.
 */
function textOf(job: FeedJob): string {
  const language = job.language && isLanguage(job.language) ? job.language : 'en'
  const html = inLocale({ ...ENGLISH, language }, () => descriptionOf(job))
  return html.replace(TAG_OR_QUOTE, (found) => (found === '&quot;' ? '"' : found === '&#39;' ? "'" : found))
}

function whereOf({ location }: FeedJob) {
  const place = resolvePlace(location)
  const country = place?.country ?? countryOf(location)
  const state = place && stateOf(place)
  const text = [place?.name, state, country && regionName(country)].filter(Boolean).join(', ')
  return { city: place?.name, state, country, text: text || location }
}

const remoteTypes = { on_site: null, hybrid: 'Hybrid remote', remote: 'Fully remote' } as const
const workplaceTypes = { on_site: 'On-site', hybrid: 'Hybrid', remote: 'Remote' } as const

function indeedJob(job: FeedJob, feed: FeedOf): Element[] {
  const { city, state, country } = whereOf(job)
  return [
    ['title', job.title],
    ['date', job.posted_at],
    ['referencenumber', job.id],
    ['requisitionid', job.id],
    ['url', urlOf(feed, job)],
    ['company', job.company],
    ['sourcename', feed.brand.name],
    ['city', city],
    ['state', state],
    ['country', country],
    // Not one of Indeed's elements. Contains all locations, even those that the gazetteer does not know.
    ['location', job.locations.join('; ')],
    ['description', textOf(job)],
    ['salary', job.salary && formatSalary(job.salary)],
    ['jobtype', job.type],
    ['category', nameOfSlug(feed.catalogue.categories, job.category)],
    ['experience', job.experience_level],
    ['remotetype', remoteTypes[job.workplace]],
    ['expirationdate', job.expires_at],
    ['lastactivitydate', job.updated_at],
  ]
}

const jobTypes: Readonly<Record<string, string>> = {
  'full-time': 'FULL_TIME',
  'part-time': 'PART_TIME',
  contract: 'CONTRACT',
  freelance: 'CONTRACT',
  temporary: 'TEMPORARY',
  internship: 'INTERNSHIP',
  volunteer: 'VOLUNTEER',
}
const levels: Readonly<Record<string, string>> = {
  entry: 'ENTRY_LEVEL',
  junior: 'ASSOCIATE',
  mid: 'MID_SENIOR_LEVEL',
  senior: 'MID_SENIOR_LEVEL',
  lead: 'DIRECTOR',
  executive: 'EXECUTIVE',
}
const periods = { hour: 'HOURLY', day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY', year: 'YEARLY' } as const

/** Minimum length of a description in characters, without tags. */
const LINKEDIN_TEXT_MIN = 100
const HEADINGS = new Set(['h2', 'h3', 'h4', 'h5', 'h6'])
const LINKEDIN_TAGS = new Set(['p', 'br', 'ul', 'ol', 'li', 'strong', 'em'])

/** Returns HTML with only the tags that LinkedIn shows. */
const forLinkedIn = (html: string) =>
  html.replace(TAG_OR_QUOTE, (tag) => {
    const isEnd = tag.startsWith('</')
    const [name = ''] = tag.slice(isEnd ? 2 : 1, -1).split(' ')
    if (LINKEDIN_TAGS.has(name)) return `<${isEnd ? '/' : ''}${name}>`
    return HEADINGS.has(name) ? (isEnd ? '</strong></p>' : '<p><strong>') : ''
  })

function linkedInJob(job: FeedJob, feed: FeedOf): string {
  const html = textOf(job)
  if (
    html
      .replace(TAG_OR_QUOTE, '')
      .replace(/&(?:amp|lt|gt);/g, '&')
      .trim().length < LINKEDIN_TEXT_MIN
  )
    return ''
  const { city, state, country, text } = whereOf(job)
  const members: Element[] = [
    ['partnerJobId', job.id],
    ['company', job.company],
    ['title', job.title],
    ['description', forLinkedIn(html)],
    ['applyUrl', urlOf(feed, job)],
    ['location', text],
    ['city', city],
    ['state', state],
    ['country', country],
    ['workplaceTypes', workplaceTypes[job.workplace]],
    ['jobtype', jobTypes[job.type] ?? 'OTHER'],
    ['experienceLevel', levels[job.experience_level ?? '']],
    ['posterEmail', feed.brand.contactEmail],
  ]
  const skills = elements(job.skills.map((skill) => ['skill', skill]))
  return elements(members) + wrap('skills', skills) + salaryOf(job.salary)
}

const wrap = (name: string, content: string) => (content === '' ? '' : `<${name}>${content}</${name}>`)

function salaryOf(salary: FeedJob['salary']): string {
  if (!salary) return ''
  const { min, max, currency, period } = salary
  const end = (name: string, amount: number | null) => {
    const members: Element[] = [
      ['amount', String(amount)],
      ['currencyCode', currency],
    ]
    return amount === null ? '' : wrap(name, elements(members))
  }
  const kind: Element[] = [
    ['period', periods[period]],
    ['type', 'BASE_SALARY'],
  ]
  return `<salaries><salary>${end('highEnd', max)}${end('lowEnd', min)}${elements(kind)}</salary></salaries>`
}
