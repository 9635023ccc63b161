import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  confirmedAction,
  dataTable,
  emptyState,
  facts,
  linkTo,
  message,
  moment,
  pagination,
  postForm,
  type Tone,
  wayTo,
} from '../../pages/components.ts'
import { consolePage, copyable, filterForm, jsonBlock, milliseconds, queryOf } from '../../pages/console.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { describedEventTypes, type EventEnvelope } from '../events/index.ts'
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

/** Returns options with their values as labels. `any` is the label of an optional first option for any value. */
const optionsOf = (values: readonly string[], any?: string) => ({
  ...(any !== undefined && { '': any }),
  ...Object.fromEntries(values.map((value) => [value, value])),
})
const eventTypes = describedEventTypes.map(({ type }) => type)

/** A webhook with its latest deliveries. */
export interface WatchedWebhook extends Webhook {
  hours: readonly HourOfDeliveries[]
  /** Whether the latest attempt failed. */
  isFailing: boolean
}

/** Renders how the webhook is doing. An active webhook whose latest delivery failed is not healthy. */
function healthBadge({ status, hours, isFailing }: WatchedWebhook): Html {
  if (status === 'paused') return badge('Paused', 'warn')
  if (status === 'disabled') return badge('Off', 'bad')
  if (isFailing) return badge('Failing', 'bad')
  return hours.some(({ failed }) => failed > 0) ? badge('Some deliveries failed', 'warn') : badge('Healthy', 'good')
}

/** Renders the share of delivered events, and a bar for each of the last 24 hours. */
function recentDeliveries({ hours }: WatchedWebhook): Content {
  const sum = (name: 'delivered' | 'failed') => hours.reduce((total, hour) => total + hour[name], 0)
  const [delivered, failed] = [sum('delivered'), sum('failed')]
  if (delivered + failed === 0) return html`<span class="soft">None in 24 hours</span>`
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
  const rate = Math.floor((delivered / (delivered + failed)) * 1000) / 10
  return html`<svg class="spark" viewBox="0 0 ${RECENT_HOURS * 4} 20" aria-hidden="true" preserveAspectRatio="none">${bars}</svg><span class="small">${rate} % of ${(delivered + failed).toLocaleString('en')} delivered${failed > 0 && `, ${failed.toLocaleString('en')} failed`}</span>`
}

const deliveryTones: Record<WebhookDelivery['status'], Tone> = {
  pending: 'accent',
  delivered: 'good',
  exhausted: 'bad',
  canceled: 'warn',
}

const backTo = (page: PageContext, webhook: Webhook) =>
  html`<p class="crumbs">${linkTo(page, 'Webhooks', '/console/webhooks')} / ${linkTo(page, webhook.url, urlOf(webhook))}</p>`

const formEnd = (page: PageContext, submit: string, back: string, backText = 'Cancel') =>
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

/** Renders the webhooks, or only the filters if `form` has faults. */
export function renderWebhooks(page: PageContext, form: Form, webhooks?: Listed<WatchedWebhook>): Html {
  const isFiltered = queryOf(page) !== ''
  const newLink = mayWrite(page) && buttonLink('New webhook', '/console/webhooks/new', 'primary')
  const empty = isFiltered
    ? emptyState('No webhooks found', html`<p><a href="/console/webhooks">Show all webhooks</a></p>`)
    : emptyState(
        'No webhooks yet',
        html`<p>A webhook sends signed events to your URL as they happen, and retries failed deliveries.</p>${newLink}`,
      )
  const hasFilters = isFiltered || (webhooks !== undefined && webhooks.items.length > 0)
  const calls = webhooks ? [{ does: 'List the webhooks', path: `/v1/webhooks${queryOf(page)}` }] : []
  return consolePage(page, 'Webhooks', calls)`<div class="row apart"><h1>Webhooks</h1>${hasFilters && newLink}</div>
${form.summary()}
${hasFilters && filterForm('/console/webhooks', 'Webhooks', form.select('status', 'Status', optionsOf(webhookStatuses, 'Any status')))}
${
  webhooks &&
  dataTable('Webhooks', { rows: webhooks.items, empty }, (webhook) => ({
    URL: [
      html`<a href="${urlOf(webhook)}"><b class="address">${webhook.url}</b></a>`,
      webhook.description !== null && html`<br><span class="small soft">${webhook.description}</span>`,
    ],
    Status: healthBadge(webhook),
    'Last 24 hours': recentDeliveries(webhook),
    Events: eventsInShort(webhook),
    Created: moment(webhook.created_at),
  }))
}
${pagination(page, webhooks?.pagination)}`
}

