import type { OperatorActionTable } from '../../db/schema.ts'
import type { BudgetName } from '../../lib/budgets.ts'
import { formatNumber } from '../../lib/numbers.ts'
import {
  actionButton,
  badge,
  button,
  card,
  confirmedAction,
  dataTable,
  day,
  emptyState,
  facts,
  moment,
  pagination,
  postForm,
} from '../../pages/components.ts'
import { actionsTable, kindNames } from '../../pages/desk.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { Account, AccountDetail, ApiKey } from './accounts.schemas.ts'
import { keyCells } from './accounts.views.ts'

interface Found {
  items: readonly Account[]
  pagination: { total: number; page?: number; pages?: number }
}

const stateBadge = ({ suspended_at }: Account) => (suspended_at ? badge('Suspended', 'bad') : badge('Active', 'good'))

/** Renders the account list. `found` is undefined if the query was invalid. */
export function renderDeskAccounts(page: PageContext, form: Form, found: Found | undefined): Html {
  const { total = 0 } = found?.pagination ?? {}
  return htmlPage(page, { title: 'Accounts' })`<h1>Accounts</h1>
${form.summary()}
<form class="row bottom many" action="/desk/accounts" role="search" aria-label="Accounts">
${form.field('search', 'Name or email address', { type: 'search', maxlength: 1000 })}
${form.select('kind', 'Account type', { '': 'Any', ...kindNames })}
${form.select('is_suspended', 'State', { '': 'Any', false: 'Active', true: 'Suspended' })}
${form.select('sort', 'Sort by', { 'created_at:desc': 'Newest first', 'created_at:asc': 'Oldest first', 'name:asc': 'By name' })}
${button('Search', { variant: 'secondary' })}</form>
${found && html`<p role="status" class="soft">${total === 1 ? 'One account' : `${total.toLocaleString('en')} accounts`}</p>`}
${
  found &&
  dataTable(
    'Accounts',
    {
      rows: found.items,
      empty: emptyState('No accounts found', html`<p><a href="/desk/accounts">Show all accounts</a></p>`),
    },
    (account) => ({
      Name: [
        html`<a class="strong" href="/desk/accounts/${account.id}">${account.name}</a>`,
        account.email !== null && html`<br><span class="soft small">${account.email}</span>`,
      ],
      'Account type': kindNames[account.kind],
      Created: day(account.created_at),
      State: stateBadge(account),
    }),
  )
}
${pagination(page, found?.pagination)}`
}

const holdingNames: Record<keyof AccountDetail['holdings'], string> = {
  jobs_active: 'Jobs on the board',
  jobs_inactive: 'Drafts',
  jobs_expired: 'Expired jobs',
  jobs_closed: 'Closed jobs',
  payments: 'Payments',
  applications_received: 'Applications received',
  applications: 'Applications sent',
  resumes: 'Resumes',
  saved_jobs: 'Saved jobs',
  job_alerts: 'Job alerts',
  webhooks: 'Webhooks',
}

const budgetLabels: Record<BudgetName, string> = {
  'search-time': 'Search time (ms)',
  storage: 'Stored data (KiB)',
  'storage-burst': 'Stored data per minute (KiB)',
  responses: 'Sent data (KiB)',
  emails: 'Emails',
  'extraction-time': 'Text extraction (ms)',
}

interface Circumstances {
  /** Operator actions on the account. */
  actions: readonly OperatorActionTable[]
  /** True for the operator's own account. */
  isOwn: boolean
  /** The account's sessions, as rendered HTML. */
  sessions: Html
}

