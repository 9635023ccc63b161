import type { Reader } from '../../db/database.ts'
import { findAppliedAt } from '../../db/migrate.ts'
import type { OperatorActionTable } from '../../db/schema.ts'
import { findAccountNames } from '../accounts/index.ts'
import type { DeskSubjects } from '../feature.ts'
import { findOldestAction, listPerformers } from './staff-activity.queries.ts'

/** The release with this migration began to record changes of jobs, applications, products and API keys. */
const MORE_RECORDED = '0054_admin_area.sql'
const PERFORMERS_MAX = 200

/** The actors in the log of actions, and the period and kinds that it covers. */
export interface Log {
  /** Ordered by account. */
  performers: readonly { account_id: string; key_name: string }[]
  /** Names of the accounts by ID. */
  accounts: ReadonlyMap<string, string>
  /** Time of the oldest action. */
  oldest: Date | null
  /** Time from which the log also contains the kinds of actions added by the migration above. */
  moreSince: Date | undefined
  /** How long the log keeps actions. Undefined: forever. */
  days: number | undefined
}

export async function readLog(reader: Reader, days: number | undefined): Promise<Log> {
  const performers = await listPerformers(reader, PERFORMERS_MAX)
  return {
    performers,
    accounts: await findAccountNames(reader, [...new Set(performers.map(({ account_id }) => account_id))]),
    oldest: await findOldestAction(reader),
    moreSince: await findAppliedAt(reader, MORE_RECORDED),
    days,
  }
}

/** Returns the names of the accounts that performed these actions, and of the objects that still exist. */
export async function nameActions(
  reader: Reader,
  kinds: readonly DeskSubjects[],
  actions: readonly OperatorActionTable[],
) {
  const subjects = new Map<string, { name: string; href: string }>()
  for (const { kind, page, name } of kinds) {
    const ids = actions.filter(({ action }) => action.startsWith(`${kind}.`)).map(({ subject }) => subject)
    if (ids.length === 0) continue
    for (const [id, text] of await name(reader, [...new Set(ids)])) {
      subjects.set(id, { name: text, href: `${page.slice(0, page.lastIndexOf('/'))}/${id}` })
    }
  }
  const accounts = await findAccountNames(reader, [...new Set(actions.map(({ account_id }) => account_id))])
  return { subjects, accounts }
}
