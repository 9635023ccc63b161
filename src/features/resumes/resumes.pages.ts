/** Pages to list, upload and delete resumes. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { Files } from '../../files/store.ts'
import type { App } from '../../http/app.ts'
import { readUpload, UPLOAD_BYTES_MAX, type UploadRequest } from '../../http/upload.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError, validationFailed } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { parseListQuery } from '../../lists/query.ts'
import { Form, fieldFault } from '../../pages/forms.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { presentResume } from './resumes.present.ts'
import { findReadableResume, listResumes } from './resumes.queries.ts'
import { sendFile } from './resumes.routes.ts'
import { RESUME_BYTES_MAX, RESUMES_MAX, resumeList } from './resumes.schemas.ts'
import { addResume, deleteResume, type RefreshSearch, stageResume } from './resumes.service.ts'
import { renderResumes } from './resumes.views.ts'

interface Keeping {
  database: Database
  clock: Clock
  files: Files
  refreshSearch: RefreshSearch
}

export interface ResumePagesDeps extends Keeping {
  cursorSecret: Uint8Array
  settings: { origin: string }
}

/**
 * Function that stores a file from a form as a candidate's resume and returns the resume's id. Reports problems with
 * the file as faults of the given field.
 */
export type KeepResume = (candidateId: string, upload: UploadRequest, field: string) => Promise<string>

const ABOUT_FILE: ReadonlySet<number> = new Set([409, 413, 415, 422])

/** Returns a function that stores resumes from forms under the same rules as POST /v1/candidates/resume. */
export function resumeKeeper({ database, clock, files, refreshSearch }: Keeping): KeepResume {
  return async (candidateId, request, field) => {
    try {
      const upload = await readUpload(request, RESUME_BYTES_MAX)
      const staged = await database.read((db) => stageResume(db, { files, candidateId, upload, now: clock.now() }))
      return (await database.inTx((tx) => addResume(tx, refreshSearch, staged))).id
    } catch (error) {
      if (!(error instanceof AppError) || !ABOUT_FILE.has(error.status)) throw error
      const details = error.options.errors?.map(({ detail }) => detail) ?? [error.message]
      throw validationFailed(details.map((detail) => fieldFault(field, detail)))
    }
  }
}

/** Schema of the upload form. The member has the same name as in the API. */
const ResumeForm = Strict({ file: Type.Unsafe<File>({ description: 'The file.' }) })
const ResumeParams = Strict({ id: Type.String({ pattern: idPattern('resume') }) })
const reading = { kinds: ['candidate'], scope: 'profile:read' } as const
const writing = { kinds: ['candidate'], scope: 'profile:write' } as const

export function registerResumePages(pages: App, deps: ResumePagesDeps): void {
  const { database, clock, cursorSecret, settings, files, refreshSearch } = deps
  const keepResume = resumeKeeper(deps)

  const render = async (request: FastifyRequest, form: Form) => {
    const { query } = parseListQuery(resumeList, { limit: String(RESUMES_MAX) }, cursorSecret)
    const { rows } = await database.read((db) => listResumes(db, signedIn(request).accountId, query, cursorSecret))
    const resumes = rows.map((row) => presentResume(row, settings.origin))
    return renderResumes(request.page, resumes, form)
  }

  pages.get('/me/resumes', { config: { access: reading } }, async (request, reply) =>
    showPage(reply, await render(request, Form.of())),
  )

  pages.post(
    '/me/resumes',
    {
      bodyLimit: UPLOAD_BYTES_MAX,
      config: { access: writing, limit: 'uploads', again: render },
      attachValidation: true,
      schema: { body: ResumeForm },
    },
    async (request, reply) => {
      await keepResume(signedIn(request).accountId, request, 'file')
      return seeOther(reply, '/me/resumes', 'Resume uploaded. It is your default now.')
    },
  )

  pages.get(
    '/me/resumes/:id',
    { config: { access: reading }, schema: { params: ResumeParams } },
    async (request, reply) => {
      const row = await database.read((db) => findReadableResume(db, request.params.id, signedIn(request)))
      if (!row) throw new AppError('not_found')
      reply.header('cache-control', 'no-store')
      return sendFile(request, reply, row, files)
    },
  )

  pages.post(
    '/me/resumes/:id/delete',
    { config: { access: writing }, schema: { params: ResumeParams } },
    async (request, reply) => {
      const { accountId } = signedIn(request)
      await database.inTx((tx) =>
        deleteResume(tx, {
          refreshSearch,
          candidateId: accountId,
          id: request.params.id,
          precondition: unconditionally,
          now: clock.now(),
        }),
      )
      return seeOther(reply, '/me/resumes', 'Resume deleted.')
    },
  )
}
