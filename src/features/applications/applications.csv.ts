/** Received applications as CSV, for spreadsheets. */
import type { Reads } from '../../db/database.ts'
import { csvLine } from '../../lib/csv.ts'
import { decodeCursor } from '../../lists/cursor.ts'
import { presentEmployerApplication } from './applications.present.ts'
import { type EmployerQuery, listEmployerApplications } from './applications.queries.ts'
import type { EmployerApplication } from './applications.schemas.ts'

export const CSV = 'text/csv'

/** The columns, with the value of an application in each. */
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

/** Applications per query. Cover letters have up to 20,000 characters, so a page is at most a few megabytes. */
const ROWS_PER_PAGE = 200

interface Export {
  /** See `listEmployerApplications`. */
  owner: Parameters<typeof listEmployerApplications>[1]
  query: EmployerQuery
  cursorSecret: Uint8Array
  origin: string
}

/**
 * Yields all applications of a list as lines of CSV, regardless of the requested page. Reads one page at a time, and only
 * after the client has received the previous one.
 */
export async function* exportApplications(
  reads: Pick<Reads, 'read'>,
  { owner, query, cursorSecret, origin }: Export,
): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns))
  let cursor: EmployerQuery['cursor'] | undefined = { direction: 'next', key: null }
  while (cursor) {
    const page: EmployerQuery = { ...query, limit: ROWS_PER_PAGE, page: undefined, cursor }
    const { rows, nextCursor } = await reads.read((db) => listEmployerApplications(db, owner, page, cursorSecret))
    const applications = rows.map((row) => presentEmployerApplication(row, origin))
    yield applications.map((each) => csvLine(Object.values(columns).map((cellOf) => cellOf(each)))).join('')
    cursor = nextCursor === null ? undefined : decodeCursor(cursorSecret, query.binding, nextCursor)
  }
}
