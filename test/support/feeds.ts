/** Feeds that tests push documents to. */
import { ADMIN_KEY, type Board, expectStatus } from './board.ts'
import { runTask } from './tasks.ts'

export const FEEDS = '/v1/feeds'

export const feedBody = (overrides: object = {}) => ({ name: 'Voltaire careers', format: 'ndjson', ...overrides })

export async function makeFeed(board: Board, overrides: object = {}, key = ADMIN_KEY) {
  return expectStatus(await board.post(FEEDS, key, feedBody(overrides)), 201).body.data
}

export const posting = (id: string, overrides: object = {}) => ({
  ...{ id, title: `Job ${id}`, company: 'Voltaire', location: 'Leipzig', description: 'Text' },
  ...overrides,
})

export const ndjsonOf = (postings: readonly object[]) => postings.map((one) => `${JSON.stringify(one)}\n`).join('')

/** Sends a document. */
export async function push(board: Board, feedId: string, document: string, key = ADMIN_KEY) {
  const options = { key, body: document, headers: { 'content-type': 'application/x-ndjson' } }
  return board.call('POST', `${FEEDS}/${feedId}/documents`, options)
}

/** Sends postings, executes the run, and returns the run. */
export async function feed(board: Board, feedId: string, postings: readonly object[] | string, key = ADMIN_KEY) {
  const document = typeof postings === 'string' ? postings : ndjsonOf(postings)
  const { id } = expectStatus(await push(board, feedId, document, key), 202).body.data
  await runTask(board, 'feeds')
  return expectStatus(await board.get(`${FEEDS}/${feedId}/runs/${id}`, key), 200).body.data
}

/** Returns the path of a run that needs approval because its document lists no postings. */
export async function heldRun(board: Board): Promise<string> {
  const { id } = await makeFeed(board)
  await feed(board, id, [posting('1')])
  const held = await feed(board, id, '')
  return `${FEEDS}/${id}/runs/${held.id}`
}

/** Returns a job that a feed maintains. */
export async function fedJob(board: Board): Promise<{ id: string }> {
  const { id } = await makeFeed(board)
  await feed(board, id, [posting('1')])
  const { data } = expectStatus(await board.get('/v1/employers/jobs?limit=100', ADMIN_KEY), 200).body
  return data.find(({ source }: { source: { feed_id: string } | null }) => source?.feed_id === id)
}
