import { Type } from 'typebox'
import type { Database, Reads } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../http/list.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { accountKinds } from '../../lib/api-keys.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { presentAccount, presentAccountDetail, presentApiKey, presentMe } from './accounts.present.ts'
import {
  countHoldings,
  findAccount,
  findApiKey,
  listAccounts,
  listAllApiKeys,
  listApiKeys,
} from './accounts.queries.ts'
import {
  type AccountDetail,
  AccountDetailSchema,
  AccountSchema,
  ApiKeyBody,
  ApiKeyCreatedSchema,
  ApiKeySchema,
  accountList,
  apiKeyList,
  MeSchema,
} from './accounts.schemas.ts'
import { createApiKey, type KeyRing } from './accounts.service.ts'

export interface AccountsDeps {
  database: Database
  reads: Reads
  clock: Clock
  cursorSecret: Uint8Array
  keyRing: KeyRing
}

export const KeyParams = Strict({ id: Type.String({ pattern: idPattern('apiKey') }) })

export const AccountParams = Strict({
  id: Type.String({ pattern: accountKinds.map((kind) => `(?:${idPattern(kind)})`).join('|') }),
})

/** An account with all that the operator sees of it; throws `not_found`. */
export async function getAccountDetail(reads: Reads, id: string, now: Date): Promise<AccountDetail> {
  return reads.read(async (db) => {
    const account = await findAccount(db, id)
    if (!account) throw new AppError('not_found')
    return presentAccountDetail(account, await listAllApiKeys(db, id), await countHoldings(db, id, now))
  })
}

export function registerAccounts(app: App, { database, reads, clock, cursorSecret, keyRing }: AccountsDeps): void {
  app.get(
    '/me',
    {
      config: { access: {} },
      schema: {
        operationId: 'getMe',
        tags: ['Accounts'],
        summary: 'Who is calling',
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
        summary: "The account's own API keys",
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
        summary: 'Make a further API key for the account; it is shown once',
        body: ApiKeyBody,
        response: { 201: Envelope(Ref(ApiKeyCreatedSchema)) },
      },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      return answerPost(request, reply, database, async (tx) => {
        const { key, row } = await createApiKey(tx, request.actor, request.body, faults, clock.now())
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
        guard: async (request) => {
          const { id } = request.params as { id: string }
          const found = await database.read((db) => findApiKey(db, request.actor.accountId, id))
          if (!found) throw new AppError('not_found')
        },
      },
      schema: {
        operationId: 'deleteApiKey',
        tags: ['Accounts'],
        summary: 'Revoke an API key, at once',
        params: KeyParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await keyRing.revoke(request.actor.accountId, request.params.id, preconditionOf(request))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/admin/accounts',
    {
      config: { access: { kinds: ['admin'], scope: 'admin:read' } },
      schema: {
        operationId: 'listAccounts',
        tags: ['Operator'],
        summary: "Everybody's accounts",
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
        guard: async (request) => getAccountDetail(reads, (request.params as { id: string }).id, clock.now()),
      },
      schema: {
        operationId: 'getAccount',
        tags: ['Operator'],
        summary: 'An account with its keys and how much is its',
        params: AccountParams,
        response: { 200: Envelope(Ref(AccountDetailSchema)) },
      },
    },
    async (request) => ({ data: await getAccountDetail(reads, request.params.id, clock.now()) }),
  )
}
