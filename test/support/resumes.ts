/** Uploads resumes over HTTP. */
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

/** Creates a form with one file. */
export function formOf(bytes: Uint8Array, filename = 'cv.pdf', field = 'file'): FormData {
  const form = new FormData()
  form.append(field, new Blob([new Uint8Array(bytes)]), filename)
  return form
}

/** Uploads the file as the raw request body. */
export function sendRaw(
  board: Board,
  key: string | undefined,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return board.call('POST', RESUME, { key, body, headers: { 'content-type': 'application/octet-stream', ...headers } })
}

/** Uploads the file as JSON. */
export function sendJson(
  board: Board,
  key: string | undefined,
  bytes: Uint8Array,
  filename = 'cv.pdf',
): Promise<Answer> {
  return board.post(RESUME, key, { filename, content_base64: Buffer.from(bytes).toString('base64') })
}

/** Uploads a valid resume and returns its metadata. */
export async function upload(
  board: Board,
  candidate: Account,
  bytes: Uint8Array = pdf('Engineer'),
  filename = 'cv.pdf',
) {
  return expectStatus(await sendForm(board, candidate.key, formOf(bytes, filename)), 201).body.data
}

/** Inserts a resume's row without its bytes, and returns its ID. */
export async function insertResume(
  board: Board,
  candidateId: string,
  overrides: { created_at?: Date; deleted_at?: Date; extracted_text?: string } = {},
): Promise<string> {
  const id = newId('resume')
  const row = {
    id,
    candidate_id: candidateId,
    filename: 'ada.pdf',
    content_type: 'application/pdf',
    size_bytes: 1234,
    sha256: '0'.repeat(64),
    store: 'database' as const,
    created_at: board.clock.now(),
    ...overrides,
  }
  await board.database.inTx((tx) => tx.insertInto('resume').values(row).execute())
  return id
}
