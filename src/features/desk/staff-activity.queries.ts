import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import type { OperatorActionTable } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { type activityList, isMemberId, splitWho } from './staff-activity.schemas.ts'

export type ActivityQuery = QueryOf<typeof activityList>

export function listActivity(reader: Reader, query: ActivityQuery): Promise<Page<OperatorActionTable>> {
  return listPage(reader, query, {
    table: 'operator_action',
    filters: {
      who: (_operator, value) => {
        if (isMemberId(String(value))) return sql`member_id = ${value}`
        const { accountId, keyName } = splitWho(String(value))
        return keyName === undefined
          ? sql`account_id = ${accountId}`
          : sql`(account_id = ${accountId} and key_name = ${keyName})`
      },
      action: comparing('action'),
      since: (_operator, value) => sql`at >= ${value as Date}`,
      until: (_operator, value) => sql`at < ${new Date((value as Date).getTime() + DAY_MS)}`,
    },
    sorts: { at: sortKey.time('at') },
  })
}

/** Returns the pairs of account and key name that performed actions. Reads one index entry per pair. */
export function listPerformers(reader: Reader, limit: number) {
  return statement<{ account_id: string; key_name: string }>`
    with recursive performer as (
      (select account_id, key_name from operator_action order by account_id, key_name limit 1)
      union all
      select further.account_id, further.key_name from performer cross join lateral (
        select account_id, key_name from operator_action
        where (account_id, key_name) > (performer.account_id, performer.key_name)
        order by account_id, key_name limit 1) as further)
    select account_id, key_name from performer limit ${limit}`.all(reader)
}

/** Returns the staff members who performed actions, with their newest recorded names. */
export function listPeople(reader: Reader, limit: number) {
  return statement<{ member_id: string; member_name: string }>`
    with recursive person as (
      (select member_id, member_name from operator_action
        where member_id is not null order by member_id, at desc, id desc limit 1)
      union all
      select further.member_id, further.member_name from person cross join lateral (
        select member_id, member_name from operator_action
        where member_id > person.member_id order by member_id, at desc, id desc limit 1) as further)
    select member_id, member_name from person limit ${limit}`.all(reader)
}

/** Returns the time of the oldest recorded action, or null. */
export async function findOldestAction(reader: Reader): Promise<Date | null> {
  const at = await statement<{ at: Date }>`select at from operator_action order by at, id limit 1`.firstValue(reader)
  return at ?? null
}
