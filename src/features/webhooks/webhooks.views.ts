import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  confirmedAction,
  emptyState,
  facts,
  filterForm,
  linkTo,
  listTable,
  message,
  moment,
  noneFound,
  postForm,
  type Tone,
  wayTo,
} from '../../pages/components.ts'
import { consolePage, copyable, jsonBlock, milliseconds, queryOf } from '../../pages/console.ts'
import { editedField } from '../../pages/editing.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { linkingTo, rich, sentences } from '../../pages/text.ts'
import { type EventEnvelope, eventTypeOptions } from '../events/index.ts'
import type { HourOfDeliveries } from './webhooks.queries.ts'
import { RECENT_HOURS } from './webhooks.schedule.ts'
import {
  deliveryStates,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookRecovery,
  type WebhookTest,
  webhookStatuses,
} from './webhooks.schemas.ts'
import { describingHeaders } from './webhooks.signature.ts'

const urlOf = ({ id }: Pick<Webhook, 'id'>) => `/console/webhooks/${id}`
const apiOf = ({ id }: Pick<Webhook, 'id'>) => `/v1/webhooks/${id}`
const mayWrite = ({ actor }: PageContext) => actor?.scopes.includes('webhooks:write') === true

/** A webhook with the results of its latest deliveries. */
export interface WatchedWebhook extends Webhook {
  hours: readonly HourOfDeliveries[]
  /** Whether the latest attempt failed. */
  isFailing: boolean
  /** The latest failed attempt, if any. `status` is null if the receiver returned no response. */
  lastFailure: { at: string; status: number | null } | undefined
}

/** Renders a webhook's health. An active webhook is healthy unless its latest attempt or a recent delivery failed. */
function healthBadge({ status, hours, isFailing }: WatchedWebhook): Html {
  if (status === 'paused') return badge(nameOfStatus(status), 'warn')
  if (status === 'disabled') return badge(nameOfStatus(status), 'bad')
  if (isFailing) return badge(t('webhooks.failing'), 'bad')
  return hours.some(({ failed }) => failed > 0)
    ? badge(t('webhooks.some_failed'), 'warn')
    : badge(t('webhooks.healthy'), 'good')
}

/** Renders the share of delivered events, and a bar for each of the last 24 hours. */
function recentDeliveries({ hours }: WatchedWebhook): Content {
  const sum = (name: 'delivered' | 'failed') => hours.reduce((total, hour) => total + hour[name], 0)
  const [delivered, failed] = [sum('delivered'), sum('failed')]
  if (delivered + failed === 0) return html`<span class="soft">${t('webhooks.none_recent')}</span>`
  const most = Math.max(...hours.map((hour) => hour.delivered + hour.failed))
  const bars = Array.from({ length: RECENT_HOURS }, (_, n) => {
    const hour = hours.find(({ hours_ago }) => hours_ago === RECENT_HOURS - 1 - n)
    const [good, bad] = [hour?.delivered ?? 0, hour?.failed ?? 0].map((count) => Math.round((count / most) * 18)) as [
      number,
      number,
    ]
    const isEmpty = !hour || hour.delivered + hour.failed === 0
    if (isEmpty) return html`<rect class="none" x="${n * 4}" y="18" width="3" height="2"/>`
    const [top, low] = [Math.max(good, hour.delivered > 0 ? 2 : 0), Math.max(bad, hour.failed > 0 ? 2 : 0)]
    return html`<rect x="${n * 4}" y="${20 - top - low}" width="3" height="${top}"/><rect class="f" x="${n * 4}" y="${20 - low}" width="3" height="${low}"/>`
  })
  const values = {
    rate: formatNumber(Math.floor((delivered / (delivered + failed)) * 1000) / 10),
    total: formatNumber(delivered + failed),
    failed: formatNumber(failed),
  }
  return html`<svg class="spark" viewBox="0 0 ${RECENT_HOURS * 4} 20" aria-hidden="true" preserveAspectRatio="none">${bars}</svg><span class="small">${t(failed > 0 ? 'webhooks.rate_failed' : 'webhooks.rate', values)}</span>`
}

