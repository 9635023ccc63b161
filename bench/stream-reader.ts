/**
 * A reader of the event stream that may be killed at any time. Appends each event to the file LOG, and then the
 * iterator from which the next process continues.
 */
import { appendFileSync, readFileSync, truncateSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Event, JobMarketplace, JobMarketplaceError } from '../packages/client/src/index.ts'

/** A line of the log. `start` means that a process started, perhaps after a kill. */
export type Line =
  | ['event', id: string, ageMs: number, type: string, subject: string, title?: string, previous?: string | undefined]
  | ['next', iterator: string]
  | ['start']

const { BOARD = '', API_KEY = '', LOG = '', WAY = '' } = process.env

const write = (line: Line) => appendFileSync(LOG, `${JSON.stringify(line)}\n`)

/** Handles an event. Takes a moment, so that kills can interrupt it. */
async function handle(event: Event): Promise<void> {
  write(lineOf(event))
  await pause(2)
}

/** Returns the last iterator. Removes an incomplete last line, which a killed process leaves behind. */
function resume(): string {
  const text = readFileSync(LOG, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  truncateSync(LOG, Buffer.byteLength(whole))
  const last = whole
    .slice(0, -1)
    .split('\n')
    .findLast((line) => line.startsWith('["next"'))!
  return (JSON.parse(last) as [string, string])[1]
}

function lineOf({ id, type, created_at, data }: Event): Line {
  const ageMs = Date.now() - Date.parse(created_at)
  if (!('job' in data)) return ['event', id, ageMs, type, '']
  const previous = 'previous' in data ? (data.previous.title as string | undefined) : undefined
  return ['event', id, ageMs, type, data.job.id, data.job.title, previous]
}

async function read(board: JobMarketplace, after: string): Promise<void> {
  if (WAY === 'stream') {
    for await (const { event, iterator } of board.events.stream({ after })) {
      await handle(event)
      write(['next', iterator])
    }
  }
  for (let next = after; ; ) {
    const { data, meta } = await board.events.poll({ after: next, limit: 100, wait_seconds: 30 })
    for (const event of data) await handle(event)
    next = meta.next
    write(['next', next])
  }
}

const board = new JobMarketplace({ baseUrl: BOARD, apiKey: API_KEY })
resume()
write(['start'])
for (;;) {
  try {
    await read(board, resume())
  } catch (error) {
    const { status = 503 } = error as JobMarketplaceError
    if (!(error instanceof JobMarketplaceError) || status < 500) throw error
    await pause(500)
  }
}
