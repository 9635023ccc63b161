/** Pages for listing, uploading, downloading and deleting resumes. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { readUpload, UPLOAD_BYTES_MAX, type UploadRequest } from '../../http/upload.ts'
import { inline } from '../../lib/content-disposition.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError, validationFailed } from '../../lib/errors.ts'
import { Strict } from '../../lib/schema.ts'
import { parseListQuery } from '../../lists/query.ts'
import { t } from '../../locale/messages.ts'
import { problemInWords } from '../../pages/fault-words.ts'
import { Form, fieldFault } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { presentResume } from './resumes.present.ts'
import { findRecognized, listResumes } from './resumes.queries.ts'
import { ResumeParams, sendFile } from './resumes.routes.ts'
import { RESUME_BYTES_MAX, RESUMES_MAX, resumeList } from './resumes.schemas.ts'
import { addResume, deleteResume, getReadableResume, isPdf, stageResume } from './resumes.service.ts'
import { RECOGNIZED_MAX, renderResumes } from './resumes.views.ts'

const ABOUT_FILE: ReadonlySet<number> = new Set([409, 413, 415, 422])

/** Runs `work`, and reports faults in the uploaded file on the form field. */
export async function reportingFile<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || !ABOUT_FILE.has(error.status)) throw error
    const ofFile = fieldFault(field, problemInWords(error))
    throw validationFailed(error.options.errors?.map((fault) => ({ ...fault, pointer: ofFile.pointer })) ?? [ofFile])
  }
}

/** Stages the file from a form, under the same rules as POST /v1/candidates/resume. */
export async function resumeOfForm({ database, clock, files }: Kit, candidateId: string, request: UploadRequest) {
  const upload = await readUpload(request, RESUME_BYTES_MAX)
  return database.read((db) => stageResume(db, { files, candidateId, upload, now: clock.now() }))
}

/** Schema of the upload form. Its only member has the same name as in the API. */
const ResumeForm = Strict({ file: Type.Unsafe<File>({}) })
const reading = { access: { kinds: ['candidate'], scope: 'profile:read' } } as const
const writing = { access: { kinds: ['candidate'], scope: 'profile:write' } } as const

/** The paths for downloading a resume, with their access rules and response headers. */
const downloads = [
  { path: '/me/resumes/:id', ...reading, headers: { 'cache-control': 'no-store' } },
  {
    path: '/employer/resumes/:id',
    access: { kinds: ['employer'], scope: 'applications:read' },
    headers: { 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' },
  },
] as const

/**
 * Headers for a PDF in a frame of our own pages. The PDF viewers of some browsers need plugins and inline styles. A
 * sandbox would keep Chromium from showing the PDF at all.
 */
const VIEWED = {
  'content-security-policy': "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
} as const

export function registerResumePages(pages: App, kit: Kit): void {
  const { database, clock, cursorSecret, settings, files } = kit

  const render = async (request: FastifyRequest, form: Form) => {
    const { query } = parseListQuery(resumeList, { limit: String(RESUMES_MAX) }, cursorSecret)
    const { rows, recognized } = await database.read(async (db) => {
      const { rows } = await listResumes(db, signedIn(request).accountId, query)
      const present = rows.find(({ is_default }) => is_default)
      return { rows, recognized: present && (await findRecognized(db, present.id, RECOGNIZED_MAX)) }
    })
    const resumes = rows.map((row) => presentResume(row, settings.origin))
    return renderResumes(request.page, { resumes, recognized, form })
  }

  pages.get('/me/resumes', { config: reading }, (request) => render(request, Form.of()))

  pages.post('/me/resumes', {
    bodyLimit: UPLOAD_BYTES_MAX,
    config: { ...writing, limit: 'uploads', again: render },
    attachValidation: true,
    schema: { body: ResumeForm },
    handler: async (request, reply) => {
      await reportingFile('file', async () => {
        const staged = await resumeOfForm(kit, signedIn(request).accountId, request)
        await doOnce(request, database, (tx) => addResume(tx, staged))
      })
      return seeOther(reply, '/me/resumes', t('resumes.uploaded'))
    },
  })

  pages.post(
    '/me/resumes/:id/delete',
    { config: writing, schema: { params: ResumeParams } },
    async (request, reply) => {
      const deletion = { candidateId: signedIn(request).accountId, id: request.params.id, now: clock.now() }
      await doOnce(request, database, (tx) => deleteResume(tx, { ...deletion, precondition: unconditionally }))
      return seeOther(reply, '/me/resumes', t('resumes.deleted'))
    },
  )

  for (const { path, access, headers } of downloads) {
    pages.get(path, { config: { access }, schema: { params: ResumeParams } }, async (request, reply) => {
      const row = await database.read((db) => getReadableResume(db, request.params.id, signedIn(request)))
      return sendFile(request, reply.headers(headers), { row, files })
    })
  }

  // A frame on the page about an applicant shows the PDF in the browser's own viewer (decision 0100).
  pages.get('/employer/resumes/:id/view', {
    config: { access: { kinds: ['employer'], scope: 'applications:read' } },
    schema: { params: ResumeParams },
    handler: async (request, reply) => {
      const row = await database.read((db) => getReadableResume(db, request.params.id, signedIn(request)))
      if (!isPdf(row)) throw new AppError('not_found')
      return sendFile(request, reply, {
        row,
        files,
        headers: { ...VIEWED, 'content-disposition': inline(row.filename) },
      })
    },
  })
}