const eventsInShort = ({ events }: Webhook) =>
  events.length <= 2 ? events.join(', ') : `${events.slice(0, 2).join(', ')} and ${events.length - 2} more`

export function renderWebhookForm(page: PageContext, form: Form, webhook?: Webhook): Html {
  const title = webhook ? 'Edit webhook' : 'New webhook'
  const target = webhook ? urlOf(webhook) : '/console/webhooks'
  const url = form.value('url') || 'https://receiver.example/events'
  const events = form.values('events').filter((type) => type !== '')
  const body = { url, events: events.length > 0 ? events : ['application.submitted'] }
  const call = webhook
    ? ({ does: 'Update the webhook', method: 'PUT', path: apiOf(webhook), body } as const)
    : ({ does: 'Create a webhook', method: 'POST', path: '/v1/webhooks', body } as const)
  return consolePage(page, title, [call])`${webhook && backTo(page, webhook)}
<h1>${title}</h1>
${form.summary()}
${card(
  postForm(page, target, [
    webhook && editedField(form),
    form.field('url', 'URL', {
      type: 'url',
      hint: 'A public https URL, which receives a POST request for each event.',
      isRequired: true,
      maxlength: 2048,
      placeholder: 'https://receiver.example/events',
      autocomplete: 'off',
    }),
    // Submits an empty list if nothing is selected.
    html`<input type="hidden" name="events[]" value="">`,
    html`<div class="choice-grid">${form.choices('events[]', 'Events', optionsOf(eventTypes))}</div>`,
    form.field('description', 'Description', { isRequired: false, maxlength: 500 }),
    !webhook && secretField(form, 'Secret', 'Signs the requests. Leave empty to generate one.'),
    formEnd(page, webhook ? 'Save changes' : 'Create webhook', target),
  ]),
)}`
}

const sampleCall = (webhook: Webhook, type: string | undefined = webhook.events[0]) =>
  ({ does: 'Send a sample', method: 'POST', path: `${apiOf(webhook)}/test`, body: { type } }) as const

/** Renders a new secret. No other page shows it. */
export function renderSecret(page: PageContext, webhook: Webhook, secret: string, change: 'created' | 'rotated'): Html {
  const title = change === 'created' ? 'Webhook created' : 'Secret rotated'
  return consolePage(page, title, [sampleCall(webhook)])`<h1>${title}</h1>
${message(html`<p><b>Copy the secret now.</b> You cannot see it again.</p>`, 'warn')}
${card(html`${copyable('Secret', secret)}
<p>Use it to verify the <code>X-Service-Signature</code> header or the Standard Webhooks headers of each request. <a href="/docs">Read the documentation</a>.</p>`)}
<p>${wayTo(page, 'View webhook', urlOf(webhook), 'primary')}</p>`
}

const graces = [
  { value: '86400', text: 'For a day' },
  { value: '3600', text: 'For an hour' },
  { value: '604800', text: 'For a week' },
  { value: '0', text: 'Not at all' },
]

export function renderSecretForm(page: PageContext, form: Form, webhook: Webhook): Html {
  const path = `${apiOf(webhook)}/rotate-secret`
  const call = { does: 'Rotate the secret', method: 'POST', path, body: { grace_period_seconds: 86_400 } } as const
  return consolePage(page, 'Rotate secret', [call])`${backTo(page, webhook)}
<h1>Rotate secret</h1>
<p class="lead">The new secret signs requests immediately. The previous secret also signs them for a while.</p>
${form.summary()}
${card(
  postForm(page, `${urlOf(webhook)}/rotate-secret`, [
    form.select('grace_period_seconds', 'Keep signing with the previous secret', graces),
    secretField(form, 'New secret', 'Leave empty to generate one.'),
    form.checkbox(
      'force',
      'Revoke the previous secret immediately',
      'Required while a secret from an earlier rotation is still valid. That secret then stops signing immediately.',
    ),
    formEnd(page, 'Rotate secret', urlOf(webhook)),
  ]),
)}`
}

