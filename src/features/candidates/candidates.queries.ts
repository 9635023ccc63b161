import type { Insertable, Selectable } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { CandidateTable } from '../../db/schema.ts'

export type CandidateRow = Selectable<CandidateTable> & { email: string | null }

export async function insertCandidate(tx: Tx, candidate: Insertable<CandidateTable>): Promise<void> {
  await tx.insertInto('candidate').values(candidate).execute()
}

/** A candidate with its account's e-mail address, or undefined. */
export function findCandidate(reader: Reader, id: string): Promise<CandidateRow | undefined> {
  return reader
    .selectFrom('candidate')
    .innerJoin('account', 'account.id', 'candidate.id')
    .selectAll('candidate')
    .select('account.email')
    .where('candidate.id', '=', id)
    .executeTakeFirst()
}
