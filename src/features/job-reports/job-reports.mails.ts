/**
 * Emails about removed jobs to their employers and the team members who post, and about reported jobs to the board's
 * staff. Employers cannot opt out, because nothing else notifies them of a removal.
 */
import type { Brand } from '../../lib/brand.ts'
import { t } from '../../locale/messages.ts'
import type { Message } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { addressToStaff } from '../accounts/index.ts'
import { findEmployerAccountId } from '../employers/index.ts'
import type { FeatureMails } from '../feature.ts'
import { findJob } from '../jobs/index.ts'
import { findReport, type ReportRow } from './job-reports.queries.ts'
import type { ReportReason } from './job-reports.schemas.ts'

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

type Reported = Pick<ReportRow, 'job_title' | 'job_company' | 'message'> & { reason: string }

/** Emails to the board's staff about a job's first open report. The linked page also lists the job's other reports. */
export function jobReportedMails(urlOf: (reportId: string) => string, brand: () => Brand): FeatureMails {
  const messageOf = ({ job_title: title, job_company: company, reason, message }: Reported, url: string): Message => ({
    subject: t('job_reports.mail_new_subject', { title }),
    paragraphs: [t('job_reports.mail_new_text', { title, company }), t('job_reports.mail_new_once')],
    facts: [
      [t('shared.reason'), t(`job_reports.reason_${reason as ReportReason}`)],
      ...(message === null ? [] : [[t('job_reports.details'), message] as const]),
    ],
    neutral: { subject: t('job_reports.mail_new_neutral_subject'), paragraph: t('job_reports.mail_new_neutral') },
    link: { text: t('job_reports.mail_new_button'), url },
    reason: t('job_reports.mail_new_reason'),
  })
  return {
    async compose(reader, mail) {
      const report = await findReport(reader, mail.subject_id)
      if (report?.status !== 'open') return undefined
      return addressToStaff(reader, mail, messageOf(report, urlOf(mail.subject_id)), brand().contactEmail)
    },
    samples() {
      const { jobs, removalReason } = samples()
      const [{ title, company }] = jobs
      const report = { job_title: title, job_company: company, reason: 'spam', message: removalReason }
      return [{ message: messageOf(report, urlOf(SAMPLE_ID)) }]
    },
  }
}
