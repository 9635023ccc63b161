import type { EventEnvelope } from '../../events/catalogue.ts'
import type { EventRow } from './events.queries.ts'

export type { EventEnvelope } from '../../events/catalogue.ts'

/**
 * Returns the stored envelope. `JSON.stringify` created the stored text, so serializing the envelope again yields the
 * same bytes.
 */
export function presentEvent({ body }: Pick<EventRow, 'body'>): EventEnvelope {
  return JSON.parse(body)
}
