import { utcDay } from '../../lib/time.ts'
import { t } from '../../locale/messages.ts'
import { badge, emptyState } from '../../pages/components.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type ApplicationListItem, renderApplicationCards } from '../applications/index.ts'
import { type BesideJob, renderJobCards, tagsOf } from '../board/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { AlertNews, Frequency } from '../job-alerts/index.ts'
import { jobPath } from '../jobs/index.ts'
import type { MarkedSavedJob } from '../saved-jobs/index.ts'

interface Some<Item> {
  total: number
  items: readonly Item[]
}

/** Data of the page. A member is undefined if the session lacks the scope to read it. */
interface CandidateHome {
  name: string
  applications: Some<ApplicationListItem> | undefined
  saved: Some<MarkedSavedJob> | undefined
  alerts: Some<{ id: string; name: string; frequency: Frequency; is_active: boolean }> | undefined
  /** New jobs that match the candidate's active alerts. */
  news: AlertNews
  /** Returns the buttons that other features add to each of these jobs. */
  beside: BesideJob
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

export function renderCandidateHome(page: PageContext, catalogue: Catalogue, home: CandidateHome): Html {
  const { name, applications, news, beside, now } = home
  return htmlPage(page, { title: t('layout.my_jobs'), modules: ['in-place.js'] })`
<div class="page-head"><h1>${t('site.hello', { name })}</h1><a class="btn main" href="/jobs">${icon('search')}${t('shared.search_jobs')}</a></div>
<div class="split">
<div class="loose">
${applications && renderApplicationSection(page, applications)}
${news.jobs.length > 0 && html`<section aria-labelledby="news"><div class="section-head"><h2 id="news">${t('site.new_in_alerts')}</h2></div>${renderJobCards(catalogue, news.jobs, { now, beside })}</section>`}
</div>
<aside class="flow" aria-label="${t('site.your_lists')}">
${renderSaved(page, home)}
${renderAlerts(page, home)}
${renderProfile(page, home)}
</aside>
</div>`
}

const allLink = (href: string, { total, items }: Some<unknown>) =>
  total > items.length && html`<a class="small" href="${href}">${t('site.all_count', { total })}</a>`

function renderApplicationSection(page: PageContext, applications: Some<ApplicationListItem>): Html {
  return html`<section aria-labelledby="applications"><div class="section-head"><h2 id="applications">${t('menu.applications')}</h2>${allLink('/me/applications', applications)}</div>
${applications.total > 0 ? renderApplicationCards(applications.items, 'h3') : renderFirstSteps(page)}</section>`
}

function renderFirstSteps(page: PageContext): Html {
  const steps = [
    { href: '/jobs', text: t('site.step_search') },
    { href: '/me/resumes', text: t('site.step_resume') },
    { href: '/me/alerts/new', text: t('site.step_alert') },
  ].filter(({ href }) => page.has(href) && page.may('GET', href))
  return emptyState(
    t('site.no_applications'),
    html`<p>${t('site.no_applications_text')}</p>
<ul class="rows">${steps.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`,
  )
}

const panel = (title: string, more: Content, content: Content) =>
  html`<section class="panel"><div class="section-head"><h2 class="h3">${title}</h2>${more}</div>${content}</section>`

function renderSaved(page: PageContext, { saved, now }: CandidateHome): Content {
  if (!saved || !page.has('/me/saved-jobs')) return undefined
  return panel(
    t('saved_jobs.title'),
    allLink('/me/saved-jobs', saved),
    saved.total === 0
      ? html`<p class="small soft">${t('site.saved_appear')}</p>`
      : html`<ul class="rows">${saved.items.map((each) => html`<li>${renderSavedJob(each, now)}</li>`)}</ul>`,
  )
}

/** The page shows a warning for saved jobs that expire within this number of days. */
const SOON_DAYS = 3

function renderSavedJob({ job }: MarkedSavedJob, now: Date): Html {
  if (!job.is_active) {
    return html`<a class="strong soft" href="${jobPath(job)}">${job.title}</a><p class="small soft">${t('site.saved_closed')}</p>`
  }
  const days = job.expires_at === null ? Number.POSITIVE_INFINITY : utcDay(new Date(job.expires_at)) - utcDay(now)
  const isSoon = days <= SOON_DAYS
  const tags = tagsOf(job)
  return html`${tags.length > 0 && html`<p class="job-tags">${tags}</p>`}<a class="strong" href="${jobPath(job)}">${job.title}</a><p class="small ${isSoon ? 'warn' : 'soft'}">${isSoon ? t('site.closes_in', { days: Math.max(days, 0) }) : job.company}</p>`
}

function renderAlerts(page: PageContext, { alerts, news }: CandidateHome): Content {
  if (!alerts || !page.has('/me/alerts')) return undefined
  const newBadge = (id: string) => {
    const count = news.totals.get(id) ?? 0
    return count > 0 && badge(t('site.new_count', { count }), 'accent')
  }
  return panel(
    t('menu.alerts'),
    allLink('/me/alerts', alerts),
    html`${
      alerts.total === 0
        ? html`<p class="small soft">${t('site.alerts_appear')}</p>`
        : html`<ul class="rows">${alerts.items.map(
            ({ id, name, frequency, is_active }) =>
              html`<li><div class="row apart"><a class="strong" href="/me/alerts/${id}">${name}</a>${is_active ? newBadge(id) : badge(t('job_alerts.paused'), 'warn')}</div><p class="small soft">${t(`site.every_${frequency}`)}</p></li>`,
          )}</ul>`
    }
${page.may('GET', '/me/alerts/new') && html`<a class="btn slim gap-2" href="/me/alerts/new">${icon('plus')}${t('shared.create_alert')}</a>`}`,
  )
}

function renderProfile(page: PageContext, { profile }: CandidateHome): Content {
  if (!profile) return undefined
  const hints = [
    {
      isDone: Boolean(profile.headline),
      done: t('site.headline_done'),
      text: t('site.headline_add'),
      href: '/me/profile',
    },
    {
      isDone: Boolean(profile.location),
      done: t('site.location_done'),
      text: t('site.location_add'),
      href: '/me/profile',
    },
    { isDone: profile.skills.length > 0, done: t('site.skills_done'), text: t('site.skills_add'), href: '/me/profile' },
    { isDone: profile.hasResume, done: t('site.resume_done'), text: t('site.resume_add'), href: '/me/resumes' },
  ]
  const visibility = profile.is_searchable ? t('site.searchable') : t('site.not_searchable')
  return panel(
    t('site.your_profile'),
    page.may('GET', '/me/profile') && html`<a class="small" href="/me/profile">${t('site.change')}</a>`,
    html`<p class="small soft">${visibility}</p><ul class="rows gap-2">${hints.map(({ isDone, done, text, href }) =>
      isDone
        ? html`<li class="row"><span class="good">${icon('check')}</span><span>${done}</span></li>`
        : html`<li class="row">${icon('plus')}${page.may('GET', href) ? html`<a href="${href}">${text}</a>` : text}</li>`,
    )}</ul>`,
  )
}
