import type { SessionTable } from '../../db/schema.ts'
import type { Session } from './sessions.schemas.ts'

export function presentSession({ id, key_hash, created_at, last_seen_at, expires_at }: SessionTable): Session {
  return {
    id,
    begun_with: key_hash === null ? 'link' : 'api_key',
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }
}
