/** What the overview counts, over the tables of all features. */
import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import { visibleJob } from '../jobs/index.ts'

export interface Figures {
  payments_waiting: number
  /** Accounts by kind that are new since. */
  candidates_new: number
  employers_new: number
  accounts: number
  accounts_suspended: number
  jobs_active: number
  applications_new: number
}

/** What there is now, and what is new since a time. */
export async function findFigures(reader: Reader, since: Date, now: Date): Promise<Figures> {
  const { rows } = await sql<Figures>`
    select
      (select count(*) from payment where status = 'pending') as payments_waiting,
      (select count(*) from account where created_at >= ${since} and kind = 'candidate') as candidates_new,
      (select count(*) from account where created_at >= ${since} and kind = 'employer') as employers_new,
      (select count(*) from account) as accounts,
      (select count(*) from account where suspended_at is not null) as accounts_suspended,
      (select count(*) from job where ${visibleJob(now)}) as jobs_active,
      (select count(*) from application where applied_at >= ${since}) as applications_new`.execute(reader)
  return rows[0]!
}
