/** Creates applications, with their candidates and jobs. */
import { newId } from '../../src/lib/ids.ts'
import { type Account, type Board, expectStatus } from './board.ts'

/** Applies over HTTP and returns the receipt. */
export async function apply(board: Board, candidate: Account, jobId: string, overrides: Record<string, unknown> = {}) {
  const body = { cover_letter: 'I build batteries.', ...overrides }
  return expectStatus(await board.post(`/v1/candidates/jobs/${jobId}/apply`, candidate.key, body), 201).body.data
}

/** Creates a job and applies to it. Creates the candidate and the employer unless they are given. */
export async function world(
  board: Board,
  given: {
    employer?: Account
    candidate?: Account
    job?: Record<string, unknown>
    body?: Record<string, unknown>
  } = {},
) {
  const employer = given.employer ?? (await board.employer())
  const candidate = given.candidate ?? (await board.candidate())
  const job = await board.activeJob(employer, given.job)
  return { employer, candidate, job, application: await apply(board, candidate, job.id, given.body) }
}

/** Creates a job for the employer, inserts an application to the job and returns the application's ID. */
export async function insertApplication(
  board: Board,
  candidate: Account,
  employer: Account,
  resumeId: string | null = null,
): Promise<string> {
  const id = newId('application')
  const { id: job_id } = await board.job(employer)
  const at = board.clock.now()
  const ids = { id, job_id, employer_id: employer.id, candidate_id: candidate.id, resume_id: resumeId }
  const row = { ...ids, cover_letter: 'To whom it may concern', answers: '{}', applied_at: at, updated_at: at }
  await board.database.inTx((tx) => tx.insertInto('application').values(row).execute())
  return id
}

/** Moves an application to a status as its employer. */
export async function setStatus(board: Board, employer: Account, id: string, status: string) {
  return expectStatus(await board.put(`/v1/employers/applications/${id}`, employer.key, { status }), 200).body.data
}

/** Returns the number of applications that the job's owner sees. */
export async function applicationCount(board: Board, employer: Account, jobId: string): Promise<number> {
  const { data } = expectStatus(await board.get('/v1/employers/jobs?limit=100', employer.key), 200).body
  return data.find(({ id }: { id: string }) => id === jobId).application_count
}

/** Returns all emails about this resource, pending or not. */
export async function mails(board: Board, subjectId: string) {
  return board.database.read((db) =>
    db
      .selectFrom('mail')
      .select(['kind', 'account_id', 'subject_id', 'details', 'due_at'])
      .where('subject_id', '=', subjectId)
      .orderBy('id')
      .execute(),
  )
}
