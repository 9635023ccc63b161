/** Export and erasure of a candidate's personal data across all features. */
import type { Reader, Tx } from '../../db/database.ts'
import { eraseCandidateFromEvents, listEventsOf } from '../../events/personal-data.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { accountGone } from '../../lib/errors.ts'
import { closeAccount, getAccountData } from '../accounts/index.ts'
import { presentCandidate } from './candidates.present.ts'
import { findCandidate, lockCandidateToErase } from './candidates.queries.ts'

/** The personal data of one feature. */
export interface PersonalData {
  /** Name of the member in the export. */
  name: string
  /** Returns the data that the candidate receives, as JSON. */
  export(reader: Reader, candidateId: string): Promise<unknown>
  /**
   * Erases the feature's data, within the transaction of the whole erasure. At this point, the candidate and the
   * account still exist, and both are locked.
   */
  erase(tx: Tx, candidateId: string, now: Date): Promise<void>
}

/** Input of the export of a candidate's data. */
interface DataRequest {
  origin: string
  personalData: readonly PersonalData[]
  candidateId: string
  now: Date
}

/** Returns all personal data of a candidate. */
export async function exportCandidate(reader: Reader, { origin, personalData, candidateId, now }: DataRequest) {
  const [candidate, data] = [await findCandidate(reader, candidateId), await getAccountData(reader, candidateId)]
  if (!candidate || !data) throw accountGone()
  const exported: Record<string, unknown> = {}
  for (const part of personalData) exported[part.name] = await part.export(reader, candidateId)
  return {
    exported_at: now.toISOString(),
    ...data,
    profile: presentCandidate(candidate, origin),
    last_active: candidate.last_active_at.toISOString(),
    ...exported,
    events: await listEventsOf(reader, candidateId),
  }
}

/** Erases a candidate with its account and keys. */
export async function eraseCandidate(
  tx: Tx,
  { origin, personalData, candidateId, precondition, now }: DataRequest & { precondition: Precondition },
): Promise<void> {
  if (!(await lockCandidateToErase(tx, candidateId))) throw accountGone()
  precondition(presentCandidate((await findCandidate(tx, candidateId))!, origin))
  for (const part of personalData) await part.erase(tx, candidateId, now)
  // Runs after the features' erasures, which lock the subjects of other accounts' events, so that no later event can
  // contain the candidate's name.
  await eraseCandidateFromEvents(tx, candidateId)
  await closeAccount(tx, candidateId)
}
