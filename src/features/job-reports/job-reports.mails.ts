/** Emails about removed jobs. Employers cannot opt out, because nothing else notifies them. */
import { t } from '../../locale/messages.ts'
import type { Message } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { findEmployerAccountId } from '../employers/index.ts'
import type { FeatureMails } from '../feature.ts'
import { findJob } from '../jobs/index.ts'

export function jobRemovedMails(urlOf: (jobId: string) => string): FeatureMails {
  const messageOf = (title: string, reason: string, url: string): Message => ({
    subject: t('job_reports.mail_subject', { title }),
    paragraphs: [t('job_reports.mail_text', { title, reason }), t('job_reports.mail_effect')],
    neutral: {
      subject: t('job_reports.mail_neutral_subject'),
      paragraph: t('job_reports.mail_neutral'),
    },
    link: { text: t('job_reports.mail_button'), url },
    reason: t('job_reports.mail_reason'),
  })
  return {
    async compose(reader, mail) {
      const job = await findJob(reader, mail.subject_id)
      // The job may have been restored or deleted since the email was queued.
      if (!job?.removed_at || (await findEmployerAccountId(reader, job.employer_id)) !== mail.account_id)
        return undefined
      return messageOf(job.title, job.removal_reason!, urlOf(mail.subject_id))
    },
    samples() {
      const { jobs, removalReason } = samples()
      return [{ message: messageOf(jobs[0].title, removalReason, urlOf(SAMPLE_ID)) }]
    },
  }
}
