import { Type } from 'typebox'
import type { SessionTable } from '../../db/schema.ts'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { accountIdPattern } from '../../lib/ids.ts'
import { Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import { getAccount } from '../accounts/index.ts'
import type { Kit } from '../feature.ts'
import { begunWith } from './sessions.present.ts'
import { listSessionPage } from './sessions.queries.ts'
import { type Session, SessionSchema, sessionList } from './sessions.schemas.ts'
import { endSessionsOf, removePasskeysOf } from './sessions.service.ts'

export const AccountParams = Strict({ id: Type.String({ pattern: accountIdPattern }) })
export const SessionParams = Strict({
  ...AccountParams.properties,
  session_id: Id('session'),
})

export const PersonBody = Strict({ member_id: Type.Optional(Id('member')) })

export function registerAdminSessions(app: App, { database, reads, clock }: Kit): void {
  const guard = ({ params }: ResourceRequest) => database.read((db) => getAccount(db, params.id))
  const writing = { access: { kinds: ['admin'], scope: 'admin:write' }, needs: 'whole-key', guard } as const
  const path = '/admin/accounts/:id/sessions'

  app.get(path, {
    config: { access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' }, guard },
    schema: {
      operationId: 'listSessions',
      summary: "List an account's sessions",
      params: AccountParams,
      querystring: ListQuerystring(sessionList),
      response: { 200: ListEnvelope(Ref(SessionSchema)) },
    },
    handler: async (request, reply) => {
      await guard(request)
      const { params, query } = request
      const page = await reads.read((db) => listSessionPage(db, params.id, query, clock.now()))
      return presentList(reply, page, presentSession)
    },
  })

  app.delete(path, {
    config: writing,
    schema: {
      operationId: 'endSessions',
      summary: "End an account's sessions and invalidate its sign-in links",
      params: AccountParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      await database.inTx((tx) => endSessionsOf(tx, { actor, id: params.id, precondition, now: clock.now() }))
    },
  })

  app.delete(`${path}/:session_id`, {
    config: writing,
    schema: {
      operationId: 'endSession',
      summary: 'End an account session',
      params: SessionParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      const chosen = { id: params.id, sessionId: params.session_id, precondition }
      await database.inTx((tx) => endSessionsOf(tx, { actor, ...chosen, now: clock.now() }))
    },
  })

  app.delete('/admin/accounts/:id/passkeys', {
    config: writing,
    schema: {
      operationId: 'deletePasskeys',
      summary: 'Remove the passkeys of an account and its members, and end their sessions',
      params: AccountParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      const chosen = { id: params.id, precondition }
      await database.inTx((tx) => removePasskeysOf(tx, { actor, ...chosen, now: clock.now() }))
    },
  })
}

function presentSession(session: SessionTable): Session {
  const { id, created_at, last_seen_at, expires_at } = session
  return {
    id,
    begun_with: begunWith(session),
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }
}
