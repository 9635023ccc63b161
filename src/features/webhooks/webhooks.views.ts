import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  checkbox,
  choices,
  confirmedAction,
  emptyState,
  facts,
  faultSummary,
  field,
  linkTo,
  message,
  moment,
  type PageNumbers,
  pagination,
  postForm,
  select,
  type Tone,
  table,
  wayTo,
} from '../../pages/components.ts'
import {
  apiCalls,
  type Call,
  COPY_MODULE,
  consoleTabs,
  copyable,
  jsonBlock,
  milliseconds,
  queryOf,
} from '../../pages/console.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { describedEventTypes, type EventEnvelope } from '../events/index.ts'
import { describingHeaders } from './webhooks.headers.ts'
import {
  deliveryStates,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookRecovery,
  type WebhookTest,
  webhookStatuses,
} from './webhooks.schemas.ts'

const urlOf = ({ id }: Pick<Webhook, 'id'>) => `/console/webhooks/${id}`
const apiOf = ({ id }: Pick<Webhook, 'id'>) => `/v1/webhooks/${id}`
const mayWrite = ({ actor }: PageContext) => actor?.scopes.includes('webhooks:write') === true
const option = (value: string) => ({ value, text: value })
const allTypes = describedEventTypes.map(({ type }) => option(type))

const webhookTones: Record<Webhook['status'], Tone> = { active: 'good', paused: 'warn', disabled: 'bad' }
const deliveryTones: Record<WebhookDelivery['status'], Tone> = {
  pending: 'accent',
  delivered: 'good',
  exhausted: 'bad',
  canceled: 'warn',
}

/** Renders a console page around its content. */
function renderConsole(
  page: PageContext,
  title: string,
  content: Content,
  calls: readonly (Call & { does: string })[],
): Html {
  return renderDocument(
    page,
    { title, modules: [COPY_MODULE] },
    html`<div class="console">${consoleTabs(page)}${content}${calls.length > 0 && apiCalls(page, calls)}</div>`,
  )
}

/** Renders the breadcrumb of a page below a webhook. */
const backTo = (page: PageContext, webhook: Webhook) =>
  html`<p class="breadcrumb">${linkTo(page, 'Webhooks', '/console/webhooks')} / ${linkTo(page, webhook.url, urlOf(webhook))}</p>`

export function renderWebhooks(
  page: PageContext,
  form: Form,
  webhooks: readonly Webhook[],
  meta: Partial<PageNumbers>,
): Html {
  const { total = 0, page: number = 1, pages = 1 } = meta
  const isFaulty = form.faults.length > 0
  const isFiltered = queryOf(page) !== ''
  const newLink = mayWrite(page) && buttonLink('New webhook', '/console/webhooks/new', 'primary')
  const list =
    webhooks.length === 0
      ? emptyState(
          isFiltered ? 'No webhooks found' : 'No webhooks yet',
          isFiltered
            ? html`<p><a href="/console/webhooks">Show all webhooks</a></p>`
            : html`<p>A webhook sends signed events to your URL as they happen, and retries failed deliveries.</p>${newLink}`,
        )
      : table(
          'Webhooks',
          [
            {
              title: 'URL',
              cell: (webhook: Webhook) => [
                html`<a href="${urlOf(webhook)}"><b class="address">${webhook.url}</b></a>`,
                webhook.description !== null && html`<br><span class="small soft">${webhook.description}</span>`,
              ],
            },
            { title: 'Status', cell: ({ status }: Webhook) => badge(status, webhookTones[status]) },
            {
              title: 'Events',
              cell: ({ events }: Webhook) =>
                events.length <= 2
                  ? events.join(', ')
                  : `${events.slice(0, 2).join(', ')} and ${events.length - 2} more`,
            },
            { title: 'Created', cell: ({ created_at }: Webhook) => moment(created_at) },
          ],
          webhooks,
        )
  return renderConsole(
    page,
    'Webhooks',
    html`<div class="cluster apart"><h1>Webhooks</h1>${(webhooks.length > 0 || isFiltered) && newLink}</div>
${faultSummary(form)}
${
  (webhooks.length > 0 || isFiltered) &&
  html`<form action="/console/webhooks" class="console-filters" role="search" aria-label="Webhooks"><div class="row">
${select({ form, name: 'status', label: 'Status', options: [{ value: '', text: 'Any status' }, ...webhookStatuses.map(option)] })}
${button('Filter', { variant: 'secondary' })}</div></form>`
}
${!isFaulty && list}
${pagination(page, { total, page: number, pages })}`,
    isFaulty ? [] : [{ does: 'List the webhooks', path: `/v1/webhooks${queryOf(page)}` }],
  )
}

