import { type Static, Type } from 'typebox'
import { idPattern } from '../../lib/ids.ts'
import { Choice, Email, MergeBody, Name, Nullable, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { memberRoles } from '../../lib/scopes.ts'
import { type ListDeclaration, parameter } from '../../lists/query.ts'

/** Maximum number of members per account, including invited ones. */
export const MEMBERS_MAX = 50

export const MemberParams = Strict({ id: Type.String({ pattern: idPattern('member') }) })

const role = Choice(
  memberRoles,
  'An owner may do everything. A recruiter may not change members, keys, webhooks or the company’s profile. A viewer reads what a recruiter may change, and writes notes.',
)
const states = ['invited', 'active'] as const

export const MemberSchema = Type.Object(
  {
    id: Type.String(),
    name: Nullable(Type.String()),
    email: Type.String(),
    role,
    state: Choice(states, 'invited: has an invitation, which is valid for seven days. active: has joined.'),
    invited_at: Nullable(Timestamp('Null for the first owner, who registered the account.')),
    joined_at: Nullable(Timestamp()),
    last_active: Nullable(Timestamp('Accurate to five minutes.')),
  },
  { $id: 'Member', additionalProperties: false },
)
export type Member = Static<typeof MemberSchema>

const name = Nullable(Name(1, 100))

export const InvitationBody = Strict({ email: Email(), name: Type.Optional(name), role })
export type InvitationBody = Static<typeof InvitationBody>

const writable = { name, role }
export const MemberBody = MergeBody(
  writable,
  Object.keys(MemberSchema.properties).filter((member) => !Object.hasOwn(writable, member)),
)
export type MemberBody = Static<typeof MemberBody>

export const InvitationQuery = Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) })
export const AcceptanceBody = Strict({ token: Text(1, 200), name: Name(1, 100) })

export const memberList = {
  name: 'employers/members',
  filters: {
    role: parameter.choice('Role of the member.', memberRoles),
    joined_at: parameter.time('When the member joined.'),
  },
  sorts: { email: {}, joined_at: {}, invited_at: {}, last_active: {} },
  defaultSort: [{ field: 'email', direction: 'asc' }],
} as const satisfies ListDeclaration
