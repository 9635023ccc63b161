import type { EventEnvelope } from '../../events/catalogue.ts'
import type { EventRow } from './events.queries.ts'

export type { EventEnvelope } from '../../events/catalogue.ts'

/** Returns the stored envelope. It was serialized by `JSON.stringify`, so serializing it again gives the same bytes. */
export function presentEvent({ body }: EventRow): EventEnvelope {
  return JSON.parse(body)
}
