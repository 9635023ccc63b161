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

export function presentMe({ accountId, kind, name, email, scopes, key }: Actor) {
  return { account_id: accountId, kind, name, email, scopes: [...scopes], key }
}
