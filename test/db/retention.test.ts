/** Data that the operator keeps for a limited time is deleted completely, and data that is still needed is kept. */
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { importJobs } from '../../src/features/jobs/index.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { applicationCount, apply, setStatus, world } from '../support/applications.ts'
import { type Account, ADMIN_KEY, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { report, uphold } from '../support/reports.ts'
import { RESUME } from '../support/resumes.ts'
import { runTask } from '../support/tasks.ts'

const folder = join(tmpdir(), `retention-${randomUUID()}`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const board = useBoard({
  DATA_DIR: folder,
  RETENTION_APPLICATIONS_DAYS: '90',
  RETENTION_CLOSED_JOBS_DAYS: '60',
  RETENTION_VIEWS_DAYS: '400',
  RETENTION_REPORTS_DAYS: '30',
  RETENTION_ACTIVITY_DAYS: '365',
})

const countOf = async (table: string) => {
  const { rows } = await board.database.read((db) =>
    sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(db),
  )
  return rows[0]!.count
}
const run = (what: string) => runTask(board, `retention-${what}`)

describe('applications', () => {
  test('are deleted with their history, and no longer counted, once their last change is old enough', async () => {
    const { employer, candidate, job, application } = await world(board, { job: { expires_at: '2026-12-31' } })
    board.clock.advance(60 * DAY_MS)
    const other = await apply(board, await board.candidate(), job.id)
    await setStatus(board, employer, other.id, 'reviewed')
    board.clock.advance(30 * DAY_MS)
    await run('applications')
    expect(await applicationCount(board, employer, job.id)).toBe(2)
    board.clock.advance(1)
    await run('applications')
    expect(await applicationCount(board, employer, job.id)).toBe(1)
    const path = `/v1/candidates/applications/${application.id}`
    expect((await board.get(path, candidate.key)).status).toBe(404)
    const { data } = (await board.get('/v1/employers/applications', employer.key)).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual([other.id])
    const { rows } = await board.database.read((db) =>
      sql`select from application_status_change where application_id = ${application.id}`.execute(db),
    )
    expect(rows).toEqual([])
  })

  test('are deleted together with resumes that their candidate had deleted earlier, and other resumes stay', async () => {
    const candidate = await board.candidate()
    const upload = async () => {
      const body = { filename: 'cv.pdf', content_base64: pdf('Engineer').toString('base64') }
      return expectStatus(await board.post(RESUME, candidate.key, body), 201).body.data.id as string
    }
    const [deleted, kept] = [await upload(), await upload()]
    for (const resume_id of [deleted, kept]) await world(board, { candidate, body: { resume_id } })
    expectStatus(await board.delete(`${RESUME}/${deleted}`, candidate.key), 204)
    board.clock.advance(91 * DAY_MS)
    await run('applications')
    const { rows } = await board.database.read((db) =>
      sql<{ id: string }>`
        select resume.id from resume join resume_content on resume_id = resume.id
        where candidate_id = ${candidate.id}`.execute(db),
    )
    expect(rows).toEqual([{ id: kept }])
  })
})

describe('jobs', () => {
  const archived = () =>
    globSync('archive/*', { cwd: folder }).flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
  const isThere = async (id: string) => (await board.get(`/v1/jobs/${id}`, ADMIN_KEY)).status === 200
  const end = async (employer: Account) => {
    const { id } = await board.activeJob(employer, { contact_email: 'jobs@berg.example' })
    board.clock.advance(31 * DAY_MS)
    await runTask(board, 'job-expiry')
    return id as string
  }

  test('are exported to a file that can be imported again, and deleted 60 days after their end, but their payments stay', async () => {
    const employer = await board.employer()
    const id = await end(employer)
    board.clock.advance(58 * DAY_MS)
    await run('closed-jobs')
    expect(await isThere(id)).toBe(true)
    board.clock.advance(3 * DAY_MS)
    await run('closed-jobs')
    expect(await isThere(id)).toBe(false)
    const lines = archived().filter((job) => job.id === id)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      title: 'Battery engineer',
      contact_email: 'jobs@berg.example',
      archived: { state: 'active', employer_id: employer.id },
    })
    const now = board.clock.now()
    await board.database.inTx((tx) =>
      importJobs(
        tx,
        { origin: ORIGIN, defaultCurrency: 'USD' },
        [{ job: lines[0], employer: { id: employer.id, name: lines[0].company } }],
        {
          isActive: false,
          now,
        },
      ),
    )
    const own = (await board.get('/v1/employers/jobs', employer.key)).body.data
    expect(own.map((job: { title: string }) => job.title)).toEqual(['Battery engineer'])
    const { data } = (await board.get('/v1/employers/payments', employer.key)).body
    expect(data.map((payment: { job_id: string; status: string }) => [payment.job_id, payment.status])).toEqual([
      [id, 'paid'],
    ])
  })

  test('are exported exactly once, even if the process dies between writing the file and deleting the jobs', async () => {
    const id = await end(await board.employer())
    board.clock.advance(61 * DAY_MS)
    const { inTx } = board.database
    board.database.inTx = async () => {
      throw new Error('Killed')
    }
    await expect(run('closed-jobs')).rejects.toThrow('Killed')
    board.database.inTx = inTx
    expect(await isThere(id)).toBe(true)
    await run('closed-jobs')
    expect(await isThere(id)).toBe(false)
    expect(archived().filter((job) => job.id === id)).toHaveLength(1)
  })

  test('are kept while they have applications or reports, are active or drafts, or changed recently', async () => {
    const employer = await board.employer()
    const draft = await board.job(employer)
    const { job: applied } = await world(board, { employer })
    const reported = (await report(board)).job_id
    const changed = await end(employer)
    board.clock.advance(61 * DAY_MS)
    await runTask(board, 'job-expiry')
    expectStatus(await board.put(`/v1/jobs/${changed}`, employer.key, { title: 'Other' }), 200)
    const active = await board.activeJob(employer)
    await run('closed-jobs')
    for (const id of [draft.id, applied.id, reported, changed, active.id]) expect(await isThere(id)).toBe(true)
    board.clock.advance(30 * DAY_MS)
    await run('applications')
    await run('closed-jobs')
    expect(await isThere(applied.id)).toBe(false)
    expect(await isThere(reported)).toBe(true)
  })

  test('are also exported and removed if their employer deleted them', async () => {
    const employer = await board.employer()
    const { id } = await board.job(employer)
    expectStatus(await board.delete(`/v1/jobs/${id}`, employer.key), 204)
    board.clock.advance(61 * DAY_MS)
    await run('closed-jobs')
    expect(archived().filter((job) => job.id === id)).toHaveLength(1)
    const { rows } = await board.database.read((db) => sql`select from job where id = ${id}`.execute(db))
    expect(rows).toEqual([])
  })
})

