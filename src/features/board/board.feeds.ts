/** Feeds for any search: the first 100 jobs as Atom, RSS and JSON Feed, or up to 50,000 as a stream of JSON Lines. */
import type { Brand } from '../../lib/brand.ts'
import { renderMarkdown } from '../../lib/markdown.ts'
import { escapeXml, xmlElement } from '../../lib/xml.ts'
import { descriptionOf, taglineOf } from '../../locale/brand.ts'
import { t } from '../../locale/messages.ts'
import { TERMS_MAX } from '../../search/text/words.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import { type JobListItem, jobPath } from '../jobs/index.ts'
import type { MarkedJob } from './board.lists.ts'

export interface FeedJob extends MarkedJob {
  requirements: string[]
  benefits: string[]
  updated_at: string
}

export interface FeedOf {
  origin: string
  /** Paths and queries of the feed (`self`) and of its list page (`list`), without the origin. */
  self: string
  list: string
  title: string
  brand: Brand
  catalogue: Catalogue
  /** The source to add to the links to jobs, if any. */
  source: string | null
  /** Number of jobs that match, or 0 if the feed is not streamed. */
  total: number
  now: Date
}

export type FeedPages = AsyncIterable<readonly FeedJob[]>

/** Limits on concurrent streamed feeds. */
export const STREAMS = {
  atOnce: 24,
  ofAccount: 3,
  ofNetwork: 3,
  refusal: 'Too many feeds are being loaded. Try again after one has finished.',
}

export const TOO_MANY_TERMS = `search must have at most ${TERMS_MAX} terms in a feed.`

const SUMMARY_LENGTH = 500

export function urlOf({ origin, source }: FeedOf, job: JobListItem): string {
  return `${origin}${jobPath(job)}${source === null ? '' : `?${new URLSearchParams({ source })}`}`
}

/** Returns the ID that identifies the job in feed readers. Omits the title, because IDs must not change. */
const idOf = ({ origin }: FeedOf, { id }: JobListItem) => `${origin}/jobs/${id}`

const titleOf = ({ title, company }: JobListItem) => t('job.at_company', { title, company })

/** Returns the start of the description as HTML. */
const summaryOf = ({ description }: JobListItem) =>
  renderMarkdown(
    description.length > SUMMARY_LENGTH ? `${description.slice(0, SUMMARY_LENGTH).toWellFormed()}…` : description,
  )

const categoryOf = ({ catalogue }: FeedOf, { category }: JobListItem) => nameOfSlug(catalogue.categories, category)

const aboutOf = ({ brand, title }: FeedOf) => descriptionOf(brand) ?? taglineOf(brand) ?? title

const imageOf = ({ origin, brand }: FeedOf) => `${origin}${brand.logo?.path ?? '/icon-512.png'}`

export const XML = '<?xml version="1.0" encoding="utf-8"?>\n'

/** Renders an Atom feed (RFC 4287). */
export function atomFeed(jobs: readonly FeedJob[], feed: FeedOf): string {
  const { origin, self, list, title, brand, now } = feed
  const updated = jobs
    .map(({ updated_at }) => updated_at)
    .sort()
    .at(-1)
  const entries = jobs.map((job) => {
    const { language, posted_at, updated_at, company, category } = job
    return `<entry${language ? ` xml:lang="${language}"` : ''}>${xmlElement('id', idOf(feed, job))}${xmlElement('title', titleOf(job))}
<link rel="alternate" type="text/html" href="${escapeXml(urlOf(feed, job))}"/>
<published>${posted_at}</published><updated>${updated_at}</updated>
<author>${xmlElement('name', company)}</author><category term="${escapeXml(category)}" label="${escapeXml(categoryOf(feed, job))}"/>
<summary type="html">${escapeXml(summaryOf(job))}</summary></entry>`
  })
  return `${XML}<feed xmlns="http://www.w3.org/2005/Atom">${xmlElement('id', origin + self)}${xmlElement('title', title)}${xmlElement('subtitle', taglineOf(brand))}
<updated>${updated ?? now.toISOString()}</updated>
<link rel="self" type="application/atom+xml" href="${escapeXml(origin + self)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(origin + list)}"/>
<icon>${escapeXml(origin)}/icon-192.png</icon>${xmlElement('logo', imageOf(feed))}
${entries.join('\n')}
</feed>
`
}

/** Renders an RSS 2.0 feed. */
export function rssFeed(jobs: readonly FeedJob[], feed: FeedOf): string {
  const { origin, self, list, title } = feed
  const link = xmlElement('link', origin + list)
  const items = jobs.map(
    (job) => `<item>${xmlElement('title', titleOf(job))}${xmlElement('link', urlOf(feed, job))}
<guid isPermaLink="true">${escapeXml(idOf(feed, job))}</guid><pubDate>${new Date(job.posted_at).toUTCString()}</pubDate>
${xmlElement('dc:creator', job.company)}${xmlElement('category', categoryOf(feed, job))}${xmlElement('description', summaryOf(job))}</item>`,
  )
  return `${XML}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>${xmlElement('title', title)}
${link}${xmlElement('description', aboutOf(feed))}
<image>${xmlElement('url', imageOf(feed))}${xmlElement('title', title)}${link}</image>
<atom:link rel="self" type="application/rss+xml" href="${escapeXml(origin + self)}"/>
${items.join('\n')}
</channel></rss>
`
}

/** Renders a JSON Feed (https://www.jsonfeed.org/version/1.1/). */
export function jsonFeed(jobs: readonly FeedJob[], feed: FeedOf): string {
  const { origin, self, list, title, brand } = feed
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: origin + list,
    feed_url: origin + self,
    description: aboutOf(feed),
    icon: imageOf(feed),
    favicon: `${origin}/icon-192.png`,
    authors: [{ name: brand.name, url: origin }],
    items: jobs.map((job) => ({
      id: idOf(feed, job),
      url: urlOf(feed, job),
      title: titleOf(job),
      content_html: summaryOf(job),
      date_published: job.posted_at,
      date_modified: job.updated_at,
      authors: [{ name: job.company, url: `${origin}/companies/${job.employer_id}` }],
      tags: [categoryOf(feed, job), ...job.skills],
      language: job.language ?? undefined,
    })),
  })
}

/** Streams jobs in the format of GET /v1/jobs, one per line. */
export async function* jsonLines(pages: FeedPages): AsyncGenerator<string> {
  for await (const jobs of pages) yield jobs.map((job) => `${JSON.stringify(listItem(job))}\n`).join('')
}

/** Removes the members that list items do not have. */
function listItem(job: FeedJob): JobListItem {
  const { requirements: _requirements, benefits: _benefits, updated_at: _updated, ...marked } = job
  const { is_urgent: _urgent, is_highlighted: _highlighted, ...item } = marked
  return item
}
