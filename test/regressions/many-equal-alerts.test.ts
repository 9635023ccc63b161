/**
 * Too many alerts with the same criteria became arguments of one call, which overflowed the stack and ended the task.
 */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { runTask } from '../support/tasks.ts'

const ALERTS = 150_000
const board = useBoard()

// The bug is independent of the database, and the embedded database takes a minute for this many rows.
test.runIf(isOnPostgres)(
  'a job matches 150,000 alerts with the same criteria',
  async () => {
    const candidate = await board.candidate()
    await board.database.inTx((tx) =>
      sql`
      insert into job_alert (id, candidate_id, name, name_sort, criteria, anchors, frequency, watches_from, created_at, updated_at)
      select 'alert_' || n, ${candidate.id}, 'All', 'all', '{}', '{*}', 'instant', ${board.clock.now()}, now(), now()
      from generate_series(1, ${sql.lit(ALERTS)}) as n`.execute(tx),
    )
    await board.activeJob(await board.employer())
    await runTask(board, 'job-alerts-instant')
    const { rows } = await board.database.read((db) =>
      sql`select count(*) as matches, count(distinct mail_id) as mails from job_alert_match`.execute(db),
    )
    expect(rows).toEqual([{ matches: ALERTS, mails: ALERTS }])
  },
  180_000,
)
