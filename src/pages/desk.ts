/** Shared components of the admin area. */
import type { AccountKind } from '../lib/api-keys.ts'
import { type MessageKey, t } from '../locale/messages.ts'
import { dataTable, moment } from './components.ts'
import { type Content, type Html, html } from './html.ts'
import type { PageContext } from './page.ts'
import { rich } from './text.ts'

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** Returns the time since a moment in the largest suitable unit, such as `3 days`. */
export function ageOf(since: Date, now: Date): string {
  const ms = Math.max(0, now.getTime() - since.getTime())
  const [unit, unitMs] = units.find(([, each]) => ms >= each) ?? units[3]
  return t('desk.age', { unit, count: Math.floor(ms / unitMs) })
}

/** Returns the display names of account kinds. */
export const kindNames = (): Record<AccountKind, string> => ({
  candidate: t('desk.kind_candidate'),
  employer: t('desk.kind_employer'),
  integrator: t('desk.kind_integrator'),
  admin: t('desk.kind_admin'),
})

const actionNames: Readonly<Record<string, MessageKey>> = {
  'board.update': 'desk.action_board_update',
  'board.logo': 'desk.action_board_logo',
  'board.remove_logo': 'desk.action_board_remove_logo',
  'board_page.update': 'desk.action_board_page_update',
  'board_page.delete': 'desk.action_board_page_delete',
  'registration.switch': 'desk.action_registration_switch',
  'currency_rates.replace': 'desk.action_currency_rates_replace',
  'payment.confirm': 'desk.action_payment_confirm',
  'payment.mark_paid': 'desk.action_payment_mark_paid',
  'product.update': 'desk.action_product_update',
  'account.suspend': 'desk.action_account_suspend',
  'account.unverify': 'desk.action_account_unverify',
  'account.resume': 'desk.action_account_resume',
  // Only earlier releases recorded this action.
  'account.restore': 'desk.action_account_resume',
  'account.delete': 'desk.action_account_delete',
  'account.end_sessions': 'desk.action_account_end_sessions',
  'account.remove_passkeys': 'desk.action_account_remove_passkeys',
  'account.revoke_key': 'desk.action_account_revoke_key',
  'block.create': 'desk.action_block_create',
  'block.delete': 'desk.action_block_delete',
  'email.retry': 'desk.action_email_retry',
  'email.retry_all': 'desk.action_email_retry_all',
  'task.run': 'desk.action_task_run',
  'application.update': 'desk.action_application_update',
  'job.activate': 'desk.action_job_activate',
  'job.close': 'desk.action_job_close',
  'job.delete': 'desk.action_job_delete',
  'job.different': 'desk.action_job_different',
  'job.remove': 'desk.action_job_remove',
  'job.reopen': 'desk.action_job_reopen',
  'job.restore': 'desk.action_job_restore',
  'job.same': 'desk.action_job_same',
  'job.undecided': 'desk.action_job_undecided',
  'job.update': 'desk.action_job_update',
  'feed.create': 'desk.action_feed_create',
  'feed.update': 'desk.action_feed_update',
  'feed.delete': 'desk.action_feed_delete',
  'feed.approve': 'desk.action_feed_approve',
  'feed.discard': 'desk.action_feed_discard',
  'key.create': 'desk.action_key_create',
  'key.delete': 'desk.action_key_delete',
  'member.invite': 'desk.action_member_invite',
  'member.update': 'desk.action_member_update',
  'member.remove': 'desk.action_member_remove',
  'report.dismiss': 'desk.action_report_dismiss',
  'category.add': 'desk.action_category_add',
  'category.rename': 'desk.action_category_rename',
  'category.move': 'desk.action_category_move',
  'category.remove': 'desk.action_category_remove',
  'type.add': 'desk.action_type_add',
  'type.rename': 'desk.action_type_rename',
  'type.move': 'desk.action_type_move',
  'type.remove': 'desk.action_type_remove',
}

/** Every action, except those that only earlier releases recorded. */
export const actionKinds = Object.keys(actionNames).filter((action) => action !== 'account.restore')

/** Returns the description of an action with `…` in place of the subject, such as `Suspended …`. */
export const nameOfAction = (action: string): string =>
  actionNames[action] === undefined ? action : t(actionNames[action], { subject: '…' })

interface Action {
  at: Date
  account_id: string
  key_name: string
  action: string
  subject: string
  note: string | null
  /** The staff member, if one performed the action. */
  member_id: string | null
  member_name: string | null
}

/** The names of actions' subjects and actors, with links to the subjects. */
export interface ActionNames {
  /** Objects that still exist, by ID. */
  subjects: ReadonlyMap<string, { name: string; href: string }>
  /** Accounts by ID, including closed ones. */
  accounts: ReadonlyMap<string, string>
}

function describe({ action, subject }: Action, { subjects }: ActionNames): Content {
  const key = actionNames[action]
  const known = subjects.get(subject)
  const shown = known ? html`<a href="${known.href}">${known.name}</a>` : html`<code>${subject}</code>`
  return key === undefined ? [action, ' ', shown] : rich(key, { subject: shown })
}

/** Renders actions, each with the person who performed it and a link to the activity of that person or key. */
export function actionsTable(page: PageContext, actions: readonly Action[], names: ActionNames): Html {
  const person = ({ account_id, key_name, member_id, member_name }: Action) => {
    const name = member_name ?? names.accounts.get(account_id) ?? account_id
    const who = member_id ?? `${account_id}/${key_name}`
    return page.has('/desk/activity') && page.may('GET', '/desk/activity')
      ? html`<a href="/desk/activity?who=${encodeURIComponent(who)}">${name}</a>`
      : name
  }
  return dataTable(t('desk.activity'), { rows: actions }, (action) => ({
    [t('shared.when')]: moment(action.at.toISOString()),
    [t('desk.who')]: [person(action), html`<br><span class="soft small">${action.key_name}</span>`],
    [t('desk.action')]: [
      describe(action, names),
      action.note !== null && html`<br><span class="soft small">${action.note}</span>`,
    ],
  }))
}
