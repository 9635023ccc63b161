/**
 * Emails about jobs that end soon, to employers, their owners and their recruiters. Recipients cannot opt out, but get
 * only one email per job and expiry.
 */
import type { Tx } from '../../db/database.ts'
import { DAY_MS } from '../../lib/time.ts'
import { formatDay } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { type Message, type NewMail, queueMails } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import type { FeatureMails } from '../feature.ts'
import { listRecipients } from '../teams/teams.sql.ts'
import { findEndingJob, markEndingJobs } from './jobs.queries.ts'

/** How long before a job's expiry its employer gets an email, in milliseconds. */
const NOTICE_MS = 3 * DAY_MS

/** Queues emails about up to `limit` jobs that end within three days. Returns the number of jobs. */
export async function queueEndingMails(tx: Tx, now: Date, limit: number): Promise<number> {
  const jobs = await markEndingJobs(tx, { now, until: new Date(now.getTime() + NOTICE_MS), limit })
  const owners = [...new Set(jobs.flatMap(({ account_id }) => account_id ?? []))]
  const recipients = Map.groupBy(await listRecipients(tx, owners, 'recruiter'), ({ accountId }) => accountId)
  const mails = jobs.flatMap(({ id, account_id, expires_at, visible_since }): NewMail[] => {
    // An employer needs no notice about a job that is on the board for three days or less.
    const isShort = visible_since !== null && expires_at.getTime() - visible_since.getTime() <= NOTICE_MS
    if (account_id === null || isShort) return []
    const mail = { kind: 'job-expiring', subjectId: id, details: { expires_at: expires_at.toISOString() } } as const
    return recipients.get(account_id)!.map((recipient) => ({ ...mail, ...recipient, at: now }))
  })
  await queueMails(tx, mails)
  return jobs.length
}

interface Ending {
  title: string
  expires_at: Date
  application_count: number
}

export function jobExpiringMails(urlOf: (jobId: string) => string): FeatureMails {
  const messageOf = ({ title, expires_at, application_count: count }: Ending, url: string): Message => {
    const values = { title, count, day: formatDay(expires_at.toISOString()) }
    return {
      subject: t('jobs.mail_ending_subject', values),
      paragraphs: [t('jobs.mail_ending_text', values), t('jobs.mail_ending_next', values)],
      neutral: { subject: t('jobs.mail_ending_neutral_subject'), paragraph: t('jobs.mail_ending_neutral') },
      link: { text: t('jobs.mail_ending_button'), url },
      reason: t('jobs.mail_ending_reason'),
    }
  }
  return {
    async compose(reader, { account_id, subject_id, details }, now) {
      const job = await findEndingJob(reader, { id: subject_id, accountId: account_id, now })
      // The job may have been extended, closed or deleted since the email was queued.
      if (job?.expires_at.toISOString() !== details.expires_at) return undefined
      return messageOf(job!, urlOf(subject_id))
    },
    samples() {
      const job = { title: samples().jobs[0].title, expires_at: new Date('2026-04-01T09:15:00Z'), application_count: 7 }
      return [{ message: messageOf(job, urlOf(SAMPLE_ID)) }]
    },
  }
}