export function renderDeskAccount(
  page: PageContext,
  account: AccountDetail,
  { actions, isOwn, sessions }: Circumstances,
  form: Form,
): Html {
  const { id, kind, name, email, created_at, suspended_at, api_keys, holdings, budgets } = account
  const mayWrite = page.actor?.scopes.includes('admin:write') ?? false
  const held = (Object.keys(holdingNames) as (keyof typeof holdingNames)[]).filter((what) => holdings[what] > 0)
  const uses = api_keys.flatMap(({ last_used_at }) => last_used_at ?? [])
  return htmlPage(page, { title: name })`<p class="crumbs"><a href="/desk/accounts">Accounts</a></p>
<div class="row page-head"><h1>${name}</h1>${badge(kindNames[kind])}${stateBadge(account)}</div>
${form.summary()}
<div class="split">
<div>
<h2>API keys</h2>
${
  api_keys.length === 0
    ? emptyState('No keys', html`<p>This account can sign in only with an email link.</p>`)
    : renderKeys(page, id, api_keys, mayWrite)
}
${sessions}
<h2>Activity</h2>
${actions.length === 0 ? html`<p class="soft">No operator has changed this account.</p>` : actionsTable(page, actions)}
</div>
<aside>
${card(
  facts([
    ['Reference', html`<code>${id}</code>`],
    ['Email address', email],
    ['Created', moment(created_at)],
    ['Keys last used', uses.length > 0 && moment(uses.sort().at(-1)!)],
    ['Suspended', suspended_at && moment(suspended_at)],
    ['Company page', kind === 'employer' && !suspended_at && html`<a href="/companies/${id}">View public page</a>`],
  ]),
)}
${card([
  html`<h2>Contents</h2>`,
  held.length === 0
    ? html`<p class="soft">Nothing yet.</p>`
    : facts(held.map((what) => [holdingNames[what], holdings[what].toLocaleString('en')])),
])}
${card([
  html`<h2>Budgets</h2>`,
  facts(
    budgets.map(({ name, used, quota, resets_at }) => [
      budgetLabels[name],
      html`${formatNumber(used)} of ${formatNumber(quota)}${resets_at !== null && html`, resets ${moment(resets_at)}`}`,
    ]),
  ),
])}
${mayWrite && !isOwn && [renderSuspension(page, account, form), renderDeletion(page, account)]}
</aside>
</div>`
}

function renderKeys(page: PageContext, accountId: string, keys: readonly ApiKey[], mayWrite: boolean) {
  const revoke = ({ id, name }: ApiKey) =>
    id === page.actor?.key.id
      ? badge('This session’s key', 'accent')
      : confirmedAction(page, {
          action: `/desk/accounts/${accountId}/keys/${id}/revoke`,
          text: 'Revoke',
          question: html`<p>Programs that use <b>${name}</b> lose access within two seconds. Sessions that started with this key end. Webhooks that this key created or last changed are disabled.</p>`,
        })
  return dataTable('API keys', { rows: keys }, (key) => ({
    Name: html`<b>${key.name}</b>`,
    ...keyCells(key, day),
    ...(mayWrite && { Revoke: revoke(key) }),
  }))
}

const effects: Partial<Record<Account['kind'], string>> = {
  employer:
    'The employer’s jobs and company page disappear from the board. Its webhooks, keys and sessions stop working.',
  candidate:
    'Employers can no longer find the candidate, and job alerts stop. The account’s keys and sessions stop working. Employers keep the candidate’s applications.',
}

function renderSuspension(page: PageContext, { id, kind, suspended_at }: Account, form: Form): Html {
  const at = `/desk/accounts/${id}`
  if (suspended_at) {
    return card([
      html`<h2>Suspended</h2><p>Resuming restores everything except expired jobs.</p>`,
      actionButton(page, { action: `${at}/resume`, text: 'Resume account' }),
    ])
  }
  return card([
    html`<h2>Suspend</h2><p>${effects[kind] ?? 'The account’s keys, sessions and webhooks stop working.'} This takes up to two seconds.</p>`,
    postForm(page, `${at}/suspend`, [
      form.field('reason', 'Reason', {
        hint: 'Recorded in the activity log. The account holder cannot see it.',
        isRequired: true,
        maxlength: 500,
        autocomplete: 'off',
      }),
      button('Suspend account', { variant: 'danger' }),
    ]),
  ])
}

const deletions: Record<Account['kind'], string> = {
  employer:
    'The employer’s jobs are deleted, and its webhooks, keys and sessions stop working. Candidates keep their applications. Payments are not refunded.',
  candidate: 'All data about the candidate is erased. Employers keep the applications in anonymous form.',
  integrator: 'The account’s keys and webhooks stop working.',
  admin: 'The account’s keys and webhooks stop working.',
}

function renderDeletion(page: PageContext, { id, kind, name }: Account): Html {
  return card([
    html`<h2>Delete</h2><p>${deletions[kind]} This cannot be undone.</p>`,
    confirmedAction(page, {
      action: `/desk/accounts/${id}/delete`,
      text: 'Delete account',
      question: html`<p>Delete <b>${name}</b> for good?</p>`,
    }),
  ])
}
