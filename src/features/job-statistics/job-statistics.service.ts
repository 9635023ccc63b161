/** Counts job views and returns daily statistics (decision 0052). */
import type { Database, Reader } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type Actor, ownerOf } from '../../lib/scopes.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import type { ViewFigures } from '../feature.ts'
import { findJob, type JobRow, type NoteView, type ViewedBy } from '../jobs/index.ts'
import { addViews, countByDay, countBySource, countViewsOf } from './job-statistics.queries.ts'
import type { JobStatistics } from './job-statistics.schemas.ts'

/** Number of days in the daily statistics, including today. */
const DAYS = 30

/** Matches user agents of programs and automated browsers. */
const PROGRAM =
  /(?<!cu)bot\b|(?<!cu)bot[/_-]|crawl|spider|slurp|scrape|headless|phantom|preview|monitor|lighthouse|archiver|facebookexternalhit|embedly|whatsapp|curl|wget|python|java\/|go-http|okhttp|axios|node|libwww|httpclient|ruby|perl|php/i

/**
 * Returns whether a request counts as a view. Prefetches and HEAD requests do not count. Any other request by a
 * candidate counts. Requests by other API clients do not count. Neither do page requests by the employer, by admins, or
 * by clients whose user agent is missing or names a program.
 */
function isView(employerId: string, { actor, isPage, method, headers }: ViewedBy): boolean {
  // Browsers mark requests that only prefetch a page.
  const isAhead = /prefetch|prerender|preview/i.test(`${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''}`)
  if (method !== 'GET' || isAhead) return false
  if (actor?.kind === 'candidate') return true
  // API clients other than candidates mirror or manage the board.
  if (!isPage || actor?.kind === 'admin' || actor?.accountId === employerId) return false
  const agent = headers['user-agent']
  return typeof agent === 'string' && agent !== '' && !PROGRAM.test(agent)
}

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/**
 * Counts views in memory and adds them to the database at intervals, because a write per view would be too expensive.
 */
export class ViewCounter {
  readonly #database: Database
  readonly #clock: Clock
  #counts = new Map<string, { job_id: string; day: string; views: number }>()

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  readonly note: NoteView = ({ id, employer_id }, by) => {
    if (!isView(employer_id, by)) return
    const day = dayOf(this.#clock.now())
    const key = `${id} ${day}`
    const count = this.#counts.get(key)
    if (count) count.views++
    else this.#counts.set(key, { job_id: id, day, views: 1 })
  }

  /** Adds the counted views to the database. If the write fails, keeps the counts for the next flush. */
  async flush(): Promise<void> {
    const counts = this.#counts
    if (counts.size === 0) return
    this.#counts = new Map()
    try {
      await this.#database.inStatement((tx) => addViews(tx, [...counts.values()]))
    } catch (error) {
      for (const [key, { job_id, day, views }] of counts) {
        const since = this.#counts.get(key)
        if (since) since.views += views
        else this.#counts.set(key, { job_id, day, views })
      }
      throw error
    }
  }
}

/**
 * Returns a job's statistics. Throws `not_found` if the job does not exist, or if the caller is neither its employer
 * nor an admin.
 */
export async function getJobStatistics(
  reader: Reader,
  actor: Actor,
  jobId: string,
  now: Date,
): Promise<{ job: JobRow; statistics: JobStatistics }> {
  const job = await findJob(reader, jobId)
  if (!job || job.employer_id !== (ownerOf(actor) ?? job.employer_id)) throw new AppError('not_found')
  const counted = await countByDay(reader, jobId)
  const sum = (kind: string) =>
    counted.filter((count) => count.kind === kind).reduce((total, { count }) => total + count, 0)
  const on = new Map(counted.map(({ kind, day, count }) => [`${kind} ${day}`, count]))
  const days = Array.from({ length: DAYS }, (_, n) => {
    const date = dayOf(new Date(now.getTime() - (DAYS - 1 - n) * DAY_MS))
    const of = (kind: string) => on.get(`${kind} ${date}`) ?? 0
    return { date, views: of('views'), saves: of('saves'), applications: of('applications') }
  })
  return {
    job,
    statistics: {
      job_id: jobId,
      views: sum('views'),
      saves: sum('saves'),
      applications: sum('applications'),
      sources: await countBySource(reader, jobId),
      days,
    },
  }
}

/**
 * Returns the views of an employer's jobs after the day of `since`. For comparison, also returns the total of the days
 * after the day of `before`, up to the day of `since`. `byDay` covers both periods.
 */
export async function getViewsOf(
  reader: Reader,
  employerId: string,
  period: { before: Date; since: Date },
): Promise<ViewFigures> {
  const since = dayOf(period.since)
  const rows = await countViewsOf(reader, employerId, { before: dayOf(period.before), since })
  const byDay = new Map(rows.flatMap(({ day, views }): [string, number][] => (day === null ? [] : [[day, views]])))
  const sum = (isCounted: (day: string) => boolean) =>
    [...byDay].reduce((total, [day, views]) => total + (isCounted(day) ? views : 0), 0)
  return {
    total: sum((day) => day > since),
    before: sum((day) => day <= since),
    byJob: new Map(rows.flatMap(({ job_id, views }): [string, number][] => (job_id === null ? [] : [[job_id, views]]))),
    byDay,
  }
}
