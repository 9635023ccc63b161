import { formatNumber } from '../../locale/formats.ts'
import { isMessageKey, t } from '../../locale/messages.ts'
import {
  badge,
  card,
  emptyState,
  facts,
  filterForm,
  listTable,
  message,
  moment,
  noneFound,
} from '../../pages/components.ts'
import { consolePage, jsonBlock, queryOf } from '../../pages/console.ts'
import { Form, type Option, optionsFor } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { breakable, linkingTo, rich } from '../../pages/text.ts'
import type { EventEnvelope } from './events.present.ts'
import { describedEventTypes } from './events.schemas.ts'

interface ShownEvent {
  event: EventEnvelope
  subjectId: string
  /** Size of the payload in bytes. */
  bytes: number
}

/** Returns an option for each event type. `first` is the text of an additional first option for all types. */
export function eventTypeOptions(first?: string): Option[] {
  const types = describedEventTypes.map(({ type }) => type)
  return optionsFor(types, (type) => type, first)
}

const subjectLink = (subjectId: string) =>
  html`<a class="code" href="/console/events?subject_id=${encodeURIComponent(subjectId)}">${subjectId}</a>`

/** Renders the events, or only the filters if `form` has faults. */
export function renderEvents(page: PageContext, form: Form, events?: Listed<ShownEvent>): Html {
  const calls = events ? [{ does: t('events.list_these'), path: `/v1/events${queryOf(page)}` }] : []
  return consolePage(page, t('shared.events'), calls)`<h1>${t('shared.events')}</h1>
<p class="lead">${t('events.lead')}</p>
${form.summary()}
${filterForm(
  '/console/events',
  form,
  [
    form.select('type', t('shared.type'), eventTypeOptions(t('shared.any_type'))),
    form.field('subject_id', t('events.subject'), { placeholder: t('events.subject_placeholder') }),
    form.field('created_at_gte', t('events.from'), { type: 'date' }),
    form.field('created_at_lte', t('events.to'), { type: 'date' }),
  ],
  { label: t('shared.events') },
)}
${events && renderEventTable(page, events)}`
}

function renderEventTable(page: PageContext, events: Listed<ShownEvent>): Html {
  const { items, pagination } = events
  const empty =
    queryOf(page) === ''
      ? emptyState(t('events.none_yet'), html`<p>${t('events.none_yet_text')}</p>`)
      : noneFound(t('events.none_found'), '/console/events', t('events.show_all'))
  return html`${items.length > 0 && html`<p class="soft" role="status">${t('events.count', { count: pagination.total })}</p>`}
${listTable(page, t('shared.events'), { found: events, empty }, ({ event, subjectId }) => ({
  [t('shared.type')]: html`<a href="/console/events/${event.id}"><b>${event.type}</b></a>`,
  [t('events.subject')]: subjectLink(subjectId),
  [t('shared.event')]: html`<code>${event.id}</code>`,
  [t('shared.when')]: moment(event.created_at),
}))}`
}

export function renderEvent(page: PageContext, { event, subjectId, bytes }: ShownEvent): Html {
  const about = `events.about_${event.type.replaceAll('.', '_')}`
  const calls = [{ does: t('events.get'), path: `/v1/events/${event.id}` }]
  return consolePage(page, event.type, calls)`<p class="crumbs"><a href="/console/events">${t('events.all')}</a></p>
<h1>${breakable(event.type)}</h1>
<div class="split"><div>
<h2>${t('events.payload')}</h2>
${jsonBlock(t('events.payload'), event)}
</div><div>
${card(
  facts([
    [t('shared.event'), html`<code>${event.id}</code>`],
    [t('shared.when'), moment(event.created_at)],
    [t('events.subject'), subjectLink(subjectId)],
    [t('shared.description'), isMessageKey(about) && t(about)],
    [t('events.size'), t('events.bytes', { count: formatNumber(bytes) })],
  ]),
)}
</div></div>`
}

/** Maximum size of an inline payload, in bytes. Larger payloads are shown only on the event's page. */
const INLINE_BYTES_MAX = 8_192

/** Renders a live event for the page and for the stream. */
export function renderLiveItem({ event, subjectId, bytes }: ShownEvent): Html {
  return html`<li class="live-item" data-event="${event.id}"><details><summary><b>${event.type}</b> <span class="code soft">${subjectId}</span> <span class="small">${moment(event.created_at)}</span></summary>
${bytes <= INLINE_BYTES_MAX && html`<pre class="json" tabindex="0" role="region" aria-label="${t('events.payload_of', { id: event.id })}"><code>${JSON.stringify(event, null, 2)}</code></pre>`}
<p><a href="/console/events/${event.id}">${t('events.open', { id: event.id })}</a></p></details></li>`
}

/** Renders the latest events. A script adds new events. */
export function renderLive(page: PageContext, type: string | undefined, events: readonly ShownEvent[]): Html {
  const wanted = type ? { type } : {}
  const form = Form.of(wanted)
  const query = new URLSearchParams({ ...wanted, ...(events[0] && { after: events[0].event.id }) })
  const listPath = `/v1/events?${new URLSearchParams({ ...wanted, limit: '20' })}`
  const calls = [{ does: t('events.list_latest'), path: listPath }]
  return consolePage(page, t('events.live'), calls, [
    'live.js',
  ])`<div class="row apart"><h1>${t('events.live')}</h1><p><a data-live-reload href="${page.path}">${t('shared.refresh')}</a> <span data-live-state role="status">${badge(t('events.not_live'))}</span></p></div>
<p class="lead">${rich('events.live_lead', { link: linkingTo('/console/events') })}</p>
${filterForm('/console/live', form, form.select('type', t('shared.type'), eventTypeOptions(t('shared.any_type'))), { label: t('events.live'), submit: t('events.show') })}
<ol class="bare live"${attributes({
    'data-live': `/console/live/stream?${query}`,
    'data-open': t('events.live'),
    'data-connecting': t('events.connecting'),
    'data-over': t('events.not_connected'),
    'aria-label': t('events.newest_first'),
  })}>${events.map(renderLiveItem)}</ol>
<div data-live-empty${attributes({ hidden: events.length > 0 })}>${message(html`<p>${t('events.no_live_yet')}</p>`)}</div>`
}
