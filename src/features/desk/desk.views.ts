import { formatDecimal, formatNumber, joinWithCommas } from '../../locale/formats.ts'
import { type MessageKey, t } from '../../locale/messages.ts'
import {
  badge,
  barChart,
  buttonLink,
  card,
  dataTable,
  day,
  emptyState,
  message,
  moment,
  type Tone,
} from '../../pages/components.ts'
import { actionsTable, ageOf } from '../../pages/desk.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich, sentences } from '../../pages/text.ts'
import { describeAmount } from '../payments/index.ts'
import type { Activity, Series } from './desk.activity.ts'
import type { TableSize } from './desk.queries.ts'
import type { findOverview, Queue } from './desk.service.ts'

interface Overview extends Awaited<ReturnType<typeof findOverview>> {
  jobsOnBoard: number
  activity: Activity
  queues: readonly Queue[]
  openReports: number
  /** The number of listed jobs that look like copies. */
  suspects: number
  isOpen: boolean
  now: Date
}

/** Renders the items that need attention, then figures about the board. */
export function renderDesk(page: PageContext, overview: Overview): Html {
  const { figures, jobsOnBoard, activity, queues, openReports, suspects, isOpen, now } = overview
  const { accounts } = figures
  const stuck = queues.filter(({ state }) => state !== 'well')
  const { waiting, since } = figures.payments
  const toDo = [
    !page.brand.isSetUp &&
      page.has('/desk/board') && {
        title: t('desk.set_up_title'),
        text: t('desk.set_up_text'),
        href: '/desk/board',
        link: t('desk.set_up'),
      },
    waiting > 0 && {
      title: t('desk.payments', { count: waiting }),
      text: since ? t('desk.payments_since', { age: ageOf(since, now) }) : '',
      href: '/desk/payments',
      link: t('desk.view_payments'),
    },
    stuck.length > 0 && {
      title: t('desk.stuck', { count: stuck.length }),
      text: sentences(
        ...stuck.map(({ name, state }) => t('desk.stuck_one', { name, state: t(`desk.state_${state}`).toLowerCase() })),
      ),
      href: '/desk/queues',
      link: t('desk.view_queues'),
    },
    openReports > 0 && {
      title: t('desk.reports', { count: openReports }),
      text: t('desk.reports_text'),
      href: '/desk/reports',
      link: t('desk.view_reports'),
    },
    suspects > 0 && {
      title: t('desk.suspects', { count: suspects }),
      text: t('desk.suspects_text'),
      href: '/desk/duplicates',
      link: t('desk.view_suspects'),
    },
  ].flatMap((task) => (task && renderTask(page, task)) || [])
  const tiles = [
    {
      title: t('desk.jobs_on_board'),
      value: formatNumber(jobsOnBoard),
      href: page.has('/desk/jobs') ? '/desk/jobs?state=active' : '/jobs',
    },
    { title: t('desk.new_applications'), value: formatNumber(figures.applications_new) },
    {
      title: t('desk.new_candidates'),
      value: formatNumber(figures.candidates_new),
      href: '/desk/accounts?kind=candidate',
    },
    {
      title: t('desk.new_employers'),
      value: formatNumber(figures.employers_new),
      href: '/desk/accounts?kind=employer',
    },
    {
      title: t('desk.accounts'),
      value: accounts.isAbout ? t('desk.about', { count: formatNumber(accounts.count) }) : formatNumber(accounts.count),
      href: '/desk/accounts',
    },
    {
      title: t('desk.suspended'),
      value: formatNumber(figures.accounts_suspended),
      href: '/desk/accounts?is_suspended=true',
    },
  ]
  return htmlPage(page, { title: t('desk.title') })`<h1>${t('desk.title')}</h1>
<h2>${t('desk.to_do')}</h2>
${toDo.length === 0 ? emptyState(t('desk.nothing'), html`<p>${t('desk.nothing_text')}</p>`) : html`<ul class="jobs">${toDo}</ul>`}
<h2>${t('desk.the_board')}</h2>
<p class="soft small">${t('desk.new_means')}</p>
<dl class="tiles">${tiles.map(
    ({ title, value, href }) =>
      html`<div class="tile"><dt>${title}</dt><dd>${href === undefined ? value : html`<a href="${href}">${value}</a>`}</dd></div>`,
  )}</dl>
<p>${rich('desk.registration_is', { state: isOpen ? badge(t('desk.open'), 'good') : badge(t('desk.closed'), 'warn') })} ${page.has('/desk/settings') && page.may('GET', '/desk/settings') && html`<a href="/desk/settings">${t('desk.change')}</a>`}</p>
${renderActivity(page, activity)}
${page.may('GET', '/desk/activity') && renderLatest(page, overview)}`
}

function renderLatest(page: PageContext, { actions, names }: Overview): Html {
  return html`<h2>${t('desk.latest_actions')}</h2>
${actions.length === 0 ? html`<p class="soft">${t('desk.no_actions')}</p>` : [actionsTable(page, actions, names), html`<p><a href="/desk/activity">${t('desk.show_all_actions')}</a></p>`]}`
}

