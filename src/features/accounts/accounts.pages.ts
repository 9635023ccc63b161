/** Console pages to list, create and revoke API keys. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { describePage } from '../../lists/meta.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { presentApiKey } from './accounts.present.ts'
import { listApiKeys } from './accounts.queries.ts'
import { type AccountsDeps, KeyParams } from './accounts.routes.ts'
import { ApiKeyBody, apiKeyList } from './accounts.schemas.ts'
import { createApiKey } from './accounts.service.ts'
import { renderKeyForm, renderKeys, renderNewKey } from './accounts.views.ts'

export function registerAccountPages(pages: App, { database, clock, cursorSecret, keyRing }: AccountsDeps): void {
  const reading = { access: { scope: 'profile:read' } } as const
  const writing = { access: { scope: 'profile:write' } } as const
  const path = '/console/keys'

  pages.get(path, { config: reading, schema: { querystring: ListQuerystring(apiKeyList) } }, async (request, reply) => {
    const { accountId } = signedIn(request)
    const found = await database.read((db) => listApiKeys(db, accountId, request.query, cursorSecret))
    const { meta } = describePage(request.raw.url!, request.query, found)
    return showPage(reply, renderKeys(request.page, found.rows.map(presentApiKey), meta.pagination))
  })

  const again = (request: FastifyRequest, form: Form) => renderKeyForm(request.page, form)

  pages.get(`${path}/new`, { config: writing }, async (request, reply) => {
    // Only read scopes are preselected.
    const scopes = signedIn(request).scopes.filter((scope) => scope.endsWith(':read'))
    return showPage(reply, renderKeyForm(request.page, Form.of({ scopes })))
  })

  pages.post(
    path,
    { config: { ...writing, limit: 'keys', again }, attachValidation: true, schema: { body: ApiKeyBody } },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const { key, made } = await doOnce(request, database, async (tx) => {
        const { key, row } = await createApiKey(tx, {
          actor: signedIn(request),
          body: request.body,
          faults,
          now: clock.now(),
        })
        return { key, made: presentApiKey(row) }
      })
      // Shows the key in this response instead of redirecting, so that the key need not be stored.
      return showPage(reply, renderNewKey(request.page, made, key), 201)
    },
  )

  pages.post(
    `${path}/:id/revoke`,
    { config: { ...writing, needs: 'whole-key' }, schema: { params: KeyParams } },
    async (request, reply) => {
      const { accountId } = signedIn(request)
      await keyRing.revoke(accountId, request.params.id, unconditionally, (work) => doOnce(request, database, work))
      return seeOther(reply, path, 'API key revoked.')
    },
  )
}
