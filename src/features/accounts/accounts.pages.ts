/** Console pages for listing, creating and revoking API keys. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import type { RawQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther, showPage } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { presentApiKey } from './accounts.present.ts'
import { listApiKeys } from './accounts.queries.ts'
import { KeyParams } from './accounts.routes.ts'
import { ApiKeyBody, apiKeyList } from './accounts.schemas.ts'
import { createApiKey } from './accounts.service.ts'
import { renderKeyForm, renderKeys, renderNewKey, renderPublishableKeyForm } from './accounts.views.ts'

const path = '/console/keys'
const reading = { access: { scope: 'profile:read', role: 'owner' } } as const
const writing = { access: { scope: 'profile:write' } } as const
// Requires a fresh sign-in, because a key outlives the session. Does not require a whole key, because a new key never
// has more permissions than the session that creates it.
const creating = { ...writing, needs: 'fresh-sign-in' } as const

export function registerAccountPages(pages: App, { database, clock, keyRing }: Kit): void {
  pages.get(path, { config: reading, schema: { querystring: ListQuerystring(apiKeyList) } }, async (request) => {
    const { accountId } = request.actor
    const found = await database.read((db) => listApiKeys(db, accountId, request.query))
    return renderKeys(request.page, listed(request, found, presentApiKey))
  })

  pages.get(`${path}/new`, { config: creating }, ({ actor, page, query }) => {
    if ((query as RawQuery).kind === 'publishable' && actor.kind !== 'candidate')
      return renderPublishableKeyForm(page, Form.of())
    // Preselects no scope, so that a key gets only the scopes that its owner chooses.
    return renderKeyForm(page, Form.of())
  })

  pages.post(path, {
    config: {
      ...creating,
      limit: 'keys',
      again: ({ page }: FastifyRequest, form) =>
        form.value('kind') === 'publishable' ? renderPublishableKeyForm(page, form) : renderKeyForm(page, form),
    },
    attachValidation: true,
    schema: { body: ApiKeyBody },
    handler: async (request, reply) => {
      const { actor, body } = request
      const faults = request.faults
      const { key, made } = await resultOnce(request, database, async (tx) => {
        const { key, row } = await createApiKey(tx, { actor, body, faults, now: clock.now() })
        return { key, made: presentApiKey(row) }
      })
      if (made.kind === 'publishable')
        return seeOther(reply, `/console/widget?key=${made.id}`, t('accounts.publishable_created'))
      // Shows the key in this response instead of redirecting, so that the service need not store the key.
      return showPage(reply, renderNewKey(request.page, made, key), 201)
    },
  })

  pages.post(
    `${path}/:id/revoke`,
    { config: { ...writing, needs: 'whole-key' }, schema: { params: KeyParams } },
    async (request, reply) => {
      const { actor, params } = request
      await keyRing.revoke(actor, params.id, unconditionally, (work) => doOnce(request, database, work))
      return seeOther(reply, path, t('accounts.key_revoked'))
    },
  )
}
