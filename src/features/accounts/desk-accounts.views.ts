import type { OperatorActionTable } from '../../db/schema.ts'
import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
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
  filterForm,
  listTable,
  moment,
  noneFound,
  postForm,
} from '../../pages/components.ts'
import { type ActionNames, actionsTable, nameOfKind } from '../../pages/desk.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { rich, sentences } from '../../pages/text.ts'
import type { Account, AccountDetail, ApiKey } from './accounts.schemas.ts'
import { keyCell, keyTimes } from './accounts.views.ts'

const stateBadge = ({ suspended_at }: Account) =>
  suspended_at ? badge(t('shared.suspended'), 'bad') : badge(t('accounts.active'), 'good')

/** Renders the account list. `found` is undefined if the query was invalid. */
export function renderDeskAccounts(page: PageContext, form: Form, found: Listed<Account> | undefined): Html {
  const { total = 0 } = found?.pagination ?? {}
  const empty = noneFound(t('accounts.none_found'), '/desk/accounts', t('accounts.show_all'))
  return htmlPage(page, { title: t('menu.accounts') })`<h1>${t('menu.accounts')}</h1>
${form.summary()}
${filterForm(
  '/desk/accounts',
  form,
  [
    form.field('search', t('accounts.name_or_email'), { type: 'search', maxlength: 1000 }),
    form.select(
      'kind',
      t('shared.account_type'),
      optionsFor(['candidate', 'employer', 'integrator', 'admin'], nameOfKind, t('shared.any')),
    ),
    form.select('is_suspended', t('accounts.state'), {
      '': t('shared.any'),
      false: t('accounts.active'),
      true: t('shared.suspended'),
    }),
    form.select('sort', t('shared.sort_by'), {
      'created_at:desc': t('accounts.newest_first'),
      'created_at:asc': t('accounts.oldest_first'),
      'name:asc': t('accounts.by_name'),
    }),
  ],
  { submit: t('shared.search') },
)}
${found && html`<p role="status" class="soft">${t('accounts.found', { count: total })}</p>`}
${listTable(page, t('menu.accounts'), { found, empty }, (account) => ({
  [t('shared.name')]: [
    html`<a class="strong" href="/desk/accounts/${account.id}">${account.name}</a>`,
    account.email !== null && html`<br><span class="soft small">${account.email}</span>`,
  ],
  [t('shared.account_type')]: nameOfKind(account.kind),
  [t('shared.created')]: day(account.created_at),
  [t('accounts.state')]: stateBadge(account),
}))}`
}

/** The kinds of resources in `holdings`, in display order. */
const holdingKinds: readonly (keyof AccountDetail['holdings'])[] = [
  'jobs_active',
  'jobs_inactive',
  'jobs_expired',
  'jobs_closed',
  'payments',
  'applications_received',
  'applications',
  'resumes',
  'saved_jobs',
  'job_alerts',
  'webhooks',
]

interface Circumstances {
  /** Operator actions on the account. */
  actions: readonly OperatorActionTable[]
  names: ActionNames
  /** True for the caller's own account and for the account of `ADMIN_API_KEY`. */
  isOwn: boolean
  /** The account's sessions, as rendered HTML. */
  sessions: Html
}

