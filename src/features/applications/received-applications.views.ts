/** The employer's pages with many applications: the board by stage, and the list. */

import { findFilter, type Operator } from '../../lists/query.ts'
import { formatDay, formatList } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  ago,
  badge,
  button,
  dataTable,
  day,
  emptyState,
  filterChips,
  filterForm,
  linkTo,
  logo,
  noneFound,
  pagination,
  postForm,
  tabs,
} from '../../pages/components.ts'
import { Form, optionsFor } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { sentences } from '../../pages/text.ts'
import { statusName } from './applications.present.ts'
import type { StageCounts } from './applications.queries.ts'
import {
  type ApplicationStatus,
  type EmployerApplication,
  employerApplicationList,
  SOURCE_MAX,
  transitions,
} from './applications.schemas.ts'
import type { MoveResult } from './applications.service.ts'
import { statusBadge, withdrawnBadge } from './applications.views.ts'
import { EMAIL_TEMPLATES } from './email-templates.views.ts'
import { EXPORT, type ListAddress, MOVE_SELECTED, RECEIVED, stages } from './received-applications.address.ts'

export const nameOf = ({ candidate }: Pick<EmployerApplication, 'candidate'>) =>
  candidate.name ?? t('received.deleted_candidate')

/** Describes a new status. If the candidate will get a rejection email, adds that the email can still be stopped. */
export function statusNotice(application: EmployerApplication, { notify = true }: { notify?: boolean } = {}): string {
  const { status } = application
  const moved = t('received.moved', { name: nameOf(application), status: statusName('received', status) })
  return status === 'rejected' && notify ? `${moved} ${t('received.rejection_waits')}` : moved
}

/** Maximum number of applicants that the result of a bulk move names. */
const NAMED_MAX = 3

