/** Resumes in the employer dashboard: the files sent with applications. */
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { Files } from '../../files/store.ts'
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import { signedIn } from '../../pages/page.ts'
import { findReadableResume } from './resumes.queries.ts'
import { sendFile } from './resumes.routes.ts'

export interface ReceivedResumePagesDeps {
  database: Database
  files: Files
}

export function registerReceivedResumePages(pages: App, { database, files }: ReceivedResumePagesDeps): void {
  pages.get(
    '/employer/resumes/:id',
    {
      config: { access: { kinds: ['employer'], scope: 'applications:read' } },
      schema: { params: Strict({ id: Type.String({ pattern: idPattern('resume') }) }) },
    },
    async (request, reply) => {
      const row = await database.read((db) => findReadableResume(db, request.params.id, signedIn(request)))
      if (!row) throw new AppError('not_found')
      reply.header('cache-control', 'private, no-cache').header('x-content-type-options', 'nosniff')
      return sendFile(request, reply, row, files)
    },
  )
}
