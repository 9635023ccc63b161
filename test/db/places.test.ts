/**
 * Geocoded points are stored with the locations of jobs and candidates, and areas with the locations of jobs. Tasks add
 * both to the rows of an earlier release.
 */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { seedDemo } from '../../src/commands/seed-demo.ts'
import { makeAlert } from '../support/alerts.ts'
import { type Account, ORIGIN, useBoard } from '../support/board.ts'
import { candidateWith } from '../support/candidates.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { runTogether, taskOf } from '../support/tasks.ts'

const board = useBoard()
let reader: Account
beforeEach(async () => {
  await removeJobs(board)
  reader ??= await board.employer()
})

const placesIn = (table: 'job' | 'candidate') =>
  board.database.read(async (db) => {
    const { rows } = await sql<{ location: string | null; places: number[] | null }>`
      select location, places from ${sql.table(table)} order by id`.execute(db)
    return rows
  })
/** Removes the geocoded points and areas, which an earlier release did not store. */
const forget = (table: 'job' | 'candidate') =>
  board.database.inTx((tx) =>
    sql`update ${sql.table(table)} set places = null ${table === 'job' ? sql`, areas = null` : sql``}`.execute(tx),
  )
const found = async (query: string) =>
  (await board.get(`/v1/jobs?${query}`, reader.key)).body.data.map((job: { title: string }) => job.title)

test('every location is stored with its geocoded points', async () => {
  const employer = await board.employer()
  await board.job(employer, { location: 'Oslo / Bergen, Norway' })
  await insertJobs(board, [{ location: 'Remote' }])
  expect((await placesIn('job')).map(({ places }) => places)).toEqual([[59.9127, 10.7461, 60.393, 5.3242], []])
  await board.candidate()
  await candidateWith(board, { location: 'Turin' })
  const candidates = await placesIn('candidate')
  expect(candidates.map(({ places }) => places)).toEqual([[], [45.0705, 7.6868]])
})

test('every location on the demo board that is not remote has geocoded points', async () => {
  await seedDemo(board.database, { origin: ORIGIN, defaultCurrency: 'USD' }, board.clock)
  for (const table of ['job', 'candidate'] as const) {
    const rows = await placesIn(table)
    expect(rows.filter(({ places }) => places === null)).toEqual([])
    // Without geocoded points, a radius search on the demo board would find nothing.
    const nowhere = rows.filter(({ location, places }) => location !== null && places!.length === 0)
    expect(nowhere.filter(({ location }) => !location!.startsWith('Remote'))).toEqual([])
  }
})

test('jobs of an earlier release match no radius search until the task has geocoded them', async () => {
  await insertJobs(board, [
    { title: 'Oslo', location: 'Oslo' },
    { title: 'Remote', location: 'Remote' },
  ])
  await forget('job')
  const around = 'location=Oslo&distance=10'
  expect(await found(around)).toEqual([])
  const before = await board.database.read((db) => db.selectFrom('job').select('updated_at').execute())
  expect(await taskOf(board, 'job-places').once()).toBe('done')
  expect(await found(around)).toEqual(['Oslo'])
  expect((await placesIn('job')).map(({ places }) => places)).toEqual([[59.9127, 10.7461], []])
  // Geocoding does not count as a job change.
  expect(await board.database.read((db) => db.selectFrom('job').select('updated_at').execute())).toEqual(before)
  expect(await board.events('job.updated')).toEqual([])
})

test('every location of a job is stored with its areas', async () => {
  const employer = await board.employer()
  const { id } = await board.job(employer, { location: 'Oslo / Bergen, Norway' })
  const others = { location: 'Remote', locations: ['Oslo', 'Bayern (remote)', 'Oslo, Norway'] }
  await insertJobs(board, [{ location: 'Remote' }, others])
  const areas = async () => {
    const rows = await board.database.read((db) => db.selectFrom('job').select('areas').orderBy('id').execute())
    return rows.map((row) => row.areas)
  }
  const several = ['NO', 'NO.12', '59.9127,10.7461', 'DE', 'DE.02']
  expect(await areas()).toEqual([['NO', 'NO.12', '59.9127,10.7461', 'NO.46', '60.393,5.3242'], [], several])
  expect((await board.put(`/v1/jobs/${id}`, employer.key, { location: 'Turin' })).status).toBe(200)
  expect((await areas())[0]).toEqual(['IT', 'IT.12', '45.0705,7.6868'])
  // The task also determines the areas of every location.
  await board.database.inTx((tx) => sql`update job set areas = null`.execute(tx))
  expect(await taskOf(board, 'job-places').once()).toBe('done')
  expect((await areas()).at(-1)).toEqual(several)
  expect((await placesIn('job')).at(-1)!.places).toEqual([59.9127, 10.7461])
})

test('jobs of an earlier release match areas and instant alerts only after the task has determined the areas', async () => {
  const candidate = await board.candidate()
  await makeAlert(board, candidate, { criteria: { location: 'Norway' }, frequency: 'instant' })
  await insertJobs(board, [{ title: 'Oslo', location: 'Oslo' }])
  await board.database.inTx((tx) => sql`update job set areas = null`.execute(tx))
  const matches = () => board.database.read((db) => db.selectFrom('job_alert_match').select('job_id').execute())
  await runTogether([taskOf(board, 'job-alerts-instant')])
  expect([await found('location=norge'), await matches()]).toEqual([[], []])
  await runTogether([taskOf(board, 'job-places')])
  await runTogether([taskOf(board, 'job-alerts-instant')])
  expect([await found('location=norge'), (await matches()).length]).toEqual([['Oslo'], 1])
})

test("the task adds areas to the anchors of an earlier release's alerts", async () => {
  const candidate = await board.candidate()
  const { id } = await makeAlert(board, candidate, { criteria: { location: 'Sweden' }, frequency: 'instant' })
  const read = () =>
    board.database.read((db) =>
      db.selectFrom('job_alert').select(['anchors', 'anchors_version']).where('id', '=', id).executeTakeFirst(),
    )
  const present = await read()
  expect(present).toEqual({ anchors: ['in sweden', 'area SE'], anchors_version: 3 })
  await board.database.inTx((tx) => sql`update job_alert set anchors = '{in sweden}', anchors_version = 1`.execute(tx))
  expect(await taskOf(board, 'job-alerts-anchors').once()).toBe('done')
  expect(await read()).toEqual(present)
})

test('many jobs are geocoded in batches, even by two simultaneous runs of the task', async () => {
  await insertJobs(
    board,
    Array.from({ length: 450 }, (_, i) => ({ location: i % 2 === 0 ? 'Oslo' : 'Bergen, Norway' })),
  )
  await forget('job')
  const task = taskOf(board, 'job-places')
  // A pause follows, because every process reloads these jobs.
  expect([await task.once(), task.soonMs]).toEqual(['some', 500])
  expect((await placesIn('job')).filter(({ places }) => places === null)).toHaveLength(250)
  await runTogether([task, task])
  await runTogether([task])
  for (const { location, places } of await placesIn('job'))
    expect(places![0]).toBe(location === 'Oslo' ? 59.9127 : 60.393)
})

test('candidates of an earlier release are geocoded as well, and candidates without a location also get a list of points', async () => {
  await candidateWith(board, { location: 'Turin' })
  await board.candidate()
  await forget('candidate')
  expect(await taskOf(board, 'candidate-places').once()).toBe('done')
  const rows = await placesIn('candidate')
  expect(rows.every(({ places }) => places !== null)).toBe(true)
  expect(rows.filter(({ location }) => location === 'Turin').every(({ places }) => places!.length === 2)).toBe(true)
})
