/** The board for people: the list of jobs under the parameters of GET /v1/jobs, and each job. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { ListQuerystring } from '../../http/list.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { Form } from '../../pages/forms.ts'
import { showPage } from '../../pages/page.ts'
import { configuredCategories, configuredTypes, withCounts } from './jobs.catalogue.ts'
import type { BoardLists } from './jobs.lists.ts'
import { presentJobDetail } from './jobs.present.ts'
import { findJob } from './jobs.queries.ts'
import { plainJobList } from './jobs.schemas.ts'
import type { JobSettings, NoteView } from './jobs.service.ts'
import { renderJob, renderJobList } from './jobs.views.ts'

export interface JobPagesDeps {
  database: Database
  clock: Clock
  settings: JobSettings
  lists: BoardLists
  noteView: NoteView
}

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })

export function registerJobPages(pages: App, { database, clock, settings, lists, noteView }: JobPagesDeps): void {
  /** What there is to choose from. */
  const choices = async () => ({
    categories: withCounts(configuredCategories, await lists.countBy('category')),
    types: withCounts(configuredTypes, await lists.countBy('job_type')),
  })

  pages.get(
    '/jobs',
    {
      config: {
        access: 'public',
        again: async (request: FastifyRequest, form: Form) =>
          renderJobList(request.page, form, await choices(), undefined),
      },
      schema: { querystring: ListQuerystring(plainJobList) },
    },
    async (request, reply) => {
      const found = await lists.page(request.raw.url!, request.query)
      const form = Form.of(request.query.applied)
      return showPage(reply, renderJobList(request.page, form, await choices(), found))
    },
  )

  pages.get('/jobs/:id', { config: { access: 'public' }, schema: { params: JobParams } }, async (request, reply) => {
    const row = await database.read((db) => findJob(db, request.params.id))
    // One that was never on the board is nobody's to know of.
    if (!row || row.first_activated_at === null) throw new AppError('not_found')
    const job = presentJobDetail(row, { origin: settings.origin, now: clock.now() })
    const { method, headers, page } = request
    if (job.is_active) noteView(row, { actor: page.actor, isPage: true, method, headers })
    return showPage(reply, renderJob(request.page, job), job.is_active ? 200 : 410)
  })
}
