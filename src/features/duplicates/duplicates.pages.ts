/** Admin pages for suspected copies and for decisions about them. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { findFeedNames } from '../feeds/index.ts'
import { findJob, findNamedJobs, jobState, presentJobDetail } from '../jobs/index.ts'
import { countSuspects, findDecisions, listSuspects } from './duplicates.queries.ts'
import { compare, fingerprintOf } from './duplicates.rule.ts'
import { DecisionBody, decisionList, PairParams, suspectList } from './duplicates.schemas.ts'
import { decideDuplicates, listNamedDecisions } from './duplicates.service.ts'
import {
  type ComparedJobView,
  DECISIONS,
  renderDecisions,
  renderPair,
  renderSuspects,
  SUSPECTS,
} from './duplicates.views.ts'

const reading = { access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' } } as const
const deciding = { access: { kinds: ['admin'], scope: 'admin:write', staff: 'moderator' } } as const

export function registerDuplicatePages(pages: App, { database, clock, settings }: Kit): void {
  pages.get(SUSPECTS, {
    config: {
      ...reading,
      again: async (request, form) =>
        renderSuspects(request.page, { form, counts: await database.read(countSuspects), found: undefined }),
    },
    schema: { querystring: ListQuerystring(suspectList) },
    handler: async (request) => {
      const asked = request.query
      // Without a filter in the query, shows only suspects that lists contain.
      const query =
        asked.filters.length > 0
          ? asked
          : { ...asked, filters: [{ filter: 'is_folded', operator: 'is', value: false } as const] }
      const { rows, names, counts } = await database.read(async (db) => {
        const rows = await listSuspects(db, query)
        const ids = rows.rows.map(({ job_id }) => job_id)
        return { rows, names: await findNamedJobs(db, ids, clock.now()), counts: await countSuspects(db) }
      })
      const found = listed(request, rows, (row) => ({ ...row, job: names.get(row.job_id)! }), query)
      return renderSuspects(request.page, { form: Form.of(query.applied), counts, found })
    },
  })

  pages.get(DECISIONS, {
    config: {
      ...reading,
      again: async (request, form) =>
        renderDecisions(request.page, { form, counts: await database.read(countSuspects), found: undefined }),
    },
    schema: { querystring: ListQuerystring(decisionList) },
    handler: async (request) => {
      const { rows, names, counts } = await database.read(async (db) => {
        const rows = await listNamedDecisions(db, request.query)
        const ids = rows.rows.map(({ first_job_id }) => first_job_id)
        return { rows, names: await findNamedJobs(db, ids, clock.now()), counts: await countSuspects(db) }
      })
      const found = listed(request, rows, (row) => ({ ...row, job: names.get(row.first_job_id)! }))
      return renderDecisions(request.page, { form: Form.of(request.query.applied), counts, found })
    },
  })

  const show = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id, other_id } = request.params as { id: string; other_id: string }
    const now = clock.now()
    const { jobs, names, decision } = await database.read(async (db) => {
      const jobs = [found(await findJob(db, id)), found(await findJob(db, other_id))] as const
      return {
        jobs,
        names: await findFeedNames(
          db,
          jobs.flatMap(({ source }) => source?.feed_id ?? []),
        ),
        decision: (await findDecisions(db, [id])).get(id)?.get(other_id),
      }
    })
    const [a, b] = jobs.map(fingerprintOf)
    const [first, second] = jobs.map((job): ComparedJobView => {
      const { source } = job
      return {
        job: presentJobDetail(job, { ...settings, now }),
        state: t(job.removed_at ? 'job_reports.removed' : `job_reports.state_${jobState(job, now)}`),
        source: source && { ...source, name: names.get(source.feed_id) ?? source.feed_id },
      }
    })
    return renderPair(request.page, {
      pair: [first!, second!],
      similarity: compare(a!, b!).similarity,
      decision,
      form,
    })
  }

  pages.get(`${SUSPECTS}/:id/:other_id`, { config: reading, schema: { params: PairParams } }, (request) =>
    show(request),
  )

  pages.post(`${SUSPECTS}/:id/:other_id`, {
    config: { ...deciding, again: show },
    schema: { params: PairParams, body: DecisionBody },
    handler: async (request, reply) => {
      const { id, other_id } = request.params
      const { decision } = request.body
      await doOnce(request, database, async (tx) => {
        const decided = { job_ids: [id, other_id], decision }
        await decideDuplicates(tx, signedIn(request), decided, { faults: [], now: clock.now() })
      })
      return seeOther(reply, SUSPECTS, t(`duplicates.is_${decision}`))
    },
  })
}
