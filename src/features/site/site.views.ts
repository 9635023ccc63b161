import { formatNumber } from '../../lib/numbers.ts'
import { buttonLink, card } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument, SITE_NAME } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { renderCards, renderSearchBox } from '../jobs/index.ts'

interface Counted {
  slug: string
  name: string
  job_count: number
}

export function renderFront(
  page: PageContext,
  newest: readonly Html[],
  total: number,
  categories: readonly Counted[],
): Html {
  const offered = categories.filter(({ job_count }) => job_count > 0)
  return renderDocument(
    page,
    {
      title: SITE_NAME,
      description: 'Jobs in the automotive and technology sector, from workshop to software house.',
      canonical: '/',
    },
    html`<div class="hero">
<h1>Jobs in the automotive and technology sector</h1>
<p class="lead">${total === 1 ? 'One job is' : `${formatNumber(total)} jobs are`} open now, from workshop to software house.</p>
${renderSearchBox()}
</div>
<h2>Newest jobs</h2>
${renderCards(newest)}
<p class="actions">${buttonLink('All jobs', '/jobs')}</p>
${
  offered.length > 0 &&
  html`<h2>By category</h2>
<ul class="grid">${offered.map(
    ({ slug, name, job_count }) =>
      html`<li><a class="tile" href="/jobs?category=${slug}">${name} <span class="soft">${job_count}</span></a></li>`,
  )}</ul>`
}
${
  !page.actor &&
  page.isRegistrationOpen &&
  card(
    html`<div class="cluster apart"><div><h2>Hiring?</h2><p>Post a job and read the applications to it here, or over the interface.</p></div>${buttonLink('Register as an employer', '/register/employer', 'primary')}</div>`,
  )
}`,
  )
}

export function renderRegister(page: PageContext): Html {
  return renderDocument(
    page,
    { title: 'Register', width: 'narrow' },
    html`<h1>Register</h1>
<div class="columns halves">
${card(html`<h2>You look for a job</h2><p>Save jobs, get mails about new ones, and apply.</p>${buttonLink('Register as a candidate', '/register/candidate', 'primary')}`)}
${card(html`<h2>You look for people</h2><p>Post jobs and read the applications to them.</p>${buttonLink('Register as an employer', '/register/employer', 'primary')}`)}
</div>
<p>Registered already? <a href="/sign-in">Sign in</a>.</p>`,
  )
}

export function renderDocs(page: PageContext): Html {
  return renderDocument(
    page,
    {
      title: 'For developers',
      width: 'narrow',
      description: 'The interface of the board for programs.',
      canonical: '/docs',
    },
    html`<h1>For developers</h1>
<p class="lead">All that these pages do, programs can do over HTTP and JSON, and hear of by webhooks.</p>
<ul>
<li><a href="/v1/docs">Reference</a>: every operation with its parameters, bodies and errors</li>
<li><a href="/v1/openapi.json">OpenAPI document</a>: the same for programs</li>
<li><a href="/v1">The interface itself</a></li>
</ul>
<p>The guide is in the folder <code>docs</code> of the distribution: <code>docs/guide.md</code> from the first request to webhooks, <code>docs/webhooks.md</code> for receivers.</p>`,
  )
}
