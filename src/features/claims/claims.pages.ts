/**
 * The pages on which an employer proves that it owns the domain of its website, or claims a company that a feed
 * created.
 */
import type { FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { found } from '../../lib/errors.ts'
import { Strict } from '../../lib/schema.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { presentClaim } from './claims.present.ts'
import { findClaim } from './claims.queries.ts'
import { ClaimBody, ClaimedParams, VerificationBody, VerificationQuery } from './claims.schemas.ts'
import { beginCheck, endCheck, getClaimed, removeVerification, startClaim } from './claims.service.ts'
import { renderVerification, VERIFICATION } from './claims.views.ts'

const reading = { access: { kinds: ['employer'], scope: 'profile:read' } } as const
const writing = { access: { kinds: ['employer'], scope: 'profile:write' }, limit: 'claims' } as const

export function registerClaimPages(pages: App, kit: Kit, secret: Uint8Array): void {
  const { database, clock, settings, webhooks, budgets } = kit
  const parts = { origin: settings.origin, guard: webhooks.guard }

  registerFor(VERIFICATION, Strict({}))
  // The page for a company that a feed created.
  registerFor(`${VERIFICATION}/:id`, ClaimedParams)

  function registerFor(path: string, params: TObject): void {
    const claimant = ({ actor, params }: FastifyRequest) => {
      const { accountId } = actor
      return { accountId, employerId: (params as { id?: string }).id ?? accountId }
    }
    const home = (employerId: string) => path.replace(':id', employerId)

    const again = async (request: FastifyRequest, form: Form) => {
      const which = claimant(request)
      const now = clock.now()
      const { company, claim } = await database.read(async (db) => ({
        company: await getClaimed(db, which, now),
        claim: await findClaim(db, { ...which, now }),
      }))
      const pending = claim?.verified_at === null ? presentClaim(secret, claim) : undefined
      return renderVerification(request.page, { company, action: home(which.employerId), claim: pending, form })
    }

    // Opening the link in the email does not check the token, because email programs may open links before people do.
    pages.get(path, { config: reading, schema: { params, querystring: VerificationQuery } }, (request) => {
      const { token } = request.query as { token?: string }
      return again(request, Form.of({ method: 'dns', token }))
    })

    pages.post(path, {
      config: { ...writing, again },
      attachValidation: true,
      schema: { params, body: ClaimBody },
      handler: async (request, reply) => {
        const body = request.body as ClaimBody
        const which = claimant(request)
        const claim = { ...which, body, faults: request.faults, now: clock.now() }
        await budgets.spend('emails', which.accountId, body.method === 'email' ? 1 : 0, () =>
          doOnce(request, database, (tx) => startClaim(tx, parts, claim)),
        )
        return seeOther(reply, home(which.employerId))
      },
    })

    pages.post(`${path}/check`, {
      config: { ...writing, again },
      schema: { params, body: VerificationBody },
      handler: async (request, reply) => {
        const which = claimant(request)
        const { token } = request.body as { token?: string }
        const find = () => database.read(async (db) => found(await findClaim(db, { ...which, now: clock.now() })))
        let claim = await find()
        let begun: typeof claim | undefined
        await doOnce(request, database, async (tx) => {
          begun = await beginCheck(tx, { ...which, id: claim.id }, clock.now())
        })
        // If the form is sent twice, the second response shows the result of the first submission.
        claim = begun
          ? await endCheck({ database, clock, settings, network: webhooks, secret }, begun, token)
          : await find()
        if (claim.verified_at === null) return seeOther(reply, home(which.employerId))
        return seeOther(reply, VERIFICATION, t('claims.done', { domain: claim.domain }))
      },
    })
  }

  pages.post('/desk/companies/:id/unverify', {
    config: { access: { kinds: ['admin'], scope: 'admin:write' } },
    schema: { params: ClaimedParams },
    handler: async (request, reply) => {
      const { actor, params } = request
      const domain = await resultOnce(request, database, (tx) =>
        removeVerification(tx, settings, { actor, id: params.id, precondition: unconditionally, now: clock.now() }),
      )
      return seeOther(reply, '/desk/companies', t(domain === null ? 'claims.released' : 'claims.removed'))
    },
  })
}
