import { descriptionOf, taglineOf } from '../../locale/brand.ts'
import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { button, buttonLink, card, logo, withQuery } from '../../pages/components.ts'
import { COPY_MODULE, LANGUAGES_MODULE } from '../../pages/console.ts'
import { Form } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html, jsonScript } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { type Document, htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { markdownLink, socialTags } from '../../pages/social.ts'
import { breakable, linkingTo, rich, sentences } from '../../pages/text.ts'
import { type BesideJob, type DistanceUnit, type JobCard, renderCards, renderSearchBar } from '../board/index.ts'
import { shownName } from '../catalogue/index.ts'
import { type FoundSection, type Guide, type GuideName, renderGuide, type Section } from './guide.views.ts'

const heroArt = html`<div class="hero-art wide-only"><svg viewBox="0 0 600 400" aria-hidden="true"><circle cx="520" cy="430" r="150" stroke-width="2"/><circle cx="520" cy="430" r="235" stroke-width="70" stroke-opacity=".45"/><circle cx="520" cy="430" r="235" stroke-width="4" stroke-dasharray="34 26"/><circle cx="520" cy="430" r="320" stroke-width="2"/><circle cx="520" cy="430" r="410" stroke-width="2" stroke-dasharray="2 14" stroke-linecap="round"/><circle cx="520" cy="430" r="500" stroke-width="2" stroke-opacity=".5"/></svg></div>`

export interface Counted {
  slug: string
  name: string
  job_count: number
}

interface Front {
  unit: DistanceUnit
  total: number
  featured: readonly JobCard[]
  newest: readonly JobCard[]
  beside: BesideJob
  categories: readonly Counted[]
  companies: readonly HiringCompany[]
}

interface HiringCompany {
  id: string
  name: string
  logo_url: string | null
  location: string
  job_count: number
}

/** Maximum number of categories to suggest below the search bar. */
const OFTEN_SEARCHED = 4

export function renderFront(page: PageContext, front: Front): Html {
  const { unit, total, featured, newest, beside, categories, companies } = front
  const { brand } = page
  const tagline = taglineOf(brand)
  const description = descriptionOf(brand) ?? tagline ?? brand.name
  const offered = categories.filter(({ job_count }) => job_count > 0)
  const often = offered.toSorted((a, b) => b.job_count - a.job_count).slice(0, OFTEN_SEARCHED)
  const all = (text: string) => html`<a href="/jobs">${text}</a>`
  const seeAll = all(t('site.see_all', { total }))
  return htmlPage(page, {
    description,
    head: [
      socialTags(page, { title: brand.name, description, path: '/' }),
      markdownLink('/index.md'),
      jsonScript('application/ld+json', {
        '@context': 'https://schema.org',
        '@type': 'WebSite',
        name: brand.name,
        url: `${page.origin}/`,
      }),
    ],
    canonical: '/',
    modules: ['suggest.js', 'in-place.js', 'recent.js'],
    banner: html`<div class="hero">${heroArt}<div class="wrap">
<h1>${tagline?.replace(/[.。]$/, '') ?? brand.name}</h1>
<p class="lead">${total === 0 ? t('site.first_jobs') : t('site.open_jobs_now', { total })}</p>
${renderSearchBar(Form.of(), unit)}
${often.length > 0 && html`<p class="under">${rich('site.often_searched', { links: often.map((entry) => html`<a href="/jobs?category=${entry.slug}">${shownName(entry)}</a>`) })}</p>`}
</div></div>`,
  })`<div class="loose">
${featured.length > 0 && section(t('site.featured_jobs'), renderCards(featured, beside), seeAll)}
${offered.length > 1 && renderCategories(offered)}
${newest.length > 0 && section(total === 1 ? t('site.open_now') : t('site.newest_jobs'), renderCards(newest, beside), featured.length > 0 ? all(t('shared.all_jobs')) : seeAll)}
<section data-recent hidden><div class="section-head"><h2>${t('site.recently_viewed')}</h2><button class="link" type="button">${t('site.clear')}</button></div><ul class="grid small-cells bare"></ul></section>
${companies.length > 1 && section(t('site.hiring_now'), firms(companies), html`<a href="/companies">${t('site.all_companies')}</a>`)}
${renderBands(page)}
</div>`
}

const section = (title: string, content: Html, link?: Html) =>
  html`<section><div class="section-head"><h2>${title}</h2>${link}</div>
${content}</section>`

/**
 * Renders the categories. Phones show the first eight until the reader follows the link to all categories (see
 * `.categories` in `board.css`).
 */
function renderCategories(categories: readonly Counted[]): Html {
  const tiles = categories.map(
    ({ job_count, ...entry }) =>
      html`<li><a class="tile-link" href="/jobs?category=${entry.slug}">${shownName(entry)} <span class="count">${formatNumber(job_count)}</span></a></li>`,
  )
  const all =
    categories.length > 8 && html`<a class="all-categories" href="#categories">${t('site.all_categories')}</a>`
  return html`<section id="categories"><div class="section-head"><h2>${t('site.by_category')}</h2>${all}</div>
<ul class="categories grid small-cells bare">${tiles}</ul></section>`
}

const firms = (companies: readonly HiringCompany[]) =>
  html`<ul class="grid bare">${companies.map(
    ({ id, name, logo_url: url, location, job_count }) =>
      html`<li><a class="firm" href="/companies/${id}">${logo({ name, url })}<span class="strong">${name}</span><span class="small soft">${location}</span><span class="small">${t('shared.open_jobs', { count: job_count })}</span></a></li>`,
  )}</ul>`

/** Renders the next steps after viewing jobs: an alert for candidates, and a job post for employers. */
function renderBands(page: PageContext): Html | undefined {
  const band = (title: string, text: string, link: Html) =>
    html`<section class="band flow"><h2>${title}</h2><p>${text}</p>${link}</section>`
  const kind = page.actor?.kind
  const post = '/employer/jobs/new'
  const mayAlert =
    (kind === undefined || kind === 'candidate') && page.has('/me/alerts/new') && page.may('GET', '/me/alerts/new')
  const mayPost = kind === undefined ? page.isRegistrationOpen : kind === 'employer' && page.may('GET', post)
  if (!mayAlert && !mayPost) return undefined
  return html`<div class="pair">
${mayAlert && band(t('site.alert_band'), t('site.alert_band_text'), html`<a class="btn" href="/me/alerts/new">${icon('alert')}${t('shared.create_alert')}</a>`)}
${mayPost && band(t('site.hiring_band'), t('site.hiring_band_text'), html`<a class="btn" href="${post}">${icon('plus')}${kind === 'employer' ? t('shared.create_job') : t('site.post_job')}</a>`)}
</div>`
}

/**
 * Renders the choice between registering as a candidate and as an employer. `returnTo` is the page that opens after
 * registration.
 */
export function renderRegister(page: PageContext, returnTo: string | undefined): Html {
  const there = (path: string) => withQuery(path, { return_to: returnTo ?? null })
  return htmlPage(page, { title: t('site.register'), width: 'narrow' })`<h1>${t('site.register')}</h1>
<div class="pair">
${card(html`<h2>${t('site.looking')}</h2><p>${t('site.looking_text')}</p>${buttonLink(t('site.register_candidate'), there('/register/candidate'), 'primary')}`)}
${card(html`<h2>${t('site.hiring')}</h2><p>${t('site.hiring_text')}</p>${buttonLink(t('site.register_employer'), there('/register/employer'))}`)}
</div>
<p>${rich('site.registered', { link: linkingTo(there('/sign-in')) })}</p>`
}

/** Renders the search form and the links of the developer section, and the chapters of the current document. */
function renderDocsNav(page: PageContext, { search = '', sections = [] }: DocsPlace): Html {
  const links = [
    { href: '/docs', text: t('menu.overview') },
    { href: '/docs/guide', text: t('site.docs_guide') },
    { href: '/docs/webhooks', text: t('menu.webhooks') },
    { href: '/docs/agents', text: t('site.docs_agents') },
    { href: '/docs/errors', text: t('site.docs_errors') },
    { href: '/v1/docs', text: t('site.docs_reference') },
    { href: '/v1/openapi.json', text: t('site.docs_openapi') },
  ]
  const here = page.path.split('?', 1)[0]
  const chapters = sections.filter(({ depth }) => depth === 2)
  const list = html`<ul class="left-nav">${links.map(
    ({ href, text }) =>
      html`<li><a href="${href}"${attributes({ 'aria-current': href === here ? 'page' : undefined })}>${text}</a></li>`,
  )}${chapters.length > 0 && html`<li class="group">${t('site.docs_here')}</li>`}${chapters.map(
    ({ id, heading }) => html`<li><a href="#${id}">${breakable(heading)}</a></li>`,
  )}</ul>`
  return html`<div class="stick docs-nav"><form role="search" action="/docs/search" class="head-gap"><label class="hide" for="docs-search">${t('site.docs_search')}</label><div class="row nowrap-row"><input id="docs-search" type="search" name="search" value="${search}" maxlength="${DOCS_SEARCH_MAX}" placeholder="${t('site.docs_search_short')}">${button(html`${icon('search')}<span class="hide">${t('site.docs_find')}</span>`, { variant: 'secondary' })}</div></form>
<nav aria-label="${t('site.docs_nav')}"><details class="phone-only"><summary class="strong">${t('site.docs_all')}</summary>${list}</details><div class="wide-only">${list}</div></nav></div>`
}

interface DocsPlace {
  search?: string
  sections?: readonly Section[]
}

/** Maximum length of a documentation search, in characters. */
export const DOCS_SEARCH_MAX = 200

/** Returns the template tag of a page in the developer section. */
const docsPage =
  (page: PageContext, document: Document, place: DocsPlace = {}) =>
  (literals: TemplateStringsArray, ...contents: Content[]): Html =>
    htmlPage(page, document)`<div class="side-nav">${renderDocsNav(page, place)}
<div class="guide">${html(literals, ...contents)}</div></div>`

export function renderDocs(page: PageContext): Html {
  return docsPage(page, {
    title: t('menu.for_developers'),
    description: t('site.docs_description', { name: page.brand.name }),
    canonical: '/docs',
  })`<h1>${t('menu.for_developers')}</h1>
<p class="lead">${t('site.docs_lead')}</p>
<ul>
<li>${rich('site.docs_guide_item', { link: linkingTo('/docs/guide') })}</li>
<li>${rich('site.docs_webhooks_item', { link: linkingTo('/docs/webhooks') })}</li>
<li>${rich('site.docs_agents_item', { link: linkingTo('/docs/agents') })}</li>
<li>${rich('site.docs_errors_item', { link: linkingTo('/docs/errors') })}</li>
<li>${rich('site.docs_reference_item', { link: linkingTo('/v1/docs') })}</li>
<li>${rich('site.docs_openapi_item', { link: linkingTo('/v1/openapi.json') })}</li>
<li><a href="/v1">${t('site.docs_root')}</a></li>
</ul>`
}

export function renderGuidePage(page: PageContext, name: GuideName, guide: Guide): Html {
  const { title, description, content, sections } = guide
  return docsPage(
    page,
    { title, description, canonical: `/docs/${name}`, modules: [COPY_MODULE, LANGUAGES_MODULE] },
    { sections },
  )`${content}`
}

/** Renders the page of an error code, from its section in the list of errors. */
export function renderErrorCode(page: PageContext, { heading, text }: Section): Html {
  return docsPage(page, { title: heading, canonical: `/docs/errors/${heading}` })`<h1><code>${heading}</code></h1>
${renderGuide(text)}<p><a href="/docs/errors#${heading}">${t('site.docs_errors')}</a></p>`
}

export function renderDocsSearch(page: PageContext, search: string, found: readonly FoundSection[]): Html {
  return docsPage(page, { title: t('site.docs_search') }, { search })`<h1>${t('site.docs_search')}</h1>
<p role="status">${sentences(search === '' ? t('site.docs_enter_word') : t('site.docs_found', { count: found.length, search }), search !== '' && found.length === 0 && rich('site.docs_try', { link: linkingTo('/v1/docs') }))}</p>
<ul class="bare flow">${found.map(
    ({ name, guide, id, heading }) =>
      html`<li><a class="strong" href="/docs/${name}#${id}">${heading}</a><br><span class="small soft">${guide}</span></li>`,
  )}</ul>`
}
