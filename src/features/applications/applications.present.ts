import { pickMembers } from '../../lib/members.ts'
import { presentAuthor } from '../../lib/scopes.ts'
import { t } from '../../locale/messages.ts'
import { presentSalary } from '../jobs/index.ts'
import { presentResumeBrief } from '../resumes/index.ts'
import type { ApplicationListRow, ApplicationRow, EmployerApplicationRow } from './applications.queries.ts'
import type { Application, ApplicationListItem, EmployerApplication } from './applications.schemas.ts'
import type { ApplicationState } from './applications.service.ts'

/** `own`: applications of a candidate. `received`: applications that an employer received. */
export type Side = 'own' | 'received'

export const statusName = (side: Side, status: ApplicationState): string =>
  t(status === 'pending' ? `applications.status_pending_${side}` : `applications.status_${status}`)

export function presentApplicationListItem(row: ApplicationListRow): ApplicationListItem {
  return {
    id: row.id,
    job: {
      id: row.job_id,
      ...pickMembers(row, ['title', 'company', 'location', 'type']),
      salary: presentSalary(row),
    },
    ...pickMembers(row, ['cover_letter', 'status', 'applied_at', 'updated_at', 'withdrawn_at']),
  }
}

/** Returns an application for its candidate, without the data that only the employer may see. */
export function presentApplication(row: ApplicationRow, origin: string): Application {
  return {
    ...presentApplicationListItem(row),
    custom_questions: row.answers,
    resume: row.resume && presentResumeBrief(row.resume, origin),
    status_history: row.history.map(({ status, at }) => ({ status, at: new Date(at).toISOString() })),
  }
}

export function presentEmployerApplication(row: EmployerApplicationRow, origin: string): EmployerApplication {
  const { job, status_history: _, ...application } = presentApplication(row, origin)
  return {
    ...application,
    job: { id: job.id, title: job.title, company: job.company },
    candidate: {
      id: row.candidate_id,
      name: row.name,
      email: row.email,
      phone: row.phone,
      location: row.candidate_location,
      headline: row.headline,
    },
    rating: row.rating,
    tags: row.tags,
    source: row.source,
    status_history: row.history.map(({ status, at, reason, ...by }) => ({
      ...{ status, at: new Date(at).toISOString(), reason },
      by: presentAuthor(by),
    })),
  }
}
