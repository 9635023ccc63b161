/** Imported jobs. test/e2e/cli.test.ts tests the command itself. */
import { expect, test } from 'vitest'
import { expiryNote, type ImportedJob, importJobs } from '../../src/features/jobs/index.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { ADMIN_KEY, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { ensureImportedEmployer } from '../support/jobs.ts'

const board = useBoard({ PAYMENTS: 'free' })
const settings = { origin: ORIGIN, defaultCurrency: 'USD' }

/** Imports jobs of one company and returns all its jobs, sorted by title. */
async function importAll(jobs: Partial<ImportedJob>[], isActive = true) {
  const now = board.clock.now()
  const company = `Company ${Math.random()}`
  await board.database.inTx(async (tx) => {
    const employer = await ensureImportedEmployer(tx, { name: company }, now)
    const imports = jobs.map((job, index) => ({
      employer,
      job: { title: `Job ${index}`, company, location: 'Leipzig', ...job } as ImportedJob,
    }))
    await importJobs(tx, settings, imports, { isActive, now })
  })
  const path = `/v1/employers/jobs?sort=title&company=${encodeURIComponent(company)}`
  return expectStatus(await board.get(path, ADMIN_KEY), 200).body.data
}

const inDays = (days: number) => new Date(board.clock.time + days * DAY_MS).toISOString()

test('an import sets a missing or past expires_at to 30 days from now, and limits a future expires_at to a year from now', async () => {
  const jobs = await importAll([
    { expires_at: null },
    { expires_at: inDays(-1) },
    { expires_at: inDays(10) },
    { expires_at: inDays(800) },
  ])
  expect(jobs.map((job: { expires_at: string }) => job.expires_at)).toEqual([
    inDays(30),
    inDays(30),
    inDays(10),
    inDays(365),
  ])
  const now = board.clock.now()
  expect([null, inDays(-1), inDays(10), inDays(800)].map((text) => expiryNote(text, now))).toEqual([
    'expires_at missing, stored as 30 days after the import',
    'expires_at in the past, stored as 30 days after the import',
    undefined,
    'expires_at too late, stored as 365 days after the import',
  ])
})

test('an import keeps posted_at, or sets a missing posted_at to the time of the import', async () => {
  const jobs = await importAll([{ posted_at: '2019-05-06T07:08:09+02:00' }, {}])
  expect(jobs.map((job: { posted_at: string }) => job.posted_at)).toEqual(['2019-05-06T05:08:09.000Z', inDays(0)])
})

test('an import keeps the flags of an inactive job through its first activation', async () => {
  const [job] = await importAll([{ is_featured: true, is_urgent: true, is_highlighted: false }], false)
  expect(job.is_active).toBe(false)
  const activated = expectStatus(await board.post(`/v1/jobs/${job.id}/activate`, ADMIN_KEY), 200).body.data
  expect(activated).toMatchObject({ is_active: true, is_featured: true, is_urgent: true, is_highlighted: false })
})

test('an import writes one job.created for each new job, and none for a known job', async () => {
  const before = (await board.events('job.created')).length
  await importAll([{ id: 'same' }, { id: 'same' }, { id: 'other' }])
  await importAll([{ id: 'other' }])
  expect((await board.events('job.created')).length).toBe(before + 2)
})
