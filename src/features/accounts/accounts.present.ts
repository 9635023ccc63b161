import type { AccountTable, ApiKeyTable } from '../../db/schema.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { ApiKeyRow } from './accounts.queries.ts'
import type { Account, AccountDetail, ApiKey } from './accounts.schemas.ts'

export function presentApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    scopes: row.scopes as ApiKey['scopes'],
    prefix: row.prefix,
    last4: row.last4,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  }
}

export function presentAccount({ id, kind, name, email, created_at, suspended_at }: AccountTable): Account {
  return {
    id,
    kind,
    name,
    email,
    created_at: created_at.toISOString(),
    suspended_at: suspended_at?.toISOString() ?? null,
  }
}

export type Holdings = AccountDetail['holdings']

/** An account with its keys and how much is its. */
export function presentAccountDetail(
  account: AccountTable,
  keys: readonly ApiKeyTable[],
  holdings: Holdings,
): AccountDetail {
  const api_keys = keys.map((key) => presentApiKey({ ...key, kind: account.kind }))
  return { ...presentAccount(account), api_keys, holdings }
}

/** The caller; `account` is its account as it stands now, which the actor may be a moment behind of. */
export function presentMe({ accountId, kind, scopes, key }: Actor, account: Pick<AccountTable, 'name' | 'email'>) {
  const { id, name, last4 } = key
  return {
    account_id: accountId,
    kind,
    name: account.name,
    email: account.email,
    scopes: [...scopes],
    key: { id, name, last4 },
  }
}
