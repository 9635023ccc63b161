import type { Reader, Reads } from '../../db/database.ts'
import { findAppliedAt } from '../../db/migrate.ts'
import type { OperatorActionTable } from '../../db/schema.ts'
import { csvOf } from '../../lists/csv.ts'
import { findAccountNames } from '../accounts/index.ts'
import type { DeskSubjects } from '../feature.ts'
import {
  type ActivityQuery,
  findOldestAction,
  listActivity,
  listPeople,
  listPerformers,
} from './staff-activity.queries.ts'

/** The release with this migration was the first to record changes to jobs, applications, products and API keys. */
const MORE_RECORDED = '0054_admin_area.sql'
const PERFORMERS_MAX = 200

/** The actors in the activity log, and the period and the kinds of actions that the log covers. */
export interface Log {
  /** Ordered by account. */
  performers: readonly { account_id: string; key_name: string }[]
  /** Staff members. */
  people: readonly { member_id: string; member_name: string }[]
  /** Names of the accounts by ID. */
  accounts: ReadonlyMap<string, string>
  /** Time of the oldest action. */
  oldest: Date | null
  /** When the migration `MORE_RECORDED` was applied. Since then, the log contains more kinds of actions. */
  moreSince: Date | undefined
  /** Number of days for which the log keeps actions. Undefined means no limit. */
  days: number | undefined
}

export async function readLog(reader: Reader, days: number | undefined): Promise<Log> {
  const performers = await listPerformers(reader, PERFORMERS_MAX)
  return {
    performers,
    people: await listPeople(reader, PERFORMERS_MAX),
    accounts: await findAccountNames(reader, [...new Set(performers.map(({ account_id }) => account_id))]),
    oldest: await findOldestAction(reader),
    moreSince: await findAppliedAt(reader, MORE_RECORDED),
    days,
  }
}

/** Returns the names of the accounts that performed these actions, and of the actions' objects that still exist. */
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

type NamedAction = OperatorActionTable & { who: string; subjectName: string | null }

const columns: Readonly<Record<string, (action: NamedAction) => string | null>> = {
  at: ({ at }) => at.toISOString(),
  who: ({ who }) => who,
  member_id: ({ member_id }) => member_id,
  account_id: ({ account_id }) => account_id,
  key_name: ({ key_name }) => key_name,
  action: ({ action }) => action,
  subject: ({ subject }) => subject,
  subject_name: ({ subjectName }) => subjectName,
  note: ({ note }) => note,
}

/** Yields all actions that match the query as CSV lines. */
export const exportActivity = (
  reads: Pick<Reads, 'read'>,
  query: ActivityQuery,
  kinds: readonly DeskSubjects[],
): AsyncGenerator<string> =>
  csvOf({
    columns,
    query,
    read: (page) =>
      reads.read(async (db) => {
        const { rows, nextCursor } = await listActivity(db, page)
        const { subjects, accounts } = await nameActions(db, kinds, rows)
        const named = rows.map((row) => ({
          ...row,
          who: row.member_name ?? accounts.get(row.account_id) ?? row.account_id,
          subjectName: subjects.get(row.subject)?.name ?? null,
        }))
        return { rows: named, nextCursor }
      }),
  })
