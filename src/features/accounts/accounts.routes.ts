import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database, Reads } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { accountKinds } from '../../lib/api-keys.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { JobSettings } from '../jobs/index.ts'
import { presentAccount, presentApiKey, presentMe } from './accounts.present.ts'
import { findAccount, findApiKey, listAccounts, listApiKeys } from './accounts.queries.ts'
import {
  AccountDetailSchema,
  AccountSchema,
  ApiKeyBody,
  ApiKeyCreatedSchema,
  ApiKeySchema,
  accountList,
  apiKeyList,
  MeSchema,
  SuspensionBody,
} from './accounts.schemas.ts'
import { createApiKey, type DetailSources, type KeyRing, readAccountDetail } from './accounts.service.ts'
import { deleteAccount, resumeAccount, suspendAccount } from './desk-accounts.service.ts'

export interface AccountsDeps {
  database: Database
  reads: Reads
  clock: Clock
  cursorSecret: Uint8Array
  keyRing: KeyRing
}

export interface AdminAccountsDeps extends AccountsDeps, DetailSources {
  settings: JobSettings
  /** Deletion functions for candidates and employers. */
  deleteOf: Parameters<typeof deleteAccount>[1]['deleteOf']
}

const tags = ['Operator']

export const KeyParams = Strict({ id: Type.String({ pattern: idPattern('apiKey') }) })

export const AccountParams = Strict({
  id: Type.String({ pattern: accountKinds.map((kind) => `(?:${idPattern(kind)})`).join('|') }),
})

