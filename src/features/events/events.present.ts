import type { EventEnvelope } from '../../events/catalogue.ts'
import type { EventRow } from './events.queries.ts'

export type { EventEnvelope } from '../../events/catalogue.ts'

/** The envelope as it was written: made by `JSON.stringify`, it comes out of it again byte for byte. */
export function presentEvent({ body }: EventRow): EventEnvelope {
  return JSON.parse(body)
}
