export { type EventEnvelope, presentEvent } from './events.present.ts'
export { findEvent, findEventBacklog, type Viewer } from './events.queries.ts'
export { describedEventTypes } from './events.schemas.ts'
export { EventStream, type Point } from './events.stream.ts'
