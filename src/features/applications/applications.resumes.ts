/** What applications ask of resumes, in one place. */
import { sql } from 'kysely'

/**
 * The resume that an application is sent with, as a subquery of one column `id`: the one of this id, the newest where
 * the id is null; none that was deleted or is another candidate's.
 */
export const usableResume = (candidateId: string, resumeId: string | null) => sql`
  select resume.id from resume
  where resume.candidate_id = ${candidateId} and resume.deleted_at is null
    and (${resumeId}::text is null or resume.id = ${resumeId})
  order by resume.created_at desc, resume.id desc limit 1`

/** The same resume locked, so that it stays usable until the transaction ends; with the places of its parameters. */
export const usableResumeLockText = (candidateId: string, resumeId: string) => `
  select resume.id from resume
  where resume.id = ${resumeId} and resume.candidate_id = ${candidateId} and resume.deleted_at is null for share`

export interface ResumeBriefRow {
  id: string
  filename: string
  content_type: string
  size_bytes: number
}

/** The resume that an application was sent with, as a column; it may be deleted by now. `application` must be in scope. */
export const sentResume = sql`(
  select json_build_object('id', id, 'filename', filename, 'content_type', content_type, 'size_bytes', size_bytes)
  from resume where resume.id = application.resume_id)`

/** A resume in short. */
export function presentResumeBrief(row: ResumeBriefRow, origin: string) {
  return { ...row, url: `${origin}/v1/candidates/resume/${row.id}` }
}
