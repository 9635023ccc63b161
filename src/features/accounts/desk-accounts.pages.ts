/** Admin pages for accounts: the list of all accounts, and each account with its keys. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { AccountTable } from '../../db/schema.ts'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { nameOfKind } from '../../pages/desk.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { listed, seeOther } from '../../pages/page.ts'
import type { DeskFinder, Kit } from '../feature.ts'
import { renderSessionsOf } from '../sessions/index.ts'
import { presentAccount } from './accounts.present.ts'
import { findAccountNames, listAccounts, listActionsOn, listExactAccounts } from './accounts.queries.ts'
import { AccountParams, accountList, SuspensionBody } from './accounts.schemas.ts'
import { OPERATOR_ID, readAccountDetail } from './accounts.service.ts'
import { deleteAccount, resumeAccount, revokeKeyOf, suspendAccount } from './desk-accounts.service.ts'
import { renderDeskAccount, renderDeskAccounts } from './desk-accounts.views.ts'

const KeyOfAccountParams = Strict({
  ...AccountParams.properties,
  key_id: Type.String({ pattern: idPattern('apiKey') }),
})
const ACTIONS_SHOWN = 20
const path = '/desk/accounts'
const reading = { access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' } } as const
const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const
const dangerous = { ...writing, needs: 'whole-key' } as const

export const accountFinder = ({ cursorSecret }: Pick<Kit, 'cursorSecret'>): DeskFinder => ({
  title: 'menu.accounts',
  list: path,
  async find(db, text, limit) {
    const { query } = parseListQuery(accountList, { search: text, limit: String(limit) }, cursorSecret)
    const { rows, total } = await listAccounts(db, query)
    const present = ({ id, name, email, kind, suspended_at }: AccountTable) => ({
      href: `${path}/${id}`,
      title: name,
      details: [email, nameOfKind(kind), suspended_at && t('shared.suspended')],
    })
    return { exact: (await listExactAccounts(db, text)).map(present), newest: rows.map(present), total }
  },
})

export function registerDeskAccountPages(pages: App, kit: Kit): void {
  const { database, searches, clock, settings, keyRing } = kit
  const renderSessions = renderSessionsOf(kit)

  pages.get(path, {
    config: {
      ...reading,
      charges: ['search-time'],
      again: (request, form) => renderDeskAccounts(request.page, form, undefined),
    },
    schema: { querystring: ListQuerystring(accountList) },
    handler: async (request) => {
      const { query } = request
      const found = await searches.read(request.chargedTo, (db) => listAccounts(db, query))
      const [{ field, direction }] = query.sort as [{ field: string; direction: string }]
      const form = Form.of({ ...query.applied, sort: `${field}:${direction}` })
      return renderDeskAccounts(request.page, form, listed(request, found, presentAccount))
    },
  })

  const show = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id } = request.params as { id: string }
    const account = await database.read((db) => readAccountDetail(db, kit, id, clock.now()))
    const { actions, accounts } = await database.read(async (db) => {
      const actions = await listActionsOn(db, id, ACTIONS_SHOWN)
      return { actions, accounts: await findAccountNames(db, [...new Set(actions.map((one) => one.account_id))]) }
    })
    const names = { accounts, subjects: new Map([[id, { name: account.name, href: `${path}/${id}` }]]) }
    const isOwn = id === OPERATOR_ID || id === request.actor.accountId
    const sessions = await renderSessions(request.page, id)
    return renderDeskAccount(request.page, account, { actions, names, isOwn, sessions }, form)
  }

  pages.get(`${path}/:id`, { config: reading, schema: { params: AccountParams } }, (request) => show(request))

  pages.post(`${path}/:id/suspend`, {
    config: { ...dangerous, again: show },
    schema: { params: AccountParams, body: SuspensionBody },
    handler: async ({ actor, params: { id }, body: { reason } }, reply) => {
      await database.inTx((tx) => suspendAccount(tx, { settings, actor, id, reason, now: clock.now() }))
      keyRing.forgetAccount(id)
      return seeOther(reply, `${path}/${id}`, t('accounts.suspended_notice'))
    },
  })

  pages.post(`${path}/:id/resume`, {
    config: writing,
    schema: { params: AccountParams },
    handler: async ({ actor, params: { id } }, reply) => {
      await database.inTx((tx) => resumeAccount(tx, { settings, actor, id, now: clock.now() }))
      return seeOther(reply, `${path}/${id}`, t('accounts.resumed_notice'))
    },
  })

  pages.post(`${path}/:id/delete`, {
    config: { ...dangerous, again: show },
    schema: { params: AccountParams },
    handler: async (request, reply) => {
      const { actor, params } = request
      const { id } = params
      await doOnce(request, database, (tx) =>
        deleteAccount(tx, kit, { actor, id, precondition: unconditionally, now: clock.now() }),
      )
      keyRing.forgetAccount(id)
      return seeOther(reply, path, t('accounts.deleted_notice'))
    },
  })

  pages.post(`${path}/:id/keys/:key_id/revoke`, {
    config: dangerous,
    schema: { params: KeyOfAccountParams },
    handler: async (request, reply) => {
      const { actor, params } = request
      const { id, key_id: keyId } = params
      await doOnce(request, database, (tx) => revokeKeyOf(tx, { actor, id, keyId, now: clock.now() }))
      keyRing.forgetAccount(id)
      return seeOther(reply, `${path}/${id}`, t('accounts.key_revoked'))
    },
  })
}
