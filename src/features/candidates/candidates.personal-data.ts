/** Export and erasure of a candidate's personal data across all features. */
import type { Reader, Tx } from '../../db/database.ts'
import { eraseCandidateFromEvents, listEventsOf } from '../../events/personal-data.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { accountGone } from '../../lib/errors.ts'
import { closeAccount, getAccountData } from '../accounts/index.ts'
import type { PersonalData } from '../feature.ts'
import { presentCandidate } from './candidates.present.ts'
import { type CandidateRow, findCandidate, lockCandidateToErase } from './candidates.queries.ts'

interface DataRequest {
  origin: string
  personalData: readonly PersonalData[]
  candidateId: string
  now: Date
}

/** Returns the profile of a signed-in candidate. Throws if the account has been erased in the meantime. */
export async function getOwnCandidate(reader: Reader, id: string): Promise<CandidateRow> {
  const candidate = await findCandidate(reader, id)
  if (!candidate) throw accountGone()
  return candidate
}

export async function exportCandidate(reader: Reader, { origin, personalData, candidateId, now }: DataRequest) {
  const candidate = await getOwnCandidate(reader, candidateId)
  const data = await getAccountData(reader, candidateId)
  if (!data) throw accountGone()
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

export async function eraseCandidate(
  tx: Tx,
  { origin, personalData, candidateId, precondition, now }: DataRequest & { precondition: Precondition },
): Promise<void> {
  if (!(await lockCandidateToErase(tx, candidateId))) throw accountGone()
  precondition(presentCandidate(await getOwnCandidate(tx, candidateId), origin))
  for (const part of personalData) await part.erase(tx, candidateId, now)
  // Runs after all features have erased their data. By then, the features have locked the subjects of other accounts'
  // events, so later events cannot contain the candidate's name.
  await eraseCandidateFromEvents(tx, candidateId)
  await closeAccount(tx, candidateId)
}
