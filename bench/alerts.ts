/**
 * `node bench/alerts.ts [--alerts 100000] [--jobs 20]`: measures how long the service takes to match one activated job
 * against instant alerts with varied criteria. Uses the PostgreSQL server at BENCH_DATABASE_URL, or starts one.
 * Verifies the matches of a few jobs by evaluating a sample of the alerts one by one.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import { type Database, openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { openAccount } from '../src/features/accounts/index.ts'
import { ANCHORS_VERSION, anchorsOf, jobTerms } from '../src/features/job-alerts/job-alerts.anchors.ts'
import { type Criteria, criteriaFaults, criteriaFilters } from '../src/features/job-alerts/job-alerts.criteria.ts'
import { listAnchored, listMet } from '../src/features/job-alerts/job-alerts.queries.ts'
import { alertMatcher } from '../src/features/job-alerts/job-alerts.tasks.ts'
import { importJobs, takeNewJobs } from '../src/features/jobs/index.ts'
import { Exchange } from '../src/lib/exchange.ts'
import { newId } from '../src/lib/ids.ts'
import { systemClock } from '../src/lib/time.ts'
import { ensureImportedEmployer } from '../test/support/jobs.ts'
import { makeJob, randomFrom, vocabulary } from './make-jobs.ts'
import { startPostgres } from './processes.ts'

const { values: options } = parseArgs({
  options: { alerts: { type: 'string', default: '100000' }, jobs: { type: 'string', default: '20' } },
})
const alertCount = Number(options.alerts)
const jobCount = Number(options.jobs)
/** Number of alerts to evaluate one by one, and number of jobs to evaluate them for. */
const SAMPLE = 5_000
const SAMPLED_JOBS = 4
const ALERTS_EACH = 50

const random = randomFrom(7)
const { pick, zipf, below, next, some } = random
const city = () => pick([pick(vocabulary.cities), pick(vocabulary.cities).split(', ')[1]!])
const salary = () => 5_000 * (6 + below(20))

/**
 * Returns typical criteria: mostly one or two words, a location or a category. A few alerts have almost no criteria.
 */
function someCriteria(): Criteria {
  const chance = next()
  const searched = pick([
    () => zipf(vocabulary.roles),
    () => zipf(vocabulary.skills),
    () => zipf(vocabulary.nouns),
    () => `${pick(vocabulary.nouns)} ${zipf(vocabulary.roles)}`,
  ])
  if (chance < 0.2) return { search: searched(), location: city() }
  if (chance < 0.35) return { search: searched(), ...(next() < 0.3 && { remote: true }) }
  if (chance < 0.5) return { category: pick(vocabulary.categories), location: city() }
  if (chance < 0.58) return { category: pick(vocabulary.categories) }
  if (chance < 0.68) return { category: pick(vocabulary.categories), salary_min: salary(), remote: next() < 0.3 }
  if (chance < 0.76)
    return { skills: some(vocabulary.skills, 1, 3), experience_level_in: some(vocabulary.levels, 1, 3) }
  if (chance < 0.82) return { skills_in: some(vocabulary.skills, 2, 5), location: city() }
  if (chance < 0.87) return { company: pick(vocabulary.companies) }
  if (chance < 0.92) return { job_type: zipf(vocabulary.types), location: city(), salary_min: salary() }
  if (chance < 0.95)
    return { category_in: some(vocabulary.categories, 2, 4), experience_level: pick(vocabulary.levels) }
  if (chance < 0.97) return { job_type: zipf(vocabulary.types), remote: true }
  if (chance < 0.99) return { salary_min: salary(), salary_currency: pick(['EUR', 'USD']), remote: true }
  return pick([{}, { remote: true }, { salary_min: salary() }])
}

async function insertAlerts(database: Database, now: Date): Promise<{ id: string; criteria: Criteria }[]> {
  const alerts: { id: string; criteria: Criteria }[] = []
  for (let start = 0; start < alertCount; start += ALERTS_EACH * 20) {
    await database.inTx(async (tx) => {
      const rows = []
      for (let made = start; made < Math.min(start + ALERTS_EACH * 20, alertCount); made += ALERTS_EACH) {
        const account = { kind: 'candidate', name: `Candidate ${made}`, email: `c${made}@candidate.example` } as const
        const { id: candidate_id } = await openAccount(tx, account, now)
        const dates = { created_at: now, updated_at: now }
        await tx
          .insertInto('candidate')
          .values({ id: candidate_id, first_name: 'C', last_name: 'D', last_active_at: now, ...dates })
          .execute()
        for (let count = 0; count < ALERTS_EACH; count++) {
          const criteria = someCriteria()
          const [fault] = criteriaFaults(criteria)
          if (fault) throw new Error(fault.detail)
          const anchors = anchorsOf(criteriaFilters(criteria))
          const row = {
            id: newId('jobAlert'),
            candidate_id,
            name: 'Alert',
            name_sort: 'alert',
            criteria,
            anchors,
            anchors_version: ANCHORS_VERSION,
          }
          rows.push({ ...row, frequency: 'instant', is_active: true, watches_from: now, ...dates })
          alerts.push({ id: row.id, criteria })
        }
      }
      await sql`
        insert into job_alert select * from json_populate_recordset(null::job_alert, ${JSON.stringify(rows)}::json)`.execute(
        tx,
      )
    })
  }
  await database.inStatement((tx) => sql`analyze job_alert`.execute(tx))
  return alerts
}

