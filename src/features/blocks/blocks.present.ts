import type { BlockTable } from '../../db/schema.ts'
import type { Block } from './blocks.schemas.ts'

export function presentBlock(row: BlockTable): Block {
  const { id, kind, value, reason, created_by } = row
  const times = { created_at: row.created_at.toISOString(), expires_at: row.expires_at?.toISOString() ?? null }
  return { id, kind, value, reason, created_by, ...times }
}
