/** Announces changed job pages to search engines (https://www.indexnow.org/documentation and decision 0110). */
import type { Task } from '../../background/loop.ts'
import { parseListQuery } from '../../lists/query.ts'
import { wholeList } from '../../lists/whole-list.ts'
import type { Kit } from '../feature.ts'
import { ChangeHorizon, jobList, jobPath, listJobChanges } from '../jobs/index.ts'
import { claimAnnouncements, noteAnnounced } from './index-now.queries.ts'

/** Maximum number of URLs per request. The protocol allows 10,000. */
const BATCH = 1_000
/** Duration of the lease, in milliseconds. After a failure, the next attempt begins after the lease has ended. */
const LEASE_MS = 600_000
const TIMEOUT_MS = 30_000

/** Returns the task that announces jobs after they appear on the board, change, or leave the board. */
export function announcer(
  { database, clock, cursorSecret, rates, settings }: Kit,
  { key, url }: NonNullable<Kit['indexNow']>,
): Task {
  const { origin } = settings
  const horizon = new ChangeHorizon()

  /** Yields batches of the URLs of jobs that have changed since `since`. */
  async function* changedSince(since: Date, now: Date): AsyncGenerator<string[]> {
    const raw = { updated_since: since.toISOString(), include_deleted: 'true', cursor: '' }
    const { query } = parseListQuery(jobList, raw, cursorSecret)
    const listing = { now, exchange: rates.now }
    const read = (page: typeof query) => database.read((db) => listJobChanges(db, page, listing))
    for await (const rows of wholeList(query, BATCH, read)) {
      if (rows.length > 0) yield rows.map((job) => origin + jobPath(job))
    }
  }

  const announce = async (urlList: readonly string[]) => {
    const { host } = new URL(origin)
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ host, key, keyLocation: `${origin}/${key}.txt`, urlList }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (!response.ok)
      throw new Error(`IndexNow answered a batch with status ${response.status} (URLs: ${urlList.length})`)
  }

  return {
    name: 'index-now',
    everyMs: 60_000,
    async once(ending) {
      // Finds the horizon before reading the changes. The next round announces changes that are committed in the
      // meantime.
      const horizonAt = await horizon.find(database)
      if (horizonAt === undefined) return 'done'
      const now = clock.now()
      const start = new Date(Math.min(horizonAt.getTime(), now.getTime()))
      const until = new Date(now.getTime() + LEASE_MS)
      const since = await database.inTx((tx) => claimAnnouncements(tx, { start, now, until }))
      if (since === undefined) return 'done'
      for await (const urls of changedSince(since, now)) {
        if (ending?.aborted) return 'done'
        await announce(urls)
      }
      await database.inTx((tx) => noteAnnounced(tx, until, start))
      return 'done'
    },
  }
}
