import type { Reader } from '../../db/database.ts'
import { listOperatorActions } from '../../db/operator-actions.ts'
import { listTaskHealth } from '../../db/task-health.ts'
import { DAY_MS } from '../../lib/time.ts'
import { joinWithCommas } from '../../locale/formats.ts'
import { type MessageKey, t } from '../../locale/messages.ts'
import { countMailFailures } from '../../mail/queue.ts'
import { countAccounts } from '../accounts/index.ts'
import { countApplications } from '../applications/index.ts'
import { countUnplacedCandidates } from '../candidates/index.ts'
import type { DeskSubjects, Kit } from '../feature.ts'
import { countUnreadyJobs } from '../jobs/index.ts'
import { findPendingPayments } from '../payments/index.ts'
import { findDueChecks } from '../stripe/index.ts'
import { countExhausted, countPending, countWebhooksByState, findOldestDue } from '../webhooks/index.ts'
import { nameActions } from './staff-activity.service.ts'

const ACTIONS_SHOWN = 10

/**
 * Returns figures about accounts, pending payments and applications, and the latest operator actions. Accounts and
 * applications count as new if they were created since `since`.
 */
export async function findOverview(
  reader: Reader,
  { subjects, since }: { subjects: readonly DeskSubjects[]; since: Date },
) {
  const figures = {
    ...(await countAccounts(reader, since)),
    payments: await findPendingPayments(reader),
    applications_new: await countApplications(reader, since),
  }
  const actions = await listOperatorActions(reader, ACTIONS_SHOWN)
  return { figures, actions, names: await nameActions(reader, subjects, actions) }
}

export interface Queue {
  name: string
  /** Shown to operators if the queue is late or failing. */
  advice: string
  waiting: string
  since: Date | null
  doneAt: Date | null
  failure: { at: Date; error: string } | undefined
  losses: string | undefined
  state: 'well' | 'failing' | 'late' | 'silent'
}

interface Known {
  task: string
  name: MessageKey
  advice: MessageKey
  /** Age of the oldest entry, in milliseconds, above which the queue is late. */
  lateMs?: number
}

/** Limit for counting jobs and candidates that wait for geocoding, language detection or indexing. */
const UNREADY_MAX = 10_000

/** Default for `lateMs`. The alert rules in ops/prometheus use the same limit. */
const LATE_MS = 600_000
const MINUTE_MS = 60_000

const known: readonly Known[] = [
  { task: 'webhooks', name: 'desk.queue_webhooks', advice: 'desk.advice_webhooks', lateMs: MINUTE_MS },
  { task: 'webhook-recoveries', name: 'desk.queue_webhook_recoveries', advice: 'desk.advice_webhook_recoveries' },
  { task: 'mail', name: 'desk.queue_mail', advice: 'desk.advice_mail', lateMs: 6 * LATE_MS },
  { task: 'job-alerts-due', name: 'desk.queue_job_alerts_due', advice: 'desk.advice_job_alerts_due' },
  { task: 'job-alerts-instant', name: 'desk.queue_job_alerts_instant', advice: 'desk.advice_job_alerts_due' },
  { task: 'resume-extraction', name: 'desk.queue_resume_extraction', advice: 'desk.advice_resume_extraction' },
  { task: 'job-expiry', name: 'desk.queue_job_expiry', advice: 'desk.advice_job_expiry' },
  { task: 'job-places', name: 'desk.queue_job_places', advice: 'desk.advice_job_places' },
  { task: 'job-languages', name: 'desk.queue_job_languages', advice: 'desk.advice_job_languages' },
  { task: 'job-words', name: 'desk.queue_job_words', advice: 'desk.advice_job_words' },
  { task: 'candidate-places', name: 'desk.queue_candidate_places', advice: 'desk.advice_candidate_places' },
]
const ofStripe: readonly Known[] = [
  { task: 'stripe-sessions', name: 'desk.queue_stripe_sessions', advice: 'desk.advice_stripe_sessions' },
  { task: 'stripe-events', name: 'desk.queue_stripe_events', advice: 'desk.advice_stripe_events' },
]

/** Returns the number of milliseconds without a run after which a task counts as not running. */
const silentAfterMs = ({ everyMs }: { everyMs: number }) => Math.max(3 * everyMs, 2 * MINUTE_MS)

/** Returns the state of every queue. Reads the state from the database, because other processes may run the tasks. */
export async function findQueues(kit: Pick<Kit, 'database' | 'tasks' | 'stripe'>, now: Date): Promise<Queue[]> {
  const { database, stripe } = kit
  const tasks = kit.tasks()
  const dayAgo = new Date(now.getTime() - DAY_MS)
  const read = await database.read(async (db) => ({
    mails: await countMailFailures(db, dayAgo),
    exhausted: await countExhausted(db, dayAgo),
    jobs: await countUnreadyJobs(db, UNREADY_MAX),
    candidates: await countUnplacedCandidates(db, UNREADY_MAX),
    checks: await findDueChecks(db, now),
    health: new Map((await listTaskHealth(db)).map((row) => [row.task, row])),
    pending: await countPending(db),
    oldest: (await findOldestDue(db)).due_at,
    webhooks: await countWebhooksByState(db),
  }))
  const { health, webhooks } = read
  const backlogs: Record<string, { waiting: number; since: Date | null }> = {
    webhooks: { waiting: read.pending, since: read.oldest && read.oldest < now ? read.oldest : null },
    'job-places': { waiting: read.jobs.unplaced, since: null },
    'job-languages': { waiting: read.jobs.unread, since: null },
    'job-words': { waiting: read.jobs.wordless, since: null },
    'candidate-places': { waiting: read.candidates, since: null },
    'stripe-sessions': read.checks,
  }
  for (const { name, backlog } of tasks) if (backlog) backlogs[name] = await backlog()
  const losses: Record<string, readonly (readonly [number, MessageKey])[]> = {
    webhooks: [
      [read.exhausted, 'desk.loss_exhausted'],
      [webhooks.breaker, 'desk.loss_breaker'],
      [webhooks.disabled, 'desk.loss_disabled'],
    ],
    mail: [
      [read.mails.failed, 'desk.loss_refused'],
      [read.mails.unknown, 'desk.loss_unknown'],
    ],
  }
  return [...known, ...(stripe ? ofStripe : [])].flatMap(({ task, name, advice, lateMs = LATE_MS }) => {
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
      name: t(name),
      advice: t(advice),
      waiting:
        waiting === undefined
          ? ''
          : waiting >= UNREADY_MAX && since === null
            ? t('desk.or_more', { count: UNREADY_MAX })
            : String(waiting),
      since,
      doneAt,
      failure: isFailing ? { at: failed_at, error: error ?? '' } : undefined,
      losses: lost.length > 0 ? joinWithCommas(lost.map(([count, what]) => t(what, { count }))) : undefined,
      state,
    } satisfies Queue
  })
}
