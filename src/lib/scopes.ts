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

/**
 * Returns whether a key has all permissions of its account and no expiry date. No other credential of the account has
 * more permissions than such a key.
 */
export const isWhole = ({ kind, scopes, key }: Pick<Actor, 'kind' | 'scopes' | 'key'>): boolean =>
  key.expiresAt === null && scopesOf(kind).every((scope) => scopes.includes(scope))

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
  /** The session of a page request; absent if the request has an API key. */
  session?: { id: string; startedAt: Date /** The language of emails to the account. */; language: string | null }
}

/** The only scope of publishable keys. */
export const PUBLISHABLE_SCOPES = ['jobs:read'] as const satisfies readonly Scope[]

/** Returns the employer whose jobs are the only ones that a key may read. Undefined: the jobs of all employers. */
export const onlyEmployerOf = ({ kind, accountId, key }: ActorAccount & Partial<Pick<Actor, 'key'>>) =>
  key?.publishable && kind === 'employer' ? accountId : undefined

/** The account of a caller, without the API key. */
export type ActorAccount = Pick<Actor, 'kind' | 'accountId'>

/** Returns the owner whose resources an account may see. For an admin, returns null, which means all owners. */
export const ownerOf = ({ kind, accountId }: ActorAccount): string | null => (kind === 'admin' ? null : accountId)
