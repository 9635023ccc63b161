import { badge, dataTable, emptyState, facts, message, moment, pagination } from '../../pages/components.ts'
import { consolePage, filterForm, jsonBlock, queryOf } from '../../pages/console.ts'
import { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import type { EventEnvelope } from './events.present.ts'
import { describedEventTypes } from './events.schemas.ts'

export interface ShownEvent {
  event: EventEnvelope
  subjectId: string
  /** Size of the payload in bytes. */
  bytes: number
}

const typeTexts = { '': 'Any type', ...Object.fromEntries(describedEventTypes.map(({ type }) => [type, type])) }

const subjectLink = (subjectId: string) =>
  html`<a class="code" href="/console/events?subject_id=${encodeURIComponent(subjectId)}">${subjectId}</a>`

/** Renders the events, or only the filters if `form` has faults. */
export function renderEvents(page: PageContext, form: Form, events?: Listed<ShownEvent>): Html {
  const calls = events ? [{ does: 'List these events', path: `/v1/events${queryOf(page)}` }] : []
  return consolePage(page, 'Events', calls)`<h1>Events</h1>
<p class="lead">Your account's events, as sent to webhooks. We keep them for 30 days.</p>
${form.summary()}
${filterForm('/console/events', 'Events', [
  form.select('type', 'Type', typeTexts),
  form.field('subject_id', 'Subject', { placeholder: 'ID of a job, application…' }),
  form.field('created_at_gte', 'From', { type: 'date' }),
  form.field('created_at_lte', 'To', { type: 'date' }),
])}
${events && renderEventTable(page, events)}`
}

function renderEventTable(page: PageContext, { items, pagination: numbers }: Listed<ShownEvent>): Html {
  const { total } = numbers
  const empty =
    queryOf(page) === ''
      ? emptyState('No events yet', html`<p>For example, post a job to see its events here.</p>`)
      : emptyState('No events found', html`<p><a href="/console/events">Show all events</a></p>`)
  return html`${items.length > 0 && html`<p class="soft" role="status">${total.toLocaleString('en')} ${total === 1 ? 'event' : 'events'}</p>`}
${dataTable('Events', { rows: items, empty }, ({ event, subjectId }) => ({
  Type: html`<a href="/console/events/${event.id}"><b>${event.type}</b></a>`,
  Subject: subjectLink(subjectId),
  Event: html`<code>${event.id}</code>`,
  When: moment(event.created_at),
}))}
${pagination(page, numbers)}`
}

export function renderEvent(page: PageContext, { event, subjectId, bytes }: ShownEvent): Html {
  const calls = [{ does: 'Get this event', path: `/v1/events/${event.id}` }]
  return consolePage(page, event.type, calls)`<p><a href="/console/events">All events</a></p>
<h1>${event.type}</h1>
<div class="split"><div>
<h2>Payload</h2>
${jsonBlock('Payload', event)}
</div><div>
${facts([
  ['Event', html`<code>${event.id}</code>`],
  ['When', moment(event.created_at)],
  ['Subject', subjectLink(subjectId)],
  ['Description', describedEventTypes.find(({ type }) => type === event.type)?.description],
  ['Size', `${bytes.toLocaleString('en')} bytes`],
])}
</div></div>`
}

/** Maximum size in bytes of an inline payload. Larger payloads are shown only on the event's page. */
const INLINE_BYTES_MAX = 8_192

/** Renders one live event, for the page and for the stream. */
export function renderLiveItem({ event, subjectId, bytes }: ShownEvent): Html {
  return html`<li class="live-item" data-event="${event.id}"><details><summary><b>${event.type}</b> <span class="code soft">${subjectId}</span> <span class="small">${moment(event.created_at)}</span></summary>
${bytes <= INLINE_BYTES_MAX && html`<pre class="json" tabindex="0" role="region" aria-label="Payload of ${event.id}"><code>${JSON.stringify(event, null, 2)}</code></pre>`}
<p><a href="/console/events/${event.id}">Open ${event.id}</a></p></details></li>`
}

/** Renders the latest events. A script adds new events. */
export function renderLive(page: PageContext, type: string | undefined, events: readonly ShownEvent[]): Html {
  const wanted = type ? { type } : {}
  const query = new URLSearchParams({ ...wanted, ...(events[0] && { after: events[0].event.id }) })
  const listPath = `/v1/events?${new URLSearchParams({ ...wanted, limit: '20' })}`
  const calls = [{ does: 'List the latest events', path: listPath }]
  return consolePage(page, 'Live', calls, [
    'live.js',
  ])`<div class="row apart"><h1>Live</h1><p data-live-state role="status">${badge('Not live')}</p></div>
<p class="lead">The latest events. The <a href="/console/events">event log</a> lists all events.</p>
${filterForm('/console/live', 'Live', Form.of({ type }).select('type', 'Type', typeTexts), 'Show')}
<p data-live-reload><a href="${page.path}">Refresh</a></p>
<ol class="bare live"${attributes({ 'data-live': `/console/live/stream?${query}`, 'aria-label': 'Events, newest first' })}>${events.map(renderLiveItem)}</ol>
<div data-live-empty${attributes({ hidden: events.length > 0 })}>${message(html`<p>No events yet.</p>`)}</div>`
}
