/** SQL about applications for other features. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Condition } from '../../lists/sql-page.ts'

/** Selects the IDs of the candidates who applied to an employer's jobs. */
export function applicantsOf(employerId: string): RawBuilder<unknown> {
  return sql`select candidate_id from application where employer_id = ${employerId}`
}

/** Matches candidates who applied to an employer's jobs. `candidateId` is a column that contains candidate IDs. */
export function isApplicantOf(employerId: string, candidateId: string): Condition {
  return sql`exists (
    select from application
    where application.employer_id = ${employerId} and application.candidate_id = ${sql.raw(candidateId)})`
}

/** Transfers these jobs' applications to the jobs' new employer. */
export async function giveApplications(tx: Tx, jobIds: readonly string[], employerId: string): Promise<void> {
  await sql`update application set employer_id = ${employerId} where job_id = any(${jobIds}::text[])`.execute(tx)
}
