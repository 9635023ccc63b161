import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/outbox.ts'
import { fold } from '../../lib/fold.ts'
import { openAccount } from '../accounts/index.ts'
import { type CandidateRow, findCandidate, insertCandidate } from './candidates.queries.ts'
import type { CandidateRegistrationBody } from './candidates.schemas.ts'

/** Registers a candidate account; the key is returned here only. Throws `email_taken`. */
export async function registerCandidate(
  tx: Tx,
  { first_name, last_name, email }: CandidateRegistrationBody,
  now: Date,
): Promise<{ candidate: CandidateRow; apiKey: string }> {
  const name = `${first_name} ${last_name}`
  const { id, apiKey } = await openAccount(tx, { kind: 'candidate', name, email }, now)
  await insertCandidate(tx, {
    id,
    first_name,
    last_name,
    last_name_sort: fold(last_name),
    created_at: now,
    updated_at: now,
    last_active_at: now,
  })
  await appendEvent(tx, {
    type: 'candidate.registered',
    subjectId: id,
    candidateId: id,
    at: now,
    data: { candidate: { id, name, email, created_at: now.toISOString() } },
  })
  return { candidate: (await findCandidate(tx, id))!, apiKey }
}