const exchange = Exchange.without('EUR')

async function run(database: Database): Promise<void> {
  await migrate(database)
  const now = new Date()
  const alerts = await insertAlerts(database, now)
  const distinct = new Set(alerts.map(({ criteria }) => JSON.stringify(criteria))).size
  console.log(`${alerts.length} instant alerts, ${distinct} distinct criteria`)
  const matcher = alertMatcher(database, systemClock, { now: exchange })
  const times: number[] = []
  // The first job opens connections and warms up the process. It is not counted.
  for (let index = 0; index <= jobCount; index++) {
    const settings = { origin: 'https://board.example', defaultCurrency: 'EUR' }
    await database.inTx(async (tx) => {
      const { company, ...job } = makeJob(index)
      const employer = await ensureImportedEmployer(tx, { name: company }, now)
      await importJobs(tx, settings, [{ job: { ...job, company }, employer }], { isActive: true, now: new Date() })
    })
    // Reads the alerts that may match the job, then rolls back.
    let candidates: { criteria: Criteria; ids: string[] }[] = []
    let jobId = ''
    await database
      .inTx(async (tx) => {
        const [job] = await takeNewJobs(tx, 1, new Date())
        jobId = job!.id
        candidates = await listAnchored(tx, jobTerms(job!), job!.visible_at)
        throw new RangeError('rolled back')
      })
      .catch((error: unknown) => {
        if (!(error instanceof RangeError)) throw error
      })
    const start = performance.now()
    await matcher.once()
    const ms = performance.now() - start
    const { rows } = await database.read((db) =>
      sql<{ alert_id: string }>`select alert_id from job_alert_match where job_id = ${jobId}`.execute(db),
    )
    if (index > 0) times.push(ms)
    const alertsBefore = candidates.reduce((sum, { ids }) => sum + ids.length, 0)
    console.log(
      `${ms.toFixed(0).padStart(6)} ms  ${String(alertsBefore).padStart(6)} candidates with ${String(candidates.length).padStart(5)} distinct criteria  ${String(rows.length).padStart(6)} matches${index === 0 ? '  (first)' : ''}`,
    )
    if (index < SAMPLED_JOBS) await compare(database, jobId, alerts, new Set(rows.map(({ alert_id }) => alert_id)))
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(0)
  console.log(`one activation against ${alerts.length} alerts: median ${at(0.5)} ms, slowest ${at(1)} ms`)
}

async function compare(
  database: Database,
  jobId: string,
  alerts: { id: string; criteria: Criteria }[],
  found: Set<string>,
) {
  const sample = Array.from({ length: Math.min(SAMPLE, alerts.length) }, () => pick(alerts))
  const met = await database.read((db) => listMet(db, jobId, sample, exchange))
  const expected = new Set(met.map(({ id }) => id))
  const wrong = sample.filter(({ id }) => expected.has(id) !== found.has(id))
  if (wrong.length > 0) throw new Error(`${wrong.length} alerts are wrong, such as ${JSON.stringify(wrong[0])}`)
  console.log(`        same matches as for ${sample.length} alerts evaluated one by one (${expected.size} matches)`)
}

const folder = mkdtempSync(join(tmpdir(), 'job-bench-'))
const given = process.env.BENCH_DATABASE_URL
const server = given ? { url: given, stop: () => {} } : await startPostgres(join(folder, 'postgres'))
if ('missing' in server) throw new Error(server.missing)
const admin = new pg.Client({ connectionString: server.url })
await admin.connect()
const name = `job_bench_alerts_${process.pid}`
await admin.query(`create database ${name}`)
try {
  const database = await openDatabase({
    url: Object.assign(new URL(server.url), { pathname: `/${name}` }).href,
    poolSize: 2,
  })
  await run(database).finally(() => database.close())
} finally {
  await admin.query(`drop database ${name} with (force)`)
  await admin.end()
  server.stop()
  rmSync(folder, { recursive: true, force: true })
}
