/** The jobs that an alert finds, the time when it finds them, and its email. */
import { rmSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { alertsPersonalData } from '../../src/features/job-alerts/job-alerts.personal-data.ts'
import { nextRun } from '../../src/features/job-alerts/job-alerts.service.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { type Account, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { mailsIn, newDataFolder, runAlerts } from '../support/mails.ts'
import { runTask, runTogether } from '../support/tasks.ts'

const folder = newDataFolder()
const board = useBoard({ DATA_DIR: folder })
afterAll(() => rmSync(folder, { recursive: true }))

let candidate: Account
let employer: Account
beforeEach(async () => {
  await removeJobs(board)
  await board.database.inTx(async (tx) => {
    await tx.deleteFrom('job_alert').execute()
    await tx.deleteFrom('mail').execute()
  })
  rmSync(`${folder}/mail`, { recursive: true, force: true })
  candidate = await board.candidate()
  employer = await board.employer()
  board.clock.advance(60_000)
})

const states = async () => {
  const rows = await board.database.read((db) => db.selectFrom('mail').select('state').orderBy('id').execute())
  return rows.map(({ state }) => state)
}
/** Returns the job titles that each email lists, in the order of the email. */
const titles = async () => {
  if ((await states()).every((state) => state !== 'sent')) return []
  const mails = await mailsIn(folder)
  return mails.map(({ html }) => [...html!.matchAll(/<li[^>]*><b><a[^>]*>(.*?)<\/a>/g)].map(([, title]) => title))
}
const alertOf = async (id: string) => (await board.get(`${ALERTS}/${id}`, candidate.key)).body.data
const put = (id: string, body: object) => board.put(`${ALERTS}/${id}`, candidate.key, body)
const act = (id: string, action: string) => board.post(`/v1/jobs/${id}/${action}`, employer.key)

describe('nextRun', () => {
  const at = (ms: number) => new Date(1_000_000 + ms)
  test.each([
    [0, 10],
    [9, 10],
    [10, 20],
    [25, 30],
    [1_000, 1_010],
  ])('is the next scheduled time of an alert that is %i ms late', (lateMs, expected) => {
    expect(nextRun(at(0), 10, at(lateMs))).toEqual(at(expected))
  })
})

describe.each([
  ['daily', DAY_MS],
  ['weekly', 7 * DAY_MS],
] as const)('a %s alert', (frequency, periodMs) => {
  test('finds each new job once, on schedule, and sends nothing if there are no new jobs', async () => {
    await board.activeJob(employer, { title: 'Van, before' })
    board.clock.advance(1)
    const alert = await makeAlert(board, candidate, { frequency })
    await board.activeJob(employer, { title: 'Van, first' })
    await board.activeJob(employer, { title: 'Lorry', description: 'None of those.' })
    board.clock.advance(periodMs - 1)
    await runAlerts(board)
    expect([await titles(), (await alertOf(alert.id)).last_run_at]).toEqual([[], null])
    board.clock.advance(1)
    await runAlerts(board)
    expect(await titles()).toEqual([['Van, first']])
    expect(await alertOf(alert.id)).toMatchObject({
      last_run_at: board.clock.now().toISOString(),
      next_run_at: new Date(board.clock.time + periodMs).toISOString(),
    })
    board.clock.advance(periodMs)
    await runAlerts(board)
    expect(await titles()).toEqual([['Van, first']])
    await board.activeJob(employer, { title: 'Van, second' })
    board.clock.advance(periodMs)
    await runAlerts(board)
    expect(await titles()).toEqual([['Van, first'], ['Van, second']])
  })

  test('runs once after three periods of downtime, and then on its old schedule', async () => {
    const { id, next_run_at } = await makeAlert(board, candidate, { frequency })
    await board.activeJob(employer, { title: 'Van' })
    board.clock.advance(3 * periodMs + 5_000)
    await runAlerts(board)
    expect(await titles()).toEqual([['Van']])
    expect((await alertOf(id)).next_run_at).toBe(new Date(Date.parse(next_run_at) + 3 * periodMs).toISOString())
  })
})

describe("an alert's new jobs", () => {
  test('exclude jobs posted before the criteria changed', async () => {
    const { id } = await makeAlert(board, candidate)
    await board.activeJob(employer, { title: 'Lorry' })
    board.clock.advance(1_000)
    await put(id, { criteria: { search: 'lorry' } })
    await board.activeJob(employer, { title: 'Lorry, new' })
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    expect(await titles()).toEqual([['Lorry, new']])
  })

  test('exclude jobs posted while the alert was inactive, for daily and instant alerts', async () => {
    const daily = await makeAlert(board, candidate)
    const instant = await makeAlert(board, candidate, { frequency: 'instant' })
    for (const { id } of [daily, instant]) await put(id, { is_active: false })
    await board.activeJob(employer, { title: 'Van' })
    await runAlerts(board)
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    for (const { id } of [daily, instant]) await put(id, { is_active: true })
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    expect(await states()).toEqual([])
  })

  test('include a reopened job, but only once', async () => {
    const { id } = await board.activeJob(employer, { title: 'Van' })
    await act(id, 'close')
    board.clock.advance(1_000)
    await makeAlert(board, candidate)
    await makeAlert(board, candidate, { frequency: 'instant' })
    await runAlerts(board)
    expect(await states()).toEqual([])
    await act(id, 'reopen')
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    expect(await titles()).toEqual([['Van'], ['Van']])
    await act(id, 'close')
    await act(id, 'reopen')
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    expect(await states()).toEqual(['sent', 'sent'])
  })

  test('include imported jobs, but not inactive jobs', async () => {
    await makeAlert(board, candidate, { frequency: 'instant', criteria: {} })
    await insertJobs(board, [{ title: 'Van' }, { title: 'Lorry' }])
    await board.job(employer)
    await runAlerts(board)
    expect((await titles()).map((listed) => listed.sort())).toEqual([['Lorry', 'Van']])
    const rows = await board.database.read((db) => db.selectFrom('newly_visible_job').selectAll().execute())
    expect(rows).toEqual([])
  })

  test('include jobs that were changed to match the criteria, for a daily alert', async () => {
    await makeAlert(board, candidate)
    const { id } = await board.activeJob(employer, { title: 'Lorry', description: 'Other.' })
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    await board.put(`/v1/jobs/${id}`, employer.key, { title: 'Van' })
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    expect(await titles()).toEqual([['Van']])
  })
})

test('a due alert that fails does not block others', async () => {
  const broken = await makeAlert(board, candidate)
  board.clock.advance(1_000)
  await makeAlert(board, candidate)
  await board.activeJob(employer, { title: 'Van' })
  await board.database.inTx((tx) => sql`update job_alert set criteria = 'null' where id = ${broken.id}`.execute(tx))
  board.clock.advance(DAY_MS)
  await expect(runTask(board, 'job-alerts-due')).rejects.toThrow(TypeError)
  await runAlerts(board)
  expect(await titles()).toEqual([['Van']])
  const rows = await board.database.read((db) =>
    db.selectFrom('job_alert').select(['last_run_at', 'next_run_at']).where('id', '=', broken.id).execute(),
  )
  const next_run_at = new Date(Date.parse(broken.next_run_at) + DAY_MS)
  expect(rows).toEqual([{ last_run_at: null, next_run_at }])
})

// Deletion locks the account before its alerts. PGlite has one session, so no transaction can wait for another.
describe.runIf(isOnPostgres)('while an account is being deleted', () => {
  test.each([
    ['daily', 'job-alerts-due'],
    ['instant', 'job-alerts-instant'],
  ])('a %s alert of the account is not locked before the account itself', async (frequency, task) => {
    const { id } = await makeAlert(board, candidate, { frequency })
    board.clock.advance(DAY_MS)
    await board.activeJob(employer, { title: 'Van' })
    const held = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const deleting = board.database.inTx(async (tx) => {
      await tx.selectFrom('account').select('id').where('id', '=', candidate.id).forUpdate().execute()
      held.resolve()
      await go.promise
      await tx.selectFrom('job_alert').select('id').where('id', '=', id).forUpdate().noWait().executeTakeFirstOrThrow()
    })
    await held.promise
    const working = runTask(board, task)
    // The instant task waits for the account; the daily task skips the alert until later.
    await Promise.race([working, untilSomebodyWaits()])
    go.resolve()
    await Promise.all([deleting, working])
    await runAlerts(board)
    expect(await titles()).toEqual([['Van']])
  })

  async function untilSomebodyWaits(): Promise<void> {
    for (;;) {
      const { rows } = await board.database.read((db) =>
        sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(db),
      )
      if (rows.length > 0) return
    }
  }
})

describe('an instant alert', () => {
  test('combines all jobs that match until its email is sent', async () => {
    const { id } = await makeAlert(board, candidate, { frequency: 'instant' })
    await board.activeJob(employer, { title: 'Van 1' })
    await board.activeJob(employer, { title: 'Van 2' })
    await runTask(board, 'job-alerts-instant')
    board.clock.advance(1_000)
    await board.activeJob(employer, { title: 'Van 3' })
    await runAlerts(board)
    expect(await titles()).toEqual([['Van 3', 'Van 2', 'Van 1']])
    expect((await alertOf(id)).last_run_at).toBe(board.clock.now().toISOString())
    await board.activeJob(employer, { title: 'Van 4' })
    await runAlerts(board)
    expect(await titles()).toEqual([['Van 3', 'Van 2', 'Van 1'], ['Van 4']])
  })

  test('ignores a job that was closed before the task ran', async () => {
    await makeAlert(board, candidate, { frequency: 'instant' })
    const { id } = await board.activeJob(employer, { title: 'Van' })
    await act(id, 'close')
    await runAlerts(board)
    expect(await states()).toEqual([])
  })

  test('matches each job once, even in four concurrent runs', async () => {
    for (let n = 0; n < 5; n++) await makeAlert(board, candidate, { frequency: 'instant', criteria: {} })
    await insertJobs(
      board,
      Array.from({ length: 45 }, (_, n) => ({ title: `Van ${n}` })),
    )
    const task = board.service.tasks.find(({ name }) => name === 'job-alerts-instant')!
    await runTogether([task, task, task, task])
    const matches = await board.database.read((db) => db.selectFrom('job_alert_match').selectAll().execute())
    expect(matches.length).toBe(5 * 45)
    await runAlerts(board)
    expect((await titles()).flat().length).toBe(5 * 45)
  })
})

describe('the email', () => {
  test.each(['closed', 'deleted', 'expired'])('omits a job that is %s when the email is sent', async (how) => {
    await makeAlert(board, candidate)
    const expires_at = new Date(board.clock.time + DAY_MS + 1).toISOString()
    const { id } = await board.activeJob(employer, { title: 'Van, gone', expires_at })
    await board.activeJob(employer, { title: 'Van, here' })
    board.clock.advance(DAY_MS)
    await runTask(board, 'job-alerts-due')
    if (how === 'closed') await act(id, 'close')
    else if (how === 'deleted') await board.delete(`/v1/jobs/${id}`, employer.key)
    else board.clock.advance(1)
    await runTask(board, 'mail')
    expect(await titles()).toEqual([['Van, here']])
  })

  test('is dropped if no job is left', async () => {
    await makeAlert(board, candidate)
    const { id } = await board.activeJob(employer, { title: 'Van' })
    board.clock.advance(DAY_MS)
    await runTask(board, 'job-alerts-due')
    await act(id, 'close')
    await runTask(board, 'mail')
    expect(await states()).toEqual(['dropped'])
  })

  test.each(['switched off', 'deleted'])('is dropped if the alert was %s', async (how) => {
    const { id } = await makeAlert(board, candidate, { frequency: 'instant' })
    await board.activeJob(employer, { title: 'Van' })
    await runTask(board, 'job-alerts-instant')
    if (how === 'deleted') await board.delete(`${ALERTS}/${id}`, candidate.key)
    else await put(id, { is_active: false })
    await runTask(board, 'mail')
    expect(await states()).toEqual(['dropped'])
  })

  test('lists fifty jobs and states how many more match', async () => {
    const { id } = await makeAlert(board, candidate, { frequency: 'daily', criteria: {} })
    await insertJobs(
      board,
      Array.from({ length: 53 }, (_, n) => ({ title: `Van ${n}` })),
    )
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    const [mail] = await mailsIn(folder)
    expect((await titles())[0]!.length).toBe(50)
    expect(mail!.subject).toBe('53 new jobs for “Vans”')
    expect(mail!.text).toContain('This email lists the latest 50 jobs. More matching jobs on the board: 3.')
    expect(mail!.text).toContain(`https://board.example/me/alerts/${id}`)
    board.clock.advance(DAY_MS)
    await runAlerts(board)
    expect(await states()).toEqual(['sent'])
  })
})

describe('personal data', () => {
  test('is exported and erased, and pending emails are not sent', async () => {
    const other = await board.candidate()
    const alert = await makeAlert(board, candidate, { frequency: 'instant' })
    await makeAlert(board, other, { frequency: 'instant' })
    const { id } = await board.activeJob(employer, { title: 'Van' })
    await runTask(board, 'job-alerts-instant')
    const held = await board.database.read((db) => alertsPersonalData.export(db, candidate.id))
    expect(held).toEqual([
      { ...(await alertOf(alert.id)), matches: [{ job_id: id, matched_at: board.clock.now().toISOString() }] },
    ])
    await board.database.inTx((tx) => alertsPersonalData.erase(tx, candidate.id, board.clock.now()))
    expect(await board.database.read((db) => alertsPersonalData.export(db, candidate.id))).toEqual([])
    await runTask(board, 'mail')
    expect((await states()).sort()).toEqual(['dropped', 'sent'])
  })
})
