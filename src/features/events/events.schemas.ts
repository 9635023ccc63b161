import { Type } from 'typebox'
import {
  type EventEnvelope,
  eventComponentName,
  eventDescriptions,
  eventSchemas,
  eventTypes,
  standaloneEventSchema,
} from '../../events/catalogue.ts'
import { sampleEvent } from '../../events/samples.ts'
import { Choice, Ref, Strict } from '../../lib/schema.ts'
import { type ListDeclaration, parameter } from '../../lists/query.ts'

export const EventSchema = Type.Unsafe<EventEnvelope>({
  $id: 'Event',
  description: 'An event, exactly as it is sent to receivers.',
  example: sampleEvent('job.created'),
  oneOf: eventTypes.map((type) => Ref(eventSchemas[type])),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(eventTypes.map((type) => [type, `#/components/schemas/${eventComponentName(type)}`])),
  },
})

export const EventTypeSchema = Type.Object(
  {
    type: Choice(eventTypes),
    description: Type.String({ description: 'When the event occurs.' }),
    schema: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'Self-contained JSON Schema (2020-12) of the envelope.',
    }),
    sample: Ref(EventSchema),
  },
  { $id: 'EventType', additionalProperties: false },
)

/** Components of the OpenAPI document: the event envelopes and the event type resource. */
export const eventComponents = [...Object.values(eventSchemas), EventSchema, EventTypeSchema]

/** Event types that webhooks can subscribe to. */
export const describedEventTypes = eventTypes.map((type) => ({
  type,
  description: eventDescriptions[type],
  schema: standaloneEventSchema(type),
  sample: sampleEvent(type),
}))

/** The same types for the OpenAPI document, with references to the schema components. */
export const eventWebhooks = eventTypes.map((type) => ({
  type,
  description: eventDescriptions[type],
  component: eventComponentName(type),
  sample: sampleEvent(type),
}))

export const EventTypes = Strict({ data: Type.Array(Ref(EventTypeSchema)) })

export const eventList = {
  name: 'events',
  filters: {
    type: parameter.choice('Type of the event.', eventTypes),
    subject_id: parameter.text('Id of the job, application, candidate or employer that the event is about.'),
    created_at: parameter.time('When the event occurred.'),
  },
  sorts: { created_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
