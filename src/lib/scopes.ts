/** The scopes of API keys, and the scopes that each account kind can use. */
import type { AccountKind } from './api-keys.ts'

const areas = ['profile', 'applications', 'jobs', 'candidates', 'payments', 'alerts', 'webhooks', 'admin'] as const
type Area = (typeof areas)[number]

export type Scope = `${Area}:${'read' | 'write'}`

export const allScopes: readonly Scope[] = areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const)

const areasOf: Record<AccountKind, readonly Area[]> = {
  candidate: ['profile', 'applications', 'jobs', 'alerts', 'webhooks'],
  employer: ['profile', 'applications', 'jobs', 'candidates', 'payments', 'webhooks'],
  integrator: ['profile', 'applications', 'jobs', 'candidates', 'webhooks'],
  admin: areas,
}

/** Returns the scopes available to accounts of this kind. */
export function scopesOf(kind: AccountKind): readonly Scope[] {
  return allScopes.filter((scope) => areasOf[kind].includes(scope.split(':')[0] as Area))
}

/** The roles of an employer account's members. Each role includes the roles after it. */
export const memberRoles = ['owner', 'recruiter', 'viewer'] as const
/**
 * The roles of the board's staff, who are the members of the operator's account. The role `admin` includes `moderator`.
 */
export const staffRoles = ['admin', 'moderator'] as const
export type StaffRole = (typeof staffRoles)[number]
export type MemberRole = (typeof memberRoles)[number] | StaffRole

const isStaffRole = (role: MemberRole): role is StaffRole => staffRoles.some((each) => each === role)

export function includesRole(role: MemberRole, other: MemberRole): boolean {
  const roles: readonly MemberRole[] = isStaffRole(role) ? staffRoles : memberRoles
  return roles.includes(other) && roles.indexOf(role) <= roles.indexOf(other)
}

/** Returns this role and the roles that include it. */
export const rolesWith = (role: MemberRole): MemberRole[] =>
  [...memberRoles, ...staffRoles].filter((each) => includesRole(each, role))

/**
 * Returns the lowest role that may use routes with this scope, unless the route declares another role. The members of
 * accounts of kind `admin` are staff. The members of other accounts are members of employers.
 */
export function roleFor(kind: AccountKind, scope: Scope | undefined): MemberRole {
  const [area, verb] = (scope?.split(':') ?? []) as [] | [Area, 'read' | 'write']
  if (kind === 'admin') return area === undefined || area === 'jobs' ? 'moderator' : 'admin'
  if (area === 'webhooks' || scope === 'profile:write') return 'owner'
  return area === undefined || verb === 'read' ? 'viewer' : 'recruiter'
}

/**
 * Returns the scopes of a member with this role. Viewers have `applications:write`, because they may write notes.
 * Moderators have `admin:read` and `admin:write`, because they decide on reports.
 */
export function scopesOfRole(role: MemberRole): readonly Scope[] {
  const [kind, opened] = isStaffRole(role)
    ? (['admin', ['admin:read', 'admin:write']] as const)
    : (['employer', ['applications:write']] as const)
  return scopesOf(kind).filter(
    (scope) => includesRole(role, roleFor(kind, scope)) || opened.some((each) => each === scope),
  )
}

/**
 * Returns whether a key never expires and has all permissions of the member who created it or, without a member, of its
 * account.
 */
export const isWhole = ({ kind, scopes, key, member }: Pick<Actor, 'kind' | 'scopes' | 'key' | 'member'>): boolean =>
  key.expiresAt === null &&
  (member ? scopesOfRole(member.role) : scopesOf(kind)).every((scope) => scopes.includes(scope))

/** The authenticated caller of a request: its account and API key. */
export interface Actor {
  accountId: string
  kind: AccountKind
  name: string
  email: string | null
  scopes: readonly Scope[]
  key: {
    id: string
    name: string
    last4: string
    expiresAt: Date | null
    /** Present if the key is publishable. Null origins: pages of any origin may use it. */
    publishable?: { origins: readonly string[] | null }
  }
  /**
   * The member of the account who signed in or created the API key. Absent: the account itself signed in, or the key is
   * the account's own.
   */
  member?: {
    id: string
    /** The member's name, or the email address until the name is known. */
    name: string
    role: MemberRole
  }
  /** The session of a page request; absent if the request has an API key. */
  session?: {
    id: string
    startedAt: Date
    expiresAt: Date
    /** The language of emails to the person who signed in. Null: the board's default language. */
    language: string | null
    /** The email address that the sign-in confirmed, in canonical form. Null if it confirmed none. */
    emailKey: string | null
    /** Whether this email address can sign in to other accounts. */
    hasChoice: boolean
  }
}

/**
 * A member as the author of a change. Null: the board's staff made the change, or the account itself did, for example
 * with its own key.
 */
export type Author = { member_id: string; name: string } | null

export const authorOf = ({ member }: { member?: Actor['member'] | undefined }): Author =>
  member && !isStaffRole(member.role) ? { member_id: member.id, name: member.name } : null

/** Returns the columns that store an author. */
export const authorColumns = (author: Author) => ({
  by_member_id: author?.member_id ?? null,
  by_name: author?.name ?? null,
})

export const presentAuthor = ({ by_member_id, by_name }: ReturnType<typeof authorColumns>): Author =>
  by_member_id === null ? null : { member_id: by_member_id, name: by_name! }

/** The only scope of publishable keys. */
export const PUBLISHABLE_SCOPES = ['jobs:read'] as const satisfies readonly Scope[]

/** Returns the employer to whose jobs a key is restricted. Undefined: the key may read the jobs of all employers. */
export const onlyEmployerOf = ({ kind, accountId, key }: ActorAccount & Partial<Pick<Actor, 'key'>>) =>
  key?.publishable && kind === 'employer' ? accountId : undefined

/** The account of a caller, without the API key. */
export type ActorAccount = Pick<Actor, 'kind' | 'accountId'>

/** Returns the owner whose resources an account may see. For an admin, returns null, which means all owners. */
export const ownerOf = ({ kind, accountId }: ActorAccount): string | null => (kind === 'admin' ? null : accountId)
