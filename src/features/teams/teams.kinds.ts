/** The two kinds of teams: the members of each employer account, and the board's staff. */
import type { Actor } from '../../lib/scopes.ts'
import { OPERATOR_ID } from '../accounts/index.ts'
import { employerSchemas, staffSchemas } from './teams.schemas.ts'

export const employerTeam = {
  /** The path of the member list in the API, without `/v1`. */
  path: '/employers/members',
  page: '/employer/team',
  schemas: employerSchemas,
  accountOf: ({ accountId }: Pick<Actor, 'accountId'>): string => accountId,
  reading: { access: { kinds: ['employer'], scope: 'profile:read' } },
  // Changing members changes who has access to the account.
  writing: { access: { kinds: ['employer'], scope: 'profile:write' }, needs: 'whole-key' },
  /** The error statuses of changing or removing the last owner. The last admin may be removed. */
  conflicts: [409],
  operations: {
    list: { operationId: 'listMembers', summary: "List the members of the employer's account" },
    invite: { operationId: 'inviteMember', summary: 'Invite a member by email; the link is valid for seven days' },
    update: { operationId: 'updateMember', summary: "Change a member's role or name" },
    remove: {
      operationId: 'deleteMember',
      summary: 'Remove a member, delete their keys and end their sessions, or withdraw an invitation',
    },
  },
} as const

/** The board's staff: the members of the operator's account. Every account of kind `admin` manages the same staff. */
export const staffTeam = {
  path: '/admin/members',
  page: '/desk/staff',
  schemas: staffSchemas,
  accountOf: () => OPERATOR_ID,
  reading: { access: { kinds: ['admin'], scope: 'admin:read' } },
  writing: { access: { kinds: ['admin'], scope: 'admin:write' }, needs: 'whole-key' },
  conflicts: [],
  operations: {
    list: { operationId: 'listStaff', summary: "List the board's staff" },
    invite: { operationId: 'inviteStaff', summary: 'Invite staff by email; the link is valid for seven days' },
    update: { operationId: 'updateStaff', summary: "Change a staff member's role or name" },
    remove: {
      operationId: 'deleteStaff',
      summary: 'Remove a staff member, delete their keys and end their sessions, or withdraw an invitation',
    },
  },
} as const

export type Team = typeof employerTeam | typeof staffTeam
