import { formatNumber } from '../../lib/numbers.ts'
import { DAY_MS, utcDay } from '../../lib/time.ts'
import { ago, barChart, dataTable, day, emptyState, wayTo } from '../../pages/components.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { ViewFigures } from '../feature.ts'
import { type JobState, stateBadge } from '../jobs/index.ts'
import type { ApplicationFigures, Waiting } from './applications.queries.ts'

interface HomeJob {
  id: string
  title: string
  state: JobState
  application_count: number
  expires_at: Date | null
}

interface EmployerHome {
  name: string
  days: number
  now: Date
  /** Undefined if the key may not read jobs. The same holds for the other parts. */
  jobs:
    | {
        counts: ReadonlyMap<string, number>
        latest: readonly HomeJob[]
        drafts: readonly Pick<HomeJob, 'id' | 'title'>[]
        ending: readonly (Pick<HomeJob, 'id' | 'title' | 'application_count'> & { expires_at: Date })[]
      }
    | undefined
  applications: { waiting: readonly Waiting[]; figures: ApplicationFigures } | undefined
  views: ViewFigures | undefined
}

const plural = (count: number, one: string, more: string) => `${formatNumber(count)} ${count === 1 ? one : more}`

export function renderEmployerHome(page: PageContext, home: EmployerHome): Html {
  const { name, jobs, applications, views, days } = home
  const total = [...(jobs?.counts.values() ?? [])].reduce((sum, count) => sum + count, 0)
  const waiting = applications?.waiting.reduce((sum, { count }) => sum + count, 0) ?? 0
  const summary = [
    jobs && `${plural(jobs.counts.get('active') ?? 0, 'job', 'jobs')} on the board`,
    applications && plural(waiting, 'new applicant', 'new applicants'),
  ].filter(Boolean)
  return htmlPage(page, { title: 'Hiring' })`
<div class="page-head head-gap"><div><h1>${name}</h1><p class="soft">${summary.join(', ')}</p></div>${wayTo(page, 'Create job', '/employer/jobs/new', 'primary')}</div>
<div class="loose">
${
  jobs && total === 0
    ? emptyState(
        'You have no jobs yet',
        html`<p>Write a draft, preview it as candidates will see it, and post it when it is ready.${page.may('GET', '/employer/profile') && html` Candidates also see your <a href="/employer/profile">company profile</a>.`}</p>`,
      )
    : html`${renderToDo(page, home, waiting)}${renderFigures(home)}${jobs && renderJobs(page, home, jobs)}`
}
${
  views &&
  total > 0 &&
  html`<section class="panel"><h2>Views per day</h2>${barChart(
    `Views of your jobs by day over the last ${days} days`,
    perDay(home, views),
  )}</section>`
}
</div>`
}

interface ToDo {
  mark: IconName
  isUrgent?: boolean
  text: string
  detail: Content
  way: Html | undefined
}

function renderToDo(page: PageContext, { jobs, applications, now }: EmployerHome, waiting: number): Html {
  const titles = new Map((jobs?.latest ?? []).map(({ id, title }) => [id, title]))
  const items: ToDo[] = []
  if (applications && waiting > 0) {
    const oldest = new Date(Math.min(...applications.waiting.map((each) => each.oldest.getTime())))
    const named = applications.waiting.filter(({ job_id }) => titles.has(job_id)).slice(0, 2)
    items.push({
      mark: 'people',
      text: `${plural(waiting, 'new applicant waits', 'new applicants wait')} for a first look`,
      detail: html`${named.map(({ count, job_id }, n) => html`${n > 0 && ', '}${count} for ${titles.get(job_id)}`)}${named.length > 0 && '. '}The oldest application: ${ago(oldest.toISOString(), now)}`,
      way: wayTo(page, 'Review', '/employer/applications'),
    })
  }
  for (const { id, title, application_count, expires_at } of jobs?.ending ?? []) {
    const left = utcDay(expires_at) - utcDay(now)
    items.push({
      mark: 'clock',
      isUrgent: true,
      text: `${title} ends ${left <= 0 ? 'today' : left === 1 ? 'tomorrow' : `in ${left} days`}`,
      detail: `${plural(application_count, 'applicant', 'applicants')} so far. Another post adds its days.`,
      way: wayTo(page, 'Extend', `/employer/jobs/${id}/pay`),
    })
  }
  for (const { id, title } of jobs?.drafts ?? []) {
    items.push({
      mark: 'pencil',
      isUrgent: true,
      text: `Finish your draft: ${title}`,
      detail: 'Only you can see it until you post it.',
      way: wayTo(page, 'Continue', `/employer/jobs/${id}`),
    })
  }
  return html`<section aria-labelledby="h-todo"><div class="section-head"><h2 id="h-todo">To do</h2></div>
${
  items.length === 0
    ? html`<p class="soft">Nothing waits for you.</p>`
    : html`<ul class="todo panel flush">${items.map(
        ({ mark, isUrgent, text, detail, way }) =>
          html`<li><span class="todo-mark${isUrgent && ' w'}">${icon(mark)}</span><div><b>${text}</b><p class="small soft">${detail}</p></div>${way}</li>`,
      )}</ul>`
}</section>`
}

