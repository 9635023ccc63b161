/** The state of background work, in the words of operators. */
import type { Database } from '../../db/database.ts'
import { listTaskHealth } from '../../db/task-health.ts'
import { DAY_MS } from '../../lib/time.ts'
import { countPending, countWebhooksByState, findOldestDue } from '../webhooks/index.ts'
import { findQueueFigures, UNREADY_MAX } from './desk.queries.ts'

/** The parts of a background task that the admin area shows. */
export interface WatchedTask {
  name: string
  everyMs: number
  backlog?(): Promise<{ waiting: number; since: Date | null }>
}

export interface Queue {
  name: string
  /** Advice for a queue that does not move. */
  advice: string
  waiting: string
  since: Date | null
  doneAt: Date | null
  /** Error of the last round, if it failed. */
  failure: { at: Date; error: string } | undefined
  /** Recent failures. */
  losses: string | undefined
  state: 'well' | 'failing' | 'late' | 'silent'
}

interface Known {
  task: string
  name: string
  advice: string
  /** Milliseconds after which the oldest entry needs attention. */
  lateMs?: number
}

/** Default of `lateMs`, as in the alert rules of ops/prometheus. */
const LATE_MS = 600_000
const MINUTE_MS = 60_000

const known: readonly Known[] = [
  {
    task: 'webhooks',
    name: 'Webhooks',
    advice: 'More is due than can be sent: one more process with background work helps.',
    lateMs: MINUTE_MS,
  },
  { task: 'webhook-recoveries', name: 'Recoveries of webhooks', advice: 'Look into the log for the error.' },
  {
    task: 'mail',
    name: 'Mails',
    advice: 'Does the server of MAIL_URL answer, and does it take mails of MAIL_FROM?',
    lateMs: 6 * LATE_MS,
  },
  {
    task: 'job-alerts-due',
    name: 'Job alerts, daily and weekly',
    advice: 'The log says what takes so long.',
  },
  { task: 'job-alerts-instant', name: 'Job alerts, at once', advice: 'The log says what takes so long.' },
  {
    task: 'resume-extraction',
    name: 'Text of resumes',
    advice: 'Until then employers do not find candidates by their resumes.',
  },
  {
    task: 'job-expiry',
    name: 'Expired jobs',
    advice: 'They are off the board by the clock; only their events wait.',
  },
  {
    task: 'job-places',
    name: 'Places of jobs',
    advice: 'Until then no radius finds them. After an update this takes a while.',
  },
  { task: 'job-words', name: 'Words of drafts', advice: 'Made in the background, or when somebody searches.' },
  { task: 'candidate-places', name: 'Places of candidates', advice: 'Until then no radius finds them.' },
]
const ofStripe: readonly Known[] = [
  {
    task: 'stripe-sessions',
    name: 'Payments at Stripe',
    advice: 'Does Stripe answer, and is STRIPE_SECRET_KEY right?',
  },
  { task: 'stripe-events', name: 'Events of Stripe', advice: 'Is STRIPE_WEBHOOK_SECRET that of this endpoint?' },
]

/** Returns the time without a round after which no process does the work. */
const silentAfterMs = ({ everyMs }: WatchedTask) => Math.max(3 * everyMs, 2 * MINUTE_MS)

/** Returns every queue from the database's point of view, because another process may do the work. */
export async function findQueues(
  database: Database,
  tasks: readonly WatchedTask[],
  withStripe: boolean,
  now: Date,
): Promise<Queue[]> {
  const read = await database.read(async (db) => ({
    figures: await findQueueFigures(db, new Date(now.getTime() - DAY_MS), now),
    health: new Map((await listTaskHealth(db)).map((row) => [row.task, row])),
    pending: await countPending(db),
    oldest: (await findOldestDue(db)).due_at,
    webhooks: await countWebhooksByState(db),
  }))
  const { figures, health, webhooks } = read
  const backlogs: Record<string, { waiting: number; since: Date | null }> = {
    webhooks: { waiting: read.pending, since: read.oldest && read.oldest < now ? read.oldest : null },
    'job-places': { waiting: figures.jobs_unplaced, since: null },
    'job-words': { waiting: figures.jobs_wordless, since: null },
    'candidate-places': { waiting: figures.candidates_unplaced, since: null },
    'stripe-sessions': { waiting: figures.stripe_checks_due, since: figures.stripe_checks_since },
  }
  for (const { name, backlog } of tasks) if (backlog) backlogs[name] = await backlog()
  const losses: Record<string, readonly (readonly [number, string])[]> = {
    webhooks: [
      [figures.deliveries_exhausted, 'given up in the last day'],
      [webhooks.breaker, 'webhooks held back, as they fail'],
      [webhooks.disabled, 'webhooks switched off'],
    ],
    mail: [
      [figures.mails_failed, 'refused in the last day'],
      [figures.mails_unknown, 'perhaps not arrived in the last day'],
    ],
  }
  return [...known, ...(withStripe ? ofStripe : [])].flatMap(({ task, name, advice, lateMs = LATE_MS }) => {
    const own = tasks.find((one) => one.name === task)
    if (!own) return []
    const { waiting, since } = backlogs[task] ?? { waiting: undefined, since: null }
    const { done_at: doneAt = null, failed_at = null, error = null } = health.get(task) ?? {}
    const isFailing = failed_at !== null && (doneAt === null || failed_at > doneAt)
    const lost = (losses[task] ?? []).filter(([count]) => count > 0)
    const heardAt = Math.max(doneAt?.getTime() ?? 0, failed_at?.getTime() ?? 0)
    const isSilent = now.getTime() - heardAt > silentAfterMs(own)
    const isLate = since !== null && now.getTime() - since.getTime() > lateMs
    const state = isFailing ? 'failing' : isSilent ? 'silent' : isLate ? 'late' : 'well'
    return {
      name,
      advice,
      waiting:
        waiting === undefined
          ? ''
          : waiting >= UNREADY_MAX && since === null
            ? `${UNREADY_MAX} or more`
            : String(waiting),
      since,
      doneAt,
      failure: isFailing ? { at: failed_at, error: error ?? '' } : undefined,
      losses: lost.length > 0 ? lost.map(([count, what]) => `${count} ${what}`).join(', ') : undefined,
      state,
    } satisfies Queue
  })
}
