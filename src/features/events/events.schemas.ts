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
import { Choice, Ref, Resource, Strict } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

export const EventSchema = Type.Unsafe<EventEnvelope>({
  $id: 'Event',
  description: 'An event, exactly as the service sends it to receivers.',
  example: sampleEvent('job.created'),
  oneOf: eventTypes.map((type) => Ref(eventSchemas[type])),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(eventTypes.map((type) => [type, `#/components/schemas/${eventComponentName(type)}`])),
  },
})

const EventTypeSchema = Resource('EventType', {
  type: Choice(eventTypes),
  description: Type.String({ description: 'When the event occurs.' }),
  schema: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Self-contained JSON Schema (2020-12) for the envelope.',
  }),
  sample: Ref(EventSchema),
})

/** Event components for the OpenAPI document: the envelopes and the event type resource. */
export const eventComponents = [...Object.values(eventSchemas), EventSchema, EventTypeSchema]

/** Event types that webhooks can subscribe to. */
export const describedEventTypes = eventTypes.map((type) => ({
  type,
  description: eventDescriptions[type],
  schema: standaloneEventSchema(type),
  sample: sampleEvent(type),
}))

/** The header that marks test deliveries. */
const TEST_HEADER = 'X-Service-Test'

/** The headers of webhook deliveries. */
const deliveryHeaders: readonly (readonly [name: string, pattern: string, example: string, description: string])[] = [
  [
    'X-Service-Signature',
    '^t=[0-9]+(,v1=[0-9a-f]{64})+$',
    't=1772445600,v1=5d2f0c1e8a7b94363f1d0c5ab2e97c1804d6fa3be15c72908d4e6b7fa1023c99',
    't is the time of the attempt in Unix seconds. v1 is the hexadecimal HMAC-SHA256 of t, a dot and the raw body, ' +
      "keyed with the webhook's secret. During a rotation, the header has one v1 per secret: accept any match. " +
      'Reject deliveries older than 300 seconds, and compare signatures in constant time.',
  ],
  ['X-Service-Event-Id', '^evt_', 'evt_01k9z6q4x0e8wbmt5n7rhv2c9s', 'Event ID, shared by all its deliveries.'],
  ['X-Service-Event-Type', '^[a-z._]+$', 'job.created', 'Type of the event.'],
  ['X-Service-Delivery-Id', '^whd_', 'whd_01k9z6q4x0e8wbmt5n7rhv2c7k', 'ID of the delivery.'],
  ['X-Service-Attempt', '^[0-9]+$', '1', 'Number of the attempt, starting at 1.'],
  [TEST_HEADER, '^true$', 'true', 'Present only in test deliveries.'],
  ['webhook-id', '^evt_', 'evt_01k9z6q4x0e8wbmt5n7rhv2c9s', 'For Standard Webhooks verifiers.'],
  ['webhook-timestamp', '^[0-9]+$', '1772445600', 'For Standard Webhooks verifiers.'],
  ['webhook-signature', '^v1,', 'v1,XS8MHop7lDY/HQxasul8GATW+jvhXHKQjU5rf6ECPJk=', 'For Standard Webhooks verifiers.'],
]

/** The `webhooks` section of the OpenAPI document, which describes the requests that the service sends to receivers. */
export const eventWebhooks = Object.fromEntries(
  eventTypes.map((type) => {
    const component = eventComponentName(type)
    const schema = { $ref: `#/components/schemas/${component}` }
    const post = {
      operationId: `on${component}`,
      summary: eventDescriptions[type],
      description: 'Sent to every active webhook that is subscribed to this type and whose owner may see the event.',
      tags: ['Webhook deliveries'],
      // Deliveries are signed and contain no API key.
      security: [],
      parameters: deliveryHeaders.map(([name, pattern, example, description]) => ({
        ...{ name, in: 'header', required: name !== TEST_HEADER, description },
        schema: { type: 'string', pattern },
        example,
      })),
      requestBody: { required: true, content: { 'application/json': { schema, example: sampleEvent(type) } } },
      responses: {
        '2XX': { description: 'Accepted. Only the status matters.' },
        '410': { description: 'Gone. The service disables the webhook.' },
        default: { description: 'Not accepted, including redirects. The service retries later.' },
      },
    }
    return [type, { post }]
  }),
)

export const EventTypes = Strict({ data: Type.Array(Ref(EventTypeSchema)) })

export const eventList = {
  name: 'events',
  filters: {
    type: parameter.choice('Type of the event.', eventTypes),
    subject_id: parameter.text('ID of the job, application, candidate or employer that the event is about.'),
    created_at: parameter.time('When the event occurred.'),
  },
  sorts: { created_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