const formatOf = ({ currency }: Series) =>
  currency === undefined ? formatNumber : (amount: number) => describeAmount(amount, currency)

const titleOf = ({ title, currency = '' }: Series): string => t(title, { currency })

const revenue: ReadonlySet<MessageKey> = new Set(['desk.series_revenue', 'desk.series_revenue_in'])

/** Renders a chart of each figure, and the same values as a table. */
function renderActivity(page: PageContext, { days, series: all, isEstimated }: Activity): Html {
  const series = page.may('GET', '/desk/payments') ? all : all.filter(({ title }) => !revenue.has(title))
  const charts = series.map(
    (each) =>
      html`<section class="panel"><h3>${titleOf(each)}</h3>${barChart(
        t('desk.by_day', { title: titleOf(each), days: days.length }),
        days.map((day, n) => ({ day, count: each.values[n]! })),
        formatOf(each),
      )}</section>`,
  )
  const rows = days.map((date, n) => ({ date, n })).toReversed()
  return html`<h2>${t('desk.last_days', { days: days.length })}</h2>
<div class="grid">${charts}</div>
<p class="soft small">${t('desk.figures_note')}${isEstimated && ` ${t('desk.figures_estimated')}`}</p>
<details><summary>${t('desk.numbers_by_day')}</summary>
${dataTable(t('desk.figures_by_day'), { rows, numbers: series.map(titleOf) }, ({ date, n }) => ({
  [t('desk.day')]: day(date),
  ...Object.fromEntries(series.map((each) => [titleOf(each), formatOf(each)(each.values[n]!)])),
}))}</details>`
}

/** Renders an item that needs attention, if the operator may open its page. */
function renderTask(
  page: PageContext,
  { title, text, href, link }: { title: string; text: Content; href: string; link: string },
): Html | undefined {
  if (!page.may('GET', href)) return undefined
  return html`<li>${card(
    html`<div class="row apart"><div class="grow"><h3>${title}</h3><p class="soft">${text}</p></div>${buttonLink(link, href)}</div>`,
  )}</li>`
}

const tones: Record<Queue['state'], Tone> = { well: 'good', late: 'warn', failing: 'bad', silent: 'bad' }

export function renderQueues(page: PageContext, queues: readonly Queue[], now: Date): Html {
  const silent = queues.filter(({ state }) => state === 'silent')
  return htmlPage(page, { title: t('desk.queues') })`<h1>${t('desk.queues')}</h1>
<p class="lead">${t('desk.queues_lead')}</p>
${
  silent.length > 0 &&
  message(
    html`<p><b>${silent.length === queues.length ? t('desk.no_process') : t('desk.not_run', { names: joinWithCommas(silent.map(({ name }) => name)) })}</b> ${rich('desk.start_worker')}</p>`,
    'bad',
  )
}
${dataTable(t('desk.queues'), { rows: queues, numbers: [t('desk.backlog')] }, (queue) => ({
  [t('desk.queue')]: [
    html`<b>${queue.name}</b>`,
    (queue.state === 'late' || queue.state === 'failing') && html`<br><span class="small">${queue.advice}</span>`,
    queue.failure && html`<br><code class="small">${queue.failure.error}</code>`,
  ],
  [t('shared.state')]: badge(t(`desk.state_${queue.state}`), tones[queue.state]),
  [t('desk.backlog')]: queue.waiting === '' ? '–' : queue.waiting,
  [t('desk.oldest')]: queue.since ? ageOf(queue.since, now) : '–',
  [t('desk.last_run')]: queue.doneAt
    ? moment(queue.doneAt.toISOString())
    : html`<span class="soft">${t('shared.none_yet')}</span>`,
  [t('shared.failed')]: queue.losses ?? '–',
}))}
<p class="small soft">${rich('desk.queues_help')}</p>`
}

const megabytes = (bytes: number) => t('desk.megabytes', { size: formatDecimal(bytes / 1_048_576) })

export function renderStorage(
  page: PageContext,
  tables: readonly TableSize[],
  keptDays: Readonly<Record<string, number | undefined>>,
): Html {
  const retentionOf = (name: string) => {
    if (!(name in keptDays)) return '–'
    const days = keptDays[name]
    return days === undefined ? t('desk.no_limit') : t('desk.days', { count: days })
  }
  const total = tables.reduce((sum, { table_bytes, index_bytes }) => sum + table_bytes + index_bytes, 0)
  return htmlPage(page, { title: t('desk.storage') })`<h1>${t('desk.storage')}</h1>
<p class="lead">${t('desk.storage_lead', { size: megabytes(total) })}</p>
${dataTable(
  t('desk.tables'),
  { rows: tables, numbers: [t('desk.rows'), t('desk.data'), t('desk.indexes')] },
  (table) => ({
    [t('desk.table')]: html`<code>${table.name}</code>`,
    [t('desk.rows')]: table.row_count === null ? '–' : formatNumber(table.row_count),
    [t('desk.data')]: megabytes(table.table_bytes),
    [t('desk.indexes')]: megabytes(table.index_bytes),
    [t('desk.retention')]: retentionOf(table.name),
  }),
)}
<p class="small soft">${rich('desk.storage_help')}</p>`
}
