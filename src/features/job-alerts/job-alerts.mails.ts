import { sql } from 'kysely'
import type { Salary } from '../../lib/salary.ts'
import { type Workplace, workplaceOf } from '../../lib/workplaces.ts'
import { formatNumber } from '../../locale/formats.ts'
import { currentLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import type { MailFeature } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { describeCriteria } from '../board/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import { type JobListRow, listVisibleJobs, locationInShort, presentSalary } from '../jobs/index.ts'
import { type AlertRow, findAlert } from './job-alerts.queries.ts'

/** Maximum number of jobs in an email. The email also states the number of other jobs, and links to all matches. */
const JOBS_IN_MAIL = 50

interface AlertLinks {
  catalogue: Catalogue
  /** Returns a job's link, which may be the employer's own application URL. */
  job: (job: Pick<JobListRow, 'id' | 'title' | 'application_url'>) => string
  matches: (alertId: string) => string
}

interface Matches {
  alert: Pick<AlertRow, 'id' | 'name' | 'criteria'>
  jobs: readonly ListedJob[]
  total: number
}

type ListedJob = Record<'title' | 'company' | 'location' | 'url', string> & {
  locations: readonly string[]
  workplace: Workplace
  salary: Salary | null
}

export function jobAlertMails(links: AlertLinks): MailFeature {
  const messageOf = ({ alert, jobs, total }: Matches) => {
    const unit = currentLocale().language === 'en' ? 'mi' : 'km'
    const criteria = describeCriteria(alert.criteria, { catalogue: links.catalogue, unit })
    const values = { count: total, name: alert.name }
    const isNamedSo = criteria.toLowerCase() === alert.name.toLowerCase()
    const [shown, more] = [jobs.length, total - jobs.length].map(formatNumber) as [string, string]
    return {
      subject: t('job_alerts.mail_subject', values),
      paragraphs: [
        t('job_alerts.mail_text', values),
        ...(isNamedSo ? [] : [t('job_alerts.mail_criteria', { criteria })]),
        ...(total > jobs.length ? [t('job_alerts.mail_shortened', { shown, more })] : []),
      ],
      items: jobs.map((job) => ({ title: job.title, lines: linesOf(job), url: job.url })),
      link: { text: t('job_alerts.mail_button'), url: links.matches(alert.id) },
      reason: t('job_alerts.mail_reason', values),
      unsubscribeId: alert.id,
      neutral: {
        subject: t('job_alerts.mail_neutral_subject', values),
        paragraph: t('job_alerts.mail_neutral', values),
      },
    }
  }
  return {
    async compose(reader, mail, now) {
      const alert = await findAlert(reader, mail.account_id, mail.subject_id)
      if (!alert?.is_active) return undefined
      const matchedBy = mail.repeats ?? mail.id
      const matched = sql`select job_id from job_alert_match where alert_id = ${alert.id} and mail_id = ${matchedBy}`
      const { jobs, total } = await listVisibleJobs(reader, matched, JOBS_IN_MAIL, now)
      if (total === 0) return undefined
      const listed = jobs.map((job) => ({
        ...job,
        workplace: workplaceOf(job),
        salary: presentSalary(job),
        url: links.job(job),
      }))
      return messageOf({ alert, jobs: listed, total })
    },
    samples() {
      const { jobs, salary } = samples()
      const [{ title, location }] = jobs
      const alert = { id: SAMPLE_ID, name: t('mail.sample_alert'), criteria: { search: title, location } }
      const url = links.job({ id: SAMPLE_ID, title, application_url: null })
      const listed = (job: (typeof jobs)[number]): ListedJob => ({
        ...job,
        ...{ locations: [], url, workplace: 'on_site', salary },
      })
      const [first, second] = jobs.map(listed) as [ListedJob, ListedJob]
      return [
        { message: messageOf({ alert, jobs: [first, { ...second, workplace: 'remote', salary: null }], total: 2 }) },
      ]
    },
    unsubscription: {
      async describe(reader, id) {
        const alert = await reader.selectFrom('job_alert').select('name').where('id', '=', id).executeTakeFirst()
        return alert && t('unsubscribe.of_alert', { name: alert.name })
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

function linesOf(job: ListedJob): string[] {
  const { company, workplace, salary } = job
  return [
    t(workplace === 'on_site' ? 'job_alerts.mail_company' : `job_alerts.mail_company_${workplace}`, {
      company,
      location: locationInShort(job),
    }),
    ...(salary ? [describeSalary(salary)] : []),
  ]
}

function describeSalary({ min, max, currency, period }: Salary): string {
  const unit = { currency, period }
  if (min === null) return t('job_alerts.mail_salary_up_to', { max: formatNumber(max!), ...unit })
  if (max === null) return t('job_alerts.mail_salary_from', { min: formatNumber(min), ...unit })
  if (min === max) return t('job_alerts.mail_salary', { amount: formatNumber(min), ...unit })
  return t('job_alerts.mail_salary_between', { min: formatNumber(min), max: formatNumber(max), ...unit })
}
