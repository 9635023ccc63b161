import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { mediaTypes } from '../../files/kinds.ts'
import type { Files } from '../../files/store.ts'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { acceptUploads, readUpload, UPLOAD_BYTES_MAX, UploadBody } from '../../http/upload.ts'
import { parseByteRange } from '../../lib/byte-range.ts'
import { attachment } from '../../lib/content-disposition.ts'
import { matchesNone } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import { Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentResume } from './resumes.present.ts'
import { findDefaultResume, listResumes, type ResumeRow } from './resumes.queries.ts'
import { RESUME_BYTES_MAX, ResumeSchema, resumeList } from './resumes.schemas.ts'
import { addResume, deleteResume, fileTag, getReadableResume, stageResume } from './resumes.service.ts'

export const ResumeParams = Strict({ id: Id('resume') })
const reading = { kinds: ['candidate'], scope: 'profile:read' } as const
const writing = { kinds: ['candidate'], scope: 'profile:write' } as const

const uploadedTypes = [...Object.values(mediaTypes), 'text/rtf']
const header = (description: string) => ({ type: 'string', description })
const file = {
  headers: {
    ETag: header('For If-None-Match and If-Range.'),
    'Accept-Ranges': header('`bytes`.'),
    'Content-Disposition': header('`attachment`, with the file name.'),
  },
  content: Object.fromEntries(Object.values(mediaTypes).map((type) => [type, { schema: {} }])),
}

export async function registerResumes(app: App, kit: Kit): Promise<void> {
  const { database, reads, clock, settings, files } = kit
  const getReadable = ({ actor, params }: ResourceRequest) =>
    reads.read((db) => getReadableResume(db, params.id, actor))

  await registerUpload(app, kit)

  app.get('/candidates/resume', {
    config: { access: reading },
    schema: {
      operationId: 'getDefaultResume',
      summary: "Get the calling candidate's default resume, which is the newest",
      response: { 200: Envelope(Ref(ResumeSchema)), ...problems(404) },
    },
    handler: async ({ actor }) => {
      const row = await reads.read((db) => findDefaultResume(db, actor.accountId))
      if (!row) throw new AppError('not_found', { detail: 'You have no resume. Upload one first.' })
      return { data: presentResume({ ...row, is_default: true }, settings.origin) }
    },
  })

  app.get('/candidates/resumes', {
    config: { access: reading },
    schema: {
      operationId: 'listResumes',
      summary: "List the calling candidate's resumes",
      querystring: ListQuerystring(resumeList),
      response: { 200: ListEnvelope(Ref(ResumeSchema)) },
    },
    handler: async ({ actor, query }, reply) => {
      const page = await reads.read((db) => listResumes(db, actor.accountId, query))
      return presentList(reply, page, (row) => presentResume(row, settings.origin))
    },
  })

  app.get('/candidates/resume/:id', {
    config: {
      access: {
        kinds: ['candidate', 'employer', 'admin'],
        scope: { candidate: 'profile:read', employer: 'applications:read', admin: 'profile:read' },
      },
      produces: 'anything',
      guard: getReadable,
    },
    schema: {
      operationId: 'downloadResume',
      summary: 'Download a resume; employers can download the resumes in applications to their jobs',
      description:
        'Supports If-None-Match, If-Range, and Range with one byte range. A request for multiple ranges returns the whole file.',
      params: ResumeParams,
      response: {
        200: Type.Unsafe<Buffer>(file),
        206: Type.Unsafe<Buffer>({
          ...file,
          headers: { ...file.headers, 'Content-Range': header('The returned range and the file size.') },
        }),
        304: Type.Unsafe<null>({ description: 'Not modified', type: 'null' }),
        ...problems(416),
      },
    },
    handler: async (request, reply) => sendFile(request, reply, { row: await getReadable(request), files }),
  })

  app.delete('/candidates/resume/:id', {
    config: { access: writing, guard: getReadable },
    schema: {
      operationId: 'deleteResume',
      summary: 'Delete a resume; applications that include the resume keep it',
      params: ResumeParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      const deletion = { candidateId: actor.accountId, id: params.id, now: clock.now() }
      await database.inTx((tx) => deleteResume(tx, { ...deletion, precondition }))
    },
  })
}

async function registerUpload(app: App, { database, clock, settings, files }: Kit): Promise<void> {
  // Registers the upload in a Fastify scope of its own, whose body parser accepts resumes.
  await app.register(async (plugin) => {
    const scope = plugin as unknown as App
    acceptUploads(scope, uploadedTypes)
    scope.post('/candidates/resume', {
      bodyLimit: UPLOAD_BYTES_MAX,
      config: { access: writing, limit: 'uploads' },
      attachValidation: true,
      schema: {
        operationId: 'uploadResume',
        summary: 'Upload a resume of at most 5 MiB; it becomes the default',
        description:
          'PDF, DOCX, DOC, ODT, RTF or plain text. The content determines the format: the service ignores the media type and corrects the file extension.',
        body: UploadBody(uploadedTypes),
        response: { 201: Envelope(Ref(ResumeSchema)), ...problems(408) },
      },
      handler: async (request, reply) => {
        const upload = await readUpload(request, RESUME_BYTES_MAX)
        const candidateId = request.actor.accountId
        const staged = await database.read((db) => stageResume(db, { files, candidateId, upload, now: clock.now() }))
        return answerPost(reply, database, async (tx) => {
          const row = await addResume(tx, staged)
          const headers = { location: `/v1/candidates/resume/${row.id}`, etag: fileTag(row) }
          return { headers, body: { data: presentResume({ ...row, is_default: true }, settings.origin) } }
        })
      },
    })
  })
}

interface SentFile {
  row: ResumeRow
  files: Files
  /** Headers that depend on how the browser uses the file. Default: headers that make the browser save it. */
  headers?: Readonly<Record<string, string>>
}

const savedFile = ({ filename }: ResumeRow) => ({
  'content-disposition': attachment(filename),
  'content-security-policy': "sandbox; default-src 'none'",
})

/** Sends the file, a range of the file, or 304 (RFC 9110, sections 13 and 14). */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { row, files, headers = savedFile(row) }: SentFile,
) {
  const { 'if-none-match': known, 'if-range': ifRange, range: rangeHeader } = request.headers
  const etag = fileTag(row)
  reply.header('etag', etag).header('accept-ranges', 'bytes')
  // Browsers replace the headers of their cached copies with the headers of a 304.
  if (!matchesNone(known, etag)) return reply.code(304).headers(headers).send()
  // HEAD returns the same headers as a GET without a range.
  const isMeant = request.method === 'GET' && (ifRange === undefined || ifRange === etag)
  const range = isMeant ? parseByteRange(rangeHeader, row.size_bytes) : undefined
  if (range === 'unsatisfiable') {
    throw new AppError('range_not_satisfiable', { headers: { 'content-range': `bytes */${row.size_bytes}` } })
  }
  const bytes = await files.get(row, range)
  if (range) reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${row.size_bytes}`)
  return reply.type(row.content_type).headers(headers).send(bytes)
}
