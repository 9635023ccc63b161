/** Resumes over HTTP. */
import type { Task } from '../../src/background/loop.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Account, type Answer, type Board, expectStatus } from './board.ts'
import { pdf } from './documents.ts'

export const RESUME = '/v1/candidates/resume'

/** Uploads a file as a form. */
export async function sendForm(board: Board, key: string | undefined, form: FormData): Promise<Answer> {
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type')! }
  return board.call('POST', RESUME, { key, headers, body: Buffer.from(await encoded.arrayBuffer()) })
}

/** A form with one file. */
export function formOf(bytes: Uint8Array, filename = 'cv.pdf', field = 'file'): FormData {
  const form = new FormData()
  form.append(field, new Blob([new Uint8Array(bytes)]), filename)
  return form
}

/** Uploads the file itself. */
export function sendRaw(
  board: Board,
  key: string | undefined,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return board.call('POST', RESUME, { key, body, headers: { 'content-type': 'application/octet-stream', ...headers } })
}

/** Uploads as JSON. */
export function sendJson(
  board: Board,
  key: string | undefined,
  bytes: Uint8Array,
  filename = 'cv.pdf',
): Promise<Answer> {
  return board.post(RESUME, key, { filename, content_base64: Buffer.from(bytes).toString('base64') })
}

/** Uploads a sound resume and answers its metadata. */
export async function upload(
  board: Board,
  candidate: Account,
  bytes: Uint8Array = pdf('Engineer'),
  filename = 'cv.pdf',
) {
  return expectStatus(await sendForm(board, candidate.key, formOf(bytes, filename)), 201).body.data
}

/** Writes the application of a candidate to an employer's job, with this resume. */
export async function applyWith(board: Board, candidate: Account, employer: Account, resumeId: string): Promise<void> {
  const job = await board.job(employer)
  const now = board.clock.now()
  await board.database.inTx((tx) =>
    tx
      .insertInto('application')
      .values({
        id: newId('application'),
        job_id: job.id,
        employer_id: employer.id,
        candidate_id: candidate.id,
        cover_letter: 'Hello',
        answers: '{}',
        resume_id: resumeId,
        applied_at: now,
        updated_at: now,
      })
      .execute(),
  )
}

/** A background task of the board. */
export function taskOf(board: Board, name: string): Task {
  return board.service.tasks.find((task) => task.name === name)!
}

/** Lets a task work until there is nothing more to do. */
export async function runTask(board: Board, name: string): Promise<void> {
  while ((await taskOf(board, name).once()) === 'more');
}
