/** Finds the employers of a feed's jobs. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { FeedTable } from '../../db/schema.ts'
import { lockAccountRow } from '../accounts/index.ts'
import { getEmployerName } from '../employers/employers.sql.ts'
import {
  type ImportedEmployer,
  importedEmployerKey,
  insertImportedEmployers,
  lockImportedEmployers,
  newImportedEmployer,
} from '../employers/index.ts'
import type { Posting } from './feeds.postings.ts'
import { mayFeedRun } from './feeds.queries.ts'

type Feed = Pick<FeedTable, 'id' | 'employer_id'>

/** Thrown if the account of a feed's employer is suspended or closed. The board shows no jobs of such employers. */
export class EmployerSuspended extends Error {}

/**
 * Locks the account of the feed's employer, if any. The lock prevents a suspension or a closure until the transaction
 * ends. Throws `EmployerSuspended` if the employer may not post.
 */
export async function assertEmployerMayPost(tx: Tx, { id, employer_id }: Feed): Promise<void> {
  if (employer_id === null) return
  await lockAccountRow(tx, sql`${employer_id}`, 'share')
  if (!(await mayFeedRun(tx, id))) throw new EmployerSuspended()
}

/**
 * Returns a function that returns a posting's employer, or undefined if that employer is suspended. If the feed has no
 * employer, creates employers for unknown companies.
 */
export async function findEmployersOf(tx: Tx, { employer_id }: Feed, postings: readonly Posting[], now: Date) {
  if (employer_id !== null) {
    const employer = { id: employer_id, name: await getEmployerName(tx, employer_id), claimedFrom: null }
    return (): ImportedEmployer | undefined => employer
  }
  const keyOf = ({ job }: Posting) => importedEmployerKey(job.company)
  const byKey = new Map(postings.map((posting) => [keyOf(posting), posting.job]))
  const found = await lockImportedEmployers(tx, [...byKey.keys()])
  const unknown = [...byKey].filter(([key]) => !found.has(key))
  if (unknown.length > 0) {
    const created = unknown.map(([, { company, company_website, company_logo_url }]) => {
      const links = {
        ...(company_website && { website: company_website }),
        ...(company_logo_url && { logo_url: company_logo_url }),
      }
      return newImportedEmployer({ name: company, ...links }, now)
    })
    // Sorted, because concurrent imports could deadlock if they inserted employers in different orders.
    await insertImportedEmployers(
      tx,
      created.sort((a, b) => (a.name_sort < b.name_sort ? -1 : 1)),
    )
    for (const [key, employer] of await lockImportedEmployers(
      tx,
      unknown.map(([key]) => key),
    ))
      found.set(key, employer)
  }
  const resting = new Set<string>()
  // Sorted, because concurrent runs could deadlock if they locked accounts in different orders.
  for (const id of [
    ...new Set([...found.values()].filter(({ claimedFrom }) => claimedFrom).map(({ id }) => id)),
  ].sort()) {
    if (await lockAccountRow(tx, sql`${id}`, 'share')) resting.add(id)
  }
  return (posting: Posting): ImportedEmployer | undefined => {
    const employer = found.get(keyOf(posting))!
    return resting.has(employer.id) ? undefined : employer
  }
}