const reasons = {
  key_revoked:
    'The API key that created or last changed this webhook was deleted or has expired. Check the URL, then resume.',
  gone: 'The receiver responded with 410 Gone. Fix the receiver, then resume.',
  failing: 'All deliveries failed for days. Fix the receiver, then resume.',
} as const

/** Renders a webhook with its deliveries. Omits the deliveries if the filter in `form` has faults. */
export function renderWebhook(
  page: PageContext,
  form: Form,
  webhook: WatchedWebhook,
  deliveries?: Listed<WebhookDelivery>,
): Html {
  const { url, events, description, status, created_at, disabled_at, disabled_reason } = webhook
  const toggle = status === 'active' ? 'paused' : 'active'
  return consolePage(page, url, [
    { does: 'List these deliveries', path: `${apiOf(webhook)}/deliveries${queryOf(page)}` },
    { does: 'Get the webhook', path: apiOf(webhook) },
    {
      does: toggle === 'paused' ? 'Pause the webhook' : 'Resume the webhook',
      method: 'PUT',
      path: apiOf(webhook),
      body: { status: toggle },
    },
    sampleCall(webhook),
  ])`<p class="crumbs"><a href="/console/webhooks">Webhooks</a></p>
<h1 class="address">${url}</h1>
${
  status === 'disabled' &&
  message(
    html`<p><b>Disabled${disabled_at !== null && html` since ${moment(disabled_at)}`}.</b> ${disabled_reason !== null && reasons[disabled_reason]} Then use <b>Recover</b> to send missed events.</p>`,
    'bad',
  )
}
${status === 'paused' && message(html`<p><b>Paused.</b> Nothing is sent. After you resume the webhook, use <b>Recover</b> to send missed events.</p>`, 'warn')}
${card([
  facts([
    ['Status', healthBadge(webhook)],
    ['Last 24 hours', recentDeliveries(webhook)],
    ['Description', description],
    ['Events', html`<ul class="bare tags">${events.map((type) => html`<li>${badge(type)}</li>`)}</ul>`],
    ['Created', moment(created_at)],
    ['ID', html`<code>${webhook.id}</code>`],
  ]),
  mayWrite(page) && renderActions(page, webhook),
])}
<h2 id="deliveries">Deliveries</h2>
${form.summary()}
${filterForm(urlOf(webhook), 'Deliveries', [
  form.select('status', 'Status', optionsOf(deliveryStates, 'Any status')),
  form.select('type', 'Type', optionsOf(eventTypes, 'Any type')),
])}
${deliveries && renderDeliveries(page, webhook, deliveries)}`
}

function renderActions(page: PageContext, webhook: Webhook): Html {
  const action = urlOf(webhook)
  const isActive = webhook.status === 'active'
  const question = html`<p>This also deletes its delivery history. Pending deliveries are not sent.</p>`
  return html`<div class="actions">
${
  isActive
    ? actionButton(page, { action, text: 'Pause', fields: { status: 'paused' } })
    : actionButton(page, { action, text: 'Resume', variant: 'primary', fields: { status: 'active' } })
}
${buttonLink('Send a sample', `${action}/test`)}
${buttonLink('Edit', `${action}/edit`)}
${isActive && buttonLink('Recover', `${action}/recover`)}
${buttonLink('Rotate secret', `${action}/secret`)}
${confirmedAction(page, { action: `${action}/delete`, text: 'Delete', question })}
</div>`
}

function renderDeliveries(page: PageContext, webhook: Webhook, deliveries: Listed<WebhookDelivery>): Html {
  const { items, pagination: numbers } = deliveries
  const { total } = numbers
  const empty =
    queryOf(page) === ''
      ? emptyState(
          'No deliveries yet',
          html`<p>New events of the selected types are sent to this webhook. You can send a sample now.</p>`,
        )
      : emptyState('No deliveries found', html`<p><a href="${urlOf(webhook)}">Show all deliveries</a></p>`)
  return html`${items.length > 0 && html`<p class="soft" role="status">${total.toLocaleString('en')} ${total === 1 ? 'delivery' : 'deliveries'}</p>`}
${dataTable('Deliveries', { rows: items, numbers: ['Attempts'], empty }, (delivery) => ({
  Event: html`<a href="${urlOf(webhook)}/deliveries/${delivery.id}"><b>${delivery.event_type}</b></a>`,
  Status: badge(delivery.status, deliveryTones[delivery.status]),
  Attempts: delivery.attempt_count,
  'Last response': delivery.last_error ?? delivery.last_response_status ?? html`<span class="soft">none yet</span>`,
  'Next attempt':
    delivery.next_attempt_at === null ? html`<span class="soft">none</span>` : moment(delivery.next_attempt_at),
  Queued: moment(delivery.created_at),
}))}
${pagination(page, numbers)}`
}

