export { type EventEnvelope, presentEvent } from './events.present.ts'
export { findEvent } from './events.queries.ts'
export { describedEventTypes } from './events.schemas.ts'
export { EventTail } from './events.tail.ts'