/** Renders the form of a new or existing webhook. */
export function renderWebhookForm(page: PageContext, form: Form, webhook: Webhook | undefined): Html {
  const title = webhook ? 'Edit webhook' : 'New webhook'
  const url = form.value('url') || 'https://receiver.example/events'
  const events = form.values('events').filter((type) => type !== '')
  const body = { url, events: events.length > 0 ? events : ['application.submitted'] }
  return renderConsole(
    page,
    title,
    html`${webhook && backTo(page, webhook)}
<h1>${title}</h1>
${faultSummary(form)}
${card(
  postForm(page, webhook ? urlOf(webhook) : '/console/webhooks', [
    webhook && editedField(form),
    field({
      form,
      name: 'url',
      label: 'URL',
      type: 'url',
      hint: 'A public https URL. It gets a POST request for each event.',
      isRequired: true,
      more: { maxlength: 2048, placeholder: 'https://receiver.example/events', autocomplete: 'off' },
    }),
    // Makes the form send an empty list if nothing is selected.
    html`<input type="hidden" name="events[]" value="">`,
    html`<div class="choice-grid">${choices({ form, name: 'events[]', label: 'Events', options: allTypes })}</div>`,
    field({ form, name: 'description', label: 'Description', isRequired: false, more: { maxlength: 500 } }),
    !webhook &&
      field({
        form,
        name: 'secret',
        label: 'Secret',
        type: 'password',
        hint: 'Signs the requests. Leave empty to generate one.',
        isRequired: false,
        more: { minlength: 16, maxlength: 256, autocomplete: 'off' },
      }),
    html`<div class="actions">${button(webhook ? 'Save changes' : 'Create webhook')}${wayTo(page, 'Cancel', webhook ? urlOf(webhook) : '/console/webhooks', 'quiet')}</div>`,
  ]),
)}`,
    [
      webhook
        ? { does: 'Update the webhook', method: 'PUT', path: apiOf(webhook), body }
        : { does: 'Create a webhook', method: 'POST', path: '/v1/webhooks', body },
    ],
  )
}

/** Renders the response that creates a secret. No other page shows the secret. */
export function renderSecret(page: PageContext, webhook: Webhook, secret: string, change: 'created' | 'rotated'): Html {
  const title = change === 'created' ? 'Webhook created' : 'Secret rotated'
  return renderConsole(
    page,
    title,
    html`<h1>${title}</h1>
${message(html`<p><b>Copy the secret now.</b> You cannot see it again.</p>`, 'warn')}
${card(html`${copyable('Secret', secret)}
<p>Use it to verify the header <code>X-Service-Signature</code> of each request, or the headers of Standard Webhooks. <a href="/docs">Read the documentation</a>.</p>`)}
<p>${wayTo(page, 'View webhook', urlOf(webhook), 'primary')}</p>`,
    [{ does: 'Send a sample', method: 'POST', path: `${apiOf(webhook)}/test`, body: { type: webhook.events[0] } }],
  )
}

