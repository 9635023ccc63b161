/** What candidates have from other features, put straight onto a board. */
import { newId } from '../../src/lib/ids.ts'
import type { Account, Board } from './board.ts'

/** A candidate with this profile. */
export async function candidateWith(board: Board, profile: Record<string, unknown>): Promise<Account> {
  const candidate = await board.candidate()
  const answer = await board.put('/v1/candidates/profile', candidate.key, profile)
  if (answer.status !== 200) throw new Error(answer.text)
  return candidate
}

/** An application to a new job of the employer; answers its id. */
export async function insertApplication(board: Board, candidate: Account, employer: Account): Promise<string> {
  const id = newId('application')
  const { id: job_id } = await board.job(employer)
  const at = board.clock.now()
  const row = { id, job_id, employer_id: employer.id, candidate_id: candidate.id, applied_at: at, updated_at: at }
  await board.database.inTx((tx) =>
    tx
      .insertInto('application')
      .values({ ...row, cover_letter: 'To whom it may concern', answers: '{}' })
      .execute(),
  )
  return id
}

/** A resume whose text was taken out; answers its id. */
export async function insertResume(board: Board, candidate: Account, text: string | null): Promise<string> {
  const id = newId('resume')
  await board.database.inTx((tx) =>
    tx
      .insertInto('resume')
      .values({
        id,
        candidate_id: candidate.id,
        filename: 'resume.pdf',
        content_type: 'application/pdf',
        size_bytes: 1,
        sha256: '00',
        store: 'database',
        created_at: board.clock.now(),
        extracted_text: text,
      })
      .execute(),
  )
  return id
}
