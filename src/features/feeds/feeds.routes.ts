import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { AppError, validationFailed } from '../../lib/errors.ts'
import { idPattern, newId } from '../../lib/ids.ts'
import { Choice, Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { withUrlFaults } from '../webhooks/index.ts'
import { dropDocument, storeDocument, TooLarge } from './feeds.documents.ts'
import { presentFeed, presentRun } from './feeds.present.ts'
import { listFeeds, listRuns } from './feeds.queries.ts'
import {
  DocumentBody,
  FeedBody,
  FeedMergeBody,
  FeedRunSchema,
  FeedSchema,
  feedList,
  RunBody,
  runList,
} from './feeds.schemas.ts'
import {
  approveRun,
  createDocumentRun,
  createFeed,
  createRun,
  deleteFeed,
  discardRun,
  getFeed,
  getRun,
  updateFeed,
} from './feeds.service.ts'

const FEED_ID = new RegExp(idPattern('feed'))
export const FeedParams = Strict({ id: Id('feed') })
export const RunParams = Strict({ id: Id('feed'), run_id: Id('feedRun') })
const path = '/feeds'
const reading = { access: { kinds: ['employer', 'admin'], scope: 'jobs:read', staff: 'admin' } } as const
const writing = { access: { kinds: ['employer', 'admin'], scope: 'jobs:write', staff: 'admin' } } as const
/** An example of an NDJSON document. */
const LINE = '{"id":"4812","title":"Battery engineer","company":"Voltaire","location":"Leipzig"}\n'
/** Media types of documents that clients send as the request body itself. */
const documentTypes = ['application/x-ndjson', 'application/xml', 'text/xml', 'application/octet-stream'] as const

const ownFeed =
  ({ database }: Pick<Kit, 'database'>) =>
  ({ actor, params }: ResourceRequest) =>
    database.read((db) => getFeed(db, actor, params.id))

export async function registerFeeds(app: App, kit: Kit): Promise<void> {
  const { database, reads, clock, settings, webhooks } = kit
  const getOwn = ownFeed(kit)
  const getOwnRun = ({ actor, params }: ResourceRequest<{ id: string; run_id: string }>) =>
    database.read((db) => getRun(db, actor, params))

  app.get(path, {
    config: reading,
    schema: {
      operationId: 'listFeeds',
      summary: "List the calling employer's feeds; admins see all feeds",
      querystring: ListQuerystring(feedList),
      response: { 200: ListEnvelope(Ref(FeedSchema)) },
    },
    handler: async ({ actor, query }, reply) =>
      presentList(reply, await reads.read((db) => listFeeds(db, ownerOf(actor), query)), presentFeed),
  })

  app.post(path, {
    config: writing,
    attachValidation: true,
    schema: {
      operationId: 'createFeed',
      summary: 'Create a feed, which creates, updates and closes jobs as its document changes',
      body: FeedBody,
      response: { 201: Envelope(Ref(FeedSchema)) },
    },
    handler: async ({ actor, body, faults: bodyFaults }, reply) => {
      const faults = await withUrlFaults(webhooks.guard, body, bodyFaults)
      return answerPost(reply, database, async (tx) => {
        const data = presentFeed(await createFeed(tx, { actor, body, faults, now: clock.now() }))
        const headers = { location: `/v1${path}/${data.id}`, etag: resourceTag(data) }
        return { headers, body: { data } }
      })
    },
  })

  app.get(`${path}/:id`, {
    config: { ...reading, guard: getOwn },
    schema: {
      operationId: 'getFeed',
      summary: 'Get a feed',
      params: FeedParams,
      response: { 200: Envelope(Ref(FeedSchema)) },
    },
    handler: async (request) => ({ data: presentFeed(await getOwn(request)) }),
  })

  app.put(`${path}/:id`, {
    config: { ...writing, guard: getOwn },
    attachValidation: true,
    schema: {
      operationId: 'updateFeed',
      summary: 'Change a feed; absent fields keep their values',
      params: FeedParams,
      body: FeedMergeBody,
      response: { 200: Envelope(Ref(FeedSchema)) },
    },
    handler: async ({ actor, params, body, faults: bodyFaults, precondition }) => {
      const faults = await withUrlFaults(webhooks.guard, body, bodyFaults)
      const change = { actor, id: params.id, body, faults, precondition, now: clock.now() }
      return { data: presentFeed(await database.inTx((tx) => updateFeed(tx, change))) }
    },
  })

  app.delete(`${path}/:id`, {
    config: { ...writing, guard: getOwn },
    schema: {
      operationId: 'deleteFeed',
      summary: 'Delete a feed, and close or keep its jobs',
      params: FeedParams,
      querystring: Strict({
        jobs: Type.Optional(
          Choice(
            ['keep', 'close'],
            'close: close the jobs. keep: keep them, so that you can edit them. Default: close.',
          ),
        ),
      }),
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, query, precondition }) => {
      const action = { actor, id: params.id, jobs: query.jobs ?? 'close', now: clock.now() } as const
      await database.inTx((tx) => deleteFeed(tx, settings, action, precondition))
    },
  })

  app.post(`${path}/:id/runs`, {
    config: { ...writing, guard: getOwn },
    schema: {
      operationId: 'createFeedRun',
      summary: "Queue a run, which fetches the feed's document",
      params: FeedParams,
      body: RunBody,
      response: { 202: Queued },
    },
    handler: async ({ actor, params, body }, reply) =>
      answerPost(reply, database, async (tx) => {
        const run = await createRun(tx, { actor, id: params.id, dryRun: body.dry_run ?? false, now: clock.now() })
        const headers = { location: `/v1${path}/${params.id}/runs/${run.id}` }
        return { headers, body: { data: presentRun(run) } }
      }),
  })

  app.get(`${path}/:id/runs`, {
    config: { ...reading, guard: getOwn },
    schema: {
      operationId: 'listFeedRuns',
      summary: "List a feed's runs from the last 90 days",
      params: FeedParams,
      querystring: ListQuerystring(runList),
      response: { 200: ListEnvelope(Ref(FeedRunSchema)) },
    },
    handler: async (request, reply) => {
      const { id } = await getOwn(request)
      const page = await reads.read((db) => listRuns(db, id, request.query))
      return presentList(reply, page, presentRun)
    },
  })

  app.get(`${path}/:id/runs/:run_id`, {
    config: { ...reading, guard: getOwnRun },
    schema: {
      operationId: 'getFeedRun',
      summary: 'Get a run with its report',
      params: RunParams,
      response: { 200: Envelope(Ref(FeedRunSchema)) },
    },
    handler: async ({ actor, params }) => ({
      data: presentRun(await reads.read((db) => getRun(db, actor, params))),
    }),
  })

  for (const [verb, decide, summary] of [
    ['approve', approveRun, 'Approve a held run, which then makes its changes'],
    ['discard', discardRun, 'Discard a held run, which then changes nothing'],
  ] as const) {
    app.post(`${path}/:id/runs/:run_id/${verb}`, {
      config: { ...writing, guard: getOwnRun },
      schema: {
        operationId: `${verb}FeedRun`,
        summary,
        params: RunParams,
        body: Strict({}),
        response: { 200: Envelope(Ref(FeedRunSchema)) },
      },
      handler: async ({ actor, params }, reply) =>
        answerPost(reply, database, async (tx) => {
          return { body: { data: presentRun(await decide(tx, { actor, params, now: clock.now() })) } }
        }),
    })
  }

  await registerDocuments(app, kit)
}

