import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  dataTable,
  emptyState,
  facts,
  filterForm,
  linkTo,
  listTable,
  message,
  moment,
  noneFound,
  outsideLink,
  postForm,
  type Tone,
  wayTo,
} from '../../pages/components.ts'
import { consolePage, queryOf } from '../../pages/console.ts'
import { editedField } from '../../pages/editing.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { type Feed, type FeedRun, runStates } from './feeds.schemas.ts'
import { formatTitles, hostedFormats } from './formats/index.ts'

const LIST = '/console/feeds'
const urlOf = ({ id }: Pick<Feed, 'id'>) => `${LIST}/${id}`
const apiOf = ({ id }: Pick<Feed, 'id'>) => `/v1/feeds/${id}`
const mayWrite = ({ actor }: PageContext) => actor?.scopes.includes('jobs:write') === true
const isAdmin = ({ actor }: PageContext) => actor?.kind === 'admin'

const stateTones: Readonly<Record<Feed['state'] | FeedRun['state'], Tone>> = {
  ...{ idle: 'good', succeeded: 'good', pending: 'accent', running: 'accent' },
  ...{ held: 'warn', failing: 'bad', failed: 'bad' },
}

const nameOfState = (state: Feed['state'] | FeedRun['state']) => t(`feeds.state_${state}`)
const stateBadge = (state: Feed['state'] | FeedRun['state']) => badge(nameOfState(state), stateTones[state])

/** Renders the state of a feed. An idle feed appears as paused if `is_active` is false. */
const feedBadge = ({ state, is_active }: Feed): Html =>
  is_active || state !== 'idle' ? stateBadge(state) : badge(t('feeds.paused'), 'warn')

const nextRun = ({ next_run_at, is_active }: Feed): Content =>
  next_run_at === null || !is_active ? html`<span class="soft">${t('feeds.none')}</span>` : moment(next_run_at)

const lastRun = ({ last_run }: Feed): Content =>
  last_run === null
    ? html`<span class="soft">${t('shared.never')}</span>`
    : html`${moment(last_run.finished_at ?? last_run.created_at)} ${stateBadge(last_run.state)}`

/** Renders the feeds. If `form` has faults, renders only the filters. */
export function renderFeeds(page: PageContext, form: Form, feeds?: Listed<Feed>): Html {
  const isFiltered = queryOf(page) !== ''
  const newLink = wayTo(page, t('feeds.new'), `${LIST}/new`, 'primary')
  const empty = isFiltered
    ? noneFound(t('feeds.none_found'), LIST, t('feeds.show_all'))
    : emptyState(t('feeds.none_yet'), html`<p>${t('feeds.none_yet_text')}</p>${newLink}`)
  const hasFilters = isFiltered || (feeds !== undefined && feeds.items.length > 0)
  const calls = feeds ? [{ does: t('feeds.list'), path: `/v1/feeds${queryOf(page)}` }] : []
  return consolePage(
    page,
    t('menu.feeds'),
    calls,
  )`<div class="row apart"><h1>${t('menu.feeds')}</h1>${hasFilters && newLink}</div>
${form.summary()}
${hasFilters && filterForm(LIST, form, form.select('format', t('feeds.format'), { '': t('feeds.any_format'), ...formatTitles }), { label: t('menu.feeds') })}
${listTable(page, t('menu.feeds'), { found: feeds, numbers: [t('menu.jobs')], empty }, (feed) => ({
  [t('shared.name')]: html`<a href="${urlOf(feed)}"><b>${feed.name}</b></a>`,
  [t('shared.status')]: feedBadge(feed),
  [t('feeds.format')]: formatTitles[feed.format],
  [t('menu.jobs')]: formatNumber(feed.job_count),
  [t('feeds.last_run')]: lastRun(feed),
  [t('feeds.next_run')]: nextRun(feed),
}))}`
}

const backTo = (page: PageContext, feed?: Feed) =>
  html`<ol class="crumbs"><li>${linkTo(page, t('menu.feeds'), LIST)}</li>${feed && html`<li>${linkTo(page, feed.name, urlOf(feed))}</li>`}</ol>`

const formEnd = (page: PageContext, submit: Html, back: string) =>
  html`<div class="actions">${submit}${wayTo(page, t('shared.cancel'), back, 'quiet')}</div>`

