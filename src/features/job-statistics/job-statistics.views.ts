import { barChart, card, dataTable, day, message } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type JobState, renderJobHead } from '../jobs/index.ts'
import type { JobStatistics } from './job-statistics.schemas.ts'

const kinds = [
  { member: 'views', title: 'Views' },
  { member: 'saves', title: 'Saves' },
  { member: 'applications', title: 'Applications' },
] as const

export function renderJobStatistics(
  page: PageContext,
  job: { id: string; title: string; state: JobState },
  statistics: JobStatistics,
): Html {
  const { days } = statistics
  const numbers = kinds.map(
    ({ member, title }) =>
      html`<div class="tile"><dt>${title}</dt><dd>${statistics[member].toLocaleString('en')}</dd></div>`,
  )
  const charts = kinds.map(({ member, title }) =>
    card([
      html`<h2>${title}</h2>`,
      barChart(
        `${title} by day over the last ${days.length} days`,
        days.map((each) => ({ day: each.date, count: each[member] })),
      ),
    ]),
  )
  return htmlPage(page, { title: `Statistics: ${job.title}` })`${renderJobHead(page, job)}
${job.state === 'inactive' && statistics.views === 0 && message(html`<p>Counting starts when the job is on the board.</p>`)}
<dl class="tiles">${numbers}</dl>
<p class="soft small">Totals since you created the job. They exclude your own views and views by bots. The last few seconds may be missing.</p>
<div class="thirds">${charts}</div>
<details><summary>Numbers by day</summary>
${dataTable(
  'Views, saves and applications by day',
  { rows: days.toReversed(), numbers: kinds.map(({ title }) => title) },
  (each) => ({
    'Day (UTC)': day(each.date),
    ...Object.fromEntries(kinds.map(({ member, title }) => [title, each[member]])),
  }),
)}</details>`
}