export function registerAccounts(app: App, { database, reads, clock, cursorSecret, keyRing }: AccountsDeps): void {
  app.get(
    '/me',
    {
      config: { access: {} },
      schema: {
        operationId: 'getMe',
        tags: ['Accounts'],
        summary: 'Get the calling account',
        response: { 200: Envelope(Ref(MeSchema)) },
      },
    },
    async (request) => {
      const account = await reads.read((db) => findAccount(db, request.actor.accountId))
      return { data: presentMe(request.actor, account ?? request.actor) }
    },
  )

  app.get(
    '/api-keys',
    {
      config: { access: { scope: 'profile:read' } },
      schema: {
        operationId: 'listApiKeys',
        tags: ['Accounts'],
        summary: "List the account's API keys",
        querystring: ListQuerystring(apiKeyList),
        response: { 200: ListEnvelope(Ref(ApiKeySchema)) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.actor
      const page = await reads.read((db) => listApiKeys(db, accountId, request.query, cursorSecret))
      return presentList(request, reply, page, presentApiKey)
    },
  )

  app.post(
    '/api-keys',
    {
      config: { access: { scope: 'profile:write' }, limit: 'keys' },
      attachValidation: true,
      schema: {
        operationId: 'createApiKey',
        tags: ['Accounts'],
        summary: 'Create an API key for the account; it is shown once',
        body: ApiKeyBody,
        response: { 201: Envelope(Ref(ApiKeyCreatedSchema)) },
      },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      return answerPost(request, reply, database, async (tx) => {
        const { key, row } = await createApiKey(tx, {
          actor: request.actor,
          body: request.body,
          faults,
          now: clock.now(),
        })
        const headers = { location: '/v1/api-keys', 'cache-control': 'no-store' }
        return { status: 201, headers, body: { data: { ...presentApiKey(row), key } } }
      })
    },
  )

  app.delete(
    '/api-keys/:id',
    {
      config: {
        access: { scope: 'profile:write' },
        needs: 'whole-key',
        guard: async (request) => {
          const { id } = request.params as { id: string }
          const found = await database.read((db) => findApiKey(db, request.actor.accountId, id))
          if (!found) throw new AppError('not_found')
        },
      },
      schema: {
        operationId: 'deleteApiKey',
        tags: ['Accounts'],
        summary: 'Revoke an API key immediately',
        params: KeyParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await keyRing.revoke(request.actor.accountId, request.params.id, preconditionOf(request))
      return reply.code(204).send(null)
    },
  )
}

/** Returns a guard that throws `not_found` if the account in the path does not exist. */
const isThere = (database: Database) => async (request: FastifyRequest) => {
  const { id } = request.params as { id: string }
  if (!(await database.read((db) => findAccount(db, id)))) throw new AppError('not_found')
}

/** Registers the admin routes for accounts. */
export function registerAdminAccounts(app: App, deps: AdminAccountsDeps): void {
  registerAccountList(app, deps)
  registerAccountChanges(app, deps)
}

function registerAccountList(app: App, deps: AdminAccountsDeps): void {
  const { database, reads, clock, cursorSecret } = deps

  app.get(
    '/admin/accounts',
    {
      config: { access: { kinds: ['admin'], scope: 'admin:read' } },
      schema: {
        operationId: 'listAccounts',
        tags,
        summary: 'List all accounts',
        querystring: ListQuerystring(accountList),
        response: { 200: ListEnvelope(Ref(AccountSchema)) },
      },
    },
    async (request, reply) => {
      const page = await reads.read((db) => listAccounts(db, request.query, cursorSecret))
      return presentList(request, reply, page, presentAccount)
    },
  )

  app.get(
    '/admin/accounts/:id',
    {
      config: {
        access: { kinds: ['admin'], scope: 'admin:read' },
        guard: isThere(database),
      },
      schema: {
        operationId: 'getAccount',
        tags,
        summary: 'Get an account with its keys, resource counts and budgets',
        params: AccountParams,
        response: { 200: Envelope(Ref(AccountDetailSchema)) },
      },
    },
    // Reads the primary: processes share budget use in unlogged tables, which a replica does not have.
    async (request) => ({
      data: await database.read((db) => readAccountDetail(db, deps, request.params.id, clock.now())),
    }),
  )
}

function registerAccountChanges(app: App, deps: AdminAccountsDeps): void {
  const { database, clock, settings, keyRing } = deps
  const writing = { access: { kinds: ['admin'], scope: 'admin:write' }, guard: isThere(database) } as const

  app.delete(
    '/admin/accounts/:id',
    {
      config: { ...writing, needs: 'whole-key' },
      schema: {
        operationId: 'deleteAccount',
        tags,
        summary: 'Delete an account permanently: erases a candidate, closes an employer',
        params: AccountParams,
        response: { 204: Type.Null(), ...problems(409) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      const precondition = preconditionOf(request)
      await database.inTx((tx) => deleteAccount(tx, deps, { actor, id: params.id, precondition, now: clock.now() }))
      keyRing.forgetAccount(params.id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/admin/accounts/:id/suspend',
    {
      config: { ...writing, needs: 'whole-key' },
      schema: {
        operationId: 'suspendAccount',
        tags,
        summary: 'Suspend an account: hides its jobs, and refuses its keys and sessions',
        params: AccountParams,
        body: SuspensionBody,
        response: { 200: Envelope(Ref(AccountDetailSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request
      return answerPost(request, reply, database, async (tx) => {
        await suspendAccount(tx, { settings, actor, id: params.id, reason: body.reason, now: clock.now() })
        const data = await readAccountDetail(tx, deps, params.id, clock.now())
        return { body: { data }, onceCommitted: () => keyRing.forgetAccount(params.id) }
      })
    },
  )

  app.post(
    '/admin/accounts/:id/resume',
    {
      config: writing,
      schema: {
        operationId: 'resumeAccount',
        tags,
        summary: 'Resume a suspended account',
        params: AccountParams,
        body: Strict({}),
        response: { 200: Envelope(Ref(AccountDetailSchema)) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      return answerPost(request, reply, database, async (tx) => {
        await resumeAccount(tx, { settings, actor, id: params.id, now: clock.now() })
        return { body: { data: await readAccountDetail(tx, deps, params.id, clock.now()) } }
      })
    },
  )
}
