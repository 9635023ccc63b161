/**
 * Emails to employers about jobs that the operator removed. Employers cannot opt out, because they get no other notice.
 */
import type { MailComposer } from '../../mail/queue.ts'
import { findRemoved } from './job-reports.queries.ts'

export function jobRemovedMail(urlOf: (jobId: string) => string): MailComposer {
  return async (reader, mail) => {
    const removed = await findRemoved(reader, mail.subject_id, mail.account_id)
    if (!removed) return undefined
    return {
      subject: `Your job was removed: ${removed.title}`,
      paragraphs: [
        `The operator of this board removed your job “${removed.title}”: ${removed.reason}`,
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
