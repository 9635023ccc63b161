/** Admin pages for copies: the lists of suspects and decisions, and two jobs side by side. */
import type { JobSource } from '../../db/schema.ts'
import { t } from '../../locale/messages.ts'
import {
  badge,
  button,
  card,
  day,
  emptyState,
  facts,
  linkTo,
  listTable,
  message,
  outsideLink,
  postForm,
  tabs,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import { formatSalary, type JobDetail } from '../jobs/index.ts'
import { findDifferences, type Part } from './duplicates.differences.ts'
import type { DecisionRow, SuspectRow } from './duplicates.queries.ts'
import type { Decision } from './duplicates.rule.ts'

export const SUSPECTS = '/desk/duplicates'
export const DECISIONS = '/desk/duplicates/decisions'

interface NamedPair extends SuspectRow {
  job: { title: string; company: string }
}

interface SuspectsPage {
  form: Form
  counts: { folded: number; shown: number }
  /** Undefined if the query was invalid. */
  found: Listed<NamedPair> | undefined
}

/** Rounds down, because a similarity of 100 percent suggests equal texts. */
const wholePercent = (similarity: number) => Math.floor(similarity * 100) / 100

export function renderSuspects(page: PageContext, { form, counts, found }: SuspectsPage): Html {
  const title = t('menu.copies')
  const isFolded = form.value('is_folded') === 'true'
  const empty = emptyState(t('duplicates.none'), html`<p>${t('duplicates.appear_here')}</p>`)
  return htmlPage(page, { title })`<h1>${title}</h1>
<p class="lead">${t('duplicates.lead')}</p>
${form.summary()}
${renderTabs(page, counts, isFolded ? 'folded' : 'shown')}
${listTable(
  page,
  title,
  { found, numbers: [t('duplicates.similarity')], empty },
  ({ job, job_id, other_id, similarity, found_at }) => ({
    [t('shared.job')]: pairLink(job, job_id, other_id),
    [t('duplicates.similarity')]: t('duplicates.percent', { similarity: wholePercent(similarity) }),
    [t('duplicates.found')]: day(found_at.toISOString()),
  }),
)}`
}

function renderTabs(page: PageContext, counts: SuspectsPage['counts'], here: 'shown' | 'folded' | 'decided'): Html {
  return tabs(page, t('shared.status'), [
    { href: SUSPECTS, text: t('duplicates.to_check'), count: counts.shown, isHere: here === 'shown' },
    {
      href: `${SUSPECTS}?is_folded=true`,
      text: t('duplicates.folded'),
      count: counts.folded,
      isHere: here === 'folded',
    },
    { href: DECISIONS, text: t('duplicates.decided'), isHere: here === 'decided' },
  ])
}

interface DecisionsPage extends Pick<SuspectsPage, 'form' | 'counts'> {
  /** Undefined if the query was invalid. */
  found: Listed<DecisionRow & { decided_by: string | null; job: NamedPair['job'] }> | undefined
}

/** Renders the decisions of operators. Each decision links to the page on which an operator can undo it. */
export function renderDecisions(page: PageContext, { form, counts, found }: DecisionsPage): Html {
  const title = t('duplicates.decided')
  const empty = emptyState(t('duplicates.none_decided'))
  return htmlPage(page, { title })`<h1>${t('menu.copies')}</h1>
<p class="lead">${t('duplicates.decided_lead')}</p>
${form.summary()}
${renderTabs(page, counts, 'decided')}
${listTable(
  page,
  title,
  { found, empty },
  ({ job, first_job_id, second_job_id, decision, decided_at, decided_by }) => ({
    [t('shared.job')]: pairLink(job, first_job_id, second_job_id),
    [t('duplicates.decision')]: t(`duplicates.${decision}`),
    [t('duplicates.decided_by')]: decided_by ?? html`<span class="soft">${t('duplicates.unknown')}</span>`,
    [t('duplicates.decided_at')]: day(decided_at.toISOString()),
  }),
)}`
}

const pairLink = ({ title, company }: NamedPair['job'], id: string, otherId: string): Html =>
  html`<a class="strong" href="${SUSPECTS}/${id}/${otherId}">${title}</a><br><span class="soft small">${company}</span>`

export interface ComparedJobView {
  job: JobDetail
  state: string
  /** The posting from which the job was created, with the name of its feed. Null if people maintain the job. */
  source: (JobSource & { name: string }) | null
}

interface PairPage {
  pair: readonly [ComparedJobView, ComparedJobView]
  similarity: number
  decision: Decision | undefined
  form: Form
}

const textOf = ({ description, requirements, benefits }: JobDetail) =>
  [description, ...requirements, ...benefits].join('\n\n')

/** Renders two jobs side by side, and marks the words in which they differ. */
export function renderPair(page: PageContext, { pair, similarity, decision, form }: PairPage): Html {
  const [a, b] = [pair[0].job, pair[1].job]
  const texts = findDifferences(textOf(a), textOf(b))
  const action = `${SUSPECTS}/${a.id}/${b.id}`
  const choices = ['same', 'different', ...(decision ? (['undecided'] as const) : [])] as const
  return htmlPage(page, {
    title: t('duplicates.pair_title', { title: a.title }),
  })`<p class="crumbs"><a href="${SUSPECTS}">${t('menu.copies')}</a></p>
<h1>${a.title}</h1>
<p class="lead">${t('duplicates.question', { similarity: wholePercent(similarity) })}</p>
${form.summary()}
${decision && message(html`<p>${t(`duplicates.is_${decision}`)}</p>`, 'good')}
${postForm(
  page,
  action,
  html`<div class="row">${choices.map((value) => button(t(`duplicates.${value}`), { variant: 'secondary', name: 'decision', value }))}</div><p class="hint">${t('duplicates.effect')}</p>`,
)}
<p class="small soft">${t(texts ? 'duplicates.marks' : 'duplicates.too_different')}</p>
<div class="pair differences">${pair.map((_, side) => renderJob(page, { pair, side, text: texts?.[side] }))}</div>`
}

function renderJob(
  page: PageContext,
  { pair, side, text }: Pick<PairPage, 'pair'> & { side: number; text: readonly Part[] | undefined },
): Html {
  const { job, state, source } = pair[side]!
  const { job: other } = pair[1 - side]!
  const marked = (own: string, others: string) => {
    const [first, second] = side === 0 ? [own, others] : [others, own]
    return renderParts(findDifferences(first, second)?.[side], own, side)
  }
  return card([
    html`<h2>${t(side === 0 ? 'duplicates.first' : 'duplicates.second')} ${job.duplicate_of !== null && badge(t('duplicates.folded'))}</h2>`,
    facts([
      [t('duplicates.job_title'), marked(job.title, other.title)],
      [t('duplicates.company'), marked(job.company, other.company)],
      [t('shared.location'), marked(job.locations.join('; '), other.locations.join('; '))],
      [t('shared.pay'), job.salary ? formatSalary(job.salary) : t('jobs.not_stated')],
      [t('job_reports.posted'), day(job.posted_at)],
      [t('shared.state'), state],
      [t('duplicates.source'), renderSource(page, source)],
      [t('shared.reference'), linkTo(page, job.id, `/desk/jobs/${job.id}`)],
    ]),
    html`<h3>${t('shared.description')}</h3><div class="mail-text">${renderParts(text, textOf(job), side)}</div>`,
  ])
}

function renderSource(page: PageContext, source: ComparedJobView['source']): Content {
  if (!source) return t('duplicates.posted_here')
  const { feed_id, name, external_id, url } = source
  return [
    linkTo(page, name, `/console/feeds/${feed_id}`),
    html`<br>`,
    url ? outsideLink(url, external_id) : external_id,
  ]
}

/** Renders parts of a text. Hidden words mark the differences, because few screen readers announce `del` and `ins`. */
function renderParts(parts: readonly Part[] | undefined, text: string, side: number): Content {
  if (!parts) return text
  return parts.map(({ text, isOnlyHere }) => {
    if (!isOnlyHere) return text
    const marked = text.trimEnd()
    const content = html`<span class="hide">${t('duplicates.only_here')} </span>${marked}<span class="hide"> ${t('duplicates.end')}</span>`
    return [side === 0 ? html`<del>${content}</del>` : html`<ins>${content}</ins>`, text.slice(marked.length)]
  })
}

/** Renders a warning for an employer whose unpublished job looks like one of the employer's jobs on the board. */
export const renderCopyWarning = (page: PageContext, { id, title }: { id: string; title: string }): Html =>
  message(html`<p>${rich('duplicates.looks_like', { link: linkTo(page, title, `/employer/jobs/${id}`) })}</p>`, 'warn')