function renderAnswer(
  answer: Pick<WebhookTest, 'response_status' | 'error_class' | 'error' | 'response_excerpt'>,
): Html {
  const { response_status, error_class, error, response_excerpt } = answer
  return html`${facts([
    ['Response', response_status === null ? 'none' : html`<b>${response_status}</b>`],
    ['Error', error !== null && html`${error} <code>${error_class}</code>`],
  ])}
${
  response_excerpt !== null &&
  html`<h4>Response body</h4><pre tabindex="0" role="region" aria-label="Response body"><code>${response_excerpt}</code></pre>`
}`
}

/** Renders a request's headers without the signatures, which are not stored. */
function renderHeaders(headers: Readonly<Record<string, string>>): Html {
  const signing = ['x-service-signature', 'webhook-signature', 'webhook-timestamp']
  const lines = Object.entries({ ...headers, 'webhook-id': headers['x-service-event-id']! })
  return html`<pre tabindex="0" role="region" aria-label="Request headers"><code>${lines.map(([name, value]) => `${name}: ${value}\n`)}${signing.map((name) => html`<span class="soft">${name}: (computed for each attempt, not stored)</span>\n`)}</code></pre>`
}

export interface TestResult {
  event: EventEnvelope
  test: WebhookTest
}

export function renderTest(page: PageContext, form: Form, webhook: Webhook, sent?: TestResult): Html {
  const call = sampleCall(webhook, form.value('type') || undefined)
  const hint =
    'You can send a sample every five seconds. The request has the header X-Service-Test: true, and is not retried.'
  return consolePage(page, 'Send a sample', [call])`${backTo(page, webhook)}
<h1>Send a sample</h1>
${sent && renderTestOutcome(sent.test)}
${form.summary()}
${card(
  postForm(page, `${urlOf(webhook)}/test`, [
    form.select('type', 'Type', optionsOf(eventTypes), { hint }),
    formEnd(page, sent ? 'Send again' : 'Send now', urlOf(webhook), 'Back'),
  ]),
)}
${sent && html`<h2>Request body</h2>${jsonBlock('Request body', sent.event)}`}`
}

function renderTestOutcome(test: WebhookTest): Html {
  const { is_success, started_at, duration_ms } = test
  return html`${message(html`<p><b>${is_success ? 'The sample arrived.' : 'The sample did not arrive.'}</b></p>`, is_success ? 'good' : 'bad')}
${card(
  html`${facts([
    ['Started', moment(started_at)],
    ['Duration', milliseconds(duration_ms)],
  ])}${renderAnswer(test)}`,
)}`
}

interface DeliveryPage {
  webhook: Webhook
  delivery: WebhookDeliveryDetail
  event: EventEnvelope | undefined
}