test('views are deleted month by month, or day by day for months without a partition', async () => {
  const { id } = await board.activeJob(await board.employer())
  // The migration of this database put the next weeks into one partition, and no task has added any other.
  const day = 366
  const dayOf = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
  const rows = [0, day, day + 1].map((days) => ({ job_id: id as string, day: dayOf(days), views: 1 }))
  await board.database.inTx((tx) => tx.insertInto('job_view_day').values(rows).execute())
  const daysLeft = async () => {
    await run('views')
    const { rows: left } = await board.database.read((db) =>
      sql<{ day: string }>`select day from job_view_day where job_id = ${id} order by day`.execute(db),
    )
    return left.map((row) => row.day)
  }
  const then = board.clock.time
  board.clock.time = Date.now() + 401 * DAY_MS
  expect(await daysLeft()).toEqual(rows.map((row) => row.day))
  board.clock.time = Date.now() + (day + 401) * DAY_MS
  expect(await daysLeft()).toEqual([dayOf(day + 1)])
  board.clock.time = then
})

test('decided reports are deleted once they are old, and open reports stay', async () => {
  await run('reports')
  const before = await countOf('job_report')
  await uphold(board, await report(board))
  await report(board)
  board.clock.advance(31 * DAY_MS)
  await run('reports')
  expect(await countOf('job_report')).toBe(before + 1)
})

test('activity log entries are deleted once they are old', async () => {
  await uphold(board, await report(board))
  const before = await countOf('operator_action')
  expect(before).toBeGreaterThan(0)
  await run('activity')
  expect(await countOf('operator_action')).toBe(before)
  board.clock.advance(366 * DAY_MS)
  await run('activity')
  expect(await countOf('operator_action')).toBe(0)
})

describe('without retention settings', () => {
  const other = useBoard()

  test('the only retention task is retention-events', () => {
    const names = other.service.tasks.map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('retention-'))).toEqual(['retention-events'])
  })
})
