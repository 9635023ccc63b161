import type { MemberTable } from '../../db/schema.ts'
import { namesOf, pickMembers } from '../../lib/members.ts'
import { employerSchemas, type Member } from './teams.schemas.ts'

const names = namesOf(employerSchemas.MemberSchema.properties)

export const presentMember = (row: MemberTable): Member =>
  pickMembers({ ...row, state: row.joined_at === null ? 'invited' : 'active' }, names)
