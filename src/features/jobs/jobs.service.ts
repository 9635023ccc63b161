import { isDeepStrictEqual } from 'node:util'
import { type Database, isShownNowhere, type Reader, type Tx } from '../../db/database.ts'
import { noteIfAdmin } from '../../db/operator-actions.ts'
import { appendEvent, appendEvents, writeWithEvent } from '../../events/outbox.ts'
import { findNamesakes, geocode, pointsOf } from '../../geo/gazetteer.ts'
import type { Action, Change, Submission } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, type BodyFault, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { allLocations, LOCATIONS_MAX } from '../../lib/locations.ts'
import { compareWithPresent } from '../../lib/merge.ts'
import { annualise, type Salary } from '../../lib/salary.ts'
import { type Actor, type ActorAccount, onlyEmployerOf } from '../../lib/scopes.ts'
import { DAY_MS, parseTime } from '../../lib/time.ts'
import { type Workplace, workplaceIn, workplaceOf } from '../../lib/workplaces.ts'
import type { ListQuery } from '../../lists/query.ts'
import type { Condition } from '../../lists/sql-page.ts'
import { fold } from '../../search/text/fold.ts'
import { detectLanguage } from '../../search/text/language.ts'
import { searchVector, words } from '../../search/text/words.ts'
import { giveApplications } from '../applications/applications.sql.ts'
import { getCompany, getEmployerName } from '../employers/employers.sql.ts'
import { plainMembersOf, type SentPlainMembers } from './jobs.members.ts'
import { presentJobCreateForm, presentJobDetail } from './jobs.present.ts'
import {
  anyJob,
  type BareJobRow,
  claimExpiredJobs,
  type FoundJob,
  findJob,
  isClaimedFrom,
  isSearch,
  type JobRow,
  jobChange,
  jobInsertion,
  listWithoutLanguage,
  listWordless,
  lockEmployerOf,
  lockJob,
  lockJobs,
  lockJobsOf,
  markExpiryAnnounced,
  suspendedFromBoard,
  updateCompanyNames,
  updateJobRow,
  updateJobRows,
  updateLanguages,
  updateSearch,
  visibleJob,
} from './jobs.queries.ts'
import { type JobBody, type JobDetail, type JobMergeBody, type JobState, writableJobMembers } from './jobs.schemas.ts'

export interface JobSettings {
  /** Public origin. */
  origin: string
  /** ISO 4217 code for salaries without a currency. */
  defaultCurrency: string
}

export interface Moment {
  settings: JobSettings
  now: Date
}

export interface PaidRun {
  /** Number of days that the job runs if no expiry is planned. */
  durationDays: number
  flags: { is_featured: boolean; is_urgent: boolean; is_highlighted: boolean }
}

/** Consumes a payment for a run of this job. Returns undefined if there is none. */
export type ConsumePaidRun = (
  tx: Tx,
  job: { id: string; employer_id: string },
  now: Date,
) => Promise<PaidRun | undefined>

/** Reports a request for a job to the job statistics. They decide whether the request counts as a view. */
export type NoteView = (job: { id: string; employer_id: string }, by: ViewedBy) => void

