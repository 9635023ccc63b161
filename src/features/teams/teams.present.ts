import type { MemberTable } from '../../db/schema.ts'
import type { Member } from './teams.schemas.ts'

export const presentMember = ({ id, name, email, role, ...times }: MemberTable): Member => ({
  ...{ id, name, email, role },
  state: times.joined_at === null ? 'invited' : 'active',
  invited_at: times.invited_at?.toISOString() ?? null,
  joined_at: times.joined_at?.toISOString() ?? null,
  last_active: times.last_active?.toISOString() ?? null,
})
