import { type Static, Type } from 'typebox'
import { accountKinds, keyKinds } from '../../lib/api-keys.ts'
import { budgetNames } from '../../lib/budgets.ts'
import { accountIdPattern } from '../../lib/ids.ts'
import { Choice, HttpUrl, Moment, Name, Nullable, Ref, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { allScopes, type Scope } from '../../lib/scopes.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

/** Maximum number of unexpired keys per account. Limited because each key has its own rate limit (decision 0039). */
export const API_KEYS_MAX = 100

/**
 * Maximum number of allowed origins per publishable key. Limited because each request compares its origin with all of
 * them.
 */
const ORIGINS_MAX = 20

export const AccountParams = Strict({ id: Type.String({ pattern: accountIdPattern }) })

const ScopeSchema = Type.Unsafe<Scope>({ type: 'string', enum: [...allScopes] })

/** The member of the account who performed an action. */
export const Author = Nullable(
  Strict(
    { member_id: Type.String(), name: Type.String() },
    {
      description:
        'Null for candidates, and for actions that no member performed, such as those of a key without a member.',
    },
  ),
)

const apiKeyMembers = {
  id: Type.String(),
  name: Type.String(),
  kind: Choice(keyKinds, 'Kind of the account, or publishable.'),
  scopes: Type.Array(ScopeSchema),
  prefix: Type.String({ description: 'First characters of the key.' }),
  last4: Type.String({ description: 'Last four characters of the key.' }),
  created_at: Timestamp(),
  last_used_at: Nullable(Timestamp('Accurate to the minute.')),
  expires_at: Nullable(Timestamp()),
  created_by: Author,
  allowed_origins: Nullable(
    Type.Array(Type.String(), {
      description: 'Origins whose pages may use a publishable key. Null for all origins, and for secret keys.',
    }),
  ),
}

export const ApiKeySchema = Resource('ApiKey', {
  ...apiKeyMembers,
  key: Nullable(Type.String({ description: 'The API key if it is publishable, otherwise null.' })),
})
export type ApiKey = Static<typeof ApiKeySchema>

export const ApiKeyCreatedSchema = Resource('ApiKeyCreated', {
  ...apiKeyMembers,
  key: Type.String({ description: 'The API key. Unless it is publishable, only this response contains it.' }),
})

export const ApiKeyBody = Strict({
  name: Name(1, 100),
  kind: Type.Optional(
    Choice(
      ['secret', 'publishable'],
      "Anyone may see a publishable key. It can read only the board or, if it belongs to an employer, only the employer's jobs. Default: secret.",
    ),
  ),
  allowed_origins: Type.Optional(
    Nullable(
      Type.Array(HttpUrl(), {
        maxItems: ORIGINS_MAX,
        uniqueItems: true,
        description: 'Origins whose pages may use a publishable key, such as https://www.example.com. Null for all.',
      }),
    ),
  ),
  scopes: Type.Optional(
    Type.Array(ScopeSchema, {
      minItems: 1,
      uniqueItems: true,
      description: 'Default: all scopes of the calling key. A publishable key has only jobs:read.',
    }),
  ),
  expires_at: Type.Optional(Nullable(Moment("Default: the calling key's expiry."))),
})
export type ApiKeyBody = Static<typeof ApiKeyBody>

export const MeSchema = Resource('Me', {
  account_id: Type.String(),
  kind: Choice(accountKinds),
  name: Type.String(),
  email: Nullable(Type.String()),
  scopes: Type.Array(ScopeSchema),
  key: Strict({ id: Type.String(), name: Type.String(), last4: Type.String() }),
})

const accountMembers = {
  id: Type.String(),
  kind: Choice(accountKinds),
  name: Type.String(),
  email: Nullable(Type.String()),
  created_at: Timestamp(),
  suspended_at: Nullable(
    Timestamp('When the account was suspended. Its jobs are hidden, and its keys and sessions are refused.'),
  ),
}

export const AccountSchema = Resource('Account', accountMembers)
export type Account = Static<typeof AccountSchema>

const Count = Type.Integer({ minimum: 0 })

export const AccountDetailSchema = Resource('AccountDetail', {
  ...accountMembers,
  api_keys: Type.Array(Ref(ApiKeySchema), { description: 'Oldest first.' }),
  holdings: Strict({
    jobs_inactive: Count,
    jobs_active: Count,
    jobs_expired: Count,
    jobs_closed: Count,
    payments: Count,
    applications_received: Count,
    applications: Count,
    resumes: Count,
    saved_jobs: Count,
    job_alerts: Count,
    webhooks: Count,
  }),
  budgets: Type.Array(
    Strict({
      name: Choice(budgetNames),
      used: Count,
      quota: Count,
      window_seconds: Count,
      resets_at: Nullable(Timestamp('Start of the next window. Null while the budget is unused.')),
    }),
    {
      description:
        'Use in the current windows: search-time and extraction-time are in milliseconds; storage, storage-burst and ' +
        'responses are in KiB; emails is a count. Each process shares new use with the others within a second once ' +
        'that use exceeds 1% of the quota.',
    },
  ),
})
export type AccountDetail = Static<typeof AccountDetailSchema>

export const SuspensionBody = Strict({
  reason: Text(1, 500, 'Recorded in the activity log; not visible to the account.'),
})

export const accountList = {
  name: 'accounts',
  filters: {
    search: parameter.text('Prefixes of words in the name or email address, or an account ID.', {
      suffixes: [],
    }),
    kind: parameter.choice('Kind of account.', accountKinds),
    is_suspended: parameter.boolean('Whether the account is suspended.'),
    created_at: parameter.time('When the account was created.'),
  },
  sorts: { created_at: {}, name: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration

export const apiKeyList = {
  name: 'api-keys',
  filters: {
    name: parameter.text('Name, ignoring case and accents.'),
    created_at: parameter.time('When the key was created.'),
    expires_at: parameter.time('When the key expires.'),
  },
  sorts: { created_at: {}, name: {}, last_used_at: {}, expires_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
