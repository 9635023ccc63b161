/** Exports of the jobs on the board in the import format, and of employers with their public data. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportTo } from '../../src/commands/export.ts'
import { importJobsFile } from '../../src/commands/import-jobs.ts'
import { ImportedJobSchema } from '../../src/features/jobs/index.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { Board, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { openTestDatabase } from '../support/database.ts'

const board = useBoard({ PAYMENTS: 'free' })
const settings = { origin: ORIGIN, defaultCurrency: 'USD' }
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'board-export-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function exported(from: Board, what: 'jobs' | 'employers' = 'jobs') {
  const file = join(folder, `${what}.ndjson`)
  const count = await exportTo(file, what, { database: from.database, now: from.clock.now() })
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  expect(lines.length).toBe(count)
  return { file, objects: lines.map((line) => JSON.parse(line)) }
}

test('an export can be imported into another board, which then exports the same jobs', async () => {
  const employer = await board.employer({ name: 'Voltaire “Vans”', website: 'https://voltaire.example/' })
  await board.activeJob(employer, {
    ...{ salary: { min: 50_000, currency: 'EUR', period: 'year' }, skills: ['C++'], experience_level: 'senior' },
    ...{
      requirements: ['License B'],
      benefits: ['Van'],
      workplace: 'hybrid',
      locations: ['Lyon'],
      contact_email: 'jobs@voltaire.example',
    },
    application_url: 'https://voltaire.example/apply?a=1&b=2',
    custom_questions: [{ id: 'years', label: 'How many years?', type: 'number', required: true }],
    expires_at: new Date(board.clock.time + 90 * DAY_MS).toISOString(),
  })
  await board.activeJob(employer, { description: 'Line 1\nLine 2\u2028Line 3 "quoted" \u{1f690}' })
  const inactive = await board.job(employer, { title: 'Not on the board' })
  const { file, objects } = await exported(board)
  expect(objects.length).toBe(2)
  expect(objects.map(({ id }) => id)).not.toContain(inactive.id)
  expect(Object.keys(objects[0]).toSorted()).toEqual(Object.keys(ImportedJobSchema.properties).toSorted())
  expect(objects[1].application_url).toBe(null)

  const other = new Board()
  other.database = await openTestDatabase()
  await other.start()
  try {
    const deps = { database: other.database, settings, clock: other.clock }
    const onRefused = (_line: number, reason: string) => expect.fail(reason)
    const report = await importJobsFile(deps, file, { isActive: true, onRefused })
    expect(report).toMatchObject({ imported: 2, notes: {} })
    expect((await exported(other)).objects.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(objects)
    expect(await importJobsFile(deps, file, { isActive: true, onRefused })).toMatchObject({ alreadyThere: 2 })
    const [company] = (await exported(other, 'employers')).objects
    expect(company).toMatchObject({
      name: 'Voltaire “Vans”',
      website: 'https://voltaire.example/',
      open_positions: 2,
    })
  } finally {
    await other.stop()
  }
})

test('employers are exported with their public data', async () => {
  const employer = await board.employer()
  const { objects } = await exported(board, 'employers')
  const shown = expectStatus(await board.get(`/v1/employers/${employer.id}`, employer.key), 200).body.data
  const { description_html: _, ...expected } = shown
  expect(objects.find(({ id }) => id === employer.id)).toEqual(expected)
})

test('exports of more than one batch contain each job once', async () => {
  const file = join(folder, 'many.ndjson')
  const lines = Array.from({ length: 1_203 }, (_, n) => ({
    id: `n-${n}`,
    title: `Job ${n}`,
    company: 'Many',
    location: 'X',
  }))
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const deps = { database: board.database, settings, clock: board.clock }
  await importJobsFile(deps, file, { isActive: true, onRefused: () => {} })
  const { objects } = await exported(board)
  const ids = objects.map(({ id }) => id).filter((id) => id.startsWith('n-'))
  expect(new Set(ids).size).toBe(1_203)
  expect(ids.length).toBe(1_203)
})
