/** Creates, changes and deletes jobs for their employers. */
import { isDeepStrictEqual } from 'node:util'
import { isShownNowhere, type Reader, type Tx } from '../../db/database.ts'
import { noteIfAdmin } from '../../db/operator-actions.ts'
import { appendEvent, writeWithEvent } from '../../events/outbox.ts'
import type { Action, Change, Submission } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { type BodyFault, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { allLocations, LOCATIONS_MAX } from '../../lib/locations.ts'
import { compareWithPresent, soundMembers } from '../../lib/merge.ts'
import type { Actor } from '../../lib/scopes.ts'
import { parseTime } from '../../lib/time.ts'
import { workplaceIn, workplaceOf } from '../../lib/workplaces.ts'
import { detectLanguage } from '../../search/text/language.ts'
import { searchVector } from '../../search/text/words.ts'
import { getCompany, getEmployerName } from '../employers/employers.sql.ts'
import { assertMayChange, assertNotFed } from './jobs.access.ts'
import {
  completeMembers,
  completeSalary,
  type JobMembers,
  jobColumns,
  type PlannedMember,
  pristine,
} from './jobs.columns.ts'
import { jobDeleted, jobUpdated } from './jobs.events.ts'
import { presentJobCreateForm, presentJobDetail } from './jobs.present.ts'
import { type BareJobRow, type JobRow, jobChange, jobInsertion, lockJob, updateJobRow } from './jobs.queries.ts'
import { announceExpiry } from './jobs.runs.ts'
import { type JobBody, type JobDetail, type JobMergeBody, writableJobMembers } from './jobs.schemas.ts'
import { after, isRunning, type JobSettings, jobState, RUN_DAYS_MAX } from './jobs.state.ts'

function planFault(member: PlannedMember, time: Date, earliest: Date, latest: Date): BodyFault[] {
  if (time > earliest && time <= latest) return []
  const detail = `${member} must be in the future and no later than ${latest.toISOString()}.`
  return [{ pointer: `#/${member}`, code: 'invalid_range', detail, rule: { keyword: 'future', limit: latest } }]
}

function orderFault(publishAt: Date | null, expiresAt: Date | null): BodyFault[] {
  if (!publishAt || !expiresAt || publishAt < expiresAt) return []
  const detail = 'publish_at must be before expires_at.'
  const words = { key: 'fault.publish_before_end' } as const
  return [{ pointer: '#/publish_at', code: 'invalid_range', detail, words }]
}

/** Returns a fault if `remote` and `workplace` contradict each other. */
function workplaceFaults({ remote, workplace }: { remote?: unknown; workplace?: unknown }): BodyFault[] {
  if (remote === undefined || workplace === undefined || remote === (workplace === 'remote')) return []
  const detail = 'remote must be true exactly if workplace is remote. Omit one of them.'
  return [{ pointer: '#/remote', code: 'not_allowed', detail }]
}

function locationsFaults({ location, locations }: { location?: unknown; locations?: unknown }): BodyFault[] {
  if (typeof location !== 'string' || !Array.isArray(locations)) return []
  if (allLocations(location, locations).length <= LOCATIONS_MAX) return []
  const detail = `locations must have at most ${LOCATIONS_MAX} items, including location.`
  return [{ pointer: '#/locations', code: 'too_many', detail, rule: { keyword: 'maxItems', limit: LOCATIONS_MAX } }]
}

/**
 * Returns the job that an unfinished form describes, for a preview. Missing or faulty members have their default
 * values. Omits questions with faults.
 */
export async function draftJob(
  reader: Reader,
  settings: JobSettings,
  { accountId }: Pick<Actor, 'accountId'>,
  { body, faults, now }: Submission<Partial<JobBody>>,
): Promise<JobDetail> {
  const company = await getCompany(reader, accountId)
  const isSound = (pointer: string) => !faults.some((fault) => `${fault.pointer}/`.startsWith(`${pointer}/`))
  const custom_questions = body.custom_questions?.filter((_, n) => isSound(`#/custom_questions/${n}`)) ?? []
  const sound = Object.entries(body).filter(([name, value]) => value !== undefined && isSound(`#/${name}`))
  const missing = { title: '', description: '', location: '', category: '', type: '' }
  const members = completeMembers({ ...missing, ...Object.fromEntries(sound), custom_questions }, settings)
  const row: JobRow = {
    ...pristine,
    ...jobColumns(members, company.name),
    ...{ id: '', employer_id: accountId, state: 'inactive', custom_questions },
    ...{ created_at: now, updated_at: now, posted_at: now, expires_at: null },
    ...{ company_logo_url: company.logo_url, company_website: company.website, is_of_suspended: false },
  }
  return presentJobDetail(row, { origin: settings.origin, now })
}

/** Creates an inactive job in one statement. `faults` contains the faults that schema validation found. */
export async function createJob(
  tx: Tx,
  settings: JobSettings,
  employer: Pick<Actor, 'accountId' | 'name'>,
  { body, faults, now }: Submission<JobBody>,
): Promise<BareJobRow> {
  const expiresAt = (typeof body.expires_at === 'string' && parseTime(body.expires_at, 'end')) || null
  const publishAt = (typeof body.publish_at === 'string' && parseTime(body.publish_at, 'start')) || null
  const latest = after(now, RUN_DAYS_MAX)
  const allFaults = [
    ...faults,
    ...(expiresAt ? planFault('expires_at', expiresAt, now, latest) : []),
    ...(publishAt ? planFault('publish_at', publishAt, now, latest) : []),
    ...orderFault(publishAt, expiresAt),
    ...workplaceFaults(body),
    ...locationsFaults(body),
  ]
  if (allFaults.length > 0) throw validationFailed(allFaults)
  const members = completeMembers(body, settings)
  // A new job is not on the board. Declaring this to the database layer halves the number of writes.
  isShownNowhere(tx)
  // Does not query the employer's name first, because creating a job should take a single statement.
  for (let company = employer.name; ; ) {
    const columns = {
      id: newId('job'),
      employer_id: employer.accountId,
      ...jobColumns(members, company),
      state: 'inactive' as const,
      created_at: now,
      updated_at: now,
      posted_at: now,
      expires_at: expiresAt,
      publish_at: publishAt,
    }
    const row: BareJobRow = {
      ...pristine,
      ...columns,
      custom_questions: members.custom_questions,
    }
    const event = {
      type: 'job.created' as const,
      subjectId: row.id,
      employerId: row.employer_id,
      at: now,
      data: { job: presentJobCreateForm(row, { origin: settings.origin, now }) },
    }
    if (await writeWithEvent(tx, jobInsertion(columns), event)) return row
    // The employer was renamed after the caller was authenticated.
    company = await getEmployerName(tx, employer.accountId)
  }
}

/** Merges a body into a job. `faults` contains the faults from schema validation. */
export async function updateJob(
  tx: Tx,
  settings: JobSettings,
  { actor, ...change }: Change<JobMergeBody> & { actor: Actor },
): Promise<JobRow> {
  const row = await lockJob(tx, change.id)
  assertMayChange(row, actor)
  const { updated, changed } = await mergeIntoJob(tx, settings, row, { ...change, permit: assertNotFed })
  if (changed.length > 0) {
    const action = { action: 'job.update', subject: change.id, note: changed.join(', ') }
    await noteIfAdmin(tx, actor, action, change.now)
  }
  return updated
}

/** Merges a body into a locked job. Calls `permit` before it changes any member. */
export async function mergeIntoJob(
  tx: Tx,
  settings: JobSettings,
  row: JobRow,
  { id, body, faults, precondition, permit = () => {}, now }: Change<JobMergeBody> & { permit?: (row: JobRow) => void },
): Promise<{ updated: JobRow; changed: readonly string[] }> {
  const view = { origin: settings.origin, now }
  const detail = presentJobDetail(row, view)
  const present = { ...detail, application_count: row.application_count, source: row.source }
  const sent = normalizeMerge(row, { body, faults }, settings)
  const { changed, faults: readOnlyFaults } = compareWithPresent(present, sent, writableJobMembers)
  const allFaults = [...faults, ...readOnlyFaults, ...workplaceFaults(sent), ...locationsFaults(sent)]
  const expiresAt = changed.includes('expires_at')
    ? plannedExpiry(row, sent.expires_at, now, allFaults)
    : row.expires_at
  const publishAt = changed.includes('publish_at')
    ? plannedPublication(row, sent.publish_at, now, allFaults)
    : row.publish_at
  const isAhead = publishAt !== null && publishAt > now
  if (isAhead && (expiresAt === null || expiresAt > now)) allFaults.push(...orderFault(publishAt, expiresAt))
  if (allFaults.length > 0) throw validationFailed(allFaults)
  precondition(detail)
  if (changed.length === 0) {
    await updateJobRow(tx, id, { updated_at: now })
    return { updated: { ...row, updated_at: now }, changed }
  }
  permit(row)

  const merged = { ...present, ...Object.fromEntries(changed.map((member) => [member, sent[member]])) } as JobMembers
  merged.language ??= detectLanguage(merged)
  // The board's own application URL is not stored, but computed for every response.
  const application_url = changed.includes('application_url') ? merged.application_url : row.application_url
  const isRenewed =
    (changed.includes('expires_at') || (changed.includes('publish_at') && isAhead)) && jobState(row, now) === 'expired'
  const hasNewWords = searchedMembers.some((member) => changed.includes(member))
  if (isRenewed) await announceExpiry(tx, settings, [row], now)
  const change = {
    ...withoutUnchanged(jobColumns({ ...merged, application_url }, row.company), changed),
    ...(hasNewWords && {
      search: row.state === 'inactive' ? null : searchVector({ ...merged, company: row.company }),
    }),
    expires_at: expiresAt,
    publish_at: publishAt,
    updated_at: now,
    // A new expiry does not extend a run that has ended. It takes effect after a new payment and activation.
    ...(isRenewed && { state: 'inactive' as const }),
  }
  const updated = { ...row, ...change, custom_questions: merged.custom_questions }
  const event = jobUpdated(settings, { before: row, after: updated, changedFields: changed, now })
  await writeWithEvent(tx, jobChange(tx, id, change), event)
  return { updated, changed }
}

/** Members that determine the search vector. The company's name determines it too, but changes separately. */
const searchedMembers = ['title', 'skills', 'description', 'language'] as const

/**
 * Long columns, which PostgreSQL stores outside the row. Every update that sets such a column rewrites its whole value.
 */
const longColumns = ['description', 'requirements', 'benefits', 'custom_questions'] as const

/** Removes only unchanged long columns, because every combination of columns needs its own prepared statement. */
function withoutUnchanged(columns: Partial<ReturnType<typeof jobColumns>>, changed: readonly string[]) {
  const kept = { ...columns }
  for (const name of longColumns) if (!changed.includes(name)) delete kept[name]
  return kept
}

/** Converts sent values to the format of responses. Equal values in other formats then do not count as changes. */
function normalizeMerge(
  row: JobRow,
  { body, faults }: Pick<Change<JobMergeBody>, 'body' | 'faults'>,
  settings: JobSettings,
): Record<string, unknown> {
  const sent = soundMembers(body, faults)
  if (sent.salary) sent.salary = completeSalary(sent.salary as JobBody['salary'], settings.defaultCurrency)
  for (const name of ['requirements', 'benefits', 'skills', 'custom_questions'])
    if (sent[name] === null) sent[name] = []
  if (typeof sent.expires_at === 'string') sent.expires_at = parseTime(sent.expires_at, 'end')?.toISOString()
  if (typeof sent.publish_at === 'string') sent.publish_at = parseTime(sent.publish_at, 'start')?.toISOString()
  const isRemoteChanged = sent.remote !== undefined && sent.remote !== row.remote
  if (sent.workplace === undefined || sent.workplace === workplaceOf(row)) {
    if (isRemoteChanged) sent.workplace = workplaceIn({ remote: sent.remote as boolean })
  } else if (!isRemoteChanged) sent.remote = sent.workplace === 'remote'
  followLocations(row, sent)
  // Null requests the board's own URL. If the job already uses it, nothing changes.
  if (sent.application_url === null && row.application_url === null) delete sent.application_url
  if (isLanguageDetected(row, sent)) sent.language = detectLanguage({ ...row, ...sent })
  return sent
}

/** Changes `location` and `locations` together if a body changes only one of them. */
function followLocations(row: JobRow, sent: Record<string, unknown>): void {
  const present = allLocations(row.location, row.locations)
  const location = sent.location as string | undefined
  if (sent.locations === undefined || isDeepStrictEqual(sent.locations, present)) {
    if (location === undefined || location === row.location) return
    const renamed = present.map((one) => (one === row.location ? location : one))
    sent.locations = allLocations(location, renamed)
  } else {
    const locations = (sent.locations ?? []) as readonly string[]
    sent.location = location ?? locations[0] ?? row.location
    sent.locations = allLocations(sent.location as string, locations)
  }
}

/**
 * Returns whether a change requires detecting the language again. A detected language follows the texts until an
 * employer sets the language.
 */
function isLanguageDetected(row: JobRow, { language, title, description }: Record<string, unknown>): boolean {
  if (language !== undefined) return language === null
  return (title !== undefined || description !== undefined) && row.language === detectLanguage(row)
}

/** Returns the expiry that a changed `expires_at` requests. Adds a fault if this expiry is not allowed. */
function plannedExpiry(row: JobRow, sent: unknown, now: Date, faults: BodyFault[]): Date | null {
  const hasRun = row.activated_at !== null && isRunning(row, now)
  if (sent === null) {
    if (hasRun) {
      const detail = 'An active or closed job requires expires_at. To take an active job off the board, close it.'
      faults.push({ pointer: '#/expires_at', code: 'required', detail, words: { key: 'fault.job_needs_end' } })
    }
    return null
  }
  const expiresAt = new Date(sent as string)
  // The planned expiry may be at most a year after the activation or, without a current run, a year from now.
  const latest = after(hasRun ? row.activated_at! : now, RUN_DAYS_MAX)
  // Additional posts may have extended the run beyond that year.
  faults.push(...planFault('expires_at', expiresAt, now, hasRun && row.expires_at! > latest ? row.expires_at! : latest))
  return expiresAt
}

/** Returns the publication time that a changed `publish_at` requests. Adds a fault if this time is not allowed. */
function plannedPublication(row: JobRow, sent: unknown, now: Date, faults: BodyFault[]): Date | null {
  if (sent === null) return null
  const publishAt = new Date(sent as string)
  if (isRunning(row, now)) {
    const detail = 'The job has already been published. You can plan its next publication after it has expired.'
    faults.push({ pointer: '#/publish_at', code: 'not_allowed', detail })
    return publishAt
  }
  faults.push(...planFault('publish_at', publishAt, now, after(now, RUN_DAYS_MAX)))
  return publishAt
}

/** Marks a job as deleted. Keeps its row, because applications refer to it. */
export async function deleteJob(
  tx: Tx,
  settings: JobSettings,
  { actor, id, now }: Action,
  precondition: Precondition,
): Promise<void> {
  const row = await lockJob(tx, id)
  assertMayChange(row, actor)
  precondition(presentJobDetail(row, { origin: settings.origin, now }))
  assertNotFed(row)
  if (jobState(row, now) === 'expired') await announceExpiry(tx, settings, [row], now)
  await updateJobRow(tx, id, { state: 'deleted', deleted_at: now, updated_at: now })
  await appendEvent(tx, jobDeleted(row, now))
  await noteIfAdmin(tx, actor, { action: 'job.delete', subject: id }, now)
}