export function renderSecretForm(page: PageContext, webhook: Webhook, form: Form): Html {
  const graces = [
    { value: '86400', text: 'For a day' },
    { value: '3600', text: 'For an hour' },
    { value: '604800', text: 'For a week' },
    { value: '0', text: 'Not at all' },
  ]
  return renderConsole(
    page,
    'Rotate secret',
    html`${backTo(page, webhook)}
<h1>Rotate secret</h1>
<p class="lead">Requests are signed with the new secret immediately, and for a while with the previous one too.</p>
${faultSummary(form)}
${card(
  postForm(page, `${urlOf(webhook)}/rotate-secret`, [
    select({ form, name: 'grace_period_seconds', label: 'Keep signing with the previous secret', options: graces }),
    field({
      form,
      name: 'secret',
      label: 'New secret',
      type: 'password',
      hint: 'Leave empty to generate one.',
      isRequired: false,
      more: { minlength: 16, maxlength: 256, autocomplete: 'off' },
    }),
    checkbox({
      form,
      name: 'force',
      label: 'Revoke the previous secret immediately',
      hint: 'Required while a secret from an earlier rotation is still valid. That secret then stops signing immediately.',
    }),
    html`<div class="actions">${button('Rotate secret')}${wayTo(page, 'Cancel', urlOf(webhook), 'quiet')}</div>`,
  ]),
)}`,
    [
      {
        does: 'Rotate the secret',
        method: 'POST',
        path: `${apiOf(webhook)}/rotate-secret`,
        body: { grace_period_seconds: 86_400 },
      },
    ],
  )
}

const reasons = {
  key_revoked:
    'The API key that created or last changed this webhook was deleted or has expired. Check the URL, then resume.',
  gone: 'The receiver returned 410 Gone. Fix the receiver, then resume.',
  failing: 'All deliveries failed for days. Fix the receiver, then resume.',
} as const

interface Deliveries {
  items: readonly WebhookDelivery[]
  meta: Partial<PageNumbers>
}

/**
 * Renders a webhook with its deliveries. If the filter of the deliveries was invalid, `deliveries` is undefined and the
 * form shows the reason.
 */
export function renderWebhook(
  page: PageContext,
  webhook: Webhook,
  form: Form,
  deliveries: Deliveries | undefined,
): Html {
  const { url, events, description, status, created_at, disabled_at, disabled_reason } = webhook
  const isActive = status === 'active'
  const action = urlOf(webhook)
  const writing =
    mayWrite(page) &&
    html`<div class="actions">
${actionButton(page, { action, text: isActive ? 'Pause' : 'Resume', variant: isActive ? 'secondary' : 'primary', fields: { status: isActive ? 'paused' : 'active' } })}
${buttonLink('Send a sample', `${action}/test`)}
${buttonLink('Edit', `${action}/edit`)}
${isActive && buttonLink('Recover', `${action}/recover`)}
${buttonLink('Rotate secret', `${action}/secret`)}
${confirmedAction(page, { action: `${action}/delete`, text: 'Delete', question: html`<p>This also deletes its delivery history. Pending deliveries are not sent.</p>` })}
</div>`
  return renderConsole(
    page,
    url,
    html`<p class="breadcrumb"><a href="/console/webhooks">Webhooks</a></p>
<h1 class="address">${url}</h1>
${
  status === 'disabled' &&
  message(
    html`<p><b>Disabled${disabled_at !== null && html` since ${moment(disabled_at)}`}.</b> ${disabled_reason !== null && reasons[disabled_reason]} Then use <b>Recover</b> to send missed events.</p>`,
    'bad',
  )
}
${status === 'paused' && message(html`<p><b>Paused.</b> Nothing is sent. After you resume it, use <b>Recover</b> to send missed events.</p>`, 'warn')}
${card(
  html`${facts([
    ['Status', badge(status, webhookTones[status])],
    ['Description', description],
    ['Events', html`<ul class="bare tags">${events.map((type) => html`<li>${badge(type)}</li>`)}</ul>`],
    ['Created', moment(created_at)],
    ['ID', html`<code>${webhook.id}</code>`],
  ])}${writing}`,
)}
<h2 id="deliveries">Deliveries</h2>
${faultSummary(form)}
<form action="${action}" class="console-filters" role="search" aria-label="Deliveries"><div class="row">
${select({ form, name: 'status', label: 'Status', options: [{ value: '', text: 'Any status' }, ...deliveryStates.map(option)] })}
${select({ form, name: 'type', label: 'Type', options: [{ value: '', text: 'Any type' }, ...allTypes] })}
${button('Filter', { variant: 'secondary' })}</div></form>
${deliveries && renderDeliveries(page, webhook, deliveries)}`,
    [
      { does: 'List these deliveries', path: `${apiOf(webhook)}/deliveries${queryOf(page)}` },
      { does: 'Get the webhook', path: apiOf(webhook) },
      isActive
        ? { does: 'Pause it', method: 'PUT', path: apiOf(webhook), body: { status: 'paused' } }
        : { does: 'Resume it', method: 'PUT', path: apiOf(webhook), body: { status: 'active' } },
      { does: 'Send a sample', method: 'POST', path: `${apiOf(webhook)}/test`, body: { type: events[0] } },
    ],
  )
}

