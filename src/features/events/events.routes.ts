import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentEvent } from './events.present.ts'
import { findEvent, listEvents } from './events.queries.ts'
import { describedEventTypes, EventSchema, EventTypes, eventList } from './events.schemas.ts'

export const EventParams = Strict({ id: Type.String({ pattern: idPattern('event') }) })
const tags = ['Events']

export function registerEvents(app: App, { reads, cursorSecret }: Kit): void {
  app.get('/events', {
    config: { access: { scope: 'webhooks:read' } },
    schema: {
      operationId: 'listEvents',
      tags,
      summary: "List the caller's events; operators and integrators see all events",
      querystring: ListQuerystring(eventList),
      response: { 200: ListEnvelope(Ref(EventSchema)) },
    },
    handler: async (request, reply) => {
      const page = await reads.read((db) => listEvents(db, request.actor, request.query, cursorSecret))
      return presentList(request, reply, page, presentEvent)
    },
  })

  app.get('/events/:id', {
    config: { access: { scope: 'webhooks:read' } },
    schema: {
      operationId: 'getEvent',
      tags,
      summary: 'Get an event',
      params: EventParams,
      response: { 200: Envelope(Ref(EventSchema)) },
    },
    handler: async (request) => {
      const event = await reads.read((db) => findEvent(db, request.actor, request.params.id))
      if (!event) throw new AppError('not_found')
      return { data: presentEvent(event) }
    },
  })

  app.get('/webhooks/event-types', {
    config: { access: {} },
    schema: {
      operationId: 'listEventTypes',
      tags,
      summary: 'List event types with their envelope schemas and samples',
      response: { 200: EventTypes },
    },
    handler: async () => ({ data: describedEventTypes }),
  })
}
