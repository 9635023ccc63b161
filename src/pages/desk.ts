/** What the pages of the operator's desk share. */
import { tabs } from './components.ts'
import type { Html } from './html.ts'
import type { PageContext } from './page.ts'

const sections = [
  { href: '/desk', text: 'Overview' },
  { href: '/desk/reports', text: 'Reports' },
  { href: '/desk/payments', text: 'Payments' },
  { href: '/desk/accounts', text: 'Accounts' },
  { href: '/desk/queues', text: 'Queues' },
  { href: '/desk/catalogue', text: 'Catalogue' },
  { href: '/desk/settings', text: 'Settings' },
]

/** The tabs of the desk; a page below a section is in it. */
export function deskTabs(page: PageContext): Html {
  const listed = sections.filter(({ href }) => page.has(href))
  const bare = page.path.split('?', 1)[0]!
  const here = listed.findLast(({ href }) => bare === href || bare.startsWith(`${href}/`))
  return tabs({ path: here?.href ?? bare }, 'Desk', listed)
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** For how long something has been so, in its largest unit: `3 days`. */
export function ageOf(since: Date, now: Date): string {
  const ms = Math.max(0, now.getTime() - since.getTime())
  const [unit, unitMs] = units.find(([, each]) => ms >= each) ?? units[3]
  const count = Math.floor(ms / unitMs)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** What a kind of account is called. */
export const kindNames = {
  candidate: 'Candidate',
  employer: 'Employer',
  integrator: 'Integrator',
  admin: 'Operator',
} as const
