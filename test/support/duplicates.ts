import { ADMIN_KEY, type Board, expectStatus } from './board.ts'

/** A text that is long enough for near copies. */
export const LONG_TEXT = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ')

export async function duplicatesOf(board: Board, id: string, key = ADMIN_KEY) {
  const { data } = expectStatus(await board.get(`/v1/jobs/${id}/duplicates`, key), 200).body
  return data as { job_id: string; kind: string; similarity: number }[]
}

const decide = async (board: Board, job_ids: string[], decision: string) =>
  expectStatus(await board.post('/v1/admin/duplicates', ADMIN_KEY, { job_ids, decision }), 200)

/** Decides that jobs are not copies of each other. */
export const tellApart = (board: Board, ids: string[]) => decide(board, ids, 'different')

/** Decides that jobs are copies of each other. */
export const equate = (board: Board, ids: string[]) => decide(board, ids, 'same')
