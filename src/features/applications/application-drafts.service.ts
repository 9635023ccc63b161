import type { Tx } from '../../db/database.ts'
import { AppError, accountGone } from '../../lib/errors.ts'
import { DAY_MS } from '../../lib/time.ts'
import { lockCandidate } from '../candidates/index.ts'
import { countOtherDrafts, type DraftRow, upsertDraft } from './application-drafts.queries.ts'
import { findStandingApplicationId } from './applications.queries.ts'
import { alreadyApplied, checkApplication, type JobApplication } from './applications.service.ts'

/** Time in milliseconds from the creation of a draft to its expiry. */
const DRAFT_MS = DAY_MS
const DRAFTS_MAX = 20

/** Stores a draft that the candidate checks and sends on the website. Replaces any earlier draft for the same job. */
export async function draftApplication(tx: Tx, application: JobApplication): Promise<DraftRow> {
  const { candidateId, jobId, body, now } = application
  // Prevents concurrent drafts from exceeding the limit, and an erasure from missing the draft.
  if (!(await lockCandidate(tx, candidateId))) throw accountGone()
  const { opening, answers, source } = await checkApplication(tx, application, { isDraft: true })
  const standing = await findStandingApplicationId(tx, candidateId, jobId)
  if (standing !== undefined) throw alreadyApplied(standing)
  if ((await countOtherDrafts(tx, candidateId, jobId, now)) >= DRAFTS_MAX) {
    const detail = `You have ${DRAFTS_MAX} application drafts. Send or discard one first.`
    throw new AppError('limit_reached', { detail })
  }
  const { title, company } = opening
  const draft = {
    ...{ candidate_id: candidateId, job_id: jobId, cover_letter: body.cover_letter, answers, source },
    resume_id: body.resume_id ?? null,
    created_at: now,
    expires_at: new Date(now.getTime() + DRAFT_MS),
  }
  await upsertDraft(tx, draft)
  return { ...draft, title, company }
}
