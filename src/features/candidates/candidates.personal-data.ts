/** What is held of a person, wherever it is: all of it given out, all of it erased. */
import type { Reader, Tx } from '../../db/database.ts'
import { eraseCandidateFromEvents, listEventsOf } from '../../events/personal-data.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { accountGone } from '../../lib/errors.ts'
import { closeAccount, getAccountData } from '../accounts/index.ts'
import { presentCandidate } from './candidates.present.ts'
import { findCandidate, lockCandidateToErase } from './candidates.queries.ts'

/** A feature's part in what is held of a candidate. */
export interface PersonalData {
  /** The member of the export that it goes under. */
  name: string
  /** What the candidate gets to see, as JSON. */
  export(reader: Reader, candidateId: string): Promise<unknown>
  /** Takes the person out, in the transaction that erases all; the candidate and its account are locked and still there. */
  erase(tx: Tx, candidateId: string, now: Date): Promise<void>
}

/** Everything that is held of a candidate. */
export async function exportCandidate(
  reader: Reader,
  origin: string,
  parts: readonly PersonalData[],
  candidateId: string,
  now: Date,
) {
  const [candidate, data] = [await findCandidate(reader, candidateId), await getAccountData(reader, candidateId)]
  if (!candidate || !data) throw accountGone()
  const exported: Record<string, unknown> = {}
  for (const part of parts) exported[part.name] = await part.export(reader, candidateId)
  return {
    exported_at: now.toISOString(),
    ...data,
    profile: presentCandidate(candidate, origin),
    last_active: candidate.last_active_at.toISOString(),
    ...exported,
    events: await listEventsOf(reader, candidateId),
  }
}

/** Erases a candidate with the account and its keys. */
export async function eraseCandidate(
  tx: Tx,
  origin: string,
  parts: readonly PersonalData[],
  candidateId: string,
  precondition: Precondition,
  now: Date,
): Promise<void> {
  if (!(await lockCandidateToErase(tx, candidateId))) throw accountGone()
  precondition(presentCandidate((await findCandidate(tx, candidateId))!, origin))
  for (const part of parts) await part.erase(tx, candidateId, now)
  // After the parts, which lock what others write events about: none comes later that still names the person.
  await eraseCandidateFromEvents(tx, candidateId)
  await closeAccount(tx, candidateId)
}