/** Renders the time of the latest failed attempt, and the status of its response. */
const lastFailureOf = ({ lastFailure }: WatchedWebhook): Content =>
  lastFailure
    ? html`${moment(lastFailure.at)}<br><span class="small soft">${lastFailure.status === null ? t('webhooks.no_answer') : t('webhooks.answer', { status: String(lastFailure.status) })}</span>`
    : html`<span class="soft">${t('webhooks.none')}</span>`

const nameOfStatus = (status: Webhook['status']) => t(`webhooks.status_${status}`)
const nameOfDelivery = (status: WebhookDelivery['status']) => t(`webhooks.delivery_${status}`)

const deliveryTones: Record<WebhookDelivery['status'], Tone> = {
  pending: 'accent',
  delivered: 'good',
  exhausted: 'bad',
  canceled: 'warn',
}

const backTo = (page: PageContext, webhook: Webhook) =>
  html`<ol class="crumbs"><li>${linkTo(page, t('webhooks.title'), '/console/webhooks')}</li><li>${linkTo(page, webhook.url, urlOf(webhook))}</li></ol>`

const formEnd = (page: PageContext, submit: string, back: string, backText = t('shared.cancel')) =>
  html`<div class="actions">${button(submit)}${wayTo(page, backText, back, 'quiet')}</div>`

const secretField = (form: Form, label: string, hint: string) =>
  form.field('secret', label, {
    type: 'password',
    hint,
    isRequired: false,
    minlength: 16,
    maxlength: 256,
    autocomplete: 'off',
  })

/** Renders the webhooks. If `form` has faults, renders only the filters. */
export function renderWebhooks(page: PageContext, form: Form, webhooks?: Listed<WatchedWebhook>): Html {
  const isFiltered = queryOf(page) !== ''
  const newLink = mayWrite(page) && buttonLink(t('webhooks.new'), '/console/webhooks/new', 'primary')
  const empty = isFiltered
    ? noneFound(t('webhooks.none_found'), '/console/webhooks', t('webhooks.show_all'))
    : emptyState(t('webhooks.none_yet'), html`<p>${t('webhooks.none_yet_text')}</p>${newLink}`)
  const hasFilters = isFiltered || (webhooks !== undefined && webhooks.items.length > 0)
  const calls = webhooks ? [{ does: t('webhooks.list'), path: `/v1/webhooks${queryOf(page)}` }] : []
  return consolePage(
    page,
    t('webhooks.title'),
    calls,
  )`<div class="row apart"><h1>${t('webhooks.title')}</h1>${hasFilters && newLink}</div>
${form.summary()}
${hasFilters && filterForm('/console/webhooks', form, form.select('status', t('shared.status'), optionsFor(webhookStatuses, nameOfStatus, t('shared.any_status'))), { label: t('webhooks.title') })}
${listTable(page, t('webhooks.title'), { found: webhooks, empty }, (webhook) => ({
  URL: [
    html`<a href="${urlOf(webhook)}"><b class="address">${webhook.url}</b></a>`,
    webhook.description !== null && html`<br><span class="small soft">${webhook.description}</span>`,
  ],
  [t('shared.status')]: healthBadge(webhook),
  [t('webhooks.last_day')]: recentDeliveries(webhook),
  [t('webhooks.last_failure')]: lastFailureOf(webhook),
  [t('shared.events')]: eventsInShort(webhook),
  [t('shared.created')]: moment(webhook.created_at),
}))}`
}

const eventsInShort = ({ events }: Webhook) =>
  events.length <= 2
    ? events.join(', ')
    : t('webhooks.events_more', { events: events.slice(0, 2).join(', '), count: events.length - 2 })

