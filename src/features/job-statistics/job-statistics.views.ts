import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { barChart, card, dataTable, day, linkTo, message, withQuery } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type JobState, renderJobHead } from '../jobs/index.ts'
import type { JobStatistics } from './job-statistics.schemas.ts'

const members = ['views', 'saves', 'applications'] as const

export function renderJobStatistics(
  page: PageContext,
  job: { id: string; title: string; state: JobState },
  statistics: JobStatistics,
): Html {
  const { days, sources } = statistics
  const kinds = members.map((member) => ({ member, title: t(`statistics.${member}`) }))
  const numbers = kinds.map(
    ({ member, title }) => html`<div class="tile"><dt>${title}</dt><dd>${formatNumber(statistics[member])}</dd></div>`,
  )
  const charts = kinds.map(({ member, title }) =>
    card([
      html`<h2>${title}</h2>`,
      barChart(
        t('statistics.by_day', { title, days: days.length }),
        days.map((each) => ({ day: each.date, count: each[member] })),
      ),
    ]),
  )
  return htmlPage(page, { title: t('statistics.title', { title: job.title }) })`${renderJobHead(page, job)}
${job.state === 'inactive' && statistics.views === 0 && message(html`<p>${t('statistics.not_yet')}</p>`)}
<dl class="tiles">${numbers}</dl>
<p class="soft small">${t('statistics.totals')}</p>
<div class="thirds">${charts}</div>
${
  sources.some(({ source }) => source !== null) &&
  html`<h2>${t('statistics.sources')}</h2>${dataTable(t('statistics.sources'), { rows: sources, numbers: [t('statistics.applications')] }, ({ source, applications }) => ({ [t('statistics.source')]: source === null ? t('statistics.no_source') : linkTo(page, source, withQuery('/employer/applications', { job_id: job.id, source })), [t('statistics.applications')]: formatNumber(applications) }))}`
}
<details><summary>${t('statistics.numbers')}</summary>
${dataTable(t('statistics.table'), { rows: days.toReversed(), numbers: kinds.map(({ title }) => title) }, (each) => ({
  [t('statistics.day')]: day(each.date),
  ...Object.fromEntries(kinds.map(({ member, title }) => [title, each[member]])),
}))}</details>`
}