export function renderDeskAccount(
  page: PageContext,
  account: AccountDetail,
  { actions, names, isOwn, sessions }: Circumstances,
  form: Form,
): Html {
  const { id, kind, name, email, created_at, suspended_at, api_keys, holdings, budgets } = account
  const mayWrite = page.may('POST', `/desk/accounts/${id}/suspend`)
  const held = holdingKinds.filter((what) => holdings[what] > 0)
  const uses = api_keys.flatMap(({ last_used_at }) => last_used_at ?? [])
  return htmlPage(page, { title: name })`<p class="crumbs"><a href="/desk/accounts">${t('menu.accounts')}</a></p>
<div class="row page-head"><h1>${name}</h1><span class="row">${badge(nameOfKind(kind))}${stateBadge(account)}</span></div>
${form.summary()}
<div class="split">
<div>
<h2>${t('menu.api_keys')}</h2>
${
  api_keys.length === 0
    ? emptyState(t('accounts.no_keys_short'), html`<p>${t('accounts.only_email_link')}</p>`)
    : renderKeys(page, id, api_keys, mayWrite)
}
${sessions}
<h2>${t('accounts.activity')}</h2>
${actions.length === 0 ? html`<p class="soft">${t('accounts.no_activity')}</p>` : actionsTable(page, actions, names)}
${kind === 'admin' && page.may('GET', '/desk/activity') && html`<p><a href="/desk/activity?who=${id}">${t('accounts.done_by', { name })}</a></p>`}
</div>
<aside>
${card(
  facts([
    [t('shared.reference'), html`<code>${id}</code>`],
    [t('shared.email_address'), email],
    [t('shared.created'), moment(created_at)],
    [t('accounts.keys_last_used'), uses.length > 0 && moment(uses.sort().at(-1)!)],
    [t('shared.suspended'), suspended_at && moment(suspended_at)],
    [
      t('accounts.company_page'),
      kind === 'employer' && !suspended_at && html`<a href="/companies/${id}">${t('shared.view_public_page')}</a>`,
    ],
  ]),
)}
${card([
  html`<h2>${t('accounts.contents')}</h2>`,
  held.length === 0
    ? html`<p class="soft">${t('accounts.nothing_yet')}</p>`
    : facts(held.map((what) => [t(`accounts.holding_${what}`), formatNumber(holdings[what])])),
])}
${card([
  html`<h2>${t('accounts.budgets')}</h2>`,
  facts(
    budgets.map(({ name, resets_at, ...budget }) => {
      const [used, quota] = [formatNumber(budget.used), formatNumber(budget.quota)]
      const state =
        resets_at === null
          ? t('accounts.used_of', { used, quota })
          : rich('accounts.used_of_until', { used, quota, moment: moment(resets_at) })
      return [t(`accounts.budget_${name}`), state]
    }),
  ),
])}
${mayWrite && !isOwn && [renderSuspension(page, account, form), renderDeletion(page, account)]}
</aside>
</div>`
}

function renderKeys(page: PageContext, accountId: string, keys: readonly ApiKey[], mayWrite: boolean) {
  const revoke = ({ id, name }: ApiKey) =>
    id === page.actor?.key.id
      ? badge(t('accounts.session_key'), 'accent')
      : confirmedAction(page, {
          action: `/desk/accounts/${accountId}/keys/${id}/revoke`,
          text: t('accounts.revoke'),
          question: html`<p>${rich('accounts.revoke_question', { name })}</p>`,
        })
  return dataTable(t('menu.api_keys'), { rows: keys }, (key) => ({
    [t('shared.name')]: html`<b>${key.name}</b>`,
    ...keyCell(key),
    ...keyTimes(key, day),
    ...(mayWrite && { [t('accounts.revoke')]: revoke(key) }),
  }))
}

function renderSuspension(page: PageContext, { id, kind, suspended_at }: Account, form: Form): Html {
  const at = `/desk/accounts/${id}`
  if (suspended_at) {
    return card([
      html`<h2>${t('shared.suspended')}</h2><p>${t('accounts.resuming')}</p>`,
      actionButton(page, { action: `${at}/resume`, text: t('accounts.resume') }),
    ])
  }
  return card([
    html`<h2>${t('accounts.suspend_title')}</h2><p>${sentences(t(`accounts.suspending_${kind}`), t('accounts.two_seconds'))}</p>`,
    postForm(page, `${at}/suspend`, [
      form.field('reason', t('shared.reason'), {
        hint: t('accounts.suspend_reason_hint'),
        isRequired: true,
        maxlength: 500,
        autocomplete: 'off',
      }),
      button(t('accounts.suspend'), { variant: 'danger' }),
    ]),
  ])
}

function renderDeletion(page: PageContext, { id, kind, name }: Account): Html {
  return card([
    html`<h2>${t('shared.delete')}</h2><p>${sentences(t(`accounts.deleting_${kind}`), t('accounts.no_undo'))}</p>`,
    confirmedAction(page, {
      action: `/desk/accounts/${id}/delete`,
      text: t('accounts.delete'),
      question: html`<p>${rich('accounts.delete_question', { name })}</p>`,
    }),
  ])
}
