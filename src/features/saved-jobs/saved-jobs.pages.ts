import type { FastifyRequest } from 'fastify'
import type { Database, Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import type { OfferBeside } from '../board/index.ts'
import type { Arrival, Kit } from '../feature.ts'
import { idOfJobPath, JobParams } from '../jobs/index.ts'
import { deleteSavedJob, listSavedAmong, listSavedJobs } from './saved-jobs.queries.ts'
import { savedJobList } from './saved-jobs.schemas.ts'
import { presentMarkedSavedJob, saveJob } from './saved-jobs.service.ts'
import { renderLargeSaveButton, renderSaveButton, renderSavedJobs, renderSaveLink } from './saved-jobs.views.ts'

const writing = { access: { kinds: ['candidate'], scope: 'applications:write' } } as const

/** Returns a function that renders save buttons. On a job's own page, visitors see a link to register or sign in. */
export function saveButtons(database: Database, { isLarge }: { isLarge: boolean }): OfferBeside {
  return async (page, jobs) => {
    const { actor } = page
    if (!actor) return ({ id }) => isLarge && renderSaveLink(page, id)
    if (actor.kind !== 'candidate' || !actor.scopes.includes('applications:write')) return () => undefined
    const ids = jobs.map(({ id }) => id)
    const saved = new Set(await database.read((db) => listSavedAmong(db, actor.accountId, ids)))
    const render = isLarge ? renderLargeSaveButton : renderSaveButton
    return (job) => render(page, job, saved.has(job.id))
  }
}

/**
 * Saves the job for a candidate who chose to save it before signing in. Returns the job's page, even for an account
 * that cannot save jobs, or undefined if the path does not save a job.
 */
export async function saveAfterSignIn(tx: Tx, { actor, path, now }: Arrival) {
  const id = /^\/jobs\/[^/?]+\/save$/.test(path) ? idOfJobPath(path) : undefined
  if (id === undefined) return undefined
  const job = { path: `/jobs/${id}` }
  if (actor.kind !== 'candidate' || !actor.scopes.includes('applications:write')) return job
  try {
    await saveJob(tx, actor, id, now)
    return { ...job, notice: t('saved_jobs.notice_saved') }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return job
    throw error
  }
}

/**
 * Returns the URL of the page with the form, or of the saved jobs if that page is unknown. On a page with several jobs,
 * the fragment identifies the job's card. Without the fragment, the browser would jump to the top.
 */
function backTo(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  const page = returnToOf(request)
  return page === undefined ? '/me/saved-jobs' : idOfJobPath(page) === id ? page : `${page}#${id}`
}

export function registerSavedJobPages(pages: App, { database, clock, settings }: Kit): void {
  pages.get('/me/saved-jobs', {
    config: { access: { kinds: ['candidate'], scope: 'applications:read' } },
    schema: { querystring: ListQuerystring(savedJobList) },
    handler: async (request) => {
      const { accountId } = signedIn(request)
      const found = await database.read((db) => listSavedJobs(db, accountId, request.query))
      const view = { ...settings, now: clock.now() }
      return renderSavedJobs(
        request.page,
        listed(request, found, (row) => presentMarkedSavedJob(row, view)),
      )
    },
  })

  pages.post('/jobs/:id/save', { config: writing, schema: { params: JobParams } }, async (request, reply) => {
    await database.inTx((tx) => saveJob(tx, signedIn(request), request.params.id, clock.now()))
    return seeOther(reply, backTo(request), t('saved_jobs.notice_saved'))
  })

  pages.post('/jobs/:id/unsave', { config: writing, schema: { params: JobParams } }, async (request, reply) => {
    await database.inStatement((tx) => deleteSavedJob(tx, signedIn(request).accountId, request.params.id))
    return seeOther(reply, backTo(request), t('saved_jobs.notice_removed'))
  })
}
