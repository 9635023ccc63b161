/**
 * Mirrors the jobs of a board into a JSON file. Requires Node 24 or newer, and the client (packages/client/README.md).
 *
 *   BOARD=http://127.0.0.1:3000 API_KEY=… FILE=jobs.json node mirror.ts
 *
 * In the board's repository, `node --conditions=workspace mirror.ts` uses the client's source. An employer's key
 * mirrors the employer's jobs, and an admin key mirrors all jobs. The process and the board may stop at any time: the
 * file contains the jobs and the iterator of the last event applied to them.
 */
import { open, readFile, rename } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Event, JobMarketplace, JobMarketplaceError, type JobOfOwner } from '@job-marketplace/client'

interface Mirror {
  /** The iterator of the last event. */
  iterator: string
  jobs: Record<string, JobOfOwner>
}

const { BOARD, API_KEY, FILE } = process.env
if (!BOARD || !API_KEY || !FILE) {
  console.error('Set BOARD, API_KEY and FILE')
  process.exit(78)
}

const board = new JobMarketplace({ baseUrl: BOARD, apiKey: API_KEY })

/** Pause after a call has failed with all its retries, in milliseconds. */
const PAUSE_MS = 5_000

/** Reads all jobs. The iterator is older than the jobs, so no later change is missed. */
async function copy(): Promise<Mirror> {
  const { body } = await board.request('GET', '/events', { query: { after: 'now' } })
  const mirror: Mirror = { iterator: (body as { meta: { next: string } }).meta.next, jobs: {} }
  for await (const job of board.jobs.listAllOwn()) mirror.jobs[job.id] = job
  return mirror
}

/** Applies an event. Applying it again after a crash changes nothing. */
function apply({ jobs }: Mirror, { type, data }: Event): void {
  if (!('job' in data)) return
  if (type === 'job.deleted') delete jobs[data.job.id]
  else jobs[data.job.id] = data.job
}

/** Replaces the file atomically, after the new content has reached the disk. */
async function save(mirror: Mirror): Promise<void> {
  const file = await open(`${FILE}.new`, 'w')
  await file.writeFile(JSON.stringify(mirror))
  await file.sync()
  await file.close()
  await rename(`${FILE}.new`, FILE!)
}

async function load(): Promise<Mirror | undefined> {
  try {
    return JSON.parse(await readFile(FILE!, 'utf8')) as Mirror
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

let mirror = await load()
for (;;) {
  try {
    if (!mirror) {
      mirror = await copy()
      await save(mirror)
      console.log(`Copied ${Object.keys(mirror.jobs).length} jobs`)
    }
    for await (const { event, iterator } of board.events.stream({ after: mirror.iterator })) {
      apply(mirror, event)
      mirror.iterator = iterator
      await save(mirror)
      console.log(`Applied ${event.type} ${event.id}`)
    }
  } catch (error) {
    if (!(error instanceof JobMarketplaceError)) throw error
    const { code, status = 503, retryAfterMs = PAUSE_MS } = error
    if (code === 'iterator_expired') mirror = undefined
    else if (status !== 429 && status < 500) throw error
    await pause(Math.max(retryAfterMs, PAUSE_MS))
  }
}
