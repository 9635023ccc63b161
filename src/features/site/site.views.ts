import { formatNumber } from '../../lib/numbers.ts'
import { button, buttonLink, card, logo, withQuery } from '../../pages/components.ts'
import { Form } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html, jsonScript } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { type Document, htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type BesideJob, type DistanceUnit, type JobCard, renderCards, renderSearchBar } from '../board/index.ts'
import type { FoundSection, Guide, GuideName, Section } from './guide.views.ts'

const heroArt = html`<svg class="hero-art wide-only" viewBox="0 0 600 400" aria-hidden="true"><circle cx="520" cy="430" r="150" stroke-width="2"/><circle cx="520" cy="430" r="235" stroke-width="70" stroke-opacity=".45"/><circle cx="520" cy="430" r="235" stroke-width="4" stroke-dasharray="34 26"/><circle cx="520" cy="430" r="320" stroke-width="2"/><circle cx="520" cy="430" r="410" stroke-width="2" stroke-dasharray="2 14" stroke-linecap="round"/><circle cx="520" cy="430" r="500" stroke-width="2" stroke-opacity=".5"/></svg>`

interface Counted {
  slug: string
  name: string
  job_count: number
}

/** Data of the home page. */
export interface Front {
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

/** Number of categories that the search bar suggests. */
const OFTEN_SEARCHED = 4

export function renderFront(page: PageContext, front: Front): Html {
  const { unit, total, featured, newest, beside, categories, companies } = front
  const { brand } = page
  const offered = categories.filter(({ job_count }) => job_count > 0)
  const often = offered.toSorted((a, b) => b.job_count - a.job_count).slice(0, OFTEN_SEARCHED)
  const all = (text: string) => html`<a href="/jobs">${text}</a>`
  const seeAll = all(total === 1 ? 'See the job' : `See all ${formatNumber(total)} jobs`)
  return htmlPage(page, {
    description: brand.description ?? brand.tagline ?? brand.name,
    head: jsonScript('application/ld+json', {
      '@context': 'https://schema.org',
      '@type': 'WebSite',
      name: brand.name,
      url: `${page.origin}/`,
    }),
    canonical: '/',
    modules: ['suggest.js', 'in-place.js', 'recent.js'],
    banner: html`<div class="hero">${heroArt}<div class="wrap">
<h1>${brand.tagline?.replace(/\.$/, '') ?? brand.name}</h1>
<p class="lead">${total === 0 ? 'The first jobs are on their way.' : html`${total === 1 ? 'One job is' : `${formatNumber(total)} jobs are`} open now.`}</p>
${renderSearchBar(Form.of(), unit)}
${often.length > 0 && html`<p class="under">Often searched: ${often.map(({ slug, name }) => html`<a href="/jobs?category=${slug}">${name}</a>`)}</p>`}
</div></div>`,
  })`<div class="loose">
${featured.length > 0 && section('Featured jobs', renderCards(featured, beside), seeAll)}
${offered.length > 1 && section('Browse by category', tiles(offered))}
${newest.length > 0 && section(total === 1 ? 'Open now' : 'Newest jobs', renderCards(newest, beside), featured.length > 0 ? all('All jobs') : seeAll)}
<section data-recent hidden><div class="section-head"><h2>Recently viewed</h2><button class="link" type="button">Clear</button></div><ul class="grid small-cells bare"></ul></section>
${companies.length > 1 && section('Companies hiring now', firms(companies), html`<a href="/companies">All companies</a>`)}
${renderBands(page)}
</div>`
}

const section = (title: string, content: Html, link?: Html) =>
  html`<section><div class="section-head"><h2>${title}</h2>${link}</div>
${content}</section>`

const tiles = (categories: readonly Counted[]) =>
  html`<ul class="grid small-cells bare">${categories.map(
    ({ slug, name, job_count }) =>
      html`<li><a class="tile-link" href="/jobs?category=${slug}">${name} <span class="count">${formatNumber(job_count)}</span></a></li>`,
  )}</ul>`

const firms = (companies: readonly HiringCompany[]) =>
  html`<ul class="grid bare">${companies.map(
    ({ id, name, logo_url: url, location, job_count }) =>
      html`<li><a class="firm" href="/companies/${id}">${logo({ id, name, url })}<span class="strong">${name}</span><span class="small soft">${location}</span><span class="small">${job_count === 1 ? '1 open job' : `${formatNumber(job_count)} open jobs`}</span></a></li>`,
  )}</ul>`

/** Renders what comes after looking at jobs: an alert for candidates, and a job post for employers. */
function renderBands(page: PageContext): Html | undefined {
  const band = (title: string, text: string, link: Html) =>
    html`<section class="band flow"><h2>${title}</h2><p>${text}</p>${link}</section>`
  const kind = page.actor?.kind
  const post = kind === 'employer' ? '/employer/jobs/new' : '/register/employer'
  const mayAlert =
    (kind === undefined || kind === 'candidate') && page.has('/me/alerts/new') && page.may('GET', '/me/alerts/new')
  const mayPost = kind === undefined ? page.isRegistrationOpen : kind === 'employer' && page.may('GET', post)
  if (!mayAlert && !mayPost) return undefined
  return html`<div class="pair">
${mayAlert && band('Get new jobs by email', 'Search once, then let us watch. One email a day at most, and one click stops it.', html`<a class="btn" href="/me/alerts/new">${icon('alert')}Create alert</a>`)}
${mayPost && band('Hiring?', 'Post a job, and manage its applications here or through the API.', html`<a class="btn" href="${post}">${icon('plus')}${kind === 'employer' ? 'Create job' : 'Post a job'}</a>`)}
</div>`
}

/** Renders the choice between candidate and employer registration. `returnTo` is the page to return to afterward. */
export function renderRegister(page: PageContext, returnTo: string | undefined): Html {
  const there = (path: string) => withQuery(path, { return_to: returnTo ?? null })
  return htmlPage(page, { title: 'Register', width: 'narrow' })`<h1>Register</h1>
<div class="pair">
${card(html`<h2>I’m looking for a job</h2><p>Save jobs, get emails about new ones, and apply.</p>${buttonLink('Register as a candidate', there('/register/candidate'), 'primary')}`)}
${card(html`<h2>I’m hiring</h2><p>Post jobs and manage applications.</p>${buttonLink('Register as an employer', there('/register/employer'), 'primary')}`)}
</div>
<p>Already registered? <a href="${there('/sign-in')}">Sign in</a>.</p>`
}

/** Renders the search and the links of the developer section, with the chapters of the current document. */
function renderDocsNav(page: PageContext, { search = '', sections = [] }: DocsPlace): Html {
  const links = [
    { href: '/docs', text: 'Overview' },
    { href: '/docs/guide', text: 'Guide' },
    { href: '/docs/webhooks', text: 'Webhooks' },
    { href: '/v1/docs', text: 'Reference' },
    { href: '/v1/openapi.json', text: 'OpenAPI document' },
  ]
  const here = page.path.split('?', 1)[0]
  const chapters = sections.filter(({ depth }) => depth === 2)
  const list = html`<ul class="left-nav">${links.map(
    ({ href, text }) =>
      html`<li><a href="${href}"${attributes({ 'aria-current': href === here ? 'page' : undefined })}>${text}</a></li>`,
  )}${chapters.length > 0 && html`<li class="group">On this page</li>`}${chapters.map(
    ({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`,
  )}</ul>`
  return html`<div class="stick docs-nav"><form role="search" action="/docs/search" class="head-gap"><label class="hide" for="docs-search">Search the documentation</label><div class="row nowrap-row"><input id="docs-search" type="search" name="search" value="${search}" maxlength="${DOCS_SEARCH_MAX}" placeholder="Search">${button('Find', { variant: 'secondary' })}</div></form>
