/** Console pages for creating, editing, running and deleting feeds, and for deciding on held runs. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { Choice, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form } from '../../pages/forms.ts'
import type { Html } from '../../pages/html.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, type PageContext, seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { withUrlFaults } from '../webhooks/index.ts'
import { presentFeed, presentRun } from './feeds.present.ts'
import { listFeeds, listRuns } from './feeds.queries.ts'
import { FeedParams, RunParams } from './feeds.routes.ts'
import { type Feed, FeedBody, FeedMergeBody, feedList, RunBody, runList } from './feeds.schemas.ts'
import {
  approveRun,
  createFeed,
  createRun,
  deleteFeed,
  discardRun,
  getFeed,
  getRun,
  updateFeed,
} from './feeds.service.ts'
import { renderDeletion, renderFeed, renderFeedForm, renderFeeds, renderRun } from './feeds.views.ts'

const path = '/console/feeds'
/** Members that the form can change. */
const EDITED = ['name', 'url', 'board', 'company', 'every_minutes', 'close_after_hours', 'is_active', 'is_prepaid']
const DEFAULTS = { every_minutes: 60, close_after_hours: 48, is_active: true }
const DeletionBody = Strict({ jobs: Type.Optional(Choice(['keep', 'close'])) })

const kinds = ['employer', 'admin'] as const
const reading = { access: { kinds: [...kinds], scope: 'jobs:read', staff: 'admin' } } as const
const writing = { access: { kinds: [...kinds], scope: 'jobs:write', staff: 'admin' } } as const
const ownUrl = (id: string) => `${path}/${id}`

const ownFeed =
  ({ database }: Pick<Kit, 'database'>) =>
  async ({ actor, params }: FastifyRequest) =>
    presentFeed(await database.read((db) => getFeed(db, actor, (params as { id: string }).id)))

/** Returns a function that renders a form for the requested feed. */
const ownForm =
  (kit: Pick<Kit, 'database'>, render: (page: PageContext, form: Form, feed: Feed) => Html) =>
  async (request: FastifyRequest, form: Form) =>
    render(request.page, form, await ownFeed(kit)(request))

export function registerFeedPages(pages: App, kit: Kit): void {
  registerFeedList(pages, kit)
  registerFeed(pages, kit)
  registerDeletion(pages, kit)
  registerRuns(pages, kit)
}

function registerFeedList(pages: App, { database, clock, webhooks }: Kit): void {
  pages.get(path, {
    config: { ...reading, again: async (request, form) => renderFeeds(request.page, form) },
    schema: { querystring: ListQuerystring(feedList) },
    handler: async (request) => {
      const { actor, query } = request
      const found = await database.read((db) => listFeeds(db, ownerOf(actor), query))
      const feeds = listed(request, found, presentFeed)
      return renderFeeds(request.page, Form.of(query.applied), feeds)
    },
  })

  pages.get(`${path}/new`, { config: writing }, (request) => renderFeedForm(request.page, Form.of(DEFAULTS)))

  pages.post(path, {
    config: { ...writing, again: (request, form) => renderFeedForm(request.page, form) },
    attachValidation: true,
    schema: { body: FeedBody },
    handler: async (request, reply) => {
      const { actor, body } = request
      const faults = await withUrlFaults(webhooks.guard, body, request.faults)
      const id = await resultOnce(request, database, async (tx) => {
        const feed = await createFeed(tx, { actor, body, faults, now: clock.now() })
        return feed.id
      })
      return seeOther(reply, ownUrl(id), t('feeds.notice_created'))
    },
  })
}

function registerFeed(pages: App, kit: Kit): void {
  const { database, clock, webhooks } = kit
  const getOwn = ownFeed(kit)

  pages.get(`${path}/:id`, {
    config: { ...reading, again: ownForm(kit, renderFeed) },
    schema: { params: FeedParams, querystring: ListQuerystring(runList) },
    handler: async (request) => {
      const { params, query } = request
      const feed = await getOwn(request)
      const found = await database.read((db) => listRuns(db, params.id, query))
      return renderFeed(request.page, Form.of(query.applied), feed, listed(request, found, presentRun))
    },
  })

  pages.get(`${path}/:id/edit`, { config: writing, schema: { params: FeedParams } }, async (request) => {
    const feed = await getOwn(request)
    return renderFeedForm(request.page, editorForm(feed, EDITED), feed)
  })

  pages.post(`${path}/:id`, {
    config: { ...writing, again: ownForm(kit, renderFeedForm) },
    attachValidation: true,
    schema: { params: FeedParams, body: FeedMergeBody },
    handler: async (request, reply) => {
      const { actor, params, body } = request
      const faults = await withUrlFaults(webhooks.guard, body, request.faults)
      const precondition = unlessChanged(request, EDITED)
      await doOnce(request, database, (tx) =>
        updateFeed(tx, { actor, id: params.id, body, faults, precondition, now: clock.now() }),
      )
      return seeOther(reply, ownUrl(params.id), t('feeds.notice_saved'))
    },
  })
}

function registerDeletion(pages: App, kit: Kit): void {
  const { database, clock, settings } = kit
  const showForm = ownForm(kit, renderDeletion)

  pages.get(`${path}/:id/delete`, { config: writing, schema: { params: FeedParams } }, (request) =>
    showForm(request, Form.of({ jobs: 'close' })),
  )

  pages.post(`${path}/:id/delete`, {
    config: { ...writing, again: showForm },
    schema: { params: FeedParams, body: DeletionBody },
    handler: async (request, reply) => {
      const { actor, params, body } = request
      const action = { actor, id: params.id, jobs: body.jobs ?? 'close', now: clock.now() } as const
      await doOnce(request, database, (tx) => deleteFeed(tx, settings, action, unconditionally))
      return seeOther(reply, path, t('feeds.notice_deleted'))
    },
  })
}

function registerRuns(pages: App, kit: Kit): void {
  const { database, clock } = kit
  const getOwn = ownFeed(kit)
  const showRun = async (request: FastifyRequest, form: Form) => {
    const params = request.params as { id: string; run_id: string }
    const run = await database.read((db) => getRun(db, request.actor, params))
    return renderRun(request.page, form, await getOwn(request), presentRun(run))
  }

  pages.post(`${path}/:id/runs`, {
    config: { ...writing, again: ownForm(kit, renderFeed) },
    schema: { params: FeedParams, body: RunBody },
    handler: async (request, reply) => {
      const { actor, params, body } = request
      const id = await resultOnce(request, database, async (tx) => {
        const run = await createRun(tx, { actor, id: params.id, dryRun: body.dry_run ?? false, now: clock.now() })
        return run.id
      })
      return seeOther(reply, `${ownUrl(params.id)}/runs/${id}`, t('feeds.notice_queued'))
    },
  })

  pages.get(`${path}/:id/runs/:run_id`, { config: reading, schema: { params: RunParams } }, (request) =>
    showRun(request, Form.of()),
  )

  const decisions = [
    ['approve', approveRun, () => t('feeds.notice_approved')],
    ['discard', discardRun, () => t('feeds.notice_discarded')],
  ] as const
  for (const [verb, decide, notice] of decisions) {
    pages.post(`${path}/:id/runs/:run_id/${verb}`, {
      config: { ...writing, again: showRun },
      schema: { params: RunParams },
      handler: async (request, reply) => {
        const { actor, params } = request
        await doOnce(request, database, (tx) => decide(tx, { actor, params, now: clock.now() }))
        return seeOther(reply, `${ownUrl(params.id)}/runs/${params.run_id}`, notice())
      },
    })
  }
}