function renderDeliveries(page: PageContext, webhook: Webhook, { items, meta }: Deliveries): Html {
  const { total = 0, page: number = 1, pages = 1 } = meta
  if (items.length === 0) {
    return emptyState(
      queryOf(page) === '' ? 'No deliveries yet' : 'No deliveries found',
      queryOf(page) === ''
        ? html`<p>New events of the selected types are sent to this webhook. You can send a sample now.</p>`
        : html`<p><a href="${urlOf(webhook)}">Show all deliveries</a></p>`,
    )
  }
  return html`<p class="soft" role="status">${total.toLocaleString('en')} ${total === 1 ? 'delivery' : 'deliveries'}</p>
${table(
  'Deliveries',
  [
    {
      title: 'Event',
      cell: ({ id, event_type }: WebhookDelivery) =>
        html`<a href="${urlOf(webhook)}/deliveries/${id}"><b>${event_type}</b></a>`,
    },
    { title: 'Status', cell: ({ status }: WebhookDelivery) => badge(status, deliveryTones[status]) },
    { title: 'Attempts', cell: ({ attempt_count }: WebhookDelivery) => attempt_count, isNumber: true },
    {
      title: 'Last response',
      cell: ({ last_response_status, last_error }: WebhookDelivery) =>
        last_error ?? last_response_status ?? html`<span class="soft">none yet</span>`,
    },
    {
      title: 'Next attempt',
      cell: ({ next_attempt_at }: WebhookDelivery) =>
        next_attempt_at === null ? html`<span class="soft">none</span>` : moment(next_attempt_at),
    },
    { title: 'Queued', cell: ({ created_at }: WebhookDelivery) => moment(created_at) },
  ],
  items,
)}
${pagination(page, { total, page: number, pages })}`
}

/** Renders the response to an attempt or a test. */
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

/** Renders the headers of a request without the signatures, which are not stored. */
function renderHeaders(headers: Readonly<Record<string, string>>): Html {
  const signing = ['x-service-signature', 'webhook-signature', 'webhook-timestamp']
  const lines = Object.entries({ ...headers, 'webhook-id': headers['x-service-event-id']! })
  return html`<pre tabindex="0" role="region" aria-label="Request headers"><code>${lines.map(([name, value]) => `${name}: ${value}\n`)}${signing.map((name) => html`<span class="soft">${name}: (computed for each attempt, not stored)</span>\n`)}</code></pre>`
}

/** Renders the form to send a test, and the result of the test that was just sent. */
export function renderTest(
  page: PageContext,
  webhook: Webhook,
  form: Form,
  sent: { event: EventEnvelope; test: WebhookTest } | undefined,
): Html {
  return renderConsole(
    page,
    'Send a sample',
    html`${backTo(page, webhook)}
<h1>Send a sample</h1>
${sent && renderTestOutcome(sent.test)}
${faultSummary(form)}
${card(
  postForm(page, `${urlOf(webhook)}/test`, [
    select({
      form,
      name: 'type',
      label: 'Type',
      hint: 'You can send a sample every five seconds. The request has the header X-Service-Test: true, and is not retried.',
      options: allTypes,
    }),
    html`<div class="actions">${button(sent ? 'Send again' : 'Send now')}${wayTo(page, 'Back', urlOf(webhook), 'quiet')}</div>`,
  ]),
)}
${sent && html`<h2>Request body</h2>${jsonBlock('Request body', sent.event)}`}`,
    [
      {
        does: 'Send a sample',
        method: 'POST',
        path: `${apiOf(webhook)}/test`,
        body: { type: form.value('type') || webhook.events[0] },
      },
    ],
  )
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
  form: Form
}

/**
 * Renders a delivery with every attempt. The event always exists, because an event is kept as long as its deliveries.
 */
