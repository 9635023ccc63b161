/** Shared components of the admin area. */
import { dataTable, moment } from './components.ts'
import { type Content, type Html, html } from './html.ts'
import type { PageContext } from './page.ts'

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
  const count = Math.floor(ms / unitMs)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export const kindNames = {
  candidate: 'Candidate',
  employer: 'Employer',
  integrator: 'Integrator',
  admin: 'Admin',
} as const

const actionNames: Readonly<Record<string, string>> = {
  'board.update': 'Changed the settings of',
  'board.logo': 'Changed the logo of',
  'board.remove_logo': 'Removed the logo of',
  'board_page.update': 'Published the page',
  'board_page.delete': 'Deleted the page',
  'registration.switch': 'Set registration to',
  'currency_rates.replace': 'Replaced the exchange rates with those of',
  'payment.mark_paid': 'Marked a payment as paid:',
  'account.suspend': 'Suspended',
  'account.resume': 'Resumed',
  // Actions that only earlier releases recorded.
  'account.restore': 'Resumed',
  'account.delete': 'Deleted',
  'account.end_sessions': 'Ended sessions of',
  'account.revoke_key': 'Revoked a key of',
  'block.create': 'Blocked',
  'block.delete': 'Stopped blocking',
  'email.retry': 'Retried the email',
  'email.retry_all': 'Retried failed emails:',
  'task.run': 'Ran the task',
  'job.remove': 'Removed the job',
  'job.restore': 'Restored the job',
  'report.dismiss': 'Dismissed a report:',
  'category.add': 'Added the category',
  'category.rename': 'Renamed the category',
  'category.move': 'Moved the category',
  'category.remove': 'Removed the category',
  'type.add': 'Added the type',
  'type.rename': 'Renamed the type',
  'type.move': 'Moved the type',
  'type.remove': 'Removed the type',
}

interface Action {
  at: Date
  key_name: string
  action: string
  subject: string
  note: string | null
}

const subjectPaths: Readonly<Record<string, string>> = {
  account: '/desk/accounts',
  payment: '/desk/payments',
  report: '/desk/reports',
  job: '/jobs',
}

function subjectLink(page: PageContext, { action, subject }: Action): Content {
  const path = subjectPaths[action.split('.')[0]!]
  const isLinked = path !== undefined && action !== 'account.delete' && page.has(`${path}/:id`)
  return isLinked ? html`<a href="${path}/${subject}"><code>${subject}</code></a>` : html`<code>${subject}</code>`
}

export function actionsTable(page: PageContext, actions: readonly Action[]): Html {
  return dataTable('Activity', { rows: actions }, (action) => ({
    When: moment(action.at.toISOString()),
    Action: [
      actionNames[action.action] ?? action.action,
      ' ',
      subjectLink(page, action),
      action.note !== null && html`<br><span class="soft small">${action.note}</span>`,
    ],
    'API key': action.key_name,
  }))
}
