import type { AccountTable } from '../../db/schema.ts'
import type { BudgetUse } from '../../lib/budgets.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { ApiKeyRow, NamedKey } from './accounts.queries.ts'
import type { Account, AccountDetail, ApiKey } from './accounts.schemas.ts'

export function presentApiKey(row: ApiKeyRow): ApiKey {
  const { id, name, prefix, last4, allowed_origins, publishable_key: key } = row
  const kind = key === null ? row.kind : 'publishable'
  return {
    ...{ id, name, kind, scopes: row.scopes as ApiKey['scopes'], prefix, last4 },
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    ...{ allowed_origins, key },
    created_by: row.member_id === null ? null : { member_id: row.member_id, name: row.member_name! },
  }
}

export function presentAccount({ id, kind, name, email, created_at, suspended_at }: AccountTable): Account {
  const times = { created_at: created_at.toISOString(), suspended_at: suspended_at?.toISOString() ?? null }
  return { id, kind, name, email, ...times }
}

export type Holdings = AccountDetail['holdings']
const noHoldings: Holdings = {
  ...{ jobs_inactive: 0, jobs_active: 0, jobs_expired: 0, jobs_closed: 0, payments: 0, applications_received: 0 },
  ...{ applications: 0, resumes: 0, saved_jobs: 0, job_alerts: 0, webhooks: 0 },
}

export function presentAccountDetail(
  account: AccountTable,
  keys: readonly NamedKey[],
  holdings: Partial<Holdings>,
  uses: readonly BudgetUse[],
): AccountDetail {
  const api_keys = keys.map((key) => presentApiKey({ ...key, kind: account.kind }))
  const budgets = uses.map(({ name, used, quota, windowS, resetsAt }) => ({
    name,
    used,
    quota,
    window_seconds: windowS,
    // Null if the budget is unused, because the ETag of an idle account must not change.
    resets_at: used > 0 ? resetsAt.toISOString() : null,
  }))
  return { ...presentAccount(account), api_keys, holdings: { ...noHoldings, ...holdings }, budgets }
}

/** Presents the calling account. Each request reads `account` again, because the actor is cached for up to a second. */
export function presentMe({ accountId, kind, scopes, key }: Actor, account: Pick<AccountTable, 'name' | 'email'>) {
  const { id, name, last4 } = key
  const caller = { name: account.name, email: account.email, scopes: [...scopes], key: { id, name, last4 } }
  return { account_id: accountId, kind, ...caller }
}
