import { sql } from 'kysely'
import type { MailFeature } from '../../mail/queue.ts'
import { describeCriteria } from '../board/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import { type JobListRow, listVisibleJobs, presentSalary } from '../jobs/index.ts'
import { findAlert } from './job-alerts.queries.ts'

/** Maximum jobs listed in an email. The email also contains the number of unlisted jobs and a link to all matches. */
const JOBS_IN_MAIL = 50

interface AlertLinks {
  catalogue: Catalogue
  /** Returns a job's link, which may be the employer's own application URL. */
  job: (job: Pick<JobListRow, 'id' | 'title' | 'application_url'>) => string
  matches: (alertId: string) => string
}

export function jobAlertMails(links: AlertLinks): MailFeature {
  return {
    async compose(reader, mail, now) {
      const alert = await findAlert(reader, mail.account_id, mail.subject_id)
      if (!alert?.is_active) return undefined
      const matched = sql`select job_id from job_alert_match where alert_id = ${alert.id} and mail_id = ${mail.id}`
      const { jobs, total } = await listVisibleJobs(reader, matched, JOBS_IN_MAIL, now)
      if (total === 0) return undefined
      const criteria = describeCriteria(alert.criteria, { catalogue: links.catalogue, unit: 'mi' })
      const verb = total === 1 ? 'matches' : 'match'
      const count = total === 1 ? 'One new job' : `${total} new jobs`
      return {
        subject: `${count} for “${alert.name}”`,
        paragraphs: [
          `${count} on the board ${verb} your job alert “${alert.name}”.`,
          ...(criteria.toLowerCase() === alert.name.toLowerCase() ? [] : [`The alert searches for: ${criteria}.`]),
          ...(total > jobs.length
            ? [`This email lists the latest ${jobs.length} jobs. ${total - jobs.length} more are on the board.`]
            : []),
        ],
        items: jobs.map((job) => ({ title: job.title, lines: linesOf(job), url: links.job(job) })),
        link: { text: 'View all matching jobs', url: links.matches(alert.id) },
        reason: `You get this because you created the job alert “${alert.name}”.`,
        unsubscribeId: alert.id,
        neutral: {
          subject: `${count} for your job alert`,
          paragraph: `${count} on the board ${verb} one of your job alerts.`,
        },
      }
    },
    unsubscription: {
      async describe(reader, id) {
        const alert = await reader.selectFrom('job_alert').select('name').where('id', '=', id).executeTakeFirst()
        return alert && `the job alert “${alert.name}”`
      },
      async unsubscribe(tx, id, now) {
        await tx
          .updateTable('job_alert')
          .set({ is_active: false, next_run_at: null, updated_at: now })
          .where('id', '=', id)
          .where('is_active', '=', true)
          .execute()
      },
    },
  }
}

function linesOf(job: JobListRow): string[] {
  const salary = presentSalary(job)
  return [
    `${job.company}, ${job.location}${job.remote ? ' (remote)' : ''}`,
    ...(salary ? [describeSalary(salary)] : []),
  ]
}

function describeSalary({ min, max, currency, period }: NonNullable<ReturnType<typeof presentSalary>>): string {
  const amount = (value: number) => value.toLocaleString('en')
  const range =
    min !== null && max !== null && min !== max
      ? `${amount(min)} to ${amount(max)}`
      : min === null
        ? `up to ${amount(max!)}`
        : max === null
          ? `from ${amount(min)}`
          : amount(min)
  return `${currency} ${range} ${period === 'hour' ? 'an' : 'a'} ${period}`
}
