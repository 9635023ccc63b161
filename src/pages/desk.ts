/** Shared components of the admin area. */
import type { AccountKind } from '../lib/api-keys.ts'
import { isMessageKey, type MessageKey, t } from '../locale/messages.ts'
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

export const nameOfKind = (kind: AccountKind): string => t(`desk.kind_${kind}`)

/** The actions of operators, by subject. `account.suspend` is named by the message `desk.action_account_suspend`. */
const actionVerbs = {
  board: ['update', 'logo', 'remove_logo'],
  board_page: ['update', 'delete'],
  registration: ['switch'],
  currency_rates: ['replace'],
  payment: ['confirm', 'mark_paid'],
  product: ['update'],
  account: ['suspend', 'unverify', 'resume', 'delete', 'end_sessions', 'remove_passkeys', 'revoke_key'],
  block: ['create', 'delete'],
  email: ['retry', 'retry_all'],
  task: ['run'],
  application: ['update'],
  job: ['activate', 'close', 'delete', 'different', 'remove', 'reopen', 'restore', 'same', 'undecided', 'update'],
  feed: ['create', 'update', 'delete', 'approve', 'discard'],
  key: ['create', 'delete'],
  member: ['invite', 'update', 'remove'],
  report: ['dismiss'],
  category: ['add', 'rename', 'move', 'remove'],
  type: ['add', 'rename', 'move', 'remove'],
}

/** Every action, except those that only earlier releases recorded. */
export const actionKinds = Object.entries(actionVerbs).flatMap(([subject, verbs]) =>
  verbs.map((verb) => `${subject}.${verb}`),
)

/** Returns the key of an action's description, or undefined if the action is unknown. */
function keyOfAction(action: string): MessageKey | undefined {
  // Only earlier releases recorded this action.
  if (action === 'account.restore') return 'desk.action_account_resume'
  const key = `desk.action_${action.replace('.', '_')}`
  return isMessageKey(key) ? key : undefined
}

/** Returns the description of an action with `…` in place of the subject, such as `Suspended …`. */
export function nameOfAction(action: string): string {
  const key = keyOfAction(action)
  return key === undefined ? action : t(key, { subject: '…' })
}

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
  const key = keyOfAction(action)
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