export interface ViewedBy {
  actor: Actor | undefined
  /** True for page requests. The `user-agent` header of API requests does not distinguish people from programs. */
  isPage: boolean
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Maximum number of days from a job's activation to its expiry, and from now to a planned expiry. */
export const RUN_DAYS_MAX = 365

export function jobState(row: Pick<JobRow, 'state' | 'expires_at'>, now: Date): JobState {
  if (row.state === 'inactive') return 'inactive'
  if (row.expires_at !== null && row.expires_at <= now) return 'expired'
  return row.state === 'closed' ? 'closed' : 'active'
}

/** Returns whether a job's run is still in progress. The run of a closed job continues until its expiry. */
export function isRunning(row: Pick<JobRow, 'state' | 'expires_at'>, now: Date): boolean {
  const state = jobState(row, now)
  return state === 'active' || state === 'closed'
}

/** Returns the number of days by which a post can extend a run. The run must end within a year from now. */
export function daysToAdd({ expires_at }: Pick<JobRow, 'expires_at'>, days: number, now: Date): number {
  if (expires_at === null) return 0
  const room = Math.floor((after(now, RUN_DAYS_MAX).getTime() - expires_at.getTime()) / DAY_MS)
  return Math.max(0, Math.min(days, room))
}

export const JOB_POST = 'job-post'

/**
 * Returns whether a job is posted. If not, returns whether its post is paid for. `paid` lists products that are paid
 * for but unused.
 */
export function postingOf(state: JobState, paid: readonly string[]): 'posted' | 'unpaid' | 'paid' {
  if (state === 'active' || state === 'closed') return 'posted'
  return paid.includes(JOB_POST) ? 'paid' : 'unpaid'
}

/** Throws unless the caller may change the job: `not_owner` if the job is public, otherwise `not_found`. */
export function assertMayChange(row: JobRow | undefined, actor: Actor): asserts row is JobRow {
  if (!row) throw new AppError('not_found')
  if (actor.kind === 'admin' || row.employer_id === actor.accountId) return
  throw new AppError(isPublic(row) ? 'not_owner' : 'not_found')
}

/**
 * Returns whether a job is public: it has been on the board, has not been removed, and its employer is not suspended.
 */
export function isPublic(row: Pick<JobRow, 'first_activated_at' | 'removed_at' | 'is_of_suspended'>): boolean {
  return row.first_activated_at !== null && row.removed_at === null && !row.is_of_suspended
}

/** Throws `not_found` if a reader may not see the job. Only the owner and admins may see jobs that are not public. */
export function assertVisible<Row extends JobRow>(
  row: Row | undefined,
  actor: ActorAccount | undefined,
): asserts row is Row {
  const isOwn = actor !== undefined && (actor.kind === 'admin' || row?.employer_id === actor.accountId)
  if (!row || !(isOwn || isPublic(row))) throw new AppError('not_found')
}

/**
 * Returns a job. Throws `not_found` if the reader may not see it. Readers with a publishable key see what visitors see, and
 * an employer's publishable key only the employer's jobs.
 */
export async function getVisibleJob(
  reader: Reader,
  id: string,
  actor: ActorAccount & Partial<Pick<Actor, 'key'>>,
): Promise<FoundJob> {
  const row = await findJob(reader, id, onlyEmployerOf(actor))
  assertVisible(row, actor.key?.publishable ? undefined : actor)
  return row
}

/** Throws if the operator removed the job. A removed job cannot be posted or paid for until it is restored. */
export function assertNotRemoved({ removed_at, removal_reason }: JobRow): void {
  if (removed_at === null) return
  throw new AppError('job_removed', {
    detail: `The operator removed this job: ${removal_reason}`,
    words: { key: 'problem.job_removed_for', values: { reason: removal_reason ?? '' } },
    extra: { removed_at: removed_at.toISOString(), reason: removal_reason },
  })
}

/** The gazetteer's data about a location. */
export interface Placing {
  /** Whether the location can be geocoded, so that searches by distance find the job. */
  isKnown: boolean
  /** The towns that share the location's name, likeliest first, or none if the location is unambiguous. */
  namesakes: readonly string[]
}

/** Maximum number of towns that an employer can choose from. */
const NAMESAKES_MAX = 6

export const placingOf = (location: string): Placing => ({
  isKnown: pointsOf(location).length > 0,
  namesakes: findNamesakes(location, NAMESAKES_MAX),
})

type JobMembers = ReturnType<typeof completeMembers>

/** Returns the columns of a job's writable members, and all derived columns except the search vector. */
export function jobColumns(job: JobMembers, company: string) {
  const { low, high } = annualise(job.salary)
  const { locations } = job
  const others = locations.length > 1 ? locations : []
  return {
    title: job.title,
    title_sort: fold(job.title),
    company,
    company_sort: fold(company),
    location: job.location,
    location_sort: fold(job.location),
    location_words: [...new Set(locations.flatMap(words))],
    locations: others,
    locations_folded: others.map(fold),
    ...geocode(locations),
    description: job.description,
    requirements: job.requirements,
    benefits: job.benefits,
    salary_min: job.salary?.min ?? null,
    salary_max: job.salary?.max ?? null,
    salary_currency: job.salary?.currency ?? null,
    salary_period: job.salary?.period ?? null,
    salary_annual_low: low,
    salary_annual_high: high,
    category: job.category,
    type: job.type,
    ...plainMembersOf(job),
    remote: job.workplace === 'remote',
    is_hybrid: job.workplace === 'hybrid',
    language: job.language ?? detectLanguage(job),
    skills: job.skills,
    skills_folded: [...new Set(job.skills.map(fold))],
    custom_questions: JSON.stringify(job.custom_questions),
    application_url: job.application_url,
    contact_email: job.contact_email,
  }
}

/** Returns the members of a request or an import line. Omitted members have their default values. */
export function completeMembers(
  body: Omit<JobBody, PlannedMember | keyof SentPlainMembers | 'workplace'> &
    SentPlainMembers & { workplace?: Workplace | null | undefined },
  { defaultCurrency }: JobSettings,
) {
  return {
    ...body,
    ...plainMembersOf(body),
    workplace: workplaceIn(body),
    locations: allLocations(body.location, body.locations),
    salary: completeSalary(body.salary, defaultCurrency),
    requirements: body.requirements ?? [],
    benefits: body.benefits ?? [],
    skills: body.skills ?? [],
    custom_questions: body.custom_questions ?? [],
    application_url: body.application_url ?? null,
    contact_email: body.contact_email ?? null,
  }
}

/** Returns a salary as sent. Omitted members have their default values. */
function completeSalary(salary: JobBody['salary'], defaultCurrency: string): Salary | null {
  if (!salary) return null
  return {
    min: salary.min ?? null,
    max: salary.max ?? null,
    currency: salary.currency ?? defaultCurrency,
    period: salary.period ?? 'year',
  }
}

type PlannedMember = 'expires_at' | 'publish_at'

function planFault(member: PlannedMember, time: Date, earliest: Date, latest: Date): BodyFault[] {
  if (time > earliest && time <= latest) return []
  const detail = `${member} must be in the future and no later than ${latest.toISOString()}.`
  return [{ pointer: `#/${member}`, code: 'invalid_range', detail, rule: { keyword: 'future' } }]
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

export const after = (start: Date, days: number) => new Date(start.getTime() + days * DAY_MS)

/** Initial values of the columns that activations, upgrades, removals and applications change. */
export const pristine = {
  first_activated_at: null,
  activated_at: null,
  expiry_announced_at: null,
  publish_at: null,
  published_for: null,
  deleted_at: null,
  application_count: 0,
  is_featured: false,
  is_urgent: false,
  is_highlighted: false,
  removed_at: null,
  removal_reason: null,
  removed_from_board: false,
  suspended_from_board: false,
  source: null,
  duplicate_of: null,
}

/**
 * Returns the job that a form describes so far, for a preview. Missing or faulty members have their default values.
 * Omits questions with faults.
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
    // The employer was renamed within the last second, while the API key was still cached.
    company = await getEmployerName(tx, employer.accountId)
  }
}

/** Throws if a feed maintains the job, because its next run would undo the change. */
function assertNotFed({ source }: Pick<JobRow, 'source'>): void {
  if (source !== null) throw new AppError('fed_job', { extra: { feed_id: source.feed_id } })
}

/** Merges a body into a job. `faults` contains the faults from schema validation. */
export async function updateJob(
  tx: Tx,
  settings: JobSettings,
  { actor, ...change }: Change<JobMergeBody> & { actor: Actor },
): Promise<JobRow> {
  const row = await lockJob(tx, change.id)
  assertMayChange(row, actor)
  const { updated, changed } = await mergeIntoJob(tx, settings, row, change, assertNotFed)
  if (changed.length > 0) {
    const action = { action: 'job.update', subject: change.id, note: changed.join(', ') }
    await noteIfAdmin(tx, actor, action, change.now)
  }
  return updated
}

/** Merges a body into a locked job. Calls `permit` before it changes anything. */
export async function mergeIntoJob(
  tx: Tx,
  settings: JobSettings,
  row: JobRow,
  { id, body, faults, precondition, now }: Change<JobMergeBody>,
  permit: (row: JobRow) => void,
): Promise<{ updated: JobRow; changed: readonly string[] }> {
  const view = { origin: settings.origin, now }
  const detail = presentJobDetail(row, view)
  const present = { ...detail, application_count: row.application_count, source: row.source }
  const sent = normaliseMerge(row, body, faults, settings)
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

/** Members that determine the search vector. The company's name also does, but it changes separately. */
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
function normaliseMerge(
  row: JobRow,
  body: JobMergeBody,
  faults: readonly BodyFault[],
  settings: JobSettings,
): Record<string, unknown> {
  const faulty = new Set(faults.map(({ pointer }) => pointer.split('/')[1]))
  // Invalid values have already been reported.
  const sent: Record<string, unknown> = Object.fromEntries(Object.entries(body).filter(([name]) => !faulty.has(name)))
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
      const detail = 'A job on the board requires expires_at. To take it off the board, close it.'
      faults.push({ pointer: '#/expires_at', code: 'required', detail, words: { key: 'fault.job_needs_end' } })
    }
    return null
  }
  const expiresAt = new Date(sent as string)
  // A run lasts at most a year from its activation.
  const latest = after(hasRun ? row.activated_at! : now, RUN_DAYS_MAX)
  // Additional posts may have extended the run beyond that.
  faults.push(...planFault('expires_at', expiresAt, now, hasRun && row.expires_at! > latest ? row.expires_at! : latest))
  return expiresAt
}

/** Returns the publication that a changed `publish_at` requests. Adds a fault if it is not allowed. */
function plannedPublication(row: JobRow, sent: unknown, now: Date, faults: BodyFault[]): Date | null {
  if (sent === null) return null
  const publishAt = new Date(sent as string)
  if (isRunning(row, now)) {
    const detail = 'The job was already published. Its next publication can be planned after it has expired.'
    faults.push({ pointer: '#/publish_at', code: 'not_allowed', detail })
    return publishAt
  }
  faults.push(...planFault('publish_at', publishAt, now, after(now, RUN_DAYS_MAX)))
  return publishAt
}

export function jobUpdated(
  { origin }: JobSettings,
  { before, after, changedFields, now }: { before: JobRow; after: JobRow; changedFields: readonly string[]; now: Date },
) {
  const view = { origin, now }
  const former: Record<string, unknown> = {
    ...presentJobCreateForm(before, view),
    contact_email: before.contact_email,
  }
  return {
    type: 'job.updated' as const,
    subjectId: after.id,
    employerId: after.employer_id,
    at: now,
    data: {
      job: presentJobCreateForm(after, view),
      changed_fields: [...changedFields],
      previous: Object.fromEntries(changedFields.map((name) => [name, former[name]])),
    },
  }
}

export async function changeState(
  tx: Tx,
  { settings, now }: Moment,
  row: JobRow,
  change: Partial<Omit<BareJobRow, 'custom_questions'>> & { close_reason?: string | null },
): Promise<JobRow> {
  const isPutOnBoard = change.state === 'active'
  // Only drafts may be without a search vector.
  const entry = isPutOnBoard && { visible_since: now, ...(row.state === 'inactive' && { search: searchVector(row) }) }
  const updated = { ...row, ...change, updated_at: now }
  const written = jobChange(tx, row.id, { ...change, updated_at: now, ...entry })
  const event = jobUpdated(settings, { before: row, after: updated, changedFields: ['is_active'], now })
  await writeWithEvent(tx, written, event)
  return updated
}

function invalidTransition(state: JobState, allowed: readonly string[]): AppError {
  const next = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}` : 'No change is allowed'
  const detail = `The job is ${state}. ${next}.`
  return new AppError('invalid_transition', { detail, extra: { state, allowed } })
}

/** Locks a job that the caller may put on the board. Throws if the job was removed or its employer is suspended. */
async function lockToPost(tx: Tx, actor: Actor, id: string): Promise<JobRow> {
  const isSuspended = await lockEmployerOf(tx, id)
  const row = await lockJob(tx, id)
  assertMayChange(row, actor)
  assertNotRemoved(row)
  if (isSuspended) {
    throw new AppError('account_suspended', {
      detail: "The employer's account is suspended. Resume the account first.",
      words: { key: 'problem.employer_suspended' },
    })
  }
  return row
}

/** Puts a paid job on the board and consumes its payment. Does nothing if the job is already active. */
export async function activateJob(
  tx: Tx,
  settings: JobSettings,
  consumePaidRun: ConsumePaidRun,
  { actor, id, now }: Action,
): Promise<JobRow> {
  const row = await lockToPost(tx, actor, id)
  const state = jobState(row, now)
  if (state === 'active') return row
  if (state === 'closed') throw invalidTransition(state, ['reopen'])
  const run = await consumePaidRun(tx, row, now)
  if (!run) {
    throw new AppError('payment_required', {
      detail: 'The job needs a payment before it can be activated.',
      extra: { payment_url: `${settings.origin}/v1/employers/payments`, products: [JOB_POST] },
    })
  }
  await noteIfAdmin(tx, actor, { action: 'job.activate', subject: id }, now)
  return startRun(tx, { settings, now }, row, run)
}

/**
 * Locks the account of a job's employer, then locks and returns the job. For payments that can put the job on the
 * board.
 */
export async function lockJobToPost(tx: Tx, id: string): Promise<JobRow | undefined> {
  await lockEmployerOf(tx, id)
  return lockJob(tx, id)
}

/** Returns whether a job's publication is planned and still ahead. */
export function awaitsPublication(
  { publish_at, published_for }: Pick<JobRow, 'publish_at' | 'published_for'>,
  now: Date,
) {
  return publish_at !== null && publish_at > now && publish_at.getTime() !== published_for?.getTime()
}

/**
 * Puts a job on the board after a payment for its post. If the job was removed, its employer is suspended, or its
 * publication is planned, the job keeps the paid post until it can be activated. The caller must lock the job with
 * `lockJobToPost` first.
 */
export async function postPaidJob(tx: Tx, moment: Moment, id: string, consumePaidRun: ConsumePaidRun): Promise<void> {
  const row = await lockJob(tx, id)
  if (!row || row.removed_at !== null || row.is_of_suspended || isRunning(row, moment.now)) return
  // The planned time may have passed while the payment waited for the lock. The task found no payment then.
  if (awaitsPublication(row, moment.now)) return
  const run = await consumePaidRun(tx, row, moment.now)
  if (run) await startRun(tx, moment, row, run)
}

/**
 * Puts a job on the board whose time of publication has come, unless it is on the board, was removed, or its employer is
 * suspended. Without a payment, the publication lapses: the next payment puts the job on the board.
 */
export async function publishDueJob(tx: Tx, moment: Moment, id: string, consumePaidRun: ConsumePaidRun): Promise<void> {
  const row = await lockJobToPost(tx, id)
  const isDue =
    row?.publish_at && row.publish_at <= moment.now && row.published_for?.getTime() !== row.publish_at.getTime()
  if (!isDue || row.state !== 'inactive' || row.removed_at !== null || row.is_of_suspended) return
  const run = await consumePaidRun(tx, row, moment.now)
  if (run) await startRun(tx, moment, row, run)
  else await updateJobRow(tx, id, { published_for: row.publish_at })
}

async function startRun(tx: Tx, { settings, now }: Moment, row: JobRow, run: PaidRun): Promise<JobRow> {
  if (jobState(row, now) === 'expired') await announceExpiry(tx, settings, [row], now)
  const isPlanned = row.expires_at !== null && row.expires_at > now
  return changeState(tx, { settings, now }, row, {
    state: 'active',
    posted_at: row.first_activated_at ? row.posted_at : now,
    first_activated_at: row.first_activated_at ?? now,
    activated_at: now,
    expires_at: isPlanned ? row.expires_at : after(now, run.durationDays),
    expiry_announced_at: null,
    published_for: row.publish_at,
    // Replaces the upgrades of an earlier run, which ended with that run.
    ...(row.first_activated_at && run.flags),
  })
}

/** Takes an active job off the board. Does nothing if the job is already closed. */
export async function closeJob(
  tx: Tx,
  settings: JobSettings,
  { actor, id, now }: Action,
  reason: string | null,
): Promise<JobRow> {
  const row = await lockJob(tx, id)
  assertMayChange(row, actor)
  const state = jobState(row, now)
  if (state === 'closed') {
    // If the job is removed or its employer is suspended, closing it prevents its return to the board.
    if (row.removed_from_board || row.suspended_from_board) {
      await updateJobRow(tx, id, { removed_from_board: false, suspended_from_board: false, close_reason: reason })
      await noteIfAdmin(tx, actor, { action: 'job.close', subject: id, note: reason ?? undefined }, now)
    }
    return row
  }
  if (state !== 'active') throw invalidTransition(state, ['activate'])
  await noteIfAdmin(tx, actor, { action: 'job.close', subject: id, note: reason ?? undefined }, now)
  return changeState(tx, { settings, now }, row, { state: 'closed', close_reason: reason })
}

/** Puts a closed job back on the board for the rest of its paid run. Does nothing if the job is already active. */
export async function reopenJob(tx: Tx, settings: JobSettings, { actor, id, now }: Action): Promise<JobRow> {
  const row = await lockToPost(tx, actor, id)
  const state = jobState(row, now)
  if (state === 'active') return row
  if (state !== 'closed') throw invalidTransition(state, ['activate'])
  assertNotFed(row)
  await noteIfAdmin(tx, actor, { action: 'job.reopen', subject: id }, now)
  return changeState(tx, { settings, now }, row, { state: 'active', close_reason: null })
}

/**
 * Hides a locked job from everyone except its employer and admins. If it is already removed, changes only the reason.
 */
export async function removeJob(tx: Tx, { settings, now }: Moment, row: JobRow, reason: string): Promise<JobRow> {
  const isOnBoard = jobState(row, now) === 'active'
  const removal = {
    removed_at: row.removed_at ?? now,
    removal_reason: reason,
    removed_from_board: isOnBoard || row.removed_from_board,
    // Also closes expired jobs, because a removed job must not have the state `active`.
    ...(row.state === 'active' && { state: 'closed' as const }),
  }
  if (isOnBoard) return changeState(tx, { settings, now }, row, removal)
  await updateJobRow(tx, row.id, { ...removal, updated_at: now })
  return { ...row, ...removal, updated_at: now }
}

/** Restores a removed job. If the removal took the job off the board and it has not expired, puts it back. */
export async function restoreJob(
  tx: Tx,
  settings: JobSettings,
  id: string,
  now: Date,
): Promise<{ job: JobRow; isRestored: boolean }> {
  const isSuspended = await lockEmployerOf(tx, id)
  const row = await lockJob(tx, id)
  if (!row) throw new AppError('not_found')
  if (row.removed_at === null) return { job: row, isRestored: false }
  const restored = {
    ...{ removed_at: null, removal_reason: null, removed_from_board: false },
    // The job returns to the board when the account is resumed.
    suspended_from_board: row.suspended_from_board || (isSuspended && row.removed_from_board),
  }
  if (row.removed_from_board && !isSuspended && jobState(row, now) === 'closed') {
    return { job: await changeState(tx, { settings, now }, row, { ...restored, state: 'active' }), isRestored: true }
  }
  await updateJobRow(tx, id, { ...restored, updated_at: now })
  return { job: { ...row, ...restored, updated_at: now }, isRestored: true }
}

const JOBS_BATCH = 500

const idsOf = (rows: readonly JobRow[]) => rows.map(({ id }) => id)

/** Changes an employer's jobs that meet a condition, in batches. `change` changes one batch and writes its events. */
async function changeJobsOf(
  tx: Tx,
  employerId: string,
  condition: Condition,
  change: (rows: readonly JobRow[]) => Promise<void>,
): Promise<void> {
  for (let afterId = ''; ; ) {
    const rows = await lockJobsOf(tx, employerId, condition, { afterId, limit: JOBS_BATCH })
    await change(rows)
    if (rows.length < JOBS_BATCH) return
    afterId = rows.at(-1)!.id
  }
}

/**
 * Takes an employer's jobs off the board. The caller must hold the lock on the account, which prevents concurrent
 * posting.
 */
export async function suspendJobs(tx: Tx, settings: JobSettings, employerId: string, now: Date): Promise<void> {
  const change = { state: 'closed' as const, suspended_from_board: true, updated_at: now }
  await changeJobsOf(tx, employerId, visibleJob(now), (rows) => moveJobs(tx, { settings, now }, rows, change))
}

/** Returns jobs to the board that a suspension took off. Excludes jobs that have since expired or been removed. */
export async function resumeJobs(tx: Tx, settings: JobSettings, employerId: string, now: Date): Promise<void> {
  const onBoard = { state: 'active' as const, suspended_from_board: false, updated_at: now, visible_since: now }
  await changeJobsOf(tx, employerId, suspendedFromBoard, async (rows) => {
    const isBack = (row: JobRow) => row.removed_at === null && jobState(row, now) === 'closed'
    await moveJobs(tx, { settings, now }, rows.filter(isBack), onBoard)
    const others = rows.filter((row) => !isBack(row))
    await updateJobRows(tx, idsOf(others), { suspended_from_board: false })
    // These jobs return to the board when they are restored.
    const removed = others.filter((row) => row.removed_at !== null)
    await updateJobRows(tx, idsOf(removed), { removed_from_board: true })
  })
}

/** Applies a change to jobs and writes an event for each job. The caller must lock the jobs first. */
export async function moveJobs(
  tx: Tx,
  { settings, now }: Moment,
  rows: readonly JobRow[],
  change: Pick<JobRow, 'state' | 'suspended_from_board' | 'updated_at'> & {
    visible_since?: Date
    close_reason?: string | null
  },
): Promise<void> {
  await updateJobRows(tx, idsOf(rows), change)
  const changedFields = ['is_active']
  const eventOf = (row: JobRow) =>
    jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields, now })
  await appendEvents(tx, rows.map(eventOf))
}

export async function deleteJobsOf(tx: Tx, settings: JobSettings, employerId: string, now: Date): Promise<void> {
  await changeJobsOf(tx, employerId, anyJob, async (rows) => {
    const expired = rows.filter((row) => jobState(row, now) === 'expired')
    await announceExpiry(tx, settings, expired, now)
    await updateJobRows(tx, idsOf(rows), { state: 'deleted', deleted_at: now, updated_at: now })
    const events = rows.map((row) => jobDeleted(row, now))
    await appendEvents(tx, events)
  })
}

function jobDeleted({ id, title, company, employer_id }: JobRow, now: Date) {
  return {
    type: 'job.deleted' as const,
    subjectId: id,
    employerId: employer_id,
    at: now,
    data: { job: { id, title, company, employer_id, deleted_at: now.toISOString() } },
  }
}

/** Marks a job as deleted. Keeps its row, to which applications refer. */
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

/**
 * Ends the run of a job whose payment was refunded. A new run requires a new payment, and lasts for the full duration.
 */
export async function endRun(tx: Tx, settings: JobSettings, id: string, now: Date): Promise<void> {
  const row = await lockJob(tx, id)
  if (!row) return
  const state = jobState(row, now)
  if (state !== 'active' && state !== 'closed') return
  const change = { state: 'inactive' as const, expires_at: null, updated_at: now }
  const changed = [...(state === 'active' ? ['is_active'] : []), 'expires_at']
  const event = jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields: changed, now })
  await writeWithEvent(tx, jobChange(tx, id, change), event)
}

/** Moves the end of a run by a number of days, but never into the past. */
export async function moveExpiry(tx: Tx, { settings, now }: Moment, id: string, days: number): Promise<void> {
  const row = await lockJob(tx, id)
  if (!row?.expires_at || !isRunning(row, now)) return
  const moved = after(row.expires_at, days)
  const change = { expires_at: moved > now ? moved : now, updated_at: now }
  const event = jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields: ['expires_at'], now })
  await writeWithEvent(tx, jobChange(tx, id, change), event)
}

/** Sets or removes a job's upgrades after a payment or a refund. */
export async function setJobFlags(tx: Tx, { settings, now }: Moment, id: string, flags: Partial<PaidRun['flags']>) {
  const row = await lockJob(tx, id)
  const changed = Object.keys(flags).filter(
    (name) => row && row[name as keyof PaidRun['flags']] !== flags[name as keyof PaidRun['flags']],
  )
  if (!row || changed.length === 0) return
  const change = { ...flags, updated_at: now }
  const event = jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields: changed, now })
  await writeWithEvent(tx, jobChange(tx, id, change), event)
}

export async function announceExpiry(
  tx: Tx,
  { origin }: JobSettings,
  rows: readonly JobRow[],
  now: Date,
): Promise<void> {
  const due = rows.filter((row) => row.expiry_announced_at === null)
  await markExpiryAnnounced(tx, idsOf(due), now)
  const events = due.map((row) => ({
    type: 'job.expired' as const,
    subjectId: row.id,
    employerId: row.employer_id,
    at: now,
    data: { job: presentJobCreateForm(row, { origin, now }) },
  }))
  await appendEvents(tx, events)
}

/** Announces up to `limit` expired jobs, each only once. Returns their number. */
export async function announceExpiredJobs(tx: Tx, settings: JobSettings, limit: number, now: Date): Promise<number> {
  const rows = await claimExpiredJobs(tx, now, limit)
  await announceExpiry(tx, settings, rows, now)
  return rows.length
}

const WORDS_BATCH = 200

/**
 * Creates missing search vectors for an employer's jobs, or for all jobs if `employerId` is null. Returns whether more
 * vectors may be missing. New jobs have no search vector: computing it would take a fifth of the time that creating a
 * job takes, and drafts are rarely searched (decision 0050).
 */
export async function makeMissingWords(tx: Tx, employerId: string | null): Promise<boolean> {
  const jobs = await listWordless(tx, employerId, WORDS_BATCH)
  const vectors = jobs.map((job) => ({ id: job.id, search: searchVector(job) }))
  if (jobs.length > 0) await updateSearch(tx, vectors)
  return jobs.length === WORDS_BATCH
}

const LANGUAGES_BATCH = 200

/**
 * Detects missing languages of jobs from an earlier release, and recreates the search vectors of these jobs. Returns
 * whether more languages may be missing. Until then, searches use English stems for these jobs.
 */
export async function detectMissingLanguages(tx: Tx): Promise<boolean> {
  const jobs = await listWithoutLanguage(tx, LANGUAGES_BATCH)
  const detected = jobs.map(({ has_search, ...job }) => {
    const language = detectLanguage(job)
    return { id: job.id, language, search: has_search ? searchVector({ ...job, language }) : null }
  })
  if (jobs.length > 0) await updateLanguages(tx, detected)
  return jobs.length === LANGUAGES_BATCH
}

/** Maximum number of batches per request. They take 0.3 s in total. More than 1,000 new drafts per minute are rare. */
const BATCHES_MAX = 5

/**
 * Creates missing search vectors before a search, which then finds new drafts. The `job-words` task handles larger
 * backlogs.
 */
export async function readyForSearch(
  database: Pick<Database, 'inTx'>,
  employerId: string | null,
  query: Pick<ListQuery, 'filters'>,
): Promise<void> {
  if (!isSearch(query)) return
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    if (!(await database.inTx((tx) => makeMissingWords(tx, employerId)))) return
  }
}

/**
 * Gives an employer's jobs to another employer, with their applications. With `claimedFrom`, returns only the jobs that
 * came from that company. Writes an event for each job.
 */
export async function giveJobs(
  tx: Tx,
  settings: JobSettings,
  { from, to, claimedFrom, now }: { from: string; to: { id: string; name: string }; claimedFrom?: string; now: Date },
): Promise<void> {
  const condition = claimedFrom === undefined ? anyJob : isClaimedFrom(claimedFrom)
  await changeJobsOf(tx, from, condition, async (jobs) => {
    const ids = idsOf(jobs)
    const vectors = jobs.map((job) => ({ id: job.id, search: searchVector({ ...job, company: to.name }) }))
    await updateCompanyNames(tx, to.name, vectors, now)
    await updateJobRows(tx, ids, { employer_id: to.id, claimed_from: claimedFrom === undefined ? from : null })
    await giveApplications(tx, ids, to.id)
    const moved = new Map((await lockJobs(tx, ids)).map((row) => [row.id, row]))
    const changedFields = ['company', 'employer_id']
    const eventOf = (before: JobRow) =>
      jobUpdated(settings, { before, after: moved.get(before.id)!, changedFields, now })
    await appendEvents(tx, jobs.map(eventOf))
  })
}

/** Writes an employer's new name to its jobs. Lists and searches then use the new name. */
export async function renameCompany(tx: Tx, employerId: string, company: string, now: Date): Promise<void> {
  await changeJobsOf(tx, employerId, anyJob, (jobs) => {
    const vectors = jobs.map((job) => ({ id: job.id, search: searchVector({ ...job, company }) }))
    return updateCompanyNames(tx, company, vectors, now)
  })
}
