import { ADMIN_KEY, type Board, expectStatus } from './board.ts'
import { feed, makeFeed, posting } from './feeds.ts'
import { runTask } from './tasks.ts'

/** A text that is long enough to have near copies. */
export const LONG_TEXT = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ')

const OWN_WORDS = Array.from({ length: 25 }, (_, n) => ` own${n}`).join('')

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

/**
 * Feeds two jobs with one location and 70 of 125 words in common. Returns their IDs, and the path of the page that
 * compares them.
 */
export async function suspectedPair(board: Board, overrides: object = {}) {
  const { id } = await makeFeed(board)
  const job = { title: 'Cell Engineer', company: `${id.slice(-8)} Suspected`, ...overrides }
  const text = LONG_TEXT.replace(/(?: word[7-9]\d)+$/, OWN_WORDS)
  await feed(board, id, [posting('1', { description: LONG_TEXT, ...job }), posting('2', { description: text, ...job })])
  await runTask(board, 'duplicates')
  const { rows } = await board.database.withClient((client) =>
    client.query('select job_id, other_id from suspected_copy order by found_at desc, job_id desc limit 1'),
  )
  const [{ job_id, other_id }] = rows
  return { ids: [job_id, other_id] as [string, string], path: `/desk/duplicates/${job_id}/${other_id}` }
}