export function renderFeedForm(page: PageContext, form: Form, feed?: Feed): Html {
  const title = t(feed ? 'feeds.edit' : 'feeds.new')
  const target = feed ? urlOf(feed) : LIST
  const body = {
    name: form.value('name') || 'voltaire',
    format: form.value('format') || 'greenhouse',
    board: 'voltaire',
  }
  const call = feed
    ? ({ does: t('feeds.edit'), method: 'PUT', path: apiOf(feed), body: { every_minutes: 60 } } as const)
    : ({ does: t('feeds.create'), method: 'POST', path: '/v1/feeds', body } as const)
  const hosted = hostedFormats.map((name) => formatTitles[name]).join(', ')
  const number = { isRequired: true, inputmode: 'numeric', autocomplete: 'off' } as const
  return consolePage(page, title, [call])`${backTo(page, feed)}
<h1>${title}</h1>
${form.summary()}
${card(
  postForm(page, target, [
    feed && editedField(form),
    form.field('name', t('shared.name'), { hint: t('feeds.name_hint'), isRequired: true, maxlength: 200 }),
    !feed &&
      form.select('format', t('feeds.format'), { '': t('feeds.choose_format'), ...formatTitles }, { isRequired: true }),
    (!feed || hostedFormats.includes(feed.format)) &&
      form.field('board', t('feeds.board'), {
        hint: t('feeds.board_hint', { formats: hosted }),
        isRequired: false,
        maxlength: 100,
        autocomplete: 'off',
      }),
    (!feed || !hostedFormats.includes(feed.format)) &&
      form.field('url', t('feeds.url'), {
        type: 'url',
        hint: t('feeds.url_hint'),
        isRequired: false,
        maxlength: 2048,
        autocomplete: 'off',
      }),
    !feed &&
      isAdmin(page) &&
      form.field('employer_id', t('feeds.employer'), {
        hint: t('feeds.employer_hint'),
        isRequired: false,
        autocomplete: 'off',
      }),
    form.field('company', t('feeds.company'), { hint: t('feeds.company_hint'), isRequired: false, maxlength: 200 }),
    form.field('every_minutes', t('feeds.every_minutes'), number),
    form.field('close_after_hours', t('feeds.close_after'), { ...number, hint: t('feeds.close_after_hint') }),
    form.checkbox('is_active', t('feeds.is_active')),
    isAdmin(page) && form.checkbox('is_prepaid', t('feeds.is_prepaid'), t('feeds.is_prepaid_hint')),
    formEnd(page, button(feed ? t('shared.save') : t('feeds.create')), target),
  ]),
)}`
}

/** Renders a feed with its runs. If the filter in `form` has faults, omits the runs. */
export function renderFeed(page: PageContext, form: Form, feed: Feed, runs?: Listed<FeedRun>): Html {
  const { name, format, url, board, employer_id, company, every_minutes, close_after_hours } = feed
  const api = apiOf(feed)
  const held = feed.last_run?.state === 'held' ? `${urlOf(feed)}/runs/${feed.last_run.id}` : `${urlOf(feed)}?state=held`
  return consolePage(page, name, [
    { does: t('feeds.get'), path: api },
    { does: t('feeds.run_now'), method: 'POST', path: `${api}/runs`, body: {} },
    { does: t('feeds.list_runs'), path: `${api}/runs${queryOf(page)}` },
  ])`<p class="crumbs"><a href="${LIST}">${t('menu.feeds')}</a></p>
<h1>${name}</h1>
${feed.state === 'held' && message(html`<p>${t('feeds.held_text')} <a href="${held}">${t('feeds.view_run')}</a></p>`, 'warn')}
${feed.state === 'failing' && message(html`<p>${t('feeds.failing_text')}</p>`, 'bad')}
${card([
  facts([
    [t('shared.status'), feedBadge(feed)],
    [t('menu.jobs'), formatNumber(feed.job_count)],
    [t('feeds.last_run'), lastRun(feed)],
    [t('feeds.next_run'), nextRun(feed)],
    [t('feeds.format'), formatTitles[format]],
    [t('feeds.board'), board],
    [t('feeds.url'), url !== null && outsideLink(url)],
    [
      t('feeds.employer'),
      isAdmin(page) && employer_id !== null && linkTo(page, employer_id, `/desk/accounts/${employer_id}`),
    ],
    [t('feeds.company'), company],
    [t('feeds.every_minutes'), formatNumber(every_minutes)],
    [t('feeds.close_after'), formatNumber(close_after_hours)],
    [t('feeds.is_prepaid'), feed.is_prepaid && t('shared.yes')],
    [t('shared.created'), moment(feed.created_at)],
    [t('feeds.id'), html`<code>${feed.id}</code>`],
  ]),
  mayWrite(page) && renderActions(page, feed),
])}
<h2 id="runs">${t('feeds.runs')}</h2>
${form.summary()}
${filterForm(urlOf(feed), form, form.select('state', t('shared.status'), optionsFor(runStates, nameOfState, t('shared.any_status'))), { label: t('feeds.runs') })}
${runs && renderRuns(page, feed, runs)}`
}

function renderActions(page: PageContext, feed: Feed): Html {
  const action = `${urlOf(feed)}/runs`
  const isFetched = feed.url !== null || feed.board !== null
  return html`<div class="actions">
${isFetched && actionButton(page, { action, text: t('feeds.run_now'), variant: 'primary' })}
${isFetched && actionButton(page, { action, text: t('feeds.dry_run'), fields: { dry_run: 'true' } })}
${buttonLink(t('shared.edit'), `${urlOf(feed)}/edit`)}
${buttonLink(t('shared.delete'), `${urlOf(feed)}/delete`, 'danger')}
</div>
${isFetched ? html`<p class="small soft">${t('feeds.dry_run_text')}</p>` : html`<p class="small soft">${t('feeds.pushed_text')}</p>`}`
}

