/** Received applications as CSV, for spreadsheets. */
import type { Reads } from '../../db/database.ts'
import { csvOf } from '../../lists/csv.ts'
import { presentEmployerApplication } from './applications.present.ts'
import { type EmployerQuery, listEmployerApplications } from './applications.queries.ts'
import type { EmployerApplication } from './applications.schemas.ts'

/** The columns by name, each with a function that returns an application's value. */
const columns: Readonly<Record<string, (application: EmployerApplication) => string | number | null>> = {
  id: ({ id }) => id,
  job_id: ({ job }) => job.id,
  job_title: ({ job }) => job.title,
  candidate_name: ({ candidate }) => candidate.name,
  candidate_email: ({ candidate }) => candidate.email,
  candidate_phone: ({ candidate }) => candidate.phone,
  candidate_location: ({ candidate }) => candidate.location,
  candidate_headline: ({ candidate }) => candidate.headline,
  status: ({ status }) => status,
  rating: ({ rating }) => rating,
  tags: ({ tags }) => tags.join(', '),
  source: ({ source }) => source,
  applied_at: ({ applied_at }) => applied_at,
  updated_at: ({ updated_at }) => updated_at,
  withdrawn_at: ({ withdrawn_at }) => withdrawn_at,
  resume_url: ({ resume }) => resume?.url ?? null,
  cover_letter: ({ cover_letter }) => cover_letter,
  custom_questions: ({ custom_questions }) =>
    Object.keys(custom_questions).length > 0 ? JSON.stringify(custom_questions) : null,
}

interface Export {
  /** See `listEmployerApplications`. */
  owner: Parameters<typeof listEmployerApplications>[1]
  query: EmployerQuery
  origin: string
}

/** Yields all applications in a list as CSV lines. */
export const exportApplications = (
  reads: Pick<Reads, 'read'>,
  { owner, query, origin }: Export,
): AsyncGenerator<string> =>
  csvOf({
    columns,
    query,
    async read(page) {
      const { rows, nextCursor } = await reads.read((db) => listEmployerApplications(db, owner, page))
      return { rows: rows.map((row) => presentEmployerApplication(row, origin)), nextCursor }
    },
  })