function renderFigures({ applications, views, days }: EmployerHome): Html | undefined {
  const tiles: (readonly [string, string, string])[] = []
  if (views) tiles.push(['Views of your jobs', formatNumber(views.total), compared(views.total, views.before)])
  if (applications) {
    const { figures } = applications
    tiles.push([
      'Applications',
      formatNumber(figures.applications),
      compared(figures.applications, figures.applications_before),
    ])
    if (figures.days_to_answer !== null)
      tiles.push(['Days to a first answer', figures.days_to_answer.toFixed(1), 'Average of the applicants you moved'])
    tiles.push(['Hired', formatNumber(figures.hired), compared(figures.hired, figures.hired_before)])
  }
  if (tiles.length === 0) return undefined
  return html`<section aria-labelledby="h-fig"><div class="section-head"><h2 id="h-fig">Last ${days} days</h2></div>
<dl class="tiles">${tiles.map(([term, value, change]) => html`<div class="tile"><dt>${term}</dt><dd>${value}</dd><dd class="change">${change}</dd></div>`)}</dl></section>`
}

function compared(count: number, before: number): string {
  if (count === before) return 'As many as before'
  const change = Math.abs(count - before)
  return `${formatNumber(change)} ${count > before ? 'more' : 'fewer'} than before`
}

function renderJobs(
  page: PageContext,
  { applications, views, now }: EmployerHome,
  { latest, counts }: NonNullable<EmployerHome['jobs']>,
): Html {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const fresh = new Map(applications?.waiting.map(({ job_id, count }) => [job_id, count]))
  const known = (state: JobState, count: Content) => (state === 'inactive' ? '–' : count)
  return html`<section aria-labelledby="h-jobs"><div class="section-head"><h2 id="h-jobs">Jobs</h2><a href="/employer/jobs">All ${total}</a></div>
${dataTable('Jobs with their applicants', { rows: latest, numbers: ['Views', 'Applicants', 'New'] }, (job) => ({
  Job: html`<a class="strong" href="/employer/jobs/${job.id}">${job.title}</a>`,
  Status: stateBadge(job.state, job.expires_at, now),
  ...(views && { Views: known(job.state, formatNumber(views.byJob.get(job.id) ?? 0)) }),
  Applicants: known(
    job.state,
    page.may('GET', '/employer/applications') && job.application_count > 0
      ? html`<a href="/employer/applications?job_id=${job.id}">${job.application_count}</a>`
      : job.application_count,
  ),
  ...(applications && {
    New: known(job.state, fresh.has(job.id) ? html`<span class="count hot">${fresh.get(job.id)}</span>` : 0),
  }),
  Ends: job.expires_at && job.state !== 'inactive' ? day(job.expires_at.toISOString()) : '–',
}))}</section>`
}

/** Returns the views of each day, oldest first. Days without views are absent in the figures. */
function perDay({ days, now }: EmployerHome, { byDay }: ViewFigures) {
  return Array.from({ length: days }, (_, n) => {
    const date = new Date(now.getTime() - (days - 1 - n) * DAY_MS).toISOString().slice(0, 10)
    return { day: date, count: byDay.get(date) ?? 0 }
  })
}
