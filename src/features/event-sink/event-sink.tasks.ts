/** Publishes all events to a message broker, at least once each, in order for each subject (decision 0122). */
import type { Task } from '../../background/loop.ts'
import { AppError } from '../../lib/errors.ts'
import { type EventStream, findEventBacklog, type Point, type Viewer } from '../events/index.ts'
import type { Kit } from '../feature.ts'
import type { EventSink } from './event-sink.contract.ts'
import { claimSink, findPublished, type Lease, notePublished } from './event-sink.queries.ts'

const BATCH = 500
/** Duration of a lease, in milliseconds. If a process dies, another continues after this time. */
const LEASE_MS = 30_000
const WAIT_MS = 1_000
/** Problem codes for a stored iterator that the stream no longer accepts. */
const LOST: readonly string[] = ['iterator_expired', 'invalid_parameter']
/** A viewer that may see all events. */
const VIEWER: Viewer = { kind: 'admin', accountId: '' }

/**
 * Returns the task that publishes events. Only one process publishes at a time. That process keeps its lease between
 * runs.
 */
export function publisher(
  { database, clock, log }: Pick<Kit, 'database' | 'clock' | 'log'>,
  stream: EventStream,
  sink: EventSink,
): Task {
  let lease: Lease | undefined
  const untilFrom = (now: Date) => new Date(now.getTime() + LEASE_MS)

  const note = async (until: Date | null) => {
    const held = lease!
    lease = undefined
    if (!(await database.inStatement((tx) => notePublished(tx, held, until)))) {
      throw new Error('The lease ended while events were being published')
    }
    if (until) lease = { ...held, until }
  }
  const find = async (iterator: string): Promise<Point> => {
    try {
      return await stream.find(iterator)
    } catch (error) {
      if (!(error instanceof AppError && LOST.includes(error.code))) throw error
      log.error({}, 'event sink: the stored position has expired or is invalid. Continuing with the oldest event')
      return stream.find(undefined)
    }
  }

  return {
    name: 'event-sink',
    everyMs: 5_000,
    async once(ending) {
      const now = clock.now()
      lease ??= await database.inStatement((tx) => claimSink(tx, now, untilFrom(now)))
      if (!lease) return 'done'
      try {
        const from = await find(lease.publishedUntil)
        const wait = { limit: BATCH, waitMs: WAIT_MS }
        const { rows, next } = await stream.poll(VIEWER, from, wait, ending ?? new AbortController().signal)
        const events = rows.map(({ event_id: id, subject_id: subjectId, type, body }) => ({
          id,
          subjectId,
          type,
          body,
        }))
        if (events.length > 0) await sink.publish(events)
        const isAging = lease.until.getTime() - clock.now().getTime() < LEASE_MS / 2
        lease.publishedUntil = next.iterator
        if (rows.length > 0 || isAging) await note(untilFrom(clock.now()))
        return ending?.aborted ? 'done' : 'more'
      } catch (error) {
        // Lets another process try, because it may still reach the broker.
        if (lease) await note(null).catch(() => undefined)
        throw error
      }
    },
    async backlog() {
      const { position } = await find(await database.read(findPublished))
      return database.read((db) => findEventBacklog(db, position))
    },
    async finish() {
      if (lease) await note(null)
      await sink.close()
    },
  }
}
