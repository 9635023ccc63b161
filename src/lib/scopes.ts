/** What an API key may be allowed to do, and which of it each kind of account can have at all. */
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

/** The scopes that keys of this kind can have. */
export function scopesOf(kind: AccountKind): readonly Scope[] {
  return allScopes.filter((scope) => areasOf[kind].includes(scope.split(':')[0] as Area))
}

/** Whether a key may do all that its account may, without an end: who has it gains nothing by another way in. */
export const isWhole = ({ kind, scopes, key }: Pick<Actor, 'kind' | 'scopes' | 'key'>): boolean =>
  key.expiresAt === null && scopesOf(kind).every((scope) => scopes.includes(scope))

/** Who is calling: the account and the key behind the request. */
export interface Actor {
  accountId: string
  kind: AccountKind
  name: string
  email: string | null
  scopes: readonly Scope[]
  key: { id: string; name: string; last4: string; expiresAt: Date | null }
  /** The session of a page's request; absent where the request itself has a key. */
  session?: { id: string; startedAt: Date }
}

/** The account alone. */
export type ActorAccount = Pick<Actor, 'kind' | 'accountId'>

/** Whose things an employer or an operator may see: the employer's own, or everyone's for null. */
export const ownerOf = ({ kind, accountId }: ActorAccount): string | null => (kind === 'admin' ? null : accountId)
