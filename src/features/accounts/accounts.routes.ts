import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentAccount, presentApiKey, presentMe } from './accounts.present.ts'
import { findAccount, findApiKey, getAccount, listAccounts, listApiKeys } from './accounts.queries.ts'
import {
  AccountDetailSchema,
  AccountParams,
  AccountSchema,
  ApiKeyBody,
  ApiKeyCreatedSchema,
  ApiKeySchema,
  accountList,
  apiKeyList,
  MeSchema,
  SuspensionBody,
} from './accounts.schemas.ts'
import { createApiKey, readAccountDetail } from './accounts.service.ts'
import { deleteAccount, resumeAccount, suspendAccount } from './desk-accounts.service.ts'

export const KeyParams = Strict({ id: Id('apiKey') })

export function registerAccounts(app: App, { database, reads, clock, keyRing }: Kit): void {
  app.get('/me', {
    config: { access: {} },
    schema: {
      operationId: 'getMe',
      summary: 'Get the calling account',
      response: { 200: Envelope(Ref(MeSchema)) },
    },
    handler: async ({ actor }) => {
      const account = await reads.read((db) => findAccount(db, actor.accountId))
      return { data: presentMe(actor, account ?? actor) }
    },
  })

  app.get('/api-keys', {
    config: { access: { scope: 'profile:read', role: 'owner' } },
    schema: {
      operationId: 'listApiKeys',
      summary: "List the account's API keys",
      querystring: ListQuerystring(apiKeyList),
      response: { 200: ListEnvelope(Ref(ApiKeySchema)) },
    },
    handler: async ({ actor, query }, reply) =>
      presentList(reply, await reads.read((db) => listApiKeys(db, actor.accountId, query)), presentApiKey),
  })

  app.post('/api-keys', {
    config: { access: { scope: 'profile:write' }, limit: 'keys' },
    attachValidation: true,
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key for the account; a secret key is shown only once',
      body: ApiKeyBody,
      response: { 201: Envelope(Ref(ApiKeyCreatedSchema)) },
    },
    handler: async ({ actor, body, faults }, reply) =>
      answerPost(reply, database, async (tx) => {
        const { key, row } = await createApiKey(tx, { actor, body, faults, now: clock.now() })
        const headers = { location: '/v1/api-keys', 'cache-control': 'no-store' }
        return { headers, body: { data: { ...presentApiKey(row), key } } }
      }),
  })

  app.delete('/api-keys/:id', {
    config: {
      access: { scope: 'profile:write' },
      needs: 'whole-key',
      guard: async ({ actor, params }: ResourceRequest) =>
        found(await database.read((db) => findApiKey(db, actor.accountId, params.id))),
    },
    schema: {
      operationId: 'deleteApiKey',
      summary: 'Revoke an API key',
      params: KeyParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      await keyRing.revoke(actor, params.id, precondition)
    },
  })
}

export function registerAdminAccounts(app: App, kit: Kit): void {
  const { database, reads, clock, settings, keyRing } = kit
  const guard = ({ params }: ResourceRequest) => database.read((db) => getAccount(db, params.id))
  const access = { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' } as const
  const writing = { access: { kinds: ['admin'], scope: 'admin:write' }, guard } as const

  app.get('/admin/accounts', {
    config: { access },
    schema: {
      operationId: 'listAccounts',
      summary: 'List all accounts',
      querystring: ListQuerystring(accountList),
      response: { 200: ListEnvelope(Ref(AccountSchema)) },
    },
    handler: async ({ query }, reply) =>
      presentList(reply, await reads.read((db) => listAccounts(db, query)), presentAccount),
  })

  app.get('/admin/accounts/:id', {
    config: { access, guard },
    schema: {
      operationId: 'getAccount',
      summary: 'Get an account with its keys, resource counts and budgets',
      params: AccountParams,
      response: { 200: Envelope(Ref(AccountDetailSchema)) },
    },
    // Reads from the primary. Replicas lack the unlogged tables through which processes share budget use.
    handler: async ({ params }) => ({
      data: await database.read((db) => readAccountDetail(db, kit, params.id, clock.now())),
    }),
  })

  app.delete('/admin/accounts/:id', {
    config: { ...writing, needs: 'whole-key' },
    schema: {
      operationId: 'deleteAccount',
      summary: 'Delete an account permanently: erase a candidate, close an employer, or delete an admin or integrator',
      params: AccountParams,
      response: { 204: NoContent, ...problems(409) },
    },
    handler: async ({ actor, params: { id }, precondition }) => {
      await database.inTx((tx) => deleteAccount(tx, kit, { actor, id, precondition, now: clock.now() }))
      keyRing.forgetAccount(id)
    },
  })

  app.post('/admin/accounts/:id/suspend', {
    config: { ...writing, needs: 'whole-key' },
    schema: {
      operationId: 'suspendAccount',
      summary: 'Suspend an account: hide its jobs, and refuse its keys and sessions',
      params: AccountParams,
      body: SuspensionBody,
      response: { 200: Envelope(Ref(AccountDetailSchema)) },
    },
    handler: async ({ actor, params, body }, reply) =>
      answerPost(reply, database, async (tx) => {
        await suspendAccount(tx, { settings, actor, id: params.id, reason: body.reason, now: clock.now() })
        const data = await readAccountDetail(tx, kit, params.id, clock.now())
        return { body: { data }, onceCommitted: () => keyRing.forgetAccount(params.id) }
      }),
  })

  app.post('/admin/accounts/:id/resume', {
    config: writing,
    schema: {
      operationId: 'resumeAccount',
      summary: 'Resume a suspended account',
      params: AccountParams,
      body: Strict({}),
      response: { 200: Envelope(Ref(AccountDetailSchema)) },
    },
    handler: async ({ actor, params }, reply) =>
      answerPost(reply, database, async (tx) => {
        await resumeAccount(tx, { settings, actor, id: params.id, now: clock.now() })
        return { body: { data: await readAccountDetail(tx, kit, params.id, clock.now()) } }
      }),
  })
}
