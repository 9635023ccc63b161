/** Console pages for the event log and the live view. */
import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Choice, Strict } from '../../lib/schema.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { currentLocale, inLocale, type Locale } from '../../locale/locale.ts'
import { Form } from '../../pages/forms.ts'
import { listed } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { presentEvent } from './events.present.ts'
import { type EventRow, findEvent, listEvents, listLatestEvents } from './events.queries.ts'
import { EventParams, enter, streamHeaders } from './events.routes.ts'
import { describedEventTypes, eventList } from './events.schemas.ts'
import { EventTail } from './events.tail.ts'
import { renderEvent, renderEvents, renderLive, renderLiveItem } from './events.views.ts'

/** An event type in a form. The empty string selects all types. */
const TypeChoice = Type.Optional(Choice(['', ...describedEventTypes.map(({ type }) => type)]))
const LiveQuery = Strict({ type: TypeChoice })
const StreamQuery = Strict({ type: TypeChoice, after: Type.Optional(Type.String({ pattern: idPattern('event') })) })

const SHOWN_FIRST = 20
/** Milliseconds until the browser reconnects after a stream ends. */
const RETRY_MS = 1_000

export function registerEventPages(pages: App, kit: Kit): void {
  const { database, clock } = kit
  const config = { access: { scope: 'webhooks:read' } } as const
  const tail = new EventTail({ database, clock })
  pages.addHook('preClose', async () => tail.slots.end())

  pages.get('/console/events', {
    config: {
      ...config,
      again: async (request, form) => renderEvents(request.page, form),
    },
    schema: { querystring: ListQuerystring(eventList) },
    handler: async (request) => {
      const { actor, query } = request
      const found = await database.read((db) => listEvents(db, actor, query))
      return renderEvents(request.page, Form.of(query.applied), listed(request, found, shown))
    },
  })

  pages.get('/console/events/:id', { config, schema: { params: EventParams } }, async (request) => {
    const event = found(await database.read((db) => findEvent(db, request.actor, request.params.id)))
    return renderEvent(request.page, shown(event))
  })

  pages.get('/console/live', { config, schema: { querystring: LiveQuery } }, async (request) => {
    const wanted = { type: typeOf(request.query), limit: SHOWN_FIRST }
    const events = await database.read((db) => listLatestEvents(db, request.actor, wanted))
    return renderLive(request.page, wanted.type, events.map(shown))
  })

  pages.get('/console/live/stream', {
    // A HEAD request would last until the stream ends.
    config: { ...config, isLasting: true },
    exposeHeadRoute: false,
    schema: { querystring: StreamQuery },
    handler: async (request, reply) => {
      const viewer = request.actor
      const { leave, signal } = enter(tail.slots, request, reply, kit)
      const lastSeen = String(request.headers['last-event-id'] ?? '')
      const after = new RegExp(idPattern('event')).test(lastSeen) ? lastSeen : request.query.after
      const looks = tail.follow(viewer, { type: typeOf(request.query), after }, signal)
      const stream = Readable.from(messagesOf(looks, currentLocale()), { objectMode: false })
      stream.once('close', leave)
      // Frees the slot immediately, because a reloaded page needs it.
      reply.raw.once('close', leave)
      return reply.headers(streamHeaders).type('text/event-stream; charset=utf-8').send(stream)
    },
  })
}

const typeOf = ({ type }: Static<typeof LiveQuery>) => (type === '' ? undefined : type)

const shown = (row: EventRow) => ({
  event: presentEvent(row),
  subjectId: row.subject_id,
  bytes: Buffer.byteLength(row.body),
})

/** Yields server-sent events, each with the HTML of one item, and comments that keep the connection open. */
async function* messagesOf(looks: ReturnType<EventTail['follow']>, locale: Locale): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`
  for await (const rows of looks) {
    const messages = rows.map((row) => {
      const lines = inLocale(locale, () => renderLiveItem(shown(row)))
        .toString()
        .split(/\r\n|\r|\n/)
      return `id: ${row.id}\n${lines.map((line) => `data: ${line}\n`).join('')}\n`
    })
    yield messages.join('') || ':\n\n'
  }
}
