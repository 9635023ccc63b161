/** Searches the board for new jobs that match a candidate's alerts. */
import { AppError, isForLater } from '../../lib/errors.ts'
import { DAY_MS } from '../../lib/time.ts'
import { DerivedValues, type MarkedJob } from '../board/index.ts'
import type { Kit } from '../feature.ts'
import { parseMatchQuery } from './job-alerts.criteria.ts'
import type { AlertRow } from './job-alerts.queries.ts'

/** Maximum age of a new job in milliseconds: the longest period of an alert. */
const NEW_MS = 7 * DAY_MS

export interface AlertNews {
  /** The newest jobs that match the candidate's active alerts. */
  jobs: readonly MarkedJob[]
  /** Number of new jobs, by alert ID. */
  totals: ReadonlyMap<string, number>
}

/** Finds new jobs that match active alerts. Skips alerts whose search is rate-limited, unavailable or invalid. */
export async function findAlertNews(
  { lists, clock, cursorSecret }: Pick<Kit, 'lists' | 'clock' | 'cursorSecret'>,
  alerts: readonly Pick<AlertRow, 'id' | 'criteria' | 'is_active'>[],
  { account, max }: { account: string; max: number },
): Promise<AlertNews> {
  const found = new Map<string, MarkedJob>()
  const totals = new Map<string, number>()
  const posted_at_gte = new Date(clock.now().getTime() - NEW_MS).toISOString()
  const sent = { limit: String(max), sort: 'posted_at', order: 'desc' }
  for (const { id, criteria } of alerts.filter(({ is_active }) => is_active)) {
    try {
      const query = parseMatchQuery(sent, { posted_at_gte, ...(criteria as object) }, cursorSecret)
      const { items, meta } = await lists.page('/jobs', query, asRead, { account })
      totals.set(id, meta.pagination.total)
      for (const { distance_miles: _, ...job } of items) found.set(job.id, job)
    } catch (error) {
      if (!(error instanceof AppError && (error.status === 400 || isForLater(error)))) throw error
    }
  }
  const jobs = [...found.values()].sort((a, b) => b.posted_at.localeCompare(a.posted_at)).slice(0, max)
  return { jobs, totals }
}

const asRead = new DerivedValues((job) => job)
