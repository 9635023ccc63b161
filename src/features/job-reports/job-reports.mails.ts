/** Emails about removed jobs. Employers cannot opt out, because nothing else notifies them. */
import { t } from '../../locale/messages.ts'
import type { MailComposer } from '../../mail/queue.ts'
import { findEmployerAccountId } from '../employers/index.ts'
import { findJob } from '../jobs/index.ts'

export function jobRemovedMail(urlOf: (jobId: string) => string): MailComposer {
  return async (reader, mail) => {
    const job = await findJob(reader, mail.subject_id)
    // The job may have been restored or deleted since the email was queued.
    if (!job?.removed_at || (await findEmployerAccountId(reader, job.employer_id)) !== mail.account_id) return undefined
    const { title } = job
    return {
      subject: t('job_reports.mail_subject', { title }),
      paragraphs: [t('job_reports.mail_text', { title, reason: job.removal_reason! }), t('job_reports.mail_effect')],
      neutral: {
        subject: t('job_reports.mail_neutral_subject'),
        paragraph: t('job_reports.mail_neutral'),
      },
      link: { text: t('job_reports.mail_button'), url: urlOf(mail.subject_id) },
      reason: t('job_reports.mail_reason'),
    }
  }
}
