import {
  badge,
  button,
  emptyState,
  facts,
  faultSummary,
  field,
  message,
  moment,
  type PageNumbers,
  pagination,
  select,
  table,
} from '../../pages/components.ts'
import { apiCalls, COPY_MODULE, consoleTabs, jsonBlock, queryOf } from '../../pages/console.ts'
import { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { EventEnvelope } from './events.present.ts'
import { describedEventTypes } from './events.schemas.ts'

export interface ShownEvent {
  event: EventEnvelope
  subjectId: string
  /** Size of the sent event in bytes. */
  bytes: number
}

const typeOptions = [
  { value: '', text: 'Any type' },
  ...describedEventTypes.map(({ type }) => ({ value: type, text: type })),
]

export function renderEvents(
  page: PageContext,
  form: Form,
  events: readonly ShownEvent[],
  meta: Partial<PageNumbers>,
): Html {
  const { total = 0, page: number = 1, pages = 1 } = meta
  const isFaulty = form.faults.length > 0
  return renderDocument(
    page,
    { title: 'Events', modules: [COPY_MODULE] },
    html`${consoleTabs(page)}
<h1>Events</h1>
<p class="lead">The events of your account, as sent to webhooks. Kept for 30 days.</p>
${faultSummary(form)}
<form action="/console/events" class="console-filters" role="search" aria-label="Events"><div class="row">
${select({ form, name: 'type', label: 'Type', options: typeOptions })}
${field({ form, name: 'subject_id', label: 'Subject', more: { placeholder: 'ID of a job, application…' } })}
${field({ form, name: 'created_at_gte', label: 'From', type: 'date' })}
${field({ form, name: 'created_at_lte', label: 'To', type: 'date' })}
${button('Filter', { variant: 'secondary' })}</div></form>
${
  isFaulty
    ? undefined
    : events.length === 0
      ? emptyState(
          queryOf(page) === '' ? 'No events yet' : 'No events found',
          queryOf(page) === ''
            ? html`<p>For example, post a job to see its events here.</p>`
            : html`<p><a href="/console/events">Show all events</a></p>`,
        )
      : html`<p class="soft" role="status">${total.toLocaleString('en')} ${total === 1 ? 'event' : 'events'}</p>
${table(
  'Events',
  [
    {
      title: 'Type',
      cell: ({ event }: ShownEvent) => html`<a href="/console/events/${event.id}"><b>${event.type}</b></a>`,
    },
    {
      title: 'Subject',
      cell: ({ subjectId }: ShownEvent) =>
        html`<a class="code" href="/console/events?subject_id=${encodeURIComponent(subjectId)}">${subjectId}</a>`,
    },
    { title: 'Event', cell: ({ event }: ShownEvent) => html`<code>${event.id}</code>` },
    { title: 'When', cell: ({ event }: ShownEvent) => moment(event.created_at) },
  ],
  events,
)}`
}
${pagination(page, { total, page: number, pages })}
${!isFaulty && apiCalls(page, [{ does: 'List these events', path: `/v1/events${queryOf(page)}` }])}`,
  )
}

export function renderEvent(page: PageContext, { event, subjectId, bytes }: ShownEvent): Html {
  return renderDocument(
    page,
    { title: event.type, modules: [COPY_MODULE] },
    html`${consoleTabs(page)}
<p><a href="/console/events">All events</a></p>
<h1>${event.type}</h1>
<div class="columns side-right"><div>
<h2>Payload</h2>
${jsonBlock('Payload', event)}
</div><div>
${facts([
  ['Event', html`<code>${event.id}</code>`],
  ['When', moment(event.created_at)],
  [
    'Subject',
    html`<a class="code" href="/console/events?subject_id=${encodeURIComponent(subjectId)}">${subjectId}</a>`,
  ],
  ['Description', describedEventTypes.find(({ type }) => type === event.type)?.description],
  ['Size', `${bytes.toLocaleString('en')} bytes`],
])}
</div></div>
${apiCalls(page, [{ does: 'Get this event', path: `/v1/events/${event.id}` }])}`,
  )
}

/** Maximum size in bytes of an inline payload. Larger payloads are shown only on the event's page. */
const INLINE_BYTES_MAX = 8_192

/** Renders one event of the live view, for the page and for the stream. */
export function renderLiveItem({ event, subjectId, bytes }: ShownEvent): Html {
  return html`<li class="live-item" data-event="${event.id}"><details><summary><b>${event.type}</b> <span class="code soft">${subjectId}</span> <span class="small">${moment(event.created_at)}</span></summary>
${bytes <= INLINE_BYTES_MAX && html`<pre class="json" tabindex="0" role="region" aria-label="Payload of ${event.id}"><code>${JSON.stringify(event, null, 2)}</code></pre>`}
<p><a href="/console/events/${event.id}">Open ${event.id}</a></p></details></li>`
}

/** Renders the latest events. A script adds new ones. */
export function renderLive(page: PageContext, type: string | undefined, events: readonly ShownEvent[]): Html {
  const form = Form.of({ type })
  const query = new URLSearchParams({ ...(type && { type }), ...(events[0] && { after: events[0].event.id }) })
  return renderDocument(
    page,
    { title: 'Live', modules: [COPY_MODULE, 'live.js'] },
    html`${consoleTabs(page)}
<div class="cluster apart"><h1>Live</h1><p data-live-state role="status">${badge('Not live')}</p></div>
<p class="lead">The latest events. See the <a href="/console/events">log</a> for all of them.</p>
<form action="/console/live" class="console-filters" role="search" aria-label="Live"><div class="row">
${select({ form, name: 'type', label: 'Type', options: typeOptions })}
${button('Show', { variant: 'secondary' })}</div></form>
<p data-live-reload><a href="${page.path}">Refresh</a></p>
<ol class="bare live"${attributes({ 'data-live': `/console/live/stream?${query}`, 'aria-label': 'Events, newest first' })}>${events.map(renderLiveItem)}</ol>
<div data-live-empty${attributes({ hidden: events.length > 0 })}>${message(html`<p>No events yet.</p>`)}</div>
${apiCalls(page, [
  {
    does: 'List the latest events',
    path: `/v1/events?${new URLSearchParams({ ...(type && { type }), limit: '20' })}`,
  },
])}`,
  )
}
