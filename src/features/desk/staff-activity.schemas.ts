import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

/** Prefix of the IDs of staff members, which account IDs do not have. */
export const isMemberId = (who: string): boolean => who.startsWith('mem_')

/** Splits `who`: an account ID and, after a slash, optionally the name of an API key. */
export function splitWho(who: string): { accountId: string; keyName: string | undefined } {
  const [accountId = '', keyName] = who.split(/\/(.*)/s, 2)
  return { accountId, keyName }
}

export const activityList = {
  name: 'desk-activity',
  filters: {
    who: parameter.text(
      'The ID of a staff member, or an account ID and, after a slash, optionally the name of an API key.',
      { suffixes: [] },
    ),
    action: parameter.text('The action.', { suffixes: [] }),
    since: parameter.time('The first day, in UTC.', { suffixes: [] }),
    until: parameter.time('The last day, in UTC.', { suffixes: [] }),
  },
  sorts: { at: {} },
  defaultSort: [{ field: 'at', direction: 'desc' }],
} as const satisfies ListDeclaration