export function renderWebhookForm(page: PageContext, form: Form, webhook?: Webhook): Html {
  const title = t(webhook ? 'webhooks.edit' : 'webhooks.new')
  const target = webhook ? urlOf(webhook) : '/console/webhooks'
  const url = form.value('url') || 'https://receiver.example/events'
  const events = form.values('events').filter((type) => type !== '')
  const body = { url, events: events.length > 0 ? events : ['application.submitted'] }
  const call = webhook
    ? ({ does: t('webhooks.update'), method: 'PUT', path: apiOf(webhook), body } as const)
    : ({ does: t('webhooks.create_call'), method: 'POST', path: '/v1/webhooks', body } as const)
  return consolePage(page, title, [call])`${webhook && backTo(page, webhook)}
<h1>${title}</h1>
${form.summary()}
${card(
  postForm(page, target, [
    webhook && editedField(form),
    form.field('url', t('webhooks.url'), {
      type: 'url',
      hint: t('webhooks.url_hint'),
      isRequired: true,
      maxlength: 2048,
      placeholder: 'https://receiver.example/events',
      autocomplete: 'off',
    }),
    // Sends an empty list if nothing is selected.
    html`<input type="hidden" name="events[]" value="">`,
    html`<div class="choice-grid">${form.choices('events[]', t('shared.events'), eventTypeOptions())}</div>`,
    form.field('description', t('shared.description'), { isRequired: false, maxlength: 500 }),
    !webhook && secretField(form, t('webhooks.secret'), t('webhooks.secret_hint')),
    formEnd(page, t(webhook ? 'webhooks.save' : 'webhooks.create'), target),
  ]),
)}`
}

const sampleCall = (webhook: Webhook, type: string | undefined = webhook.events[0]) =>
  ({ does: t('webhooks.send_sample'), method: 'POST', path: `${apiOf(webhook)}/test`, body: { type } }) as const

/** Renders a new secret. No other page shows it. */
export function renderSecret(page: PageContext, webhook: Webhook, secret: string, change: 'created' | 'rotated'): Html {
  const title = t(change === 'created' ? 'webhooks.created' : 'webhooks.secret_rotated')
  return consolePage(page, title, [sampleCall(webhook)])`<h1>${title}</h1>
${message(html`<p>${rich('webhooks.copy_secret')}</p>`, 'warn')}
${card(html`${copyable(t('webhooks.secret'), secret)}
<p>${rich('webhooks.secret_use', { link: linkingTo('/docs') })}</p>`)}
<p>${wayTo(page, t('webhooks.view'), urlOf(webhook), 'primary')}</p>`
}

const graces = () => [
  { value: '86400', text: t('webhooks.grace_day') },
  { value: '3600', text: t('webhooks.grace_hour') },
  { value: '604800', text: t('webhooks.grace_week') },
  { value: '0', text: t('webhooks.grace_none') },
]

export function renderSecretForm(page: PageContext, form: Form, webhook: Webhook): Html {
  const path = `${apiOf(webhook)}/rotate-secret`
  const call = {
    does: t('webhooks.rotate_call'),
    method: 'POST',
    path,
    body: { grace_period_seconds: 86_400 },
  } as const
  return consolePage(page, t('webhooks.rotate'), [call])`${backTo(page, webhook)}
<h1>${t('webhooks.rotate')}</h1>
<p class="lead">${t('webhooks.rotate_lead')}</p>
${form.summary()}
${card(
  postForm(page, `${urlOf(webhook)}/rotate-secret`, [
    form.select('grace_period_seconds', t('webhooks.rotate_keep'), graces()),
    secretField(form, t('webhooks.new_secret'), t('webhooks.new_secret_hint')),
    form.checkbox('force', t('webhooks.force'), t('webhooks.force_hint')),
    formEnd(page, t('webhooks.rotate'), urlOf(webhook)),
  ]),
)}`
}

