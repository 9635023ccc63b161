import type { AccountTable } from '../../db/schema.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { ApiKeyRow } from './accounts.queries.ts'
import type { ApiKey } from './accounts.schemas.ts'

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
