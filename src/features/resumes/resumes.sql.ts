/** SQL about resumes for other features. */
import { type RawBuilder, sql } from 'kysely'

/** Selects a column of the candidate's current resume: the newest one that has not been deleted. */
export function currentResume(column: 'id' | 'extracted_text', candidateId: string): RawBuilder<string | null> {
  return sql`(
    select ${sql.ref(`resume.${column}`)} from resume
    where resume.candidate_id = ${sql.raw(candidateId)} and resume.deleted_at is null
    order by resume.created_at desc, resume.id desc limit 1)`
}
