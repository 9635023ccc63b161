import { formatAmount } from '../../lib/money.ts'
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
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { Activity, Series } from './desk.activity.ts'
import type { TableSize } from './desk.queries.ts'
import type { findOverview, Queue } from './desk.service.ts'

interface Overview extends Awaited<ReturnType<typeof findOverview>> {
  activity: Activity
  queues: readonly Queue[]
  openReports: number
  isOpen: boolean
  now: Date
}

const number = (count: number) => count.toLocaleString('en')
const count = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`

/** Renders the items that need attention, then the board's figures. */
export function renderDesk(page: PageContext, overview: Overview): Html {
  const { figures, actions, activity, queues, openReports, isOpen, now } = overview
  const stuck = queues.filter(({ state }) => state !== 'well')
  const { waiting, since } = figures.payments
  const toDo = [
    !page.brand.isSetUp &&
      page.has('/desk/board') &&
      task('Set up your board', 'Give it a name, a logo and legal pages.', '/desk/board', 'Set up board'),
    waiting > 0 &&
      task(
        count(waiting, 'pending payment', 'pending payments'),
        since ? `The oldest has been pending for ${ageOf(since, now)}.` : '',
        '/desk/payments',
        'View payments',
      ),
    stuck.length > 0 &&
      task(
        count(stuck.length, 'queue needs attention', 'queues need attention'),
        stuck.map(({ name, state }) => `${name}: ${states[state].text.toLowerCase()}`).join('. '),
        '/desk/queues',
        'View queues',
      ),
    openReports > 0 &&
      task(
        count(openReports, 'open report', 'open reports'),
        'Review the reported jobs.',
        '/desk/reports',
        'View reports',
      ),
  ].filter((item) => item !== false)
  const tiles = [
    { title: 'Jobs on the board', value: figures.jobs_active, href: '/jobs' },
    { title: 'New applications', value: figures.applications_new },
    { title: 'New candidates', value: figures.candidates_new, href: '/desk/accounts?kind=candidate' },
    { title: 'New employers', value: figures.employers_new, href: '/desk/accounts?kind=employer' },
    { title: 'Accounts', value: figures.accounts, href: '/desk/accounts' },
    { title: 'Suspended', value: figures.accounts_suspended, href: '/desk/accounts?is_suspended=true' },
  ]
  return htmlPage(page, { title: 'Admin area' })`<h1>Admin area</h1>
<h2>To do</h2>
${toDo.length === 0 ? emptyState('Nothing to do', html`<p>No payments or reports are waiting, and background work is up to date.</p>`) : html`<ul class="jobs">${toDo}</ul>`}
<h2>The board</h2>
<p class="soft small">“New” covers the last seven days.</p>
<dl class="tiles">${tiles.map(
    ({ title, value, href }) =>
      html`<div class="tile"><dt>${title}</dt><dd>${href === undefined ? number(value) : html`<a href="${href}">${number(value)}</a>`}</dd></div>`,
  )}</dl>
<p>Registration is ${isOpen ? badge('Open', 'good') : badge('Closed', 'warn')} ${page.has('/desk/settings') && html`<a href="/desk/settings">Change</a>`}</p>
${renderActivity(activity)}
<h2>Activity</h2>
${actions.length === 0 ? html`<p class="soft">Operator actions appear here, each with the API key that the operator used.</p>` : actionsTable(page, actions)}`
}

const formatOf = ({ currency }: Series) =>
  currency === undefined ? number : (amount: number) => formatAmount(amount, currency)

/** Renders a chart of each figure, and the same values as a table. */
function renderActivity({ days, series }: Activity): Html {
  const charts = series.map(
    (each) =>
      html`<section class="panel"><h3>${each.title}</h3>${barChart(
        `${each.title} by day over the last ${days.length} days`,
        days.map((day, n) => ({ day, count: each.values[n]! })),
        formatOf(each),
      )}</section>`,
  )
  const rows = days.map((date, n) => ({ date, n })).toReversed()
  return html`<h2>The last ${days.length} days</h2>