const Queued = {
  ...Envelope(Ref(FeedRunSchema)),
  headers: { Location: { type: 'string', description: 'URL of the run, which shows its progress.' } },
}

/** A stored document. Repeated requests with the same idempotency key must have the same hash. */
class StoredDocument {
  readonly sha256: string
  /** Excluded from the comparison of repeated requests. */
  readonly #runId: string

  constructor(runId: string, sha256: string) {
    this.#runId = runId
    this.sha256 = sha256
  }

  get runId(): string {
    return this.#runId
  }
}

async function registerDocuments(app: App, kit: Kit): Promise<void> {
  const { database, clock } = kit
  const getOwn = ownFeed(kit)
  /** Stores a document as it arrives, so that it need not fit into memory. */
  const store = async (chunks: AsyncIterable<Uint8Array>) => {
    const runId = newId('feedRun')
    const hash = createHash('sha256')
    async function* hashed() {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    try {
      await storeDocument(database, runId, hashed())
    } catch (error) {
      await dropDocument(database, runId)
      throw error instanceof TooLarge ? new AppError('payload_too_large', { detail: error.message }) : error
    }
    return new StoredDocument(runId, hash.digest('base64url'))
  }
  await app.register(async (plugin) => {
    const scope = plugin as unknown as App
    for (const type of documentTypes) {
      scope.addContentTypeParser(type, (_request: FastifyRequest, payload: AsyncIterable<Uint8Array>) => store(payload))
    }
    // The document of a refused or repeated request belongs to no run.
    scope.addHook('onSend', async ({ body }, reply) => {
      const isTaken = reply.statusCode === 202 && !reply.hasHeader('idempotency-replayed')
      if (body instanceof StoredDocument && !isTaken) await dropDocument(database, body.runId)
    })

    scope.post(`${path}/:id/documents`, {
      config: { ...writing, guard: getOwn },
      // Runs before the body is read, because the body is stored while it arrives.
      preParsing: async (request) => {
        // Parameters have not been validated yet.
        const { actor, params } = request as ResourceRequest
        if (!FEED_ID.test(params.id)) throw new AppError('not_found')
        await getOwn({ actor, params })
      },
      schema: {
        operationId: 'createFeedDocument',
        summary: 'Send a document of at most 64 MiB, and queue a run for it',
        description:
          'Send the document unchanged, even if it is JSON, as `application/octet-stream` or another listed media ' +
          'type except `application/json`. A small document can also be the field `document` of a JSON body of ' +
          'at most 1 MiB.',
        params: FeedParams,
        body: {
          content: {
            'application/json': { schema: DocumentBody },
            ...Object.fromEntries(
              documentTypes.map((type) => [
                type,
                { schema: { description: 'The document.', ...(type === 'application/x-ndjson' && { example: LINE }) } },
              ]),
            ),
          },
        },
        response: { 202: Queued },
      },
      handler: async (request, reply) => {
        if (!(request.body instanceof StoredDocument)) {
          // Without a body, a request has no media type, so no schema refuses it.
          const { document } = request.body as Partial<Static<typeof DocumentBody>>
          if (document === undefined) {
            throw validationFailed([{ pointer: '#/document', code: 'required', detail: 'document is required.' }])
          }
          request.body = (await store(Readable.from([Buffer.from(document)]))) as never
        }
        const { runId } = request.body as unknown as StoredDocument
        return answerPost(reply, database, async (tx) => {
          const { actor, params } = request
          const run = await createDocumentRun(tx, { actor, id: params.id, runId, now: clock.now() })
          const headers = { location: `/v1${path}/${params.id}/runs/${run.id}` }
          return { headers, body: { data: presentRun(run) } }
        })
      },
    })
  })
}
