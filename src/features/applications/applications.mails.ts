/** Emails to candidates about a new status, and to employers about a new application. */
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { type MailFeature, mailRow, type QueuedMail, type Unsubscription } from '../../mail/queue.ts'
import { statusNames } from './applications.present.ts'
import type { ApplicationStatus } from './applications.schemas.ts'

/** Sentence about each status for the candidate. No sentence contains the employer's reason, which is private. */
const statusSentences: Readonly<Record<ApplicationStatus, string>> = {
  pending: 'The employer has not reviewed it yet.',
  reviewed: 'The employer has viewed it.',
  contacted: 'The employer wants to get in touch with you, or already has.',
  rejected: 'The employer decided not to continue with your application.',
  hired: 'Congratulations! The employer marked you as hired.',
}

/** Minimum time between status emails about one application. */
export const STATUS_PAUSE_MS = 10 * 60_000

/**
 * Queues the email about a new status. It replaces a pending one about the same application and waits until ten minutes
 * after the last one, so that moving an application back and forth causes at most two emails.
 */
export async function queueStatusMail(
  tx: Tx,
  { applicationId, candidateId, status, at }: { applicationId: string; candidateId: string; status: string; at: Date },
): Promise<void> {
  const kind = 'application-status'
  const { id, details } = mailRow({ kind, accountId: candidateId, subjectId: applicationId, details: { status }, at })
  const ofApplication = sql`mail.kind = 'application-status' and mail.subject_id = ${applicationId}`
  await sql`
    delete from mail where ${ofApplication} and state = 'pending' and lease_until is null and handed_over_at is null`.execute(
    tx,
  )
  await sql`
    insert into mail (id, kind, account_id, subject_id, details, due_at, created_at)
    select ${id}, 'application-status', ${candidateId}, ${applicationId}, ${details}::jsonb,
      greatest(${at}::timestamptz, max(coalesce(handed_over_at, settled_at)) + ${STATUS_PAUSE_MS} * interval '1 ms'), ${at}
    from mail where ${ofApplication} and state in ('sent', 'unknown', 'pending')`.execute(tx)
}

/** The subscription that a member of an account's profile switches. */
const switchedBy = (table: 'candidate' | 'employer', key: string, member: string, phrase: string): Unsubscription => ({
  async describe(reader, id) {
    const { rows } = await sql`select from ${sql.table(table)} where ${sql.ref(key)} = ${id}`.execute(reader)
    return rows.length > 0 ? phrase : undefined
  },
  async unsubscribe(tx, id, now) {
    const flag = sql.ref(member)
    await sql`
      update ${sql.table(table)} set ${flag} = false, updated_at = ${now}
      where ${sql.ref(key)} = ${id} and ${flag}`.execute(tx)
  },
})

/** Emails to candidates. `details.status` is the new status. */
export function applicationStatusMails(urlOf: (applicationId: string) => string): MailFeature {
  return {
    async compose(reader, mail) {
      const found = await findForCandidate(reader, mail)
      if (!found) return undefined
      const { title, company, status } = found
      const name = statusNames.own[status]
      return {
        subject: `Update on your application for ${title}`,
        paragraphs: [
          `The status of your application for “${title}” at ${company} is now “${name}”.`,
          statusSentences[status],
        ],
        link: { text: 'View your application', url: urlOf(mail.subject_id) },
        reason: 'You get this because the status of your application changed.',
        unsubscribeId: mail.account_id,
        neutral: {
          subject: 'Update on one of your applications',
          paragraph: `The status of one of your applications is now “${name}”.`,
        },
      }
    },
    unsubscription: switchedBy('candidate', 'id', 'mail_on_status_change', 'your applications'),
  }
}

export function applicationReceivedMails(urlOf: (applicationId: string) => string): MailFeature {
  return {
    async compose(reader, mail) {
      const found = await findForEmployer(reader, mail)
      if (!found) return undefined
      const { title, first_name, last_name } = found
      return {
        subject: `New application: ${title}`,
        paragraphs: [`${first_name} ${last_name} applied for “${title}”.`],
        link: { text: 'View the application', url: urlOf(mail.subject_id) },
        reason: 'You get this because someone applied for one of your jobs.',
        unsubscribeId: mail.account_id,
        neutral: { subject: 'New application', paragraph: 'You have a new application for one of your jobs.' },
      }
    },
    unsubscription: switchedBy('employer', 'account_id', 'mail_on_application', 'new applications'),
  }
}

/** Finds nothing if the status changed again, the application was withdrawn or erased, or the candidate opted out. */
async function findForCandidate(reader: Reader, mail: QueuedMail) {
  const { rows } = await sql<{ title: string; company: string; status: ApplicationStatus }>`
    select job.title, job.company, application.status
    from application
    join candidate on candidate.id = application.candidate_id
    join job on job.id = application.job_id
    where application.id = ${mail.subject_id} and candidate.id = ${mail.account_id}
      and application.withdrawn_at is null and candidate.mail_on_status_change
      and application.status = ${String(mail.details.status)}
      -- Sends nothing if the status is again the one in the last email.
      and application.status is distinct from (
        select details ->> 'status' from mail
        where kind = 'application-status' and subject_id = application.id and state = 'sent'
        order by settled_at desc limit 1)`.execute(reader)
  return rows[0]
}

/** Finds nothing if the application was withdrawn or erased, or the employer opted out. */
async function findForEmployer(reader: Reader, mail: QueuedMail) {
  const { rows } = await sql<{ title: string; first_name: string; last_name: string }>`
    select job.title, candidate.first_name, candidate.last_name
    from application
    join employer on employer.id = application.employer_id
    join candidate on candidate.id = application.candidate_id
    join job on job.id = application.job_id
    where application.id = ${mail.subject_id} and employer.account_id = ${mail.account_id}
      and application.withdrawn_at is null and employer.mail_on_application`.execute(reader)
  return rows[0]
}
