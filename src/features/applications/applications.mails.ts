/**
 * Emails about applications: to the candidate when the status changes, and to the employer when an application arrives.
 */
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import { type MailFeature, mailRow, type QueuedMail } from '../../mail/queue.ts'
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
 * Queues the email about a new status. The new email replaces a pending one about the same application, and is sent at
 * least ten minutes after the last one that was sent. Moving an application back and forth thus causes at most two
 * emails.
 */
export async function queueStatusMail(
  tx: Tx,
  { applicationId, candidateId, status, at }: { applicationId: string; candidateId: string; status: string; at: Date },
): Promise<void> {
  const { id, details } = mailRow({
    ...{ id: newId('mail'), kind: 'application-status', accountId: candidateId },
    ...{ subjectId: applicationId, details: { status }, at },
  })
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

/**
 * Composes status emails to candidates. `details.status` is the new status. Composes nothing if the status has changed
 * again, the application was withdrawn or erased, or the candidate opted out.
 */
export function applicationStatusMails(urlOf: (applicationId: string) => string): MailFeature {
  return {
    async compose(reader, mail) {
      const found = await findForCandidate(reader, mail)
      if (!found) return undefined
      const { title, company, status } = found
      return {
        subject: `Update on your application for ${title}`,
        paragraphs: [
          `The status of your application for “${title}” at ${company} is now “${statusNames.own[status]}”.`,
          statusSentences[status],
        ],
        link: { text: 'View your application', url: urlOf(mail.subject_id) },
        reason: 'You get this because the status of your application changed.',
        unsubscribeId: mail.account_id,
        neutral: {
          subject: 'Update on one of your applications',
          paragraph: `The status of one of your applications is now “${statusNames.own[status]}”.`,
        },
      }
    },
    unsubscription: {
      async describe(reader, id) {
        const row = await reader.selectFrom('candidate').select('id').where('id', '=', id).executeTakeFirst()
        return row && 'your applications'
      },
      async unsubscribe(tx: Tx, id, now) {
        await tx
          .updateTable('candidate')
          .set({ mail_on_status_change: false, updated_at: now })
          .where('id', '=', id)
          .where('mail_on_status_change', '=', true)
          .execute()
      },
    },
  }
}

/**
 * Composes emails to employers about new applications. Composes nothing if the application was withdrawn or erased, or
 * the employer opted out.
 */
export function applicationReceivedMails(urlOf: (applicationId: string) => string): MailFeature {
  return {
    async compose(reader, mail) {
      const found = await findForEmployer(reader, mail)
      if (!found) return undefined
      const { title, first_name, last_name } = found
      const candidate = `${first_name} ${last_name}`
      return {
        subject: `New application: ${title}`,
        paragraphs: [`${candidate} applied for “${title}”.`],
        link: { text: 'View the application', url: urlOf(mail.subject_id) },
        reason: 'You get this because someone applied for one of your jobs.',
        unsubscribeId: mail.account_id,
        neutral: { subject: 'New application', paragraph: 'You have a new application for one of your jobs.' },
      }
    },
    unsubscription: {
      async describe(reader, id) {
        const row = await reader.selectFrom('employer').select('id').where('account_id', '=', id).executeTakeFirst()
        return row && 'new applications'
      },
      async unsubscribe(tx: Tx, id, now) {
        await tx
          .updateTable('employer')
          .set({ mail_on_application: false, updated_at: now })
          .where('account_id', '=', id)
          .where('mail_on_application', '=', true)
          .execute()
      },
    },
  }
}

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
