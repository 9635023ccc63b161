import { DAY_MS, utcDay } from '../../lib/time.ts'
import { formatDecimal, formatNumber, joinWithCommas } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { ago, barChart, dataTable, day, emptyState, wayTo } from '../../pages/components.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { ViewFigures } from '../feature.ts'
import { type JobState, renderFirstSteps, stateBadge } from '../jobs/index.ts'
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
  /**
   * Undefined if the visitor may not read jobs. Likewise, the members below are undefined if the visitor may not read
   * their data.
   */
  jobs:
    | {
        counts: ReadonlyMap<string, number>
        latest: readonly HomeJob[]
        drafts: readonly Pick<HomeJob, 'id' | 'title'>[]
        ending: readonly (Pick<HomeJob, 'id' | 'title' | 'application_count'> & { expires_at: Date })[]
      }
    | undefined
  applications: { waiting: readonly Waiting[]; figures: ApplicationFigures } | undefined
  /** Also undefined if the feature that counts views is off. */
  views: ViewFigures | undefined
}

export function renderEmployerHome(page: PageContext, home: EmployerHome): Html {
  const { name, jobs, applications, views, days } = home
  const total = [...(jobs?.counts.values() ?? [])].reduce((sum, count) => sum + count, 0)
  const waiting = applications?.waiting.reduce((sum, { count }) => sum + count, 0) ?? 0
  const summary = [
    jobs && t('hiring.jobs_on_board', { count: jobs.counts.get('active') ?? 0 }),
    applications && t('hiring.new_applicants', { count: waiting }),
  ].filter((text) => text !== undefined)
  return htmlPage(page, { title: t('layout.hiring') })`
<div class="page-head head-gap"><div><h1>${name}</h1><p class="soft">${joinWithCommas(summary)}</p></div>${wayTo(page, t('jobs.create'), '/employer/jobs/new', 'primary')}</div>
<div class="loose">
${
  jobs && total === 0
    ? emptyState(t('jobs.none'), renderFirstSteps(page))
    : html`${renderToDo(page, home, waiting)}${renderFigures(home)}${jobs && renderJobs(page, home, jobs)}`
}
${
  views &&
  total > 0 &&
  html`<section class="panel"><h2>${t('hiring.views_per_day')}</h2>${barChart(
    t('hiring.views_label', { days }),
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
      text: t('hiring.waiting', { count: waiting }),
      detail: rich(named.length > 0 ? 'hiring.waiting_named' : 'hiring.oldest', {
        named: joinWithCommas(
          named.map(({ count, job_id }) => t('hiring.waiting_for', { count, title: titles.get(job_id)! })),
        ),
        ago: ago(oldest.toISOString(), now),
      }),
      way: wayTo(page, t('hiring.review'), '/employer/applications'),
    })
  }
  for (const { id, title, application_count, expires_at } of jobs?.ending ?? []) {
    const left = utcDay(expires_at) - utcDay(now)
    items.push({
      mark: 'clock',
      isUrgent: true,
      text: t('hiring.ends', { title, days: Math.max(left, 0) }),
      detail: t('hiring.ends_detail', { count: application_count }),
      way: wayTo(page, t('hiring.extend'), `/employer/jobs/${id}/pay`),
    })
  }
  for (const { id, title } of jobs?.drafts ?? []) {
    items.push({
      mark: 'pencil',
      isUrgent: true,
      text: t('hiring.finish_draft', { title }),
      detail: t('hiring.draft_detail'),
      way: wayTo(page, t('hiring.continue'), `/employer/jobs/${id}`),
    })
  }
  return html`<section aria-labelledby="h-todo"><div class="section-head"><h2 id="h-todo">${t('hiring.to_do')}</h2></div>
${
  items.length === 0
    ? html`<p class="soft">${t('hiring.nothing')}</p>`
    : html`<ul class="todo panel flush">${items.map(
        ({ mark, isUrgent, text, detail, way }) =>
          html`<li><span class="todo-mark${isUrgent && ' w'}">${icon(mark)}</span><div><b>${text}</b><p class="small soft">${detail}</p></div>${way}</li>`,
      )}</ul>`
}</section>`
}

function renderFigures({ applications, views, days }: EmployerHome): Html | undefined {
  const tiles: (readonly [string, string, string])[] = []
  if (views) tiles.push([t('hiring.views_of_jobs'), formatNumber(views.total), compared(views.total, views.before)])
  if (applications) {
    const { figures } = applications
    tiles.push([
      t('jobs.applications'),
      formatNumber(figures.applications),
      compared(figures.applications, figures.applications_before),
    ])
    if (figures.days_to_answer !== null)
      tiles.push([t('hiring.days_to_answer'), formatDecimal(figures.days_to_answer), t('hiring.days_to_answer_detail')])
    tiles.push([t('hiring.hired'), formatNumber(figures.hired), compared(figures.hired, figures.hired_before)])
  }
  if (tiles.length === 0) return undefined
  return html`<section aria-labelledby="h-fig"><div class="section-head"><h2 id="h-fig">${t('hiring.last_days', { days })}</h2></div>
<dl class="tiles">${tiles.map(([term, value, change]) => html`<div class="tile"><dt>${term}</dt><dd>${value}</dd><dd class="change">${change}</dd></div>`)}</dl></section>`
}

function compared(count: number, before: number): string {
  if (count === before) return t('hiring.same')
  if (before === 0) return t('hiring.none_before')
  return t(count > before ? 'hiring.more' : 'hiring.fewer', { count: Math.abs(count - before) })
}

function renderJobs(
  page: PageContext,
  { applications, views, now }: EmployerHome,
  { latest, counts }: NonNullable<EmployerHome['jobs']>,
): Html {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const fresh = new Map(applications?.waiting.map(({ job_id, count }) => [job_id, count]))
  const known = (state: JobState, count: Content) => (state === 'inactive' ? '–' : count)
  return html`<section aria-labelledby="h-jobs"><div class="section-head"><h2 id="h-jobs">${t('jobs.jobs')}</h2><a href="/employer/jobs">${t('hiring.all', { total })}</a></div>
${dataTable(
  t('hiring.jobs_table'),
  { rows: latest, numbers: [t('hiring.views'), t('received.applicants'), t('hiring.new')] },
  (job) => ({
    [t('jobs.column_job')]: html`<a class="strong" href="/employer/jobs/${job.id}">${job.title}</a>`,
    [t('received.status')]: stateBadge(job.state, job.expires_at, now),
    ...(views && { [t('hiring.views')]: known(job.state, formatNumber(views.byJob.get(job.id) ?? 0)) }),
    [t('received.applicants')]: known(
      job.state,
      page.may('GET', '/employer/applications') && job.application_count > 0
        ? html`<a href="/employer/applications?job_id=${job.id}">${job.application_count}</a>`
        : job.application_count,
    ),
    ...(applications && {
      [t('hiring.new')]: known(
        job.state,
        fresh.has(job.id) ? html`<span class="count hot">${fresh.get(job.id)}</span>` : 0,
      ),
    }),
    [t('jobs.ends')]: job.expires_at && job.state !== 'inactive' ? day(job.expires_at.toISOString()) : '–',
  }),
)}</section>`
}

/** Returns the number of views on each day, oldest first. `byDay` omits days without views. */
function perDay({ days, now }: EmployerHome, { byDay }: ViewFigures) {
  return Array.from({ length: days }, (_, n) => {
    const date = new Date(now.getTime() - (days - 1 - n) * DAY_MS).toISOString().slice(0, 10)
    return { day: date, count: byDay.get(date) ?? 0 }
  })
}