<div class="grid">${charts}</div>
<p class="soft small">Days are in UTC. The figures may be a minute old. Revenue excludes refunded payments. Deliveries count on the day they were queued.</p>
<details><summary>Numbers by day</summary>
${dataTable('Figures by day', { rows, numbers: series.map(({ title }) => title) }, ({ date, n }) => ({
  Day: day(date),
  ...Object.fromEntries(series.map((each) => [each.title, formatOf(each)(each.values[n]!)])),
}))}</details>`
}

function task(title: string, text: string, href: string, link: string): Html {
  return html`<li>${card(
    html`<div class="row apart"><div><h3>${title}</h3><p class="soft">${text}</p></div>${buttonLink(link, href)}</div>`,
  )}</li>`
}

const states: Record<Queue['state'], { text: string; tone: Tone }> = {
  well: { text: 'Up to date', tone: 'good' },
  late: { text: 'Late', tone: 'warn' },
  failing: { text: 'Failing', tone: 'bad' },
  silent: { text: 'Not running', tone: 'bad' },
}

export function renderQueues(page: PageContext, queues: readonly Queue[], now: Date): Html {
  const silent = queues.filter(({ state }) => state === 'silent')
  return htmlPage(page, { title: 'Queues' })`<h1>Queues</h1>
<p class="lead">The backlog of background work across all processes, updated every ten seconds.</p>
${
  silent.length > 0 &&
  message(
    html`<p><b>${silent.length === queues.length ? 'No process is running background work.' : `These tasks have not run for a while: ${silent.map(({ name }) => name).join(', ')}.`}</b> Start <code>bin/job-marketplace.js serve</code>, or <code>serve --only work</code> to run only background work.</p>`,
    'bad',
  )
}
${dataTable('Queues', { rows: queues, numbers: ['Backlog'] }, (queue) => ({
  Queue: [
    html`<b>${queue.name}</b>`,
    (queue.state === 'late' || queue.state === 'failing') && html`<br><span class="small">${queue.advice}</span>`,
    queue.failure && html`<br><code class="small">${queue.failure.error}</code>`,
  ],
  State: badge(states[queue.state].text, states[queue.state].tone),
  Backlog: queue.waiting === '' ? '–' : queue.waiting,
  Oldest: queue.since ? ageOf(queue.since, now) : '–',
  'Last run': queue.doneAt ? moment(queue.doneAt.toISOString()) : html`<span class="soft">none yet</span>`,
  Failed: queue.losses ?? '–',
}))}
<p class="small soft">For details, see <code>/metrics</code> and the log. For help, see <code>docs/operations.md</code>, “Metrics” and “When something fails”.</p>`
}

const megabytes = (bytes: number) =>
  `${(bytes / 1_048_576).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`

export function renderStorage(
  page: PageContext,
  tables: readonly TableSize[],
  keptDays: Readonly<Record<string, number | undefined>>,
): Html {
  const retentionOf = (name: string) => {
    if (!(name in keptDays)) return '–'
    const days = keptDays[name]
    return days === undefined ? 'No limit' : count(days, 'day', 'days')
  }
  const total = tables.reduce((sum, { table_bytes, index_bytes }) => sum + table_bytes + index_bytes, 0)
  return htmlPage(page, { title: 'Storage' })`<h1>Storage</h1>
<p class="lead">The database tables take up ${megabytes(total)} on disk.</p>
${dataTable('Tables', { rows: tables, numbers: ['Estimated rows', 'Data', 'Indexes'] }, (table) => ({
  Table: html`<code>${table.name}</code>`,
  'Estimated rows': number(table.row_count),
  Data: megabytes(table.table_bytes),
  Indexes: megabytes(table.index_bytes),
  Retention: retentionOf(table.name),
}))}
<p class="small soft">To limit how long rows are kept, see <code>docs/operations.md</code>, “Retention”. For disk space requirements, see <code>docs/sizing.md</code>.</p>`
}