/** Renders a delivery with all of its attempts. */
export function renderDelivery(page: PageContext, form: Form, { webhook, delivery, event }: DeliveryPage): Html {
  const { id, event_id, event_type, status, next_attempt_at, created_at, settled_at, attempts } = delivery
  const action = `${urlOf(webhook)}/deliveries/${id}`
  const api = `${apiOf(webhook)}/deliveries/${id}`
  return consolePage(page, `Delivery of ${event_type}`, [
    { does: 'Get the delivery', path: api },
    { does: 'Retry the delivery', method: 'POST', path: `${api}/retry`, body: {} },
  ])`${backTo(page, webhook)}
<div class="row apart"><h1>${event_type}</h1>${
    mayWrite(page) && actionButton(page, { action: `${action}/retry`, text: 'Retry now', variant: 'primary' })
  }</div>
${form.summary()}
${card(
  facts([
    ['Status', badge(status, deliveryTones[status])],
    ['Queued', moment(created_at)],
    ['Next attempt', next_attempt_at !== null && moment(next_attempt_at)],
    ['Completed', settled_at !== null && moment(settled_at)],
    ['Not attempted', attempts.length === 0 && delivery.last_error],
    [
      'Event',
      page.has('/console/events/:id')
        ? html`<a class="code" href="/console/events/${event_id}">${event_id}</a>`
        : html`<code>${event_id}</code>`,
    ],
    ['Delivery', html`<code>${id}</code>`],
  ]),
)}
<h2>Attempts</h2>
${
  attempts.length === 0
    ? emptyState('No attempts yet', html`<p><a href="${action}">Refresh</a></p>`)
    : html`<ol class="bare attempts" reversed>${attempts.toReversed().map((attempt) => renderAttempt(delivery, attempt))}</ol>`
}
<h2>Request body</h2>
<p class="soft">Every attempt sends this body on one line. Line breaks are added here for readability.</p>
${event ? jsonBlock('Request body', event) : html`<p>The event was deleted.</p>`}`
}

function renderAttempt(
  { id, event_id, event_type }: WebhookDeliveryDetail,
  attempt: WebhookDeliveryDetail['attempts'][number],
): Html {
  const { number, trigger, started_at, duration_ms, error_class } = attempt
  const headers = describingHeaders({ eventId: event_id, eventType: event_type, deliveryId: id, number })
  return html`<li class="panel"><div class="row apart"><h3>Attempt ${number}</h3>${error_class === null ? badge('delivered', 'good') : badge('failed', 'bad')}</div>
${facts([
  ['Started', moment(started_at)],
  ['Duration', milliseconds(duration_ms)],
  ['Trigger', trigger === 'manual' ? 'manual retry' : 'schedule'],
])}
${renderAnswer(attempt)}
<details><summary>Request headers</summary>${renderHeaders(headers)}</details></li>`
}

export function renderRecoveryForm(page: PageContext, form: Form, webhook: Webhook): Html {
  const since = form.value('since')
  const until = form.value('until')
  const body = { since, ...(until !== '' && { until }) }
  const path = `${apiOf(webhook)}/recover`
  return consolePage(page, 'Recover events', [
    { does: 'Recover events', method: 'POST', path, body },
  ])`${backTo(page, webhook)}
<h1>Recover events</h1>
<p class="lead">Sends the events in a period that were never delivered. Delivered events are not sent again.</p>
${form.summary()}
${card(
  postForm(page, `${urlOf(webhook)}/recover`, [
    html`<div class="row">${form.field('since', 'Since', {
      hint: 'A day such as 2026-03-02, or a time such as 2026-03-02T09:00:00Z.',
      isRequired: true,
      autocomplete: 'off',
    })}
${form.field('until', 'Until', {
  hint: 'Use the same format as “Since”. Leave empty for the current time.',
  isRequired: false,
  autocomplete: 'off',
})}</div>`,
    formEnd(page, 'Recover', urlOf(webhook)),
  ]),
)}`
}

const recoveryTones: Record<WebhookRecovery['status'], Tone> = { running: 'accent', done: 'good', canceled: 'bad' }

export function renderRecovery(page: PageContext, webhook: Webhook, recovery: WebhookRecovery): Html {
  const { id, since, until, status, examined, created, requeued, unchanged, finished_at } = recovery
  const call = { does: 'Get the progress', path: `${apiOf(webhook)}/recoveries/${id}` }
  return consolePage(page, 'Recovery', [call])`${backTo(page, webhook)}
<h1>Recovery</h1>
${card(
  facts([
    ['Status', badge(status, recoveryTones[status])],
    ['Reason', status === 'canceled' && 'The webhook is no longer active.'],
    ['Events', html`${moment(since)} to ${moment(until)}`],
    ['Events checked', examined.toLocaleString('en')],
    ['Queued for the first time', created.toLocaleString('en')],
    ['Queued again', requeued.toLocaleString('en')],
    ['Already delivered or pending', unchanged.toLocaleString('en')],
    ['Finished', finished_at !== null && moment(finished_at)],
  ]),
)}
<div class="actions">${status === 'running' && buttonLink('Refresh', `${urlOf(webhook)}/recoveries/${id}`)}${buttonLink('View deliveries', urlOf(webhook), 'primary')}</div>`
}
