import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/outbox.ts'
import { pointsOf } from '../../geo/gazetteer.ts'
import type { Change } from '../../lib/changes.ts'
import { accountGone, type BodyFault } from '../../lib/errors.ts'
import { pickMembers } from '../../lib/members.ts'
import { mergeBody, soundMembers } from '../../lib/merge.ts'
import { fold } from '../../search/text/fold.ts'
import { textVector, words } from '../../search/text/words.ts'
import { assertNotBlocked, openAccount, updateAccount } from '../accounts/index.ts'
import { isAddressChange, leaveAddress, type Mover } from '../sessions/index.ts'
import { presentCandidate, presentEducation, presentExperience } from './candidates.present.ts'
import {
  type CandidateRow,
  findCandidate,
  findSearchSource,
  insertCandidate,
  lockCandidate,
  updateCandidate,
} from './candidates.queries.ts'
import {
  type Candidate,
  type CandidateBody,
  type CandidateRegistrationBody,
  type Education,
  type EducationBody,
  type Experience,
  type ExperienceBody,
  writableCandidateMembers,
} from './candidates.schemas.ts'

const fullName = ({ first_name, last_name }: Pick<Candidate, 'first_name' | 'last_name'>) =>
  `${first_name} ${last_name}`

/** Registers a candidate account. Only this call returns the API key. Throws `email_taken`. */
export async function registerCandidate(
  tx: Tx,
  { first_name, last_name, email }: CandidateRegistrationBody,
  now: Date,
): Promise<{ candidate: CandidateRow; apiKey: string }> {
  const name = fullName({ first_name, last_name })
  const { id, apiKey } = await openAccount(tx, { kind: 'candidate', name, email }, now)
  await insertCandidate(tx, {
    id,
    first_name,
    last_name,
    last_name_sort: fold(last_name),
    created_at: now,
    updated_at: now,
    last_active_at: now,
    places: [],
  })
  await refreshCandidateSearch(tx, id)
  await appendEvent(tx, {
    type: 'candidate.registered',
    subjectId: id,
    candidateId: id,
    at: now,
    data: { candidate: { id, name, email, created_at: now.toISOString() } },
  })
  return { candidate: (await findCandidate(tx, id))!, apiKey }
}

export async function updateCandidateProfile(
  tx: Tx,
  { origin, id, body, faults, precondition, now, mover }: Change<CandidateBody> & { origin: string; mover: Mover },
): Promise<CandidateRow> {
  if (!(await lockCandidate(tx, id))) throw accountGone()
  const row = (await findCandidate(tx, id))!
  const present = presentCandidate(row, origin)
  const { changed, merged } = mergeBody(present, normalizeMerge(body, faults), writableCandidateMembers)
  const { email } = merged
  const isMoved = isAddressChange(mover, present.email, email)
  precondition(present)
  if (isMoved) await assertNotBlocked(tx, email, now)

  await updateCandidate(tx, id, { ...profileColumns(merged), updated_at: now })
  if (changed.length === 0) return (await findCandidate(tx, id))!
  const name = fullName(merged)
  if (changed.includes('email') || name !== fullName(present)) await updateAccount(tx, id, { name, email })
  if (isMoved) await leaveAddress(tx, { accountId: id, address: present.email, sessionId: mover.sessionId, now })
  await refreshCandidateSearch(tx, id)
  // Omits the candidate's email preference, which is private (decision 0012).
  const told = changed.filter((member) => member !== 'mail_on_status_change')
  if (told.length > 0) {
    await appendEvent(tx, {
      type: 'candidate.profile_updated',
      subjectId: id,
      candidateId: id,
      at: now,
      data: { candidate: { id, name, email, updated_at: now.toISOString() }, changed_fields: told },
    })
  }
  return (await findCandidate(tx, id))!
}

/** Returns the columns of a profile, including folded text. Omits the email address, which the account table stores. */
function profileColumns(profile: Candidate) {
  const { email: _, ...columns } = pickMembers(profile, writableCandidateMembers)
  const { last_name, location, experience, education, skills } = columns
  return {
    ...columns,
    experience: JSON.stringify(experience),
    education: JSON.stringify(education),
    last_name_sort: fold(last_name),
    location_sort: location === null ? null : fold(location),
    location_words: location === null ? [] : words(location),
    places: pointsOf(location),
    skills_folded: [...new Set(skills.map(fold))],
  }
}

/** Converts sent values to the format of responses, and adds faults that the schema cannot detect. */
function normalizeMerge(body: CandidateBody, schemaFaults: readonly BodyFault[]) {
  const faults = [...schemaFaults]
  const sent = soundMembers(body, faults)
  for (const name of ['experience', 'education', 'skills']) {
    if (sent[name] === null) sent[name] = []
  }
  const experience = sent.experience as ExperienceBody[] | undefined
  const education = sent.education as EducationBody[] | undefined
  faults.push(...(experience ?? []).flatMap(experienceFaults))
  faults.push(...(education ?? []).flatMap((entry, index) => periodFaults(entry, `#/education/${index}`)))
  const normalized = {
    ...sent,
    ...(experience && { experience: experience.map(presentExperience) }),
    ...(education && { education: education.map(presentEducation) }),
  }
  return { body: normalized, faults }
}

function experienceFaults(entry: ExperienceBody, index: number): BodyFault[] {
  const at = `#/experience/${index}`
  const isOpen = (entry.end_date ?? null) === null
  if (entry.current === false && isOpen) {
    const detail = 'end_date is required when current is false.'
    return [{ pointer: `${at}/end_date`, code: 'required', detail, words: { key: 'fault.end_needed' } }]
  }
  const faults = periodFaults(entry, at)
  if (entry.current === true && !isOpen) {
    const detail = 'current must be true if end_date is null, and false otherwise.'
    faults.push({ pointer: `${at}/current`, code: 'not_allowed', detail, words: { key: 'fault.end_needed' } })
  }
  return faults
}

/** Returns a fault if a period ends before it starts. Dates in the format YYYY-MM compare correctly as text. */
function periodFaults({ start_date, end_date }: Partial<Experience | Education>, at: string): BodyFault[] {
  if (!start_date || !end_date || start_date <= end_date) return []
  const detail = 'end_date must not be before start_date.'
  return [{ pointer: `${at}/end_date`, code: 'invalid_range', detail, words: { key: 'fault.end_before_start' } }]
}

/**
 * Rebuilds the search vector. Must run in the transaction that changes the profile or the resumes. Locks the candidate,
 * so the caller must not lock resumes or applications before this call.
 */
export async function refreshCandidateSearch(tx: Tx, candidateId: string): Promise<void> {
  if (!(await lockCandidate(tx, candidateId))) return
  const source = (await findSearchSource(tx, candidateId))!
  const experience = source.experience as Experience[]
  const education = source.education as Education[]
  const search = textVector(
    [
      ['A', [source.headline, ...source.skills]],
      ['B', [fullName(source), ...experience.map(({ title }) => title)]],
      ['C', [source.location, source.summary]],
      ['C', experience.flatMap((entry) => [entry.company, entry.location, entry.description])],
      ['C', education.flatMap((entry) => [entry.institution, entry.degree, entry.field, entry.description])],
      ['C', [source.resume_text]],
    ],
    null,
  )
  await updateCandidate(tx, candidateId, { search })
}
