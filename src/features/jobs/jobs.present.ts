import { allLocations } from '../../lib/locations.ts'
import { renderMarkdown } from '../../lib/markdown.ts'
import type { Salary } from '../../lib/salary.ts'
import { presentDistance } from '../../lib/schema.ts'
import { workplaceOf } from '../../lib/workplaces.ts'
import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import type { ImportedJob } from './jobs.import.ts'
import type { JobChangeRow } from './jobs.list-queries.ts'
import { plainMembersOf } from './jobs.members.ts'
import type { BareJobRow, JobListRow, JobRow } from './jobs.queries.ts'
import type { CustomQuestion, DeletedJob, JobCreateForm, JobDetail, JobListItem } from './jobs.schemas.ts'

interface JobView {
  /** Public origin of application URLs. */
  origin: string
  now: Date
}

type SalaryColumns = Pick<JobRow, 'salary_min' | 'salary_max' | 'salary_currency' | 'salary_period'>

export function presentSalary(row: SalaryColumns): Salary | null {
  if (row.salary_currency === null) return null
  return {
    min: row.salary_min,
    max: row.salary_max,
    currency: row.salary_currency,
    period: row.salary_period as Salary['period'],
  }
}

/** Returns a salary as text, such as `50,000–70,000 EUR a year`. */
export function formatSalary({ min, max, currency, period }: Salary): string {
  const amount = formatNumber(min ?? max ?? 0)
  if (max === null) return t('job.pay_from', { amount, currency, period })
  if (min === null) return t('job.pay_up_to', { amount, currency, period })
  if (min === max) return t('job.pay_exact', { amount, currency, period })
  return t('job.pay_range', { min: amount, max: formatNumber(max), currency, period })
}

/** Returns whether the job is on the board. `visibleJob` implements the same rule in SQL. */
export function isActive(row: Pick<JobRow, 'state' | 'expires_at'>, now: Date): boolean {
  return row.state === 'active' && row.expires_at !== null && row.expires_at > now
}

export function presentJobListItem(row: JobListRow, origin: string): JobListItem {
  const { remote, ...laterMembers } = plainMembersOf(row)
  return {
    id: row.id,
    title: row.title,
    company: row.company,
    location: row.location,
    description: row.description,
    salary: presentSalary(row),
    category: row.category,
    type: row.type,
    remote,
    posted_at: row.posted_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    is_featured: row.is_featured,
    application_url: row.application_url ?? `${origin}/v1/candidates/jobs/${row.id}/apply`,
    company_logo_url: row.company_logo_url,
    employer_id: row.employer_id,
    skills: row.skills,
    ...laterMembers,
    workplace: workplaceOf(row),
    locations: allLocations(row.location, row.locations),
    ...presentDistance(row),
  }
}

export function presentJobChange(row: JobChangeRow, origin: string): JobListItem | DeletedJob {
  return row.is_shown ? presentJobListItem(row, origin) : { id: row.id, deleted_at: row.deleted_at.toISOString() }
}

export function presentJobCreateForm(row: BareJobRow, { origin, now }: JobView): JobCreateForm {
  const { company_logo_url: _, ...common } = presentJobListItem({ ...row, company_logo_url: null }, origin)
  return {
    ...common,
    requirements: row.requirements,
    benefits: row.benefits,
    is_urgent: row.is_urgent,
    is_highlighted: row.is_highlighted,
    is_active: isActive(row, now),
    publish_at: row.publish_at?.toISOString() ?? null,
    custom_questions: row.custom_questions as CustomQuestion[],
  }
}

/** Returns whether candidates apply on this board rather than through the employer's own URL. */
export function isAppliedForHere({ application_url }: Pick<JobListItem, 'application_url'>, origin: string): boolean {
  return application_url.startsWith(`${origin}/`)
}

/** Returns one export line, with the members that an import accepts. */
export function presentExportedJob(row: JobRow & { import_key: string | null }): ImportedJob {
  const { employer_id: _, ...listed } = presentJobListItem(row, '')
  return {
    ...listed,
    // Keeps the ID from the original import. Importing the line again then creates no duplicate.
    id: row.import_key?.startsWith('id:') ? row.import_key.slice('id:'.length) : row.id,
    // Exports only the employer's own URL, because the default URL leads back to this board.
    application_url: row.application_url,
    requirements: row.requirements,
    benefits: row.benefits,
    is_urgent: row.is_urgent,
    is_highlighted: row.is_highlighted,
    custom_questions: row.custom_questions as CustomQuestion[],
    contact_email: row.contact_email,
    company_website: row.company_website,
  }
}

export function presentJobDetail(row: JobRow, view: JobView): JobDetail {
  return {
    ...presentJobCreateForm(row, view),
    description_html: renderMarkdown(row.description),
    company_logo_url: row.company_logo_url,
    company_website: row.company_website,
    contact_email: row.contact_email,
    duplicate_of: row.duplicate_of,
  }
}
