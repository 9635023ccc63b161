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
import { type PageContext, showPage } from '../../pages/page.ts'
import { configuredCategories, configuredTypes, withCounts } from './jobs.catalogue.ts'
import type { BoardLists } from './jobs.lists.ts'
import { presentJobDetail } from './jobs.present.ts'
import { findJob } from './jobs.queries.ts'
import { type JobDetail, plainJobList } from './jobs.schemas.ts'
import type { JobSettings } from './jobs.service.ts'
import { type BesideJob, renderJob, renderJobList } from './jobs.views.ts'

export interface JobPagesDeps {
  database: Database
  clock: Clock
  settings: JobSettings
  lists: BoardLists
  /** What other features put beside each job of a list. */
  besideListed: OfferBeside
  /** What they put on the page of one job. */
  besideOne: readonly OfferBeside[]
}

/** Looks up what a feature has to offer beside some jobs for whoever is asking. */
export type OfferBeside = (
  page: PageContext,
  jobs: readonly (Pick<JobDetail, 'id' | 'application_url'> & { is_active?: boolean })[],
) => Promise<BesideJob>

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })

export function registerJobPages(pages: App, deps: JobPagesDeps): void {
  const { database, clock, settings, lists, besideListed, besideOne } = deps
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
      const beside = await besideListed(request.page, found.items)
      return showPage(reply, renderJobList(request.page, form, await choices(), found, beside))
    },
  )

  pages.get('/jobs/:id', { config: { access: 'public' }, schema: { params: JobParams } }, async (request, reply) => {
    const row = await database.read((db) => findJob(db, request.params.id))
    // One that was never on the board is nobody's to know of.
    if (!row || row.first_activated_at === null) throw new AppError('not_found')
    const job = presentJobDetail(row, { origin: settings.origin, now: clock.now() })
    const offers = await Promise.all(besideOne.map((offer) => offer(request.page, [job])))
    const actions = offers.map((beside) => beside(job.id))
    return showPage(reply, renderJob(request.page, job, actions), job.is_active ? 200 : 410)
  })
}