<nav aria-label="Documentation"><details class="phone-only"><summary class="strong">All pages of the documentation</summary>${list}</details><div class="wide-only">${list}</div></nav></div>`
}

interface DocsPlace {
  search?: string
  sections?: readonly Section[]
}

/** Maximum length of a search in the documents. */
export const DOCS_SEARCH_MAX = 200

/** Returns the template tag of a page in the developer section. */
const docsPage =
  (page: PageContext, document: Document, place: DocsPlace = {}) =>
  (literals: TemplateStringsArray, ...contents: Content[]): Html =>
    htmlPage(page, document)`<div class="side-nav">${renderDocsNav(page, place)}
<div class="guide">${html(literals, ...contents)}</div></div>`

export function renderDocs(page: PageContext): Html {
  return docsPage(page, {
    title: 'For developers',
    description: `The API of ${page.brand.name}.`,
    canonical: '/docs',
  })`<h1>For developers</h1>
<p class="lead">Your programs can do everything that these pages do, over HTTP and JSON. Webhooks notify them of changes.</p>
<ul>
<li><a href="/docs/guide">Guide</a>: from the first request to applications, alerts and events</li>
<li><a href="/docs/webhooks">Webhooks</a>: receive and verify events</li>
<li><a href="/v1/docs">Reference</a>: every operation with its parameters, bodies and errors</li>
<li><a href="/v1/openapi.json">OpenAPI document</a>: the machine-readable reference</li>
<li><a href="/v1">API root</a></li>
</ul>`
}

export function renderGuidePage(page: PageContext, name: GuideName, { title, content, sections }: Guide): Html {
  return docsPage(page, { title, canonical: `/docs/${name}` }, { sections })`${content}`
}

/** Renders the sections of the documents that a search found. */
export function renderDocsSearch(page: PageContext, search: string, found: readonly FoundSection[]): Html {
  const count = found.length === 1 ? 'One section' : `${found.length} sections`
  return docsPage(page, { title: 'Search the documentation' }, { search })`<h1>Search the documentation</h1>
<p role="status">${search === '' ? 'Enter a word to search for.' : `${count} found for “${search}”.`}${search !== '' && found.length === 0 && html` Try fewer words, or the <a href="/v1/docs">reference</a>.`}</p>
<ul class="bare flow">${found.map(
    ({ name, guide, id, heading }) =>
      html`<li><a class="strong" href="/docs/${name}#${id}">${heading}</a><br><span class="small soft">${guide}</span></li>`,
  )}</ul>`
}