/** Renders a webhook with its deliveries. If the filter in `form` has faults, omits the deliveries. */
export function renderWebhook(
  page: PageContext,
  form: Form,
  webhook: WatchedWebhook,
  deliveries?: Listed<WebhookDelivery>,
): Html {
  const { url, events, description, status, created_at, disabled_at, disabled_reason } = webhook
  const toggle = status === 'active' ? 'paused' : 'active'
  return consolePage(page, url, [
    { does: t('webhooks.list_deliveries'), path: `${apiOf(webhook)}/deliveries${queryOf(page)}` },
    { does: t('webhooks.get'), path: apiOf(webhook) },
    {
      does: t(toggle === 'paused' ? 'webhooks.pause_call' : 'webhooks.resume_call'),
      method: 'PUT',
      path: apiOf(webhook),
      body: { status: toggle },
    },
    sampleCall(webhook),
  ])`<p class="crumbs"><a href="/console/webhooks">${t('webhooks.title')}</a></p>
<h1 class="address">${url}</h1>
${
  status === 'disabled' &&
  message(
    html`<p><b>${disabled_at === null ? t('webhooks.disabled') : rich('webhooks.disabled_since', { time: moment(disabled_at) })}</b> ${sentences(disabled_reason !== null && t(`webhooks.reason_${disabled_reason}`), rich('webhooks.then_recover'))}</p>`,
    'bad',
  )
}
${status === 'paused' && message(html`<p>${rich('webhooks.paused_text')}</p>`, 'warn')}
${card([
  facts([
    [t('shared.status'), healthBadge(webhook)],
    [t('webhooks.last_day'), recentDeliveries(webhook)],
    [t('webhooks.last_failure'), lastFailureOf(webhook)],
    [t('shared.description'), description],
    [t('shared.events'), html`<ul class="bare tags">${events.map((type) => html`<li>${badge(type)}</li>`)}</ul>`],
    [t('shared.created'), moment(created_at)],
    [t('webhooks.id'), html`<code>${webhook.id}</code>`],
  ]),
  mayWrite(page) && renderActions(page, webhook),
])}
<h2 id="deliveries">${t('webhooks.deliveries')}</h2>
${form.summary()}
${filterForm(
  urlOf(webhook),
  form,
  [
    form.select('status', t('shared.status'), optionsFor(deliveryStates, nameOfDelivery, t('shared.any_status'))),
    form.select('type', t('shared.type'), eventTypeOptions(t('shared.any_type'))),
  ],
  { label: t('webhooks.deliveries') },
)}
${deliveries && renderDeliveries(page, webhook, deliveries)}`
}

function renderActions(page: PageContext, webhook: Webhook): Html {
  const action = urlOf(webhook)
  const isActive = webhook.status === 'active'
  const question = html`<p>${t('webhooks.delete_question')}</p>`
  return html`<div class="actions">
${
  isActive
    ? actionButton(page, { action, text: t('webhooks.pause'), fields: { status: 'paused' } })
    : actionButton(page, { action, text: t('webhooks.resume'), variant: 'primary', fields: { status: 'active' } })
}
${buttonLink(t('webhooks.send_sample'), `${action}/test`)}
${buttonLink(t('shared.edit'), `${action}/edit`)}
${isActive && buttonLink(t('webhooks.recover'), `${action}/recover`)}
${buttonLink(t('webhooks.rotate'), `${action}/secret`)}
${confirmedAction(page, { action: `${action}/delete`, text: t('shared.delete'), question })}
</div>`
}

function renderDeliveries(page: PageContext, webhook: Webhook, deliveries: Listed<WebhookDelivery>): Html {
  const { items, pagination } = deliveries
  const empty =
    queryOf(page) === ''
      ? emptyState(t('webhooks.no_deliveries_yet'), html`<p>${t('webhooks.no_deliveries_yet_text')}</p>`)
      : noneFound(t('webhooks.no_deliveries_found'), urlOf(webhook), t('webhooks.show_all_deliveries'))
  return html`${items.length > 0 && html`<p class="soft" role="status">${t('webhooks.delivery_count', { count: pagination.total })}</p>`}
${listTable(
  page,
  t('webhooks.deliveries'),
  { found: deliveries, numbers: [t('webhooks.attempts')], empty },
  (delivery) => ({
    [t('shared.event')]: html`<a href="${urlOf(webhook)}/deliveries/${delivery.id}"><b>${delivery.event_type}</b></a>`,
    [t('shared.status')]: badge(nameOfDelivery(delivery.status), deliveryTones[delivery.status]),
    [t('webhooks.attempts')]: delivery.attempt_count,
    [t('webhooks.last_response')]:
      delivery.last_error ?? delivery.last_response_status ?? html`<span class="soft">${t('shared.none_yet')}</span>`,
    [t('webhooks.next_attempt')]:
      delivery.next_attempt_at === null
        ? html`<span class="soft">${t('webhooks.none')}</span>`
        : moment(delivery.next_attempt_at),
    [t('webhooks.queued')]: moment(delivery.created_at),
  }),
)}`
}

