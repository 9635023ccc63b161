/**
 * Mirrors the jobs of a board into a JSON file, without dependencies. Requires Node 24 or newer.
 *
 *   BOARD=http://127.0.0.1:3000 API_KEY=… FILE=jobs.json node mirror.ts
 *
 * An employer's key mirrors the employer's jobs, and an operator's key mirrors all jobs. The process and the board may
 * stop at any time: the file contains the jobs together with the position in the event stream up to which they are
 * current.
 */
import { open, readFile, rename } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

interface Job {
  id: string
  title: string
  is_active: boolean
}

interface BoardEvent {
  type: string
  data: { job: Job }
}

interface Mirror {
  /** The iterator of the next request. */
  next: string
  jobs: Record<string, Job>
}

const { BOARD, API_KEY, FILE } = process.env
if (!BOARD || !API_KEY || !FILE) {
  console.error('Set BOARD, API_KEY and FILE')
  process.exit(78)
}

/** Pauses between attempts while the board is unavailable, in milliseconds. */
const PAUSE_MS = { first: 500, most: 30_000 }

/** Sends a GET request until the board responds. Returns undefined if an iterator has expired. */
async function get<T>(path: string): Promise<T | undefined> {
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most)) {
    try {
      const response = await fetch(`${BOARD}/v1${path}`, {
        headers: { authorization: `Bearer ${API_KEY}` },
        // The board waits at most 30 seconds.
        signal: AbortSignal.timeout(60_000),
      })
      if (response.ok) return (await response.json()) as T
      if (response.status === 410) return undefined
      const isTemporary = response.status === 429 || response.status >= 500
      if (!isTemporary) throw Object.assign(new Error(await response.text()), { isFinal: true })
      pauseMs = Math.max(pauseMs, 1_000 * Number(response.headers.get('retry-after') ?? 0))
    } catch (error) {
      if ((error as { isFinal?: true }).isFinal) throw error
    }
    await pause(pauseMs)
  }
}

/** Reads all jobs. The iterator is older than the jobs, so no later change is missed. */
async function copy(): Promise<Mirror> {
  const start = await get<{ meta: { next: string } }>('/events?after=now')
  const mirror: Mirror = { next: start!.meta.next, jobs: {} }
  type Page = { data: Job[]; meta: { pagination: { next_cursor: string | null } } }
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page | undefined = await get<Page>(`/employers/jobs?limit=100&cursor=${cursor}`)
    for (const job of page!.data) mirror.jobs[job.id] = job
    cursor = page!.meta.pagination.next_cursor
  }
  return mirror
}

/** Applies an event. Applying it again after a crash changes nothing. */
function apply({ jobs }: Mirror, { type, data: { job } }: BoardEvent): void {
  if (type === 'job.deleted') delete jobs[job.id]
  else if (type.startsWith('job.')) jobs[job.id] = job
}

/** Replaces the file atomically, after its content has reached the disk. */
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
  if (!mirror) {
    mirror = await copy()
    await save(mirror)
    console.log(`Copied ${Object.keys(mirror.jobs).length} jobs`)
  }
  const path: string = `/events?after=${mirror.next}&wait_seconds=30&limit=100`
  const page = await get<{ data: BoardEvent[]; meta: { next: string } }>(path)
  if (page) {
    for (const event of page.data) apply(mirror, event)
    mirror.next = page.meta.next
    await save(mirror)
    if (page.data.length > 0) console.log(`Applied ${page.data.length} events`)
  } else {
    mirror = undefined
    await pause(PAUSE_MS.first)
  }
}
