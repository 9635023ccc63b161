/** Emails about removed jobs. Employers cannot opt out, because nothing else notifies them. */
import type { MailComposer } from '../../mail/queue.ts'
import { findEmployerAccountId } from '../employers/index.ts'
import { findJob } from '../jobs/index.ts'

export function jobRemovedMail(urlOf: (jobId: string) => string): MailComposer {
  return async (reader, mail) => {
    const job = await findJob(reader, mail.subject_id)
    // The job may have been restored or deleted since the email was queued.
    if (!job?.removed_at || (await findEmployerAccountId(reader, job.employer_id)) !== mail.account_id) return undefined
    return {
      subject: `Your job was removed: ${job.title}`,
      paragraphs: [
        `The operator of this board removed your job “${job.title}”: ${job.removal_reason}`,
        'Only you can see it. You cannot activate or reopen it until the operator restores it.',
      ],
      neutral: {
        subject: 'One of your jobs was removed',
        paragraph: 'The operator of this board removed one of your jobs.',
      },
      link: { text: 'View your job', url: urlOf(mail.subject_id) },
      reason: 'You get this because one of your jobs was removed.',
    }
  }
}
