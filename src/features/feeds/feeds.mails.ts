/**
 * Emails about failing feeds and held runs. The recipients are the employer and the team members who post jobs or, for
 * the board's own feeds, the admins.
 */
import type { Tx } from '../../db/database.ts'
import type { Brand } from '../../lib/brand.ts'
import { DAY_MS } from '../../lib/time.ts'
import { formatMoment } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { type MailKind, type Message, queueMails } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { addressToStaff, listStaffToEmail } from '../accounts/index.ts'
import { queueToEmployer } from '../employers/index.ts'
import type { FeatureMails } from '../feature.ts'
import { type FeedRow, findFeed, findRun, markReported } from './feeds.queries.ts'

/** How long a feed must have been failing before its owner gets an email, in milliseconds. */
const FAILING_MS = DAY_MS

/** Queues an email about a feed to its employer or, for the board's own feeds, to the admins. */
async function queueToOwners(
  tx: Tx,
  { id, employer_id }: Pick<FeedRow, 'id' | 'employer_id'>,
  mail: { kind: MailKind; details: Record<string, unknown>; at: Date },
): Promise<void> {
  if (employer_id !== null) return queueToEmployer(tx, employer_id, { ...mail, subjectId: id })
  const staff = await listStaffToEmail(tx, 'admin')
  await queueMails(
    tx,
    staff.map((recipient) => ({ ...mail, ...recipient, subjectId: id })),
  )
}

/**
 * Queues emails about up to `limit` feeds that have been failing for a day, once per outage. Returns the number of
 * feeds.
 */
export async function queueFailingMails(tx: Tx, now: Date, limit: number): Promise<number> {
  const failing = await markReported(tx, new Date(now.getTime() - FAILING_MS), now, limit)
  for (const feed of failing) {
    const details = { failing_since: feed.failing_since!.toISOString() }
    await queueToOwners(tx, feed, { kind: 'feed-failing', details, at: now })
  }
  return failing.length
}

export const queueHeldMails = (tx: Tx, feed: FeedRow, runId: string, now: Date): Promise<void> =>
  queueToOwners(tx, feed, { kind: 'feed-held', details: { run_id: runId }, at: now })

export function feedMails(urlOf: (feedId: string) => string, brand: () => Brand): Record<string, FeatureMails> {
  const messageOf = (kind: 'failing' | 'held', name: string, text: string, url: string): Message => ({
    subject: t(`feeds.mail_${kind}_subject`, { name }),
    paragraphs: [text, t(`feeds.mail_${kind}_next`)],
    neutral: { subject: t(`feeds.mail_${kind}_neutral_subject`), paragraph: t(`feeds.mail_${kind}_neutral`) },
    link: { text: t('feeds.mail_button'), url },
    reason: t('feeds.mail_reason'),
  })
  const failing = (name: string, since: Date, url: string) =>
    messageOf('failing', name, t('feeds.mail_failing_text', { name, time: formatMoment(since.toISOString()) }), url)
  const held = (name: string, { read, missing }: { read: number; missing: number }, url: string) =>
    messageOf('held', name, read === 0 ? t('feeds.held_empty') : t('feeds.held_missing', { count: missing }), url)

  const mails = (compose: FeatureMails['compose'], sample: (name: string) => Message): FeatureMails => ({
    async compose(reader, mail, now) {
      const message = await compose(reader, mail, now)
      const feed = message && (await findFeed(reader, null, mail.subject_id))
      return feed?.employer_id === null ? addressToStaff(reader, mail, message!, brand().contactEmail) : message
    },
    samples: () => [{ message: sample(samples().jobs[0].company) }],
  })
  return {
    'feed-failing': mails(
      async (reader, { subject_id, details }) => {
        const feed = await findFeed(reader, null, subject_id)
        // A run may have succeeded since the email was queued.
        if (!feed?.failing_since || feed.failing_since.toISOString() !== details.failing_since) return undefined
        return failing(feed.name, feed.failing_since, urlOf(subject_id))
      },
      (name) => failing(name, new Date('2026-03-02T09:15:00.000Z'), urlOf(SAMPLE_ID)),
    ),
    'feed-held': mails(
      async (reader, { subject_id, details }) => {
        const feed = await findFeed(reader, null, subject_id)
        const run = feed && (await findRun(reader, feed.id, String(details.run_id)))
        // Someone may have approved or discarded the run since the email was queued.
        return run?.state === 'held' ? held(feed!.name, run.counts, urlOf(subject_id)) : undefined
      },
      (name) => held(name, { read: 40, missing: 60 }, urlOf(SAMPLE_ID)),
    ),
  }
}
