import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerDone, answerPost } from '../../http/idempotency.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, NoContent, Ref } from '../../lib/schema.ts'
import { findEmployer } from '../employers/index.ts'
import type { Kit } from '../feature.ts'
import { presentClaim } from './claims.present.ts'
import { findClaim } from './claims.queries.ts'
import { ClaimBody, ClaimedParams, ClaimParams, ClaimSchema, VerificationBody } from './claims.schemas.ts'
import { beginCheck, endCheck, getClaimed, removeVerification, startClaim } from './claims.service.ts'

const writing = { access: { kinds: ['employer'], scope: 'profile:write' }, limit: 'claims' } as const

export function registerClaims(app: App, kit: Kit, secret: Uint8Array): void {
  const { database, clock, settings, webhooks, budgets } = kit
  const parts = { origin: settings.origin, guard: webhooks.guard }
  const getOwn = ({ actor, params }: ResourceRequest<{ id: string; claim_id: string }>) => {
    const which = { accountId: actor.accountId, employerId: params.id, id: params.claim_id, now: clock.now() }
    return database.read(async (db) => found(await findClaim(db, which)))
  }

  app.post('/employers/:id/claims', {
    config: {
      ...writing,
      guard: ({ actor, params }: ResourceRequest) => {
        const which = { accountId: actor.accountId, employerId: params.id }
        return database.read((db) => getClaimed(db, which, clock.now()))
      },
    },
    attachValidation: true,
    schema: {
      operationId: 'createClaim',
      summary:
        'Claim your own company, or one that a feed or an import created; the response contains any record or file to publish',
      description:
        'The domain comes from the website in your profile or, if you have none, from the website of the company. ' +
        'If a feed or an import created the company, its website must be at that domain. Once the claim is verified, ' +
        'the jobs of the company belong to you. The claim replaces your earlier claim to the company, and expires ' +
        'unless you verify it within seven days. An account uses the same record and file for all claims to a domain.',
      params: ClaimedParams,
      body: ClaimBody,
      response: { 201: Envelope(Ref(ClaimSchema)) },
    },
    handler: async ({ actor, params, body, faults }, reply) => {
      const { accountId } = actor
      const submission = { accountId, employerId: params.id, body, faults, now: clock.now() }
      return budgets.spend('emails', accountId, body?.method === 'email' ? 1 : 0, () =>
        answerPost(reply, database, async (tx) => {
          const data = presentClaim(secret, await startClaim(tx, parts, submission))
          const location = `/v1/employers/${params.id}/claims/${data.id}`
          return { headers: { location, etag: resourceTag(data) }, body: { data } }
        }),
      )
    },
  })

  app.get('/employers/:id/claims/:claim_id', {
    config: { access: { kinds: ['employer'], scope: 'profile:read' }, guard: getOwn },
    schema: {
      operationId: 'getClaim',
      summary: 'Get a claim',
      params: ClaimParams,
      response: { 200: Envelope(Ref(ClaimSchema)) },
    },
    handler: async (request) => ({ data: presentClaim(secret, await getOwn(request)) }),
  })

  app.post('/employers/:id/claims/:claim_id/verify', {
    config: { ...writing, guard: getOwn },
    schema: {
      operationId: 'verifyClaim',
      summary: 'Check the proof of a claim and, if it is valid, verify the employer and transfer the company',
      description:
        'Returns the claim. If the check fails, `state` remains `pending`, and `problem` is the reason. Each claim can be ' +
        'checked up to 50 times.',
      params: ClaimParams,
      body: VerificationBody,
      response: { 200: Envelope(Ref(ClaimSchema)) },
    },
    handler: async ({ actor, params, body }, reply) => {
      const which = { accountId: actor.accountId, employerId: params.id, id: params.claim_id }
      const begun = await database.inTx((tx) => beginCheck(tx, which, clock.now()))
      const claim = await endCheck({ database, clock, settings, network: webhooks, secret }, begun, body?.token)
      return answerDone(reply, database, { body: { data: presentClaim(secret, claim) } })
    },
  })

  app.delete('/admin/employers/:id/verification', {
    config: {
      access: { kinds: ['admin'], scope: 'admin:write' },
      guard: ({ params }: ResourceRequest) =>
        database.read(async (db) => found(await findEmployer(db, params.id, clock.now()))),
    },
    schema: {
      operationId: 'deleteVerification',
      summary: "Remove an employer's verification; its domain and the companies that it took over can be claimed again",
      description: 'Also releases the companies of an employer whose verification has ended because its website moved.',
      params: ClaimedParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      await database.inTx((tx) =>
        removeVerification(tx, settings, { actor, id: params.id, precondition, now: clock.now() }),
      )
    },
  })
}
