import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

/** Returns whether `who` is the ID of a staff member. Account IDs have different prefixes. */
export const isMemberId = (who: string): boolean => who.startsWith('mem_')

/** Splits `who` into the account ID and, if a slash follows it, the name of an API key. */
export function splitWho(who: string): { accountId: string; keyName: string | undefined } {
  const [accountId = '', keyName] = who.split(/\/(.*)/s, 2)
  return { accountId, keyName }
}

export const activityList = {
  name: 'desk-activity',
  filters: {
    who: parameter.text(
      'ID of a staff member or an account. A slash and the name of an API key may follow the ID of an account.',
      { suffixes: [] },
    ),
    action: parameter.text('Name of the action, such as account.suspend.', { suffixes: [] }),
    since: parameter.time('The first day, in UTC.', { suffixes: [] }),
    until: parameter.time('The last day, in UTC.', { suffixes: [] }),
  },
  sorts: { at: {} },
  defaultSort: [{ field: 'at', direction: 'desc' }],
} as const satisfies ListDeclaration
