/** Reports about jobs. */
import { type Account, ADMIN_KEY, type Board, expectStatus } from './board.ts'

export const REPORTS = '/v1/admin/reports'
export const UNKNOWN_REPORT = 'rep_00000000000000000000000000'

/** Reports a job and returns the reporter's response. Creates the account and an active job unless they are given. */
export async function report(
  board: Board,
  { by, jobId, ...body }: { by?: Account; jobId?: string; reason?: string; message?: string } = {},
) {
  const id = jobId ?? (await board.activeJob(await board.employer())).id
  const { key } = by ?? (await board.candidate())
  return expectStatus(await board.post(`/v1/jobs/${id}/reports`, key, { reason: 'spam', ...body }), 201).body.data
}

/** Upholds a report and returns the admin's response. */
export async function uphold(board: Board, { id }: { id: string }, reason = 'It is not a job') {
  return expectStatus(await board.post(`${REPORTS}/${id}/uphold`, ADMIN_KEY, { reason }), 200).body.data
}
