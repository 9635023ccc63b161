import { type Static, Type } from 'typebox'
import { Choice, Email, Id, MergeBody, Name, Nullable, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { type MemberRole, memberRoles, staffRoles } from '../../lib/scopes.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

/** Maximum number of members per account, including invited ones. */
export const MEMBERS_MAX = 50

export const MemberParams = Strict({ id: Id('member') })

const states = ['invited', 'active'] as const
const name = Nullable(Name(1, 100))

/**
 * Returns the schemas of members with these roles. `list` is the path of the member list, and `id` is the name of the
 * member schema.
 */
function schemasOf(list: string, id: string, roles: readonly MemberRole[], explanation: string) {
  const role = Choice(roles, explanation)
  const MemberSchema = Resource(id, {
    id: Type.String(),
    name: Nullable(Type.String()),
    email: Type.String(),
    role,
    state: Choice(states, 'invited: has an invitation, which is valid for seven days. active: has joined.'),
    invited_at: Nullable(Timestamp("Null only for an employer's first owner, who registered the account.")),
    joined_at: Nullable(Timestamp()),
    last_active: Nullable(Timestamp('Accurate to five minutes.')),
  })
  return {
    roles,
    MemberSchema,
    InvitationBody: Strict({ email: Email(), name: Type.Optional(name), role }),
    MemberBody: MergeBody({ name, role }, MemberSchema),
    RoleBody: Strict({ role }),
    memberList: {
      name: list,
      filters: {
        role: parameter.choice('Role of the member.', roles),
        joined_at: parameter.time('When the member joined.'),
      },
      sorts: { email: {}, joined_at: {}, invited_at: {}, last_active: {} },
      defaultSort: [{ field: 'email', direction: 'asc' }],
    } as const satisfies ListDeclaration,
  }
}

export const employerSchemas = schemasOf(
  'employers/members',
  'Member',
  memberRoles,
  "An owner may do everything. A recruiter may not change members or the company's profile, and may not see keys, webhooks or events. A viewer may read the same as a recruiter, but may write only notes.",
)
export const staffSchemas = schemasOf(
  'admin/members',
  'StaffMember',
  staffRoles,
  'An admin may do everything. A moderator may decide on reports and copies of jobs, change jobs and read accounts.',
)
export type TeamSchemas = typeof employerSchemas

export type Member = Static<TeamSchemas['MemberSchema']>
export type InvitationBody = Static<TeamSchemas['InvitationBody']>
export type MemberBody = Static<TeamSchemas['MemberBody']>

export const InvitationQuery = Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) })
export const AcceptanceBody = Strict({ token: Text(1, 200), name: Name(1, 100) })
