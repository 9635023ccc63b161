/** Feeds for any search: the first hundred jobs as Atom and RSS, and all jobs as streams of JSON Lines and XML. */
import { setImmediate } from 'node:timers/promises'
import { renderMarkdown } from '../../lib/markdown.ts'
import { escapeXml, xmlElement } from '../../lib/xml.ts'
import { inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import { TERMS_MAX } from '../../search/text/words.ts'
import { formatSalary, type JobListItem, jobPath } from '../jobs/index.ts'
import type { MarkedJob } from './board.lists.ts'

export interface FeedOf {
  origin: string
  /** Paths and queries of the feed (`self`) and of its list page (`list`), without origin. */
  self: string
  list: string
  title: string
  now: Date
}

/** Limits on concurrent feeds. */
export const STREAMS = {
  atOnce: 24,
  ofAccount: 3,
  ofNetwork: 3,
  refusal: 'You are loading too many feeds. Wait until a feed has finished.',
}

export const TOO_MANY_TERMS = `search must have at most ${TERMS_MAX} terms in a feed.`

type Pages = AsyncIterable<readonly MarkedJob[]>

const SUMMARY_LENGTH = 500

const entryOf = (origin: string, { id, title, company }: JobListItem) => ({
  /** Identifies the job in feed readers, and must therefore not change with the title. */
  id: escapeXml(`${origin}/jobs/${id}`),
  url: escapeXml(`${origin}${jobPath({ id, title })}`),
  title: xmlElement('title', t('job.at_company', { title, company })),
})

/** Returns the beginning of the description as HTML. */
const summaryOf = ({ description }: JobListItem) =>
  renderMarkdown(
    description.length > SUMMARY_LENGTH ? `${description.slice(0, SUMMARY_LENGTH).toWellFormed()}…` : description,
  )

const XML = '<?xml version="1.0" encoding="utf-8"?>\n'

/** Renders an Atom feed (RFC 4287). */
export function atomFeed(jobs: readonly JobListItem[], { origin, self, list, title, now }: FeedOf): string {
  const updated = jobs
    .map(({ posted_at }) => posted_at)
    .sort()
    .at(-1)
  const entries = jobs.map((job) => {
    const { id, url, title } = entryOf(origin, job)
    return `<entry${job.language ? ` xml:lang="${job.language}"` : ''}><id>${id}</id>${title}
<link rel="alternate" type="text/html" href="${url}"/>
<published>${job.posted_at}</published><updated>${job.posted_at}</updated>
<author>${xmlElement('name', job.company)}</author><category term="${escapeXml(job.category)}"/>
<summary type="html">${escapeXml(summaryOf(job))}</summary></entry>`
  })
  return `${XML}<feed xmlns="http://www.w3.org/2005/Atom"><id>${escapeXml(origin + self)}</id>${xmlElement('title', title)}
<updated>${updated ?? now.toISOString()}</updated>
<link rel="self" type="application/atom+xml" href="${escapeXml(origin + self)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(origin + list)}"/>
${entries.join('\n')}
</feed>
`
}

/** Renders an RSS 2.0 feed. */
export function rssFeed(jobs: readonly JobListItem[], { origin, self, list, title }: FeedOf): string {
  const items = jobs.map((job) => {
    const { id, url, title } = entryOf(origin, job)
    return `<item>${title}<link>${url}</link>
<guid isPermaLink="true">${id}</guid><pubDate>${new Date(job.posted_at).toUTCString()}</pubDate>
${xmlElement('category', job.category)}${xmlElement('description', summaryOf(job))}</item>`
  })
  return `${XML}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>${xmlElement('title', title)}
<link>${escapeXml(origin + list)}</link>${xmlElement('description', title)}
<atom:link rel="self" type="application/rss+xml" href="${escapeXml(origin + self)}"/>
${items.join('\n')}
</channel></rss>
`
}

/** Streams jobs in the format of GET /v1/jobs, one per line. */
export async function* jsonLines(pages: Pages): AsyncGenerator<string> {
  for await (const jobs of pages) yield jobs.map((job) => `${JSON.stringify(listItem(job))}\n`).join('')
}

/** Removes the members that only pages show. */
const listItem = ({ is_urgent: _urgent, is_highlighted: _highlighted, ...job }: MarkedJob): JobListItem => job

/** Streams XML for job aggregators: a `source` element with one complete `job` element per job. */
export async function* aggregatorFeed(pages: Pages, { origin, title, now }: FeedOf): AsyncGenerator<string> {
  yield `${XML}<source>${xmlElement('publisher', title)}<publisherurl>${escapeXml(origin)}</publisherurl><lastBuildDate>${now.toUTCString()}</lastBuildDate>\n`
  for await (const jobs of pages) {
    let text = ''
    for (const job of jobs) {
      text += aggregatorJob(job, origin)
      // Lets other requests proceed, because rendering a long description takes milliseconds.
      await setImmediate()
    }
    yield text
  }
  yield '</source>\n'
}

/** Aggregators expect texts in English, like the other values of the feed. */
const AGGREGATORS = { language: 'en', timeZone: 'UTC' } as const

function aggregatorJob(job: JobListItem, origin: string): string {
  const members: [string, string | null | undefined][] = [
    ['title', job.title],
    ['date', new Date(job.posted_at).toUTCString()],
    ['referencenumber', job.id],
    ['url', `${origin}${jobPath(job)}`],
    ['company', job.company],
    ['location', job.location],
    ['remotetype', job.remote ? 'Fully remote' : null],
    ['description', renderMarkdown(job.description)],
    ['salary', job.salary && inLocale(AGGREGATORS, () => formatSalary(job.salary!))],
    ['jobtype', job.type],
    ['category', job.category],
    ['experience', job.experience_level],
    ['language', job.language],
    ['expirationdate', job.expires_at && new Date(job.expires_at).toUTCString()],
  ]
  return `<job>${members.map(([name, text]) => xmlElement(name, text)).join('')}</job>\n`
}