function renderAnswer(
  answer: Pick<WebhookTest, 'response_status' | 'error_class' | 'error' | 'response_excerpt'>,
): Html {
  const { response_status, error_class, error, response_excerpt } = answer
  return html`${facts([
    [t('webhooks.response'), response_status === null ? t('webhooks.no_response') : html`<b>${response_status}</b>`],
    [t('webhooks.error'), error !== null && html`${error} <code>${error_class}</code>`],
  ])}
${
  response_excerpt !== null &&
  html`<h4>${t('webhooks.response_body')}</h4><pre tabindex="0" role="region" aria-label="${t('webhooks.response_body')}"><code>${response_excerpt}</code></pre>`
}`
}

/** Renders the headers of a request. Shows only the names of the signature headers, whose values are not stored. */
function renderHeaders(headers: Readonly<Record<string, string>>): Html {
  const signing = ['x-service-signature', 'webhook-signature', 'webhook-timestamp']
  const lines = Object.entries({ ...headers, 'webhook-id': headers['x-service-event-id']! })
  return html`<pre tabindex="0" role="region" aria-label="${t('webhooks.request_headers')}"><code>${lines.map(([name, value]) => `${name}: ${value}\n`)}${signing.map((name) => html`<span class="soft">${name}: ${t('webhooks.not_stored')}</span>\n`)}</code></pre>`
}

export interface TestResult {
  event: EventEnvelope
  test: WebhookTest
}

export function renderTest(page: PageContext, form: Form, webhook: Webhook, sent?: TestResult): Html {
  const call = sampleCall(webhook, form.value('type') || undefined)
  const hint = t('webhooks.sample_hint')
  return consolePage(page, t('webhooks.send_sample'), [call])`${backTo(page, webhook)}
<h1>${t('webhooks.send_sample')}</h1>
${sent && renderTestOutcome(sent.test)}
${form.summary()}
${card(
  postForm(page, `${urlOf(webhook)}/test`, [
    form.select('type', t('shared.type'), eventTypeOptions(), { hint }),
    formEnd(page, t(sent ? 'webhooks.send_again' : 'webhooks.send_now'), urlOf(webhook), t('webhooks.back')),
  ]),
)}
${sent && html`<h2>${t('webhooks.request_body')}</h2>${jsonBlock(t('webhooks.request_body'), sent.event)}`}`
}

function renderTestOutcome(test: WebhookTest): Html {
  const { is_success, started_at, duration_ms } = test
  return html`${message(html`<p><b>${t(is_success ? 'webhooks.sample_arrived' : 'webhooks.sample_lost')}</b></p>`, is_success ? 'good' : 'bad')}
${card(
  html`${facts([
    [t('webhooks.started'), moment(started_at)],
    [t('webhooks.duration'), milliseconds(duration_ms)],
  ])}${renderAnswer(test)}`,
)}`
}

export function renderDelivery(
  page: PageContext,
  form: Form,
  { webhook, delivery, event }: { webhook: Webhook; delivery: WebhookDeliveryDetail; event: EventEnvelope | undefined },
): Html {
  const { id, event_id, event_type, status, next_attempt_at, created_at, settled_at, attempts } = delivery
  const action = `${urlOf(webhook)}/deliveries/${id}`
  const api = `${apiOf(webhook)}/deliveries/${id}`
  return consolePage(page, t('webhooks.delivery_of', { type: event_type }), [
    { does: t('webhooks.get_delivery'), path: api },
    { does: t('webhooks.retry_delivery'), method: 'POST', path: `${api}/retry`, body: {} },
  ])`${backTo(page, webhook)}
<div class="row apart"><h1>${event_type}</h1>${
    mayWrite(page) &&
    actionButton(page, { action: `${action}/retry`, text: t('webhooks.retry_now'), variant: 'primary' })
  }</div>
${form.summary()}
${card(
  facts([
    [t('shared.status'), badge(nameOfDelivery(status), deliveryTones[status])],
    [t('webhooks.queued'), moment(created_at)],
    [t('webhooks.next_attempt'), next_attempt_at !== null && moment(next_attempt_at)],
    [t('webhooks.completed'), settled_at !== null && moment(settled_at)],
    [t('webhooks.not_attempted'), attempts.length === 0 && delivery.last_error],
    [
      t('shared.event'),
      page.has('/console/events/:id')
        ? html`<a class="code" href="/console/events/${event_id}">${event_id}</a>`
        : html`<code>${event_id}</code>`,
    ],
    [t('webhooks.delivery'), html`<code>${id}</code>`],
  ]),
)}
<h2>${t('webhooks.attempts')}</h2>
${
  attempts.length === 0
    ? emptyState(t('webhooks.no_attempts'), html`<p><a href="${action}">${t('shared.refresh')}</a></p>`)
    : html`<ol class="bare attempts" reversed>${attempts.toReversed().map((attempt) => renderAttempt(delivery, attempt))}</ol>`
}
<h2>${t('webhooks.request_body')}</h2>
<p class="soft">${t('webhooks.body_note')}</p>
${event ? jsonBlock(t('webhooks.request_body'), event) : html`<p>${t('webhooks.event_deleted')}</p>`}`
}