export function describeMoves(results: readonly MoveResult[], to: ApplicationStatus): string {
  const status = statusName('received', to)
  const count = (outcome: MoveResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const [moved, unchanged, unknown] = [count('moved'), count('unchanged'), count('unknown')]
  const refused = results.filter((result) => result.outcome === 'refused')
  const failed = refused.length + unknown
  const named = refused
    .slice(0, NAMED_MAX)
    .map(({ name, state }) => `${name ?? t('received.deleted_candidate')} (${statusName('received', state)})`)
  const others = refused.length - named.length
  const names = formatList([
    ...named,
    ...(others > 0 ? [t('received.others', { count: others })] : []),
    ...(unknown > 0 ? [t('received.gone', { count: unknown })] : []),
  ])
  return [
    t('received.moved_many', { count: moved, status }),
    unchanged > 0 && t('received.unchanged', { count: unchanged }),
    failed > 0 && t('received.not_moved', { count: failed, names }),
    moved > 0 && to === 'rejected' && t('received.rejection_waits'),
  ]
    .filter(Boolean)
    .join(' ')
}

const RATING_MAX = 5

/** Shows a rating as stars, with the number for screen readers. */
export const stars = (rating: number): Html =>
  html`<span class="stars"><span aria-hidden="true">${'★'.repeat(rating)}${'☆'.repeat(RATING_MAX - rating)}</span><span class="hide">${t('received.stars', { rating })}</span></span>`

const renderTags = (tags: readonly string[]) =>
  tags.length > 0 && html`<span class="row">${tags.map((tag) => badge(tag))}</span>`

export const nameOfMove = (status: ApplicationStatus) => {
  const name = statusName('received', status)
  return status === 'hired' ? t('received.final', { status: name }) : name
}

type JobChoices = readonly { id: string; title: string }[]

interface Shown {
  address: ListAddress
  /** The submitted form if it has faults, otherwise an empty form. */
  form: Form
  jobs: JobChoices
}

/**
 * Renders the filter form. Parameters without a visible field become hidden fields, so that submitting the form keeps
 * them.
 */
function renderFilter({ address, jobs }: Shown): Html {
  const { applied } = address.query
  const since = String(applied.applied_at_gte ?? '').slice(0, 10)
  const tags = [applied.tags ?? []].flat().join(', ')
  const { job_id, rating_gte, source } = applied
  const values = { job_id, applied_at_gte: since, rating_gte, tags, source }
  const form = Form.of(values)
  const shown = Object.keys(values)
  const kept = [...new URLSearchParams(address.pathTo('').slice(1))].filter(([name]) => !shown.includes(name))
  const ratings = Array.from({ length: RATING_MAX }, (_, n) => ({ value: `${n + 1}`, text: ratingAtLeast(n + 1) }))
  return filterForm(
    RECEIVED,
    form,
    [
      kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`),
      form.select('job_id', t('received.job'), [
        { value: '', text: t('received.all_jobs') },
        ...jobs.map(({ id, title }) => ({ value: id, text: title })),
      ]),
      form.field('applied_at_gte', t('received.applied_since'), { type: 'date' }),
      form.select('rating_gte', t('received.rating'), [{ value: '', text: t('received.any_rating') }, ...ratings]),
      form.field('tags', t('received.tags'), { maxlength: 200 }),
      form.field('source', t('statistics.source'), { maxlength: SOURCE_MAX }),
    ],
    { submit: t('received.show') },
  )
}

const ratingAtLeast = (rating: number) => t('received.rating_at_least', { rating })

/** Describes a rating filter. Ratings are whole numbers. */
function describeRating(operator: Operator, rating: number): string {
  if (operator === 'gte' || operator === 'gt') return ratingAtLeast(operator === 'gt' ? rating + 1 : rating)
  if (operator === 'is' || operator === 'in') return t('received.stars', { rating })
  return t('received.rating_at_most', { rating: operator === 'lt' ? rating - 1 : rating })
}

function describeFilter(name: string, value: string, jobs: JobChoices): string {
  const { filter, operator } = findFilter(employerApplicationList, name)!
  if (filter === 'rating') return describeRating(operator, Number(value))
  if (filter === 'tags') return t('received.tagged', { tag: value })
  if (filter === 'source') return t('received.came_from', { source: value })
  const text =
    filter === 'job_id'
      ? (jobs.find(({ id }) => id === value)?.title ?? t('received.one_job'))
      : filter === 'status'
        ? statusName('received', value as ApplicationStatus)
        : formatDay(value)
  if (operator === 'not') return t('received.chip_not', { value: text })
  if (filter !== 'applied_at') return text
  if (operator === 'gte' || operator === 'gt') return t('received.chip_since', { day: text })
  return operator === 'lte' || operator === 'lt'
    ? t('received.chip_until', { day: text })
    : t('received.chip_on', { day: text })
}

/** Renders the filters in use, each with a link that removes it. Omits the status, which the tabs show. */
function renderChips({ address, jobs }: Shown): Html | undefined {
  const applied = Object.entries(address.query.applied).filter(([name]) => name !== 'status')
  const chips = applied.flatMap(([name, given]) => {
    const values = [given].flat().map(String)
    return values.map((value) => ({
      text: describeFilter(name, value, jobs),
      href: address.pathTo(RECEIVED, { [name]: values.filter((other) => other !== value).join(',') }),
    }))
  })
  return filterChips(chips, address.pathTo(RECEIVED, Object.fromEntries(applied.map(([name]) => [name, null]))))
}

const FORM_ID = 'selection'

/** Returns the statuses that the employer can set, as `nextStatuses` does. */
const movesOf = ({ candidate, withdrawn_at, status }: EmployerApplication) =>
  candidate.id === null || withdrawn_at !== null ? [] : transitions[status]

/** Renders the checkbox that selects an applicant, if any move is allowed. */
function renderPick(page: PageContext, form: Form, application: EmployerApplication): Html | undefined {
  const { id } = application
  if (movesOf(application).length === 0 || !page.may('POST', MOVE_SELECTED)) return undefined
  const checked = form.values('ids').includes(id)
  return html`<input${attributes({ class: 'pick', type: 'checkbox', name: 'ids[]', value: id, form: FORM_ID, checked, 'aria-label': t('received.select_named', { name: nameOf(application) }) })}>`
}

/** Renders the checkbox that selects a group of applicants, if any of them can be moved. Requires a script. */
const renderSelectAll = (items: readonly EmployerApplication[]) =>
  items.some((item) => movesOf(item).length > 0) &&
  html`<label class="check small scripted"><input type="checkbox" data-select-all>${t('received.select_all')}</label>`

/** Renders the form that moves the selected applicants. The form stays in view while any applicant is selected. */
function renderSelection(page: PageContext, { address, form }: Shown, items: readonly EmployerApplication[]) {
  const { page: number = 1 } = address.query
  const allowed = new Set(items.flatMap(movesOf))
  if (allowed.size === 0 || !page.may('POST', MOVE_SELECTED)) return undefined
  const offered = stages.filter((stage) => allowed.has(stage))
  const choices = optionsFor(offered, nameOfMove, t('received.choose_stage'))
  return html`<section class="selection panel" aria-labelledby="head-selection"><h2 class="h3" id="head-selection">${t('received.move_selected')}</h2><p class="small soft scripted" role="status">${t('received.selected')} <b data-selected>0</b></p>
${postForm(page, address.pathTo(MOVE_SELECTED, { page: number > 1 ? String(number) : null }), [form.select('status', t('received.stage'), choices, { isRequired: true }), button(t('received.move'))], { id: FORM_ID, class: 'row bottom' })}</section>`
}

interface ColumnOfBoard {
  status: ApplicationStatus
  total: number
  items: readonly EmployerApplication[]
}

interface Board extends Shown {
  columns: readonly ColumnOfBoard[]
  now: Date
}

export function renderReceivedBoard(page: PageContext, board: Board): Html {
  const { address, form, jobs, columns } = board
  const all = columns.reduce((sum, { total }) => sum + total, 0)
  const fresh = columns.find(({ status }) => status === 'pending')?.total ?? 0
  const isFiltered = Object.keys(address.query.applied).length > 0
  const asList = address.pathTo(RECEIVED, { view: 'list' })
  return htmlPage(page, { title: t('received.applicants'), modules: ['stages.js', 'selection.js'] })`
<div class="page-head head-gap"><div><h1>${t('received.applicants')}</h1>${all > 0 && html`<p class="soft">${t('received.count', { count: all, fresh })}</p>`}</div>${(jobs.length > 0 || all > 0) && renderFilter(board)}</div>
${form.summary()}
${renderChips(board)}
${
  all > 0
    ? html`<nav class="phone-only tabs flush-tabs" aria-label="${t('received.stages')}"><ul>${columns.map(
        ({ status, total }) =>
          html`<li><a href="#stage-${status}">${statusName('received', status)} <span class="count${status === 'pending' && total > 0 && ' hot'}">${total}</span></a></li>`,
      )}</ul></nav>
<div class="stages">${columns.map((column) => renderStage(page, board, column))}</div>
<p class="small soft gap-top">${sentences(t('received.email_note'), html`<a href="${asList}">${t('received.as_list')}</a>`)} · ${renderExport(page, address)}</p>
${renderSelection(
  page,
  board,
  columns.flatMap(({ items }) => items),
)}`
    : isFiltered
      ? renderNoneFound()
      : emptyState(
          t('received.none'),
          html`<p>${sentences(t('received.none_text'), linkTo(page, t('jobs.title'), '/employer/jobs'))}</p>`,
        )
}`
}

const renderExport = (page: PageContext, address: ListAddress) =>
  html`${linkTo(page, t('received.export'), address.pathTo(EXPORT, { view: null }))} · ${linkTo(page, t('received.templates'), `${EMAIL_TEMPLATES}/reviewed`)}`

const renderNoneFound = () => noneFound(t('received.none_found'), RECEIVED, t('received.show_all'))

function renderStage(page: PageContext, board: Board, { status, total, items }: ColumnOfBoard): Html {
  const name = statusName('received', status)
  const path = board.address.pathTo(RECEIVED, { status })
  return html`<section class="stage" id="stage-${status}" data-stage="${status}" aria-labelledby="head-${status}" data-group>
<h2 id="head-${status}"><a href="${path}">${name}</a> <span class="count">${total}</span></h2>
${renderSelectAll(items)}
${
  total === 0
    ? html`<p class="none">${t(`received.empty_${status}`)}</p>`
    : html`<ul class="people">${items.map((application) => html`<li>${renderReceivedCard(page, board, application)}</li>`)}</ul>`
}
${total > items.length && html`<a class="btn slim quiet full" href="${path}">${t('received.more', { count: total - items.length })}</a>`}
</section>`
}

function renderReceivedCard(page: PageContext, { address, form, now }: Board, application: EmployerApplication): Html {
  const { id, candidate, job, applied_at, status, resume } = application
  const name = nameOf(application)
  const allowed = movesOf(application)
  const action = address.pathTo(`${RECEIVED}/${id}/move`)
  const mayMove = allowed.length > 0 && page.may('POST', action)
  return html`<article class="person"${attributes({ 'data-moves': mayMove ? allowed.join(' ') : undefined })}><div class="row nowrap-row top-line">${logo({ name }, 'round small')}<div class="grow"><h3><a href="${address.pathTo(`${RECEIVED}/${id}`, { status })}">${name}</a></h3>
${candidate.headline && html`<p>${candidate.headline}</p>`}${address.query.applied.job_id === undefined && html`<p class="for">${job.title}</p>`}</div></div>
${renderTags(application.tags)}
<p class="line"><span>${ago(applied_at, now)}</span>${application.rating && stars(application.rating)}${resume && html`<span>${t('received.resume')}</span>`}${renderPick(page, form, application)}</p>
${
  mayMove &&
  html`<details class="move"><summary aria-label="${t('received.move_named', { name })}">${t('received.move')}${icon('down')}</summary>
${postForm(page, action, [
  html`<label class="hide" for="move-${id}">${t('received.move_to_named', { name })}</label><select id="move-${id}" name="status">${allowed.map((each) => html`<option value="${each}">${nameOfMove(each)}</option>`)}</select>`,
  button(t('received.move'), { variant: 'secondary', class: 'slim' }),
])}</details>`
}</article>`
}

interface List extends Shown, Listed<EmployerApplication> {
  counts: StageCounts
}

export function renderReceivedList(page: PageContext, list: List): Html {
  const { address, form, counts, items } = list
  const title =
    address.status === undefined
      ? t('received.applicants')
      : t('received.title_of', { status: statusName('received', address.status) })
  const notOnBoard = Object.keys(address.query.applied).filter((name) => name.startsWith('status'))
  const byStage = address.pathTo(
    RECEIVED,
    Object.fromEntries([...notOnBoard, 'view', 'sort', 'order', 'limit'].map((name) => [name, null])),
  )
  const stageTabs = stages.map((status) => ({
    href: address.pathTo(RECEIVED, { status, view: null }),
    text: statusName('received', status),
    count: counts.standing.get(status) ?? 0,
    isHere: address.status === status,
  }))
  const all = {
    href: address.pathTo(RECEIVED, { status: null, view: 'list' }),
    text: t('received.all'),
    count: counts.all,
  }
  return htmlPage(page, { title, modules: ['selection.js'] })`
<p class="crumbs"><a href="${byStage}">${t('received.by_stage')}</a></p>
<div class="page-head head-gap"><h1>${title}</h1>${renderFilter(list)}</div>
${form.summary()}
${tabs(page, t('received.stages'), [{ ...all, isHere: address.status === undefined }, ...stageTabs])}
${renderChips(list)}
<div data-group>${renderSelectAll(items)}${dataTable(
    t('received.applications'),
    { rows: items, empty: renderNoneFound() },
    (each) => ({
      [t('received.candidate')]:
        html`<div class="row nowrap-row top-line">${renderPick(page, form, each)}<div><a class="strong" href="${address.pathTo(`${RECEIVED}/${each.id}`)}">${nameOf(each)}</a>${each.candidate.headline && html`<br><span class="soft small">${each.candidate.headline}</span>`}${renderTags(each.tags)}</div></div>`,
      [t('received.job')]: each.job.title,
      [t('received.applied')]:
        html`${day(each.applied_at)}${each.source && html`<br><span class="soft small">${t('received.came_from', { source: each.source })}</span>`}`,
      [t('received.rating')]: each.rating && stars(each.rating),
      [t('received.status')]: html`${statusBadge('received', each.status)} ${withdrawnBadge(each.withdrawn_at)}`,
    }),
  )}</div>
${pagination({ path: address.pathTo(RECEIVED) }, list.pagination)}
${items.length > 0 && html`<p class="gap-top">${renderExport(page, address)}</p>`}
${renderSelection(page, list, items)}`
}
