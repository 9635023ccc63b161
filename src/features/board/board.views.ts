import type { Exchange } from '../../lib/exchange.ts'
import { utcDay } from '../../lib/time.ts'
import type { SearchMeta } from '../../lists/meta.ts'
import { descriptionOf } from '../../locale/brand.ts'
import { t } from '../../locale/messages.ts'
import {
  ago,
  buttonLink,
  emptyState,
  ignoredTerms,
  logo,
  message,
  pagination,
  withQuery,
} from '../../pages/components.ts'
import { attributes, type Content, flat, type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { markdownLink, socialTags } from '../../pages/social.ts'
import { rich } from '../../pages/text.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import { formatSalary, jobPath, locationInShort, workplaceName } from '../jobs/index.ts'
import type { MarkedJob } from './board.lists.ts'
import { type DistanceUnit, formatDistance } from './board.units.ts'
import {
  describeParameter,
  describeSearch,
  type Facets,
  renderAsked,
  renderChips,
  renderFilters,
  renderListSearchBar,
  renderSort,
  type Search,
  titleOfSearch,
} from './search.views.ts'

/** Renders the suggestions for a search field, and their number, which the script announces to screen readers. */
export function renderSuggestions(texts: readonly string[]): Html {
  return html`${texts.map((text) => html`<li role="option">${text}</li>`)}<li data-count hidden>${t('board.suggestion_count', { count: texts.length })}</li>`
}

export interface JobCard extends Pick<MarkedJob, 'id' | 'title' | 'application_url'> {
  /** The markup before the buttons that other features add. It does not depend on the visitor's account. */
  start: Html
}

/** Returns the buttons that other features add to a job. */
export type BesideJob = (job: Pick<JobCard, 'id' | 'title'>) => Content

export function renderJobCards(
  catalogue: Catalogue,
  jobs: readonly MarkedJob[],
  { now, beside }: { now: Date; beside: BesideJob },
): Html {
  return renderCards(
    jobs.map((job) => jobCard(catalogue, job, now)),
    beside,
  )
}

export function renderCards(cards: readonly JobCard[], beside: BesideJob): Html {
  return html`<ul class="jobs">${cards.map(
    ({ id, title, start }) => html`${start}${beside({ id, title })}</div>
</article></li>`,
  )}</ul>`
}

type Marks = Pick<MarkedJob, 'is_featured' | 'is_urgent' | 'is_highlighted'>

/** Returns the CSS classes of a job's card, which mark featured and highlighted jobs. */
export const cardClass = ({ is_featured, is_highlighted }: Omit<Marks, 'is_urgent'>): string =>
  `job${is_featured ? ' is-featured' : ''}${is_highlighted ? ' is-highlighted' : ''}`

export function tagsOf({ is_featured, is_urgent }: Omit<Marks, 'is_highlighted'>): Html[] {
  return [
    ...(is_featured ? [html`<span class="tag featured">${icon('star')}${t('board.featured')}</span>`] : []),
    ...(is_urgent ? [html`<span class="tag urgent">${icon('bolt')}${t('board.urgent')}</span>`] : []),
  ]
}

export function jobCard(catalogue: Catalogue, job: MarkedJob, now: Date, unit: DistanceUnit = 'mi'): JobCard {
  const { id, title, company, salary, type, workplace, posted_at, distance_miles, application_url } = job
  const isNew = utcDay(new Date(posted_at)) === utcDay(now)
  const tags = [...tagsOf(job), ...(isNew ? [newTag()] : [])]
  const facts: [IconName, Content][] = [
    ['briefcase', nameOfSlug(catalogue.types, type)],
    ...(workplace === 'on_site' ? [] : [['globe', workplaceName(workplace)] as [IconName, Content]]),
    ...(distance_miles === undefined ? [] : [['pin', formatDistance(distance_miles, unit)] as [IconName, Content]]),
    ['clock', ago(posted_at, now)],
  ]
  const start = html`<li><article id="${id}" class="${cardClass(job)}">
${logo({ name: company, url: job.company_logo_url })}
<div>${tags.length > 0 && html`<p class="job-tags">${tags}</p>`}<h3 class="job-title"><a class="job-link" href="${jobPath({ id, title })}">${title}</a></h3>
<p class="job-by"><b>${company}</b><span>${locationInShort(job)}</span></p></div>
<div class="job-text"><ul class="meta"><li${attributes({ class: salary ? 'pay' : undefined })}>${icon('pay')}${salary ? formatSalary(salary) : t('job.pay_not_stated')}</li>${facts.map(([name, text]) => html`<li>${icon(name)}${text}</li>`)}</ul></div>
<div class="job-end">`
  return { id, title, application_url, start: flat(start) }
}

const newTag = () => html`<span class="tag t-accent">${t('board.new')}</span>`

interface Found {
  items: readonly JobCard[]
  meta: {
    pagination: { total: number; page?: number; pages?: number; next_cursor: string | null; prev_cursor: string | null }
    filters_applied: Readonly<Record<string, unknown>>
    facets?: Facets
    search?: SearchMeta
  }
}

/** A parameter without which the search finds more jobs. */
export interface Relaxed {
  /** The parameter to remove. */
  name: string
  total: number
}

interface JobListView extends Omit<Search, 'applied' | 'catalogue'> {
  /** URL of the page, with only the parameters of this list. */
  path: string
  /** Undefined if the form contains faults. */
  found?: Found
  exchange: Exchange
  isPlaceUnknown?: boolean
  /** The towns that share the location's name. The search uses the first one. */
  namesakes?: readonly string[]
  /** Number of jobs for each choice of the posting date. */
  posted?: Facets[string] | undefined
  /** Present only if the search finds few jobs. */
  relaxed?: Relaxed | undefined
  /** Jobs farther away, nearest first. Present only if the search finds few jobs. */
  nearby?: readonly JobCard[] | undefined
  /** Returns the buttons that other features add to each job. Undefined if the form contains faults. */
  beside?: BesideJob
}

/** The name, path and media type of each feed of jobs. */
export const jobFeeds = [
  ['Atom', '/jobs.atom', 'application/atom+xml'],
  ['RSS', '/jobs.rss', 'application/rss+xml'],
  ['JSON Feed', '/jobs.json', 'application/feed+json'],
  ['JSON Lines', '/jobs.jsonl', 'application/x-ndjson'],
  ['XML', '/jobs.xml', 'application/xml'],
] as const

export function renderJobList(page: PageContext, catalogue: Catalogue, view: JobListView): Html {
  const { form, found, path, unit, isPlaceUnknown, namesakes = [] } = view
  const title = titleOfSearch(form)
  const description = descriptionOf(page.brand) ?? t('board.description', { name: page.brand.name })
  const canonical = withQuery(path, { limit: null, cursor: null, facets: null })
  const feedQuery = withQuery(path, { page: null, limit: null, cursor: null, facets: null, posted: null }).slice(
    '/jobs'.length,
  )
  const search = { form, catalogue, unit, applied: Object.keys(found?.meta.filters_applied ?? {}) }
  const total = found?.meta.pagination.total
  return htmlPage(page, {
    title,
    description,
    canonical,
    modules: ['suggest.js', 'apply.js', 'in-place.js', 'recent.js'],
    head: [
      socialTags(page, { title, description, path: canonical }),
      jobFeeds.map(
        ([name, file, type]) =>
          html`<link rel="alternate" type="${type}" title="${title} (${name})" href="${file}${feedQuery}">`,
      ),
      markdownLink(`/jobs.md${feedQuery}`),
    ],
  })`${renderAsked(search)}
${renderListSearchBar(search)}
${form.summary()}
${isPlaceUnknown && message(t('board.place_unknown', { place: form.value('location') }), 'warn')}
${namesakes.length > 0 && renderNamesakes(path, namesakes)}
<div class="rail gap-top">
${renderFilters(search, { facets: { ...found?.meta.facets, ...(view.posted && { posted: view.posted }) }, total, exchange: view.exchange })}
<div>
<div class="row apart head-gap"><h1 class="h-list">${titleOfSearch(form, total)}</h1>${found && renderSort(search)}</div>
${found && renderFound(page, search, { ...view, found })}
${found && html`<p class="small soft center gap-top no-print">${rich('board.as_feed', { feeds: jobFeeds.map(([name, file], n) => [n > 0 && ' ', html`<span class="nowrap"><a href="${file}${feedQuery}">${name}</a>${n < jobFeeds.length - 1 && ' ·'}</span>`]) })}</p>`}
</div>
</div>`
}

/** Renders links to the same search around the other towns with the same name. */
function renderNamesakes(path: string, [place, ...others]: readonly string[]): Html {
  const linkTo = (location: string) => withQuery(path, { location, page: null, cursor: null })
  const links = others.map((label, n) => [n > 0 && ' · ', html`<a href="${linkTo(label)}">${label}</a>`])
  return html`<p class="small soft gap-2">${rich('board.namesakes', { place: place!, links })}</p>`
}

/** Above this number of pages, the list suggests narrowing the search. */
const MANY_PAGES = 500

function renderFound(page: PageContext, search: Search, view: JobListView & { found: Found }): Html {
  const { found, beside = () => undefined, path, relaxed, nearby = [] } = view
  const { items, meta } = found
  const { total, page: number, pages = 1, next_cursor, prev_cursor } = meta.pagination
  const corrected = meta.search?.corrected
  return html`${renderChips(search, path)}
${corrected && html`<p class="soft head-gap">${t('board.corrected', { corrected })}</p>`}
${ignoredTerms(meta.search)}
<h2 class="hide">${t('menu.jobs')}</h2>
${items.length === 0 ? renderNothing(search, view) : html`${renderCards(items, beside)}${relaxed && renderFew(search, path, relaxed)}`}
${nearby.length > 0 && html`<section class="gap-top" aria-labelledby="nearby"><h2 class="h3 head-gap" id="nearby">${t('board.farther', { distance: formatDistance(Number(search.form.value('distance')), search.unit), place: search.form.value('location') })}</h2>${renderCards(nearby, beside)}</section>`}
${renderAlertBand(page, search, path)}
${
  number === undefined
    ? (prev_cursor ?? next_cursor) !== null &&
      html`<nav aria-label="${t('shared.pages')}"><ul class="pages">
${prev_cursor && html`<li><a rel="prev" href="${withQuery(path, { cursor: prev_cursor })}">${t('shared.previous')}</a></li>`}
${next_cursor && html`<li><a rel="next" href="${withQuery(path, { cursor: next_cursor })}">${t('shared.next')}</a></li>`}</ul></nav>`
    : pagination({ path }, { total, page: number, pages })
}
${pages > MANY_PAGES && html`<p class="small soft center">${t('board.narrow')}</p>`}`
}

/**
 * Renders an empty page. If the search finds jobs, links to the first page, otherwise to a search that finds jobs. If no
 * filter is in use, the board has no jobs.
 */
function renderNothing(search: Search, { found, path, relaxed }: JobListView & { found: Found }): Html {
  if (found.meta.pagination.total !== 0)
    return emptyState(
      t('board.page_empty'),
      buttonLink(t('board.first_page'), withQuery(path, { page: null, cursor: null })),
    )
  if (search.applied.length === 0) return emptyState(t('board.none_yet'), html`<p>${t('site.first_jobs')}</p>`)
  if (relaxed === undefined) {
    return emptyState(
      t('board.nothing'),
      html`<p>${t('board.nothing_hint')}</p>${buttonLink(t('board.show_all'), '/jobs')}`,
    )
  }
  const { without, shows, href } = describeRelaxed(search, path, relaxed)
  return emptyState(t('board.nothing_matches_all'), html`<p>${without}</p>${buttonLink(shows, href)}`)
}

/** Renders a link that removes a filter, below a short list of results. */
function renderFew(search: Search, path: string, relaxed: Relaxed): Html {
  const { without, shows, href } = describeRelaxed(search, path, relaxed)
  return html`<p class="soft gap-top few">${without} <a href="${href}">${shows}</a></p>`
}

function describeRelaxed(search: Search, path: string, { name, total }: Relaxed) {
  return {
    without: t('board.without', { text: describeParameter(search, name), total }),
    shows: t('board.show_those', { total }),
    href: withQuery(path, { [name]: null, ...(name === 'location' && { distance: null }), page: null }),
  }
}

function renderAlertBand({ has, may }: PageContext, search: Search, path: string): Html | undefined {
  if (!has('/me/alerts/new') || !may('GET', '/me/alerts/new')) return undefined
  const left = { page: null, cursor: null, limit: null, sort: null, order: null, facets: null, posted: null }
  const href = withQuery(path, left).replace(/^[^?]*/, '/me/alerts/new')
  return html`<section class="band row apart gap-top no-print"><div class="grow"><h2 class="h3">${t('board.alert_band')}</h2><p class="small soft">${describeSearch(search) || t('shared.all_jobs')}</p></div><a class="btn" href="${href}">${icon('alert')}${t('shared.create_alert')}</a></section>`
}