export function renderDelivery(page: PageContext, { webhook, delivery, event, form }: DeliveryPage): Html {
  const { id, event_id, event_type, status, next_attempt_at, created_at, settled_at, attempts } = delivery
  const action = `${urlOf(webhook)}/deliveries/${id}`
  return renderConsole(
    page,
    `Delivery of ${event_type}`,
    html`${backTo(page, webhook)}
<div class="cluster apart"><h1>${event_type}</h1>${
      mayWrite(page) && actionButton(page, { action: `${action}/retry`, text: 'Retry now', variant: 'primary' })
    }</div>
${faultSummary(form)}
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
    : html`<ol class="bare attempts" reversed>${[...attempts].reverse().map((attempt) => renderAttempt(delivery, attempt))}</ol>`
}
<h2>Request body</h2>
<p class="soft">Every attempt sends this body on one line. Line breaks are added here for readability.</p>
${event ? jsonBlock('Request body', event) : html`<p>The event was deleted.</p>`}`,
    [
      { does: 'Get the delivery', path: `${apiOf(webhook)}/deliveries/${id}` },
      { does: 'Retry it', method: 'POST', path: `${apiOf(webhook)}/deliveries/${id}/retry`, body: {} },
    ],
  )
}

function renderAttempt(
  { id, event_id, event_type }: WebhookDeliveryDetail,
  attempt: WebhookDeliveryDetail['attempts'][number],
): Html {
  const { number, trigger, started_at, duration_ms, error_class } = attempt
  const headers = describingHeaders({ eventId: event_id, eventType: event_type, deliveryId: id, number })
  return html`<li class="card"><div class="cluster apart"><h3>Attempt ${number}</h3>${error_class === null ? badge('delivered', 'good') : badge('failed', 'bad')}</div>
${facts([
  ['Started', moment(started_at)],
  ['Duration', milliseconds(duration_ms)],
  ['Trigger', trigger === 'manual' ? 'manual retry' : 'schedule'],
])}
${renderAnswer(attempt)}
<details><summary>Request headers</summary>${renderHeaders(headers)}</details></li>`
}

export function renderRecoveryForm(page: PageContext, webhook: Webhook, form: Form): Html {
  const since = form.value('since')
  const until = form.value('until')
  const hint = 'A day such as 2026-03-02, or a time such as 2026-03-02T09:00:00Z.'
  return renderConsole(
    page,
    'Recover events',
    html`${backTo(page, webhook)}
<h1>Recover events</h1>
<p class="lead">Sends the events of a period that were never delivered. Delivered events are not sent again.</p>
${faultSummary(form)}
${card(
  postForm(page, `${urlOf(webhook)}/recover`, [
    html`<div class="row">${field({ form, name: 'since', label: 'Since', hint, isRequired: true, more: { autocomplete: 'off' } })}
${field({ form, name: 'until', label: 'Until', hint: 'In the same format as “Since”. Leave empty for the current time.', isRequired: false, more: { autocomplete: 'off' } })}</div>`,
    html`<div class="actions">${button('Recover')}${wayTo(page, 'Cancel', urlOf(webhook), 'quiet')}</div>`,
  ]),
)}`,
    [
      {
        does: 'Recover events',
        method: 'POST',
        path: `${apiOf(webhook)}/recover`,
        body: { since, ...(until !== '' && { until }) },
      },
    ],
  )
}

const recoveryTones: Record<WebhookRecovery['status'], Tone> = { running: 'accent', done: 'good', canceled: 'bad' }

export function renderRecovery(page: PageContext, webhook: Webhook, recovery: WebhookRecovery): Html {
  const { id, since, until, status, examined, created, requeued, unchanged, finished_at } = recovery
  return renderConsole(
    page,
    'Recovery',
    html`${backTo(page, webhook)}
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
<div class="actions">${status === 'running' && buttonLink('Refresh', `${urlOf(webhook)}/recoveries/${id}`)}${buttonLink('View deliveries', urlOf(webhook), 'primary')}</div>`,
    [{ does: 'Get the progress', path: `${apiOf(webhook)}/recoveries/${id}` }],
  )
}