function renderRuns(page: PageContext, feed: Feed, runs: Listed<FeedRun>): Html {
  const empty = emptyState(t('feeds.no_runs'), html`<p>${t('feeds.no_runs_text')}</p>`)
  const counted = ['created', 'updated', 'closed', 'refused'] as const
  const titles = counted.map((name) => t(`feeds.count_${name}`))
  return listTable(page, t('feeds.runs'), { found: runs, numbers: titles, empty }, (run) => ({
    [t('feeds.started')]: html`<a href="${urlOf(feed)}/runs/${run.id}">${moment(run.started_at ?? run.created_at)}</a>`,
    [t('shared.status')]: html`${stateBadge(run.state)} ${run.dry_run && badge(t('feeds.dry_run'))}`,
    ...Object.fromEntries(counted.map((name, n) => [titles[n]!, formatNumber(run.counts[name])])),
  }))
}

const counts = ['read', 'created', 'updated', 'unchanged', 'missing', 'closed', 'reopened', 'refused'] as const

export function renderRun(page: PageContext, form: Form, feed: Feed, run: FeedRun): Html {
  const { state, dry_run, problems, sample } = run
  const title = t(dry_run ? 'feeds.dry_run' : 'feeds.run')
  const path = `${urlOf(feed)}/runs/${run.id}`
  const api = `${apiOf(feed)}/runs/${run.id}`
  const calls: { does: string; path: string; method?: 'POST'; body?: object }[] = [
    { does: t('feeds.get_run'), path: api },
  ]
  if (state === 'held') calls.push({ does: t('feeds.approve'), method: 'POST', path: `${api}/approve`, body: {} })
  return consolePage(page, title, calls)`${backTo(page, feed)}
<h1>${title}</h1>
${form.summary()}
${state === 'held' && renderDecision(page, run, path)}
${state === 'succeeded' && dry_run && message(html`<p>${t('feeds.dry_run_done')}</p>`)}
${card([
  facts([
    [t('shared.status'), stateBadge(state)],
    [t('feeds.started'), run.started_at !== null && moment(run.started_at)],
    [t('feeds.finished'), run.finished_at !== null && moment(run.finished_at)],
    ...counts.map((name): [string, string] => [t(`feeds.count_${name}`), formatNumber(run.counts[name])]),
  ]),
  ['pending', 'running'].includes(state) && html`<div class="actions">${buttonLink(t('shared.refresh'), path)}</div>`,
])}
${sample && sample.length > 0 && renderSample(sample)}
<h2>${t('feeds.problems')}</h2>
${dataTable(
  t('feeds.problems'),
  { rows: problems, empty: html`<p class="soft">${t('feeds.no_problems')}</p>` },
  ({ external_id, code, detail }) => ({
    [t('feeds.posting')]: external_id ?? '–',
    [t('feeds.problem')]: html`${detail}<br><code class="small">${code}</code>`,
  }),
)}`
}

function renderDecision(page: PageContext, { counts }: FeedRun, path: string): Html {
  const reason = counts.read === 0 ? t('feeds.held_empty') : t('feeds.held_missing', { count: counts.missing })
  return message(
    html`<p><b>${reason}</b> ${t('feeds.held_question')}</p>
<div class="actions">${actionButton(page, { action: `${path}/discard`, text: t('feeds.discard') })}${actionButton(page, { action: `${path}/approve`, text: t('feeds.approve'), variant: 'danger' })}</div>`,
    'warn',
  )
}

const renderSample = (sample: NonNullable<FeedRun['sample']>): Html => html`<h2>${t('feeds.sample')}</h2>
${sample.map(({ external_id, url, title, company, location, description }) =>
  card(html`<h3>${url === null ? title : outsideLink(url, title)}</h3>
<p>${company} · ${location} · <code>${external_id}</code></p>
<p class="small soft">${description}</p>`),
)}`

export function renderDeletion(page: PageContext, form: Form, feed: Feed): Html {
  const title = t('feeds.delete')
  const call = { does: title, method: 'DELETE', path: `${apiOf(feed)}?jobs=close` } as const
  const choices = { close: t('feeds.delete_close'), keep: t('feeds.delete_keep') }
  return consolePage(page, title, [call])`${backTo(page, feed)}
<h1>${title}</h1>
<p class="lead">${t('feeds.delete_lead', { count: feed.job_count })}</p>
${form.summary()}
${card(
  postForm(page, `${urlOf(feed)}/delete`, [
    form.choices('jobs', t('menu.jobs'), choices, { type: 'radio' }),
    formEnd(page, button(title, { variant: 'danger' }), urlOf(feed)),
  ]),
)}`
}
