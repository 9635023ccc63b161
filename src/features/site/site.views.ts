import { formatNumber } from '../../lib/numbers.ts'
import { buttonLink, card, withQuery } from '../../pages/components.ts'
import { type Html, html, jsonScript } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type JobCard, renderCards, renderSearchBox } from '../board/index.ts'
import type { Guide, GuideName } from './guide.views.ts'

const heroArt = html`<svg class="hero-art wide-only" viewBox="0 0 600 400" aria-hidden="true"><circle cx="520" cy="430" r="150" stroke-width="2"/><circle cx="520" cy="430" r="235" stroke-width="70" stroke-opacity=".45"/><circle cx="520" cy="430" r="235" stroke-width="4" stroke-dasharray="34 26"/><circle cx="520" cy="430" r="320" stroke-width="2"/><circle cx="520" cy="430" r="410" stroke-width="2" stroke-dasharray="2 14" stroke-linecap="round"/><circle cx="520" cy="430" r="500" stroke-width="2" stroke-opacity=".5"/></svg>`

interface Counted {
  slug: string
  name: string
  job_count: number
}

export function renderFront(
  page: PageContext,
  newest: readonly JobCard[],
  total: number,
  categories: readonly Counted[],
): Html {
  const { brand } = page
  const offered = categories.filter(({ job_count }) => job_count > 0)
  return htmlPage(page, {
    description: brand.description ?? brand.tagline ?? brand.name,
    head: jsonScript('application/ld+json', {
      '@context': 'https://schema.org',
      '@type': 'WebSite',
      name: brand.name,
      url: `${page.origin}/`,
    }),
    canonical: '/',
    modules: ['suggest.js'],
    banner: html`<div class="hero">${heroArt}<div class="wrap">
<h1>${brand.tagline?.replace(/\.$/, '') ?? brand.name}</h1>
<p class="lead">${total === 1 ? 'One job is' : `${formatNumber(total)} jobs are`} open now.</p>
${renderSearchBox()}
</div></div>`,
  })`<div class="section-head"><h2>Newest jobs</h2><a href="/jobs">All jobs</a></div>
${renderCards(newest)}
${
  offered.length > 0 &&
  html`<h2>Browse by category</h2>
<ul class="grid small-cells bare">${offered.map(
    ({ slug, name, job_count }) =>
      html`<li><a class="tile-link" href="/jobs?category=${slug}">${name} <span class="count">${job_count}</span></a></li>`,
  )}</ul>`
}
${
  !page.actor &&
  page.isRegistrationOpen &&
  card(
    html`<div class="row apart"><div><h2>Hiring?</h2><p>Post a job and manage its applications here or through the API.</p></div>${buttonLink('Register as an employer', '/register/employer', 'primary')}</div>`,
  )
}`
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

export function renderDocs(page: PageContext): Html {
  return htmlPage(page, {
    title: 'For developers',
    width: 'narrow',
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

export function renderGuidePage(page: PageContext, name: GuideName, { title, content }: Guide): Html {
  return htmlPage(page, { title, width: 'narrow', canonical: `/docs/${name}` })`
<p class="crumbs"><a href="/docs">For developers</a></p>
<div class="guide">${content}</div>`
}