function renderAttempt(
  { id, event_id, event_type }: WebhookDeliveryDetail,
  attempt: WebhookDeliveryDetail['attempts'][number],
): Html {
  const { number, trigger, started_at, duration_ms, error_class } = attempt
  const headers = describingHeaders({ eventId: event_id, eventType: event_type, deliveryId: id, number })
  return html`<li class="panel"><div class="row apart"><h3>${t('webhooks.attempt', { number })}</h3>${error_class === null ? badge(nameOfDelivery('delivered'), 'good') : badge(t('shared.failed'), 'bad')}</div>
${facts([
  [t('webhooks.started'), moment(started_at)],
  [t('webhooks.duration'), milliseconds(duration_ms)],
  [t('webhooks.trigger'), t(trigger === 'manual' ? 'webhooks.trigger_manual' : 'webhooks.trigger_schedule')],
])}
${renderAnswer(attempt)}
<details><summary>${t('webhooks.request_headers')}</summary>${renderHeaders(headers)}</details></li>`
}

export function renderRecoveryForm(page: PageContext, form: Form, webhook: Webhook): Html {
  const since = form.value('since')
  const until = form.value('until')
  const body = { since, ...(until !== '' && { until }) }
  const path = `${apiOf(webhook)}/recover`
  return consolePage(page, t('webhooks.recover_events'), [
    { does: t('webhooks.recover_events'), method: 'POST', path, body },
  ])`${backTo(page, webhook)}
<h1>${t('webhooks.recover_events')}</h1>
<p class="lead">${t('webhooks.recover_lead')}</p>
${form.summary()}
${card(
  postForm(page, `${urlOf(webhook)}/recover`, [
    html`<div class="row">${form.field('since', t('webhooks.since'), {
      hint: t('webhooks.since_hint'),
      isRequired: true,
      autocomplete: 'off',
    })}
${form.field('until', t('webhooks.until'), {
  hint: t('webhooks.until_hint'),
  isRequired: false,
  autocomplete: 'off',
})}</div>`,
    formEnd(page, t('webhooks.recover'), urlOf(webhook)),
  ]),
)}`
}

const recoveryTones: Record<WebhookRecovery['status'], Tone> = { running: 'accent', done: 'good', canceled: 'bad' }

export function renderRecovery(page: PageContext, webhook: Webhook, recovery: WebhookRecovery): Html {
  const { id, since, until, status, examined, created, requeued, unchanged, finished_at } = recovery
  const call = { does: t('webhooks.get_progress'), path: `${apiOf(webhook)}/recoveries/${id}` }
  return consolePage(page, t('webhooks.recovery'), [call])`${backTo(page, webhook)}
<h1>${t('webhooks.recovery')}</h1>
${card(
  facts([
    [t('shared.status'), badge(t(`webhooks.recovery_${status}`), recoveryTones[status])],
    [t('webhooks.reason'), status === 'canceled' && t('webhooks.not_active')],
    [t('webhooks.recovery_period'), rich('webhooks.period', { since: moment(since), until: moment(until) })],
    [t('webhooks.checked'), formatNumber(examined)],
    [t('webhooks.queued_first'), formatNumber(created)],
    [t('webhooks.queued_again'), formatNumber(requeued)],
    [t('webhooks.unchanged'), formatNumber(unchanged)],
    [t('webhooks.finished'), finished_at !== null && moment(finished_at)],
  ]),
)}
<div class="actions">${status === 'running' && buttonLink(t('shared.refresh'), `${urlOf(webhook)}/recoveries/${id}`)}${buttonLink(t('webhooks.view_deliveries'), urlOf(webhook), 'primary')}</div>`
}
