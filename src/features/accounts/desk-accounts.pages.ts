/** Admin pages for accounts: the list of all accounts, and each account with its keys. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { describePage } from '../../lists/meta.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import type { Html } from '../../pages/html.ts'
import { type PageContext, seeOther, showPage, signedIn } from '../../pages/page.ts'
import { presentAccount } from './accounts.present.ts'
import { listAccounts, listActionsOn } from './accounts.queries.ts'
import { AccountParams, type AdminAccountsDeps } from './accounts.routes.ts'
import { accountList, SuspensionBody } from './accounts.schemas.ts'
import { type KeyRing, OPERATOR_ID, readAccountDetail } from './accounts.service.ts'
import { deleteAccount, resumeAccount, revokeKeyOf, suspendAccount } from './desk-accounts.service.ts'
import { renderDeskAccount, renderDeskAccounts } from './desk-accounts.views.ts'

export interface DeskAccountPagesDeps
  extends Pick<AdminAccountsDeps, 'settings' | 'deleteOf' | 'budgets' | 'countHoldings'> {
  database: Database
  clock: Clock
  cursorSecret: Uint8Array
  keyRing: KeyRing
  /** Renders the sessions of an account. */
  renderSessionsOf: (page: PageContext, accountId: string) => Promise<Html>
}

const KeyOfAccountParams = Strict({
  ...AccountParams.properties,
  key_id: Type.String({ pattern: idPattern('apiKey') }),
})
const ACTIONS_SHOWN = 20

export function registerDeskAccountPages(pages: App, deps: DeskAccountPagesDeps): void {
  const { database, clock, cursorSecret, settings, keyRing, renderSessionsOf } = deps
  const reading = { kinds: ['admin'], scope: 'admin:read' } as const
  const writing = { kinds: ['admin'], scope: 'admin:write' } as const
  const path = '/desk/accounts'

  pages.get(
    path,
    {
      config: { access: reading, again: (request, form) => renderDeskAccounts(request.page, form, undefined) },
      schema: { querystring: ListQuerystring(accountList) },
    },
    async (request, reply) => {
      const { query } = request
      const found = await database.read((db) => listAccounts(db, query, cursorSecret))
      const { pagination } = describePage(request.raw.url!, query, found).meta
      const [{ field, direction }] = query.sort as [{ field: string; direction: string }]
      const form = Form.of({ ...query.applied, sort: `${field}:${direction}` })
      const items = found.rows.map(presentAccount)
      return showPage(reply, renderDeskAccounts(request.page, form, { items, pagination }))
    },
  )

  const show = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id } = request.params as { id: string }
    const account = await database.read((db) => readAccountDetail(db, deps, id, clock.now()))
    const actions = await database.read((db) => listActionsOn(db, id, ACTIONS_SHOWN))
    const isOwn = id === OPERATOR_ID || id === signedIn(request).accountId
    const sessions = await renderSessionsOf(request.page, id)
    return renderDeskAccount(request.page, account, { actions, isOwn, sessions }, form)
  }

  pages.get(`${path}/:id`, { config: { access: reading }, schema: { params: AccountParams } }, async (request, reply) =>
    showPage(reply, await show(request)),
  )

  pages.post(
    `${path}/:id/suspend`,
    {
      config: { access: writing, needs: 'whole-key', again: show },
      schema: { params: AccountParams, body: SuspensionBody },
    },
    async (request, reply) => {
      const { id } = request.params
      const { reason } = request.body
      await database.inTx((tx) =>
        suspendAccount(tx, { settings, actor: signedIn(request), id, reason, now: clock.now() }),
      )
      keyRing.forgetAccount(id)
      return seeOther(reply, `${path}/${id}`, 'Account suspended.')
    },
  )

  pages.post(
    `${path}/:id/resume`,
    { config: { access: writing }, schema: { params: AccountParams } },
    async (request, reply) => {
      const { id } = request.params
      await database.inTx((tx) => resumeAccount(tx, { settings, actor: signedIn(request), id, now: clock.now() }))
      return seeOther(reply, `${path}/${id}`, 'Account resumed.')
    },
  )

  pages.post(
    `${path}/:id/delete`,
    { config: { access: writing, needs: 'whole-key', again: show }, schema: { params: AccountParams } },
    async (request, reply) => {
      const { id } = request.params
      const actor = signedIn(request)
      await database.inTx((tx) =>
        deleteAccount(tx, deps, { actor, id, precondition: unconditionally, now: clock.now() }),
      )
      keyRing.forgetAccount(id)
      return seeOther(reply, path, 'Account deleted.')
    },
  )

  pages.post(
    `${path}/:id/keys/:key_id/revoke`,
    { config: { access: writing, needs: 'whole-key' }, schema: { params: KeyOfAccountParams } },
    async (request, reply) => {
      const { id, key_id } = request.params
      await database.inTx((tx) =>
        revokeKeyOf(tx, { actor: signedIn(request), accountId: id, keyId: key_id, now: clock.now() }),
      )
      keyRing.forgetAccount(id)
      return seeOther(reply, `${path}/${id}`, 'API key revoked.')
    },
  )
}
