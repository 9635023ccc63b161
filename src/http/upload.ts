/** Accepts the upload of one file as a multipart form, as raw bytes, or as base64 in JSON. */
import { MIMEType } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { filenameOf } from '../lib/content-disposition.ts'
import { AppError, type BodyFault, validationFailed } from '../lib/errors.ts'
import { Strict } from '../lib/schema.ts'
import type { App } from './app.ts'
import { bodyFaultsOf } from './validation.ts'

/** A received file whose content has not been checked yet. */
export interface Upload {
  filename: string | undefined
  bytes: Buffer
}

/** Maximum size of a request body, in bytes: a 5 MiB file takes 6.7 MiB in base64. */
export const UPLOAD_BYTES_MAX = 8_388_608

const FormBody = Strict({
  file: Type.Unsafe<File>({ contentMediaType: 'application/octet-stream', description: 'The file.' }),
})
const JsonBody = Strict({
  filename: Type.String({ minLength: 1, maxLength: 1_000 }),
  content_base64: Type.String({ contentEncoding: 'base64', description: 'The file, in base64 with padding.' }),
})

/** Returns the body schema of an upload route. Files may have one of these media types or an unspecified type. */
export function UploadBody(mediaTypes: readonly string[]) {
  const raw = { schema: { description: 'The file. Content-Disposition may contain its name.' } }
  return {
    content: {
      'multipart/form-data': { schema: FormBody },
      'application/json': { schema: JsonBody },
      ...Object.fromEntries([...mediaTypes, 'application/octet-stream'].map((type) => [type, raw])),
    },
  }
}

/** Makes every route of this scope accept files of these media types. The scope must contain only upload routes. */
export function acceptUploads(scope: App, mediaTypes: readonly string[]): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => parseForm(request.headers['content-type']!, body),
  )
  scope.addHook('onRequest', async (request) => {
    request.headers['content-type'] ??= 'application/octet-stream'
  })
  const keep = async (_request: FastifyRequest, body: Buffer) => body
  for (const type of [...mediaTypes, 'application/octet-stream']) {
    scope.addContentTypeParser(type, { parseAs: 'buffer' }, keep)
  }
}

/**
 * Maximum number of parts in a form. Forms with more parts are refused, because each part needs more memory than its
 * bytes.
 */
const PARTS_MAX = 20

/** Returns the fields of a form, to be validated with the route's schema. A repeated field becomes an array. */
export async function parseForm(
  contentType: string,
  body: Buffer,
  partsMax: number = PARTS_MAX,
): Promise<Record<string, unknown>> {
  const malformed = (cause?: unknown) => {
    const detail = `The body must be a complete multipart form with at most ${partsMax} parts.`
    return new AppError('bad_request', { detail, cause })
  }
  const boundary = boundaryOf(contentType)
  // A form has one more boundary than parts: one before each part, and one at the end.
  if (!boundary || hasMoreThan(body, `--${boundary}`, partsMax + 1)) throw malformed()
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
  const form = await response.formData().catch((error) => {
    throw malformed(error)
  })
  const fields: Record<string, unknown> = Object.create(null)
  for (const name of form.keys()) {
    const values = form.getAll(name)
    fields[name] = values.length === 1 ? values[0] : values
  }
  return fields
}

/** Returns the boundary according to the form parser's rules, so that the limit counts the same parts as the parser. */
function boundaryOf(contentType: string): string | null {
  try {
    return new MIMEType(contentType).params.get('boundary')
  } catch {
    return null
  }
}

function hasMoreThan(body: Buffer, text: string, maximum: number): boolean {
  let count = 0
  for (let at = body.indexOf(text); at !== -1 && count <= maximum; at = body.indexOf(text, at + text.length)) count++
  return count > maximum
}

/** Returns the media type that an upload declares, without parameters. */
export function declaredTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const [declared = ''] = (headers['content-type'] ?? '').toLowerCase().split(';', 1)
  return declared.trim()
}

/** The parts of a request that `readUpload` reads. */
export type UploadRequest = Pick<FastifyRequest, 'body' | 'headers' | 'validationError'>

/**
 * Returns the uploaded file of a request. The route must have `attachValidation`. Throws `validation_failed` with the
 * faults of the body, or `payload_too_large` for a file larger than `bytesMax`.
 */
export async function readUpload(request: UploadRequest, bytesMax: number): Promise<Upload> {
  const faults = [...bodyFaultsOf(request)]
  const { pointer, filename, bytes, fault } = await readBody(request)
  if (fault) faults.push({ pointer, ...fault })
  else if (bytes?.length === 0) {
    faults.push({ pointer, code: 'empty_file', detail: 'The file is empty.', words: { key: 'fault.file_empty' } })
  }
  if (!bytes || faults.length > 0) throw validationFailed(faults)
  if (bytes.length > bytesMax) {
    const detail = `The file is larger than ${bytesMax} bytes.`
    throw new AppError('payload_too_large', { detail, words: { key: 'fault.file_too_large' } })
  }
  return { filename, bytes }
}

/**
 * Decodes base64 with padding; returns undefined for anything else. `Buffer` skips invalid characters, so text with
 * invalid characters yields too few bytes. `Buffer` also accepts the characters of base64url, which need a separate
 * check. A regular expression would take 12 ms for 5 MiB.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const isAscii = Buffer.byteLength(text) === text.length
  if (text.length % 4 !== 0 || !isAscii || text.includes('-') || text.includes('_')) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined
}

interface ReadBody {
  pointer: string
  filename?: string | undefined
  /** Absent if `fault` is set, or if the body has no file, which the schema has already reported. */
  bytes?: Buffer
  fault?: Omit<BodyFault, 'pointer'>
}

async function readBody({ body, headers }: UploadRequest): Promise<ReadBody> {
  if (Buffer.isBuffer(body)) return { pointer: '#', filename: filenameOf(headers['content-disposition']), bytes: body }
  const { file, filename, content_base64 } = body as Record<string, unknown>
  if (typeof content_base64 === 'string') {
    const pointer = '#/content_base64'
    const decoded = decodeBase64(content_base64)
    if (decoded) return { pointer, filename: String(filename), bytes: decoded }
    return { pointer, fault: { code: 'invalid_format', detail: 'content_base64 must be base64 with padding.' } }
  }
  const pointer = '#/file'
  if (file instanceof File) return { pointer, filename: file.name, bytes: Buffer.from(await file.arrayBuffer()) }
  if (Array.isArray(file)) return { pointer, fault: { code: 'too_many', detail: 'Send only one file per request.' } }
  if (typeof file !== 'string') return { pointer }
  return { pointer, fault: { code: 'invalid_type', detail: 'file must be a multipart part with a filename.' } }
}
