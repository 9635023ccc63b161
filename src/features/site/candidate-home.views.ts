import { utcDay } from '../../lib/time.ts'
import { badge, emptyState } from '../../pages/components.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type ApplicationListItem, renderApplicationCards } from '../applications/index.ts'
import { jobPath } from '../jobs/index.ts'
import type { SavedJob } from '../saved-jobs/index.ts'

interface Some<Item> {
  total: number
  items: readonly Item[]
}

/** Lists that the API key may not read are undefined. */
interface CandidateHome {
  name: string
  applications: Some<ApplicationListItem> | undefined
  saved: Some<SavedJob> | undefined
  alerts: Some<{ id: string; name: string; frequency: string; is_active: boolean }> | undefined
  profile: Profile | undefined
  now: Date
}

interface Profile {
  headline: string | null
  location: string | null
  skills: readonly string[]
  is_searchable: boolean
  hasResume: boolean
}

export function renderCandidateHome(page: PageContext, home: CandidateHome): Html {
  const { name, applications } = home
  return htmlPage(page, { title: 'My jobs' })`
<div class="page-head"><h1>Hello, ${name}</h1><a class="btn main" href="/jobs">${icon('search')}Search jobs</a></div>
<div class="split">
<div class="loose">
${applications && renderApplicationSection(page, applications)}
</div>
<aside class="flow" aria-label="Your lists">
${renderSaved(page, home)}
${renderAlerts(page, home)}
${renderProfile(page, home)}
</aside>
</div>`
}

const allLink = (href: string, { total, items }: Some<unknown>) =>
  total > items.length && html`<a class="small" href="${href}">All ${total}</a>`

function renderApplicationSection(page: PageContext, applications: Some<ApplicationListItem>): Html {
  return html`<section aria-labelledby="applications"><div class="section-head"><h2 id="applications">Applications</h2>${allLink('/me/applications', applications)}</div>
${applications.total > 0 ? renderApplicationCards(applications.items) : renderFirstSteps(page)}</section>`
}

function renderFirstSteps(page: PageContext): Html {
  const steps = [
    { href: '/jobs', text: 'Search for a job that you like' },
    { href: '/me/resumes', text: 'Add your resume, ready for your first application' },
    { href: '/me/alerts/new', text: 'Get new jobs by email' },
  ].filter(({ href }) => page.has(href) && page.may('GET', href))
  return emptyState(
    'No applications yet',
    html`<p>Your applications appear here, with what happens next.</p>
<ul class="rows">${steps.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`,
  )
}

const panel = (title: string, more: Content, content: Content) =>
  html`<section class="panel"><div class="section-head"><h2 class="h3">${title}</h2>${more}</div>${content}</section>`

function renderSaved(page: PageContext, { saved, now }: CandidateHome): Content {
  if (!saved || !page.has('/me/saved-jobs')) return undefined
  return panel(
    'Saved jobs',
    allLink('/me/saved-jobs', saved),
    saved.total === 0
      ? html`<p class="small soft">Jobs that you save appear here.</p>`
      : html`<ul class="rows">${saved.items.map((each) => html`<li>${renderSavedJob(each, now)}</li>`)}</ul>`,
  )
}

/** Days before the end of a job from which on the page warns. */
const SOON_DAYS = 3

function renderSavedJob({ job }: SavedJob, now: Date): Html {
  if (!job.is_active) {
    return html`<a class="strong soft" href="${jobPath(job)}">${job.title}</a><p class="small soft">Closed, no longer takes applications</p>`
  }
  const days = job.expires_at === null ? Number.POSITIVE_INFINITY : utcDay(new Date(job.expires_at)) - utcDay(now)
  const closes = days <= 0 ? 'Closes today' : days === 1 ? 'Closes tomorrow' : `Closes in ${days} days`
  return html`<a class="strong" href="${jobPath(job)}">${job.title}</a><p class="small ${days <= SOON_DAYS ? 'warn' : 'soft'}">${days <= SOON_DAYS ? closes : job.company}</p>`
}

const frequencies: Readonly<Record<string, string>> = {
  instant: 'Immediately',
  daily: 'Every day',
  weekly: 'Every week',
}

function renderAlerts(page: PageContext, { alerts }: CandidateHome): Content {
  if (!alerts || !page.has('/me/alerts')) return undefined
  return panel(
    'Alerts',
    allLink('/me/alerts', alerts),
    html`${
      alerts.total === 0
        ? html`<p class="small soft">We email you when new jobs match your search.</p>`
        : html`<ul class="rows">${alerts.items.map(
            ({ id, name, frequency, is_active }) =>
              html`<li><div class="row apart"><a class="strong" href="/me/alerts/${id}">${name}</a>${!is_active && badge('Paused', 'warn')}</div><p class="small soft">${frequencies[frequency]}</p></li>`,
          )}</ul>`
    }
${page.may('GET', '/me/alerts/new') && html`<a class="btn slim gap-2" href="/me/alerts/new">${icon('plus')}Create alert</a>`}`,
  )
}

function renderProfile(page: PageContext, { profile }: CandidateHome): Content {
  if (!profile) return undefined
  const hints = [
    { isDone: Boolean(profile.headline), done: 'Headline added', text: 'Add a headline', href: '/me/profile' },
    { isDone: Boolean(profile.location), done: 'Location added', text: 'Add your location', href: '/me/profile' },
    { isDone: profile.skills.length > 0, done: 'Skills added', text: 'Add your skills', href: '/me/profile' },
    { isDone: profile.hasResume, done: 'Resume added', text: 'Upload a resume', href: '/me/resumes' },
  ]
  const visibility = profile.is_searchable
    ? 'Employers can find your profile.'
    : 'Hidden from employers until you apply.'
  return panel(
    'Your profile',
    page.may('GET', '/me/profile') && html`<a class="small" href="/me/profile">Change</a>`,
    html`<p class="small soft">${visibility}</p><ul class="rows gap-2">${hints.map(({ isDone, done, text, href }) =>
      isDone
        ? html`<li class="row"><span class="good">${icon('check')}</span><span>${done}</span></li>`
        : html`<li class="row">${icon('plus')}${page.may('GET', href) ? html`<a href="${href}">${text}</a>` : text}</li>`,
    )}</ul>`,
  )
}
