/** Drafts get search vectors from searches, a task or their activation, not when they are saved (decision 0050). */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { removeJobs } from '../support/jobs.ts'
import { visitor } from '../support/pages.ts'
import { runTogether, taskOf } from '../support/tasks.ts'

const board = useBoard()
let owner: Account
beforeEach(async () => {
  await removeJobs(board)
  owner = await board.employer()
})

const vectors = () =>
  board.database.read(async (db) => {
    const { rows } = await sql<{ title: string; search: string | null }>`
      select title, search::text from job where state <> 'deleted' order by title`.execute(db)
    return Object.fromEntries(rows.map(({ title, search }) => [title, search]))
  })
const titles = ({ body }: { body: { data: { title: string }[] } }) => body.data.map(({ title }) => title).sort()
const searchOwn = async (key: string, words: string) =>
  titles(await board.get(`/v1/employers/jobs?search=${words}&limit=100`, key))
const searchBoard = async (words: string) => titles(await board.get(`/v1/jobs?search=${words}`, owner.key))

test('without a search or the task, a draft has no search vector until its activation, which uses the latest text', async () => {
  const { id } = await board.job(owner, { title: 'Torque' })
  expect(await vectors()).toEqual({ Torque: null })
  await board.put(`/v1/jobs/${id}`, owner.key, { title: 'Clutch' })
  expect(await vectors()).toEqual({ Clutch: null })
  await board.pay(owner, id)
  await board.post(`/v1/jobs/${id}/activate`, owner.key)
  expect((await vectors()).Clutch).toContain("'clutch':1A")
  expect(await searchBoard('clutch')).toEqual(['Clutch'])
  expect(await searchBoard('torque')).toEqual([])
})

test('the search vector of an active or closed job is updated with each change', async () => {
  const { id } = await board.activeJob(owner, { title: 'Torque' })
  await board.put(`/v1/jobs/${id}`, owner.key, { title: 'Clutch' })
  expect(await searchBoard('clutch')).toEqual(['Clutch'])
  await board.post(`/v1/jobs/${id}/close`, owner.key)
  await board.put(`/v1/jobs/${id}`, owner.key, { title: 'Gearbox' })
  expect((await vectors()).Gearbox).toContain("'gearbox':1A")
  await board.post(`/v1/jobs/${id}/reopen`, owner.key)
  expect(await searchBoard('gearbox')).toEqual(['Gearbox'])
})

test("a draft's owner finds the draft immediately, even after a change, and other employers' drafts stay unindexed", async () => {
  const other = await board.employer()
  await board.job(other, { title: 'Torque of another' })
  const { id } = await board.job(owner, { title: 'Torque' })
  expect(await searchOwn(owner.key, 'torque')).toEqual(['Torque'])
  expect((await vectors())['Torque of another']).toBeNull()
  await board.put(`/v1/jobs/${id}`, owner.key, { title: 'Clutch' })
  expect(await searchOwn(owner.key, 'torque')).toEqual([])
  expect(await searchOwn(owner.key, 'clutch')).toEqual(['Clutch'])
  expect(await searchOwn(ADMIN_KEY, 'torque')).toEqual(['Torque of another'])
})

/** Creates a draft and this many copies of it. */
async function makeDrafts(more: number): Promise<void> {
  const { id } = await board.job(owner, { title: 'Torque' })
  await board.database.inTx((tx) =>
    sql`insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
        description, category, type, created_at, updated_at, posted_at)
      select id || n, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
        description, category, type, created_at, updated_at, posted_at
      from job, generate_series(1, ${more}::int) as n where id = ${id}`.execute(tx),
  )
}

test('one search indexes at most a thousand drafts, and the task indexes the remaining drafts', async () => {
  await makeDrafts(1_099)
  const total = async () =>
    (await board.get('/v1/employers/jobs?search=torque&limit=1', ADMIN_KEY)).body.meta.pagination.total
  expect(await total()).toBe(1_000)
  await runTogether([taskOf(board, 'job-words')])
  expect(await total()).toBe(1_100)
})

test.runIf(isOnPostgres)("an admin's search does not wait for changes to a draft", async () => {
  const { id } = await board.job(owner, { title: 'Torque' })
  await board.job(owner, { title: 'Torque too' })
  const other = await openDatabase({ url: board.database.url! })
  await other.inTx(async (tx) => {
    await tx.selectFrom('job').select('id').where('id', '=', id).forUpdate().execute()
    expect(await searchOwn(ADMIN_KEY, 'torque')).toEqual(['Torque too'])
  })
  await other.close()
  expect(await searchOwn(ADMIN_KEY, 'torque')).toEqual(['Torque', 'Torque too'])
})

test('simultaneous searches and task runs index every draft, and leave updated_at unchanged', async () => {
  await makeDrafts(449)
  const before = await board.database.read((db) => db.selectFrom('job').select('updated_at').execute())
  const task = taskOf(board, 'job-words')
  const search = async () => expect(await searchOwn(owner.key, 'torque')).toHaveLength(100)
  await Promise.all([runTogether([task, task]), search(), search()])
  const { body } = await board.get('/v1/employers/jobs?search=torque', owner.key)
  expect(body.meta.pagination.total).toBe(450)
  // Indexing does not count as a job change.
  expect(await board.database.read((db) => db.selectFrom('job').select('updated_at').execute())).toEqual(before)
})

test("the employer's jobs page also finds a draft immediately", async () => {
  await board.job(owner, { title: 'Torque' })
  const person = await visitor(board, owner)
  expect((await person.get('/employer/jobs?search=torque')).seen).toContain('Torque')
})

test('an instant alert matches a job without a search vector once the job is indexed', async () => {
  const candidate = await board.candidate()
  const alert = { name: 'Torque', criteria: { search: 'torque' }, frequency: 'instant' }
  const { id: alertId } = (await board.post('/v1/candidates/job-alerts', candidate.key, alert)).body.data
  const { id } = await board.activeJob(owner, { title: 'Torque' })
  await board.database.inTx((tx) => sql`update job set search = null where id = ${id}`.execute(tx))
  const matches = async () => titles(await board.get(`/v1/candidates/job-alerts/${alertId}/matches`, candidate.key))
  await runTogether([taskOf(board, 'job-alerts-instant')])
  const waiting = await board.database.read((db) => db.selectFrom('newly_visible_job').select('job_id').execute())
  expect(waiting).toEqual([{ job_id: id }])
  await runTogether([taskOf(board, 'job-words')])
  await runTogether([taskOf(board, 'job-alerts-instant')])
  expect(await board.database.read((db) => db.selectFrom('job_alert_match').select('job_id').execute())).toEqual([
    { job_id: id },
  ])
  expect(await matches()).toEqual(['Torque'])
})

test('a job that the previous release activates is found after the next task run', async () => {
  const { id } = await board.job(owner, { title: 'Torque' })
  const now = board.clock.now()
  await board.database.inTx((tx) =>
    sql`update job set state = 'active', activated_at = ${now}, first_activated_at = ${now},
      expires_at = ${new Date(now.getTime() + 1e9)} where id = ${id}`.execute(tx),
  )
  expect(await searchBoard('torque')).toEqual([])
  expect(await taskOf(board, 'job-words').once()).toBe('done')
  expect(await searchBoard('torque')).toEqual(['Torque'])
})
