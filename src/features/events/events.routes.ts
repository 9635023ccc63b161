import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { problems } from '../../http/openapi.ts'
import { found, keyGone } from '../../lib/errors.ts'
import type { Places } from '../../lib/places.ts'
import { Envelope, Id, Ref, Strict } from '../../lib/schema.ts'
import type { ListQuery } from '../../lists/query.ts'
import { ListEnvelope, ListQuerystring, presentList, StreamEnvelope } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentEvent } from './events.present.ts'
import { findEvent, listEvents } from './events.queries.ts'
import { describedEventTypes, EventSchema, EventTypes, eventList } from './events.schemas.ts'
import type { EventStream } from './events.stream.ts'

export const EventParams = Strict({ id: Id('event') })

const access = { scope: 'webhooks:read' } as const
const StreamQuerystring = Strict({
  after: Type.Optional(
    Type.String({ description: 'An iterator, or `now`. If absent or empty, the stream starts with the oldest event.' }),
  ),
})

/** Headers of a stream. */
export const streamHeaders = {
  'cache-control': 'no-store',
  // Keeps proxies from buffering the events.
  'x-accel-buffering': 'no',
  // Closes the connection, because keeping it alive would delay a shutdown.
  connection: 'close',
}

/** Takes a slot for a reader that waits. `signal` aborts when the wait must end, and `leave` frees the slot. */
export function enter(slots: Places, request: FastifyRequest, reply: FastifyReply, { networkOf, authorities }: Kit) {
  const { leave, signal } = slots.enter(request.actor.accountId, networkOf(request.raw))
  const authority = authorities.watch(request.actor)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return {
    authority: authority.signal,
    signal: AbortSignal.any([signal, authority.signal, gone.signal]),
    leave() {
      leave()
      authority.release()
    },
  }
}

export function registerEvents(app: App, kit: Kit, stream: EventStream): void {
  const { reads } = kit
  app.addHook('preClose', async () => stream.slots.end())

  const poll = async (request: FastifyRequest, reply: FastifyReply, { limit, stream: wanted }: ListQuery) => {
    const { after, waitSeconds } = wanted!
    const place = waitSeconds > 0 ? enter(stream.slots, request, reply, kit) : undefined
    try {
      const from = await stream.find(after)
      const signal = place?.signal ?? AbortSignal.abort()
      const page = await stream.poll(request.actor, from, { limit, waitMs: waitSeconds * 1_000 }, signal)
      if (place?.authority.aborted) throw keyGone()
      return { data: page.rows.map(presentEvent), meta: { next: page.next.iterator, has_more: page.hasMore } }
    } finally {
      place?.leave()
    }
  }

  app.get('/events', {
    config: { access },
    schema: {
      operationId: 'listEvents',
      summary: "List or follow the caller's events; admins and integrators see all events",
      description:
        'With `after` or `wait_seconds`, returns events in the order of the event stream. A reader that continues from ' +
        '`meta.next` never misses an event.',
      querystring: ListQuerystring({ ...eventList, isStream: true }),
      response: {
        200: Type.Union([ListEnvelope(Ref(EventSchema)), StreamEnvelope(Ref(EventSchema))]),
        ...problems(410),
      },
    },
    handler: async (request, reply) => {
      if (request.query.stream) return poll(request, reply, request.query)
      const page = await reads.read((db) => listEvents(db, request.actor, request.query))
      return presentList(reply, page, presentEvent)
    },
  })

  app.get('/events/stream', {
    // A HEAD request would last until the stream ends.
    config: { access, isLasting: true, isAlwaysNew: true, alternative: 'text/event-stream' },
    exposeHeadRoute: false,
    schema: {
      operationId: 'streamEvents',
      summary: "Stream the caller's events as server-sent events; admins and integrators see all events",
      description:
        'Each message has an iterator as its `id`, the event type as its `event`, and the event as its `data`. After ' +
        'a disconnect, send the last `id` in the header Last-Event-ID, which takes precedence over `after`.',
      querystring: StreamQuerystring,
      response: {
        200: Type.Unsafe<Readable>({
          description: 'Server-sent events, until the client disconnects.',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        }),
        ...problems(410),
      },
    },
    handler: async (request, reply) => {
      const from = await stream.find(String(request.headers['last-event-id'] ?? '') || request.query.after)
      const { signal, leave } = enter(stream.slots, request, reply, kit)
      const messages = Readable.from(stream.messages(request.actor, from, signal), { objectMode: false })
      messages.once('close', leave)
      // Disconnects a client that has stopped reading, because it would keep the stream open. Other clients receive the
      // end of the stream.
      signal.addEventListener('abort', () => reply.raw.writableNeedDrain && reply.raw.destroy())
      return reply.headers(streamHeaders).type('text/event-stream; charset=utf-8').send(messages)
    },
  })

  app.get('/events/:id', {
    config: { access },
    schema: {
      operationId: 'getEvent',
      summary: 'Get an event',
      params: EventParams,
      response: { 200: Envelope(Ref(EventSchema)) },
    },
    handler: async ({ actor, params }) => {
      const event = await reads.read((db) => findEvent(db, actor, params.id))
      return { data: presentEvent(found(event)) }
    },
  })

  app.get('/webhooks/event-types', {
    config: { access: {} },
    schema: {
      operationId: 'listEventTypes',
      summary: 'List event types with their envelope schemas and samples',
      response: { 200: EventTypes },
    },
    handler: async () => ({ data: describedEventTypes }),
  })
}
