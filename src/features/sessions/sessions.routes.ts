/** Admin routes for the sessions of accounts. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database, Reads } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf } from '../../http/etag.ts'
import { accountKinds } from '../../lib/api-keys.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Ref, Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import { findAccount } from '../accounts/index.ts'
import { presentSession } from './sessions.present.ts'
import { listSessionPage } from './sessions.queries.ts'
import { SessionSchema, sessionList } from './sessions.schemas.ts'
import { endSessionsOf } from './sessions.service.ts'

export interface AdminSessionsDeps {
  database: Database
  reads: Reads
  clock: Clock
  cursorSecret: Uint8Array
}

export const AccountParams = Strict({
  id: Type.String({ pattern: accountKinds.map((kind) => `(?:${idPattern(kind)})`).join('|') }),
})
export const SessionParams = Strict({
  ...AccountParams.properties,
  session_id: Type.String({ pattern: idPattern('session') }),
})

export function registerAdminSessions(app: App, { database, reads, clock, cursorSecret }: AdminSessionsDeps): void {
  const isThere = async (request: FastifyRequest) => {
    const { id } = request.params as { id: string }
    if (!(await database.read((db) => findAccount(db, id)))) throw new AppError('not_found')
  }
  const writing = {
    access: { kinds: ['admin'], scope: 'admin:write' },
    needs: 'whole-key',
    guard: isThere,
  } as const
  const path = '/admin/accounts/:id/sessions'
  const tags = ['Operator']

  app.get(
    path,
    {
      config: { access: { kinds: ['admin'], scope: 'admin:read' }, guard: isThere },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List the sessions of an account',
        params: AccountParams,
        querystring: ListQuerystring(sessionList),
        response: { 200: ListEnvelope(Ref(SessionSchema)) },
      },
    },
    async (request, reply) => {
      await isThere(request)
      const { id } = request.params
      const page = await reads.read((db) =>
        listSessionPage(db, { accountId: id, query: request.query, now: clock.now(), cursorSecret }),
      )
      return presentList(request, reply, page, presentSession)
    },
  )

  app.delete(
    path,
    {
      config: writing,
      schema: {
        operationId: 'endSessions',
        tags,
        summary: 'End all sessions of an account and invalidate its sign-in links',
        params: AccountParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      const precondition = preconditionOf(request)
      await database.inTx((tx) => endSessionsOf(tx, { actor, id: params.id, precondition, now: clock.now() }))
      return reply.code(204).send(null)
    },
  )

  app.delete(
    `${path}/:session_id`,
    {
      config: writing,
      schema: {
        operationId: 'endSession',
        tags,
        summary: 'End a session of an account',
        params: SessionParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      const precondition = preconditionOf(request)
      await database.inTx((tx) =>
        endSessionsOf(tx, { actor, id: params.id, sessionId: params.session_id, precondition, now: clock.now() }),
      )
      return reply.code(204).send(null)
    },
  )
}
