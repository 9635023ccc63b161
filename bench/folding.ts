/**
 * `node bench/folding.ts --url postgres://… [--jobs 1000000] [--new 1000]`: fills an empty database with jobs of feeds.
 * Every twentieth job is a copy of another job. Measures how long it takes to find all copies, and then to compare one
 * new job.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { foldChangedJobs } from '../src/features/duplicates/duplicates.service.ts'
import { geocode } from '../src/geo/gazetteer.ts'
import { newId } from '../src/lib/ids.ts'
import { makeJob } from './make-jobs.ts'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    jobs: { type: 'string', default: '1000000' },
    new: { type: 'string', default: '1000' },
  },
})
if (options.url === undefined) {
  console.error('Usage: node bench/folding.ts --url postgres://… [--jobs 1000000] [--new 1000]')
  process.exit(2)
}
const JOBS = Number(options.jobs)
const BATCH = 5_000
/** Difference between the number of a copy and the number of its original. */
const DISTANCE = 12_347

const query = (database: Database, text: string, values: unknown[] = []) =>
  database.withClient((client) => client.query({ text, values }))

/** Returns job `index`, or a copy of an earlier job with a suffix on the title and a longer description. */
function rowOf(index: number) {
  const isCopy = index % 20 === 19 && index > DISTANCE
  const number = isCopy ? index - DISTANCE : index
  const { company, title, ...job } = makeJob(number)
  return {
    id: newId('job'),
    isCopy,
    // 18,000 first words, which determine the block. A real board has more companies than the generated words allow.
    company: company.replace(' ', `${number % 500} `),
    title: isCopy ? `${title} (m/w/d)` : title,
    location: job.location,
    description: isCopy ? `${job.description}\nApply now.` : job.description,
    requirements: job.requirements,
    benefits: job.benefits,
    category: job.category,
    type: job.type,
    places: geocode([job.location]).places,
    source: { feed_id: `feed_${index % 100}`, external_id: String(index), url: null },
  }
}

async function insert(database: Database, rows: readonly ReturnType<typeof rowOf>[]): Promise<void> {
  await query(
    database,
    `insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
      description, requirements, benefits, category, type, custom_questions, places, source, state, created_at, updated_at,
      posted_at, expires_at)
    select id, 'emp', title, '', company, '', location, '', '{}', description, requirements, benefits, category, type, '[]',
      places, source, 'active', now(), now(), now(), now() + interval '30 days'
    from json_populate_recordset(null::job, $1::json)`,
    [JSON.stringify(rows)],
  )
}

const seconds = (from: number) => ((performance.now() - from) / 1_000).toFixed(1)
const load = () => `${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`
const count = async (database: Database, condition: string) =>
  (await query(database, `select count(*)::int as count from job where ${condition}`)).rows[0].count as number

const database = await openDatabase({ url: options.url })
await migrate(database)
await query(database, `insert into account (id, kind, name, created_at) values ('emp', 'employer', 'E', now())`)
await query(
  database,
  `insert into employer (id, account_id, name, name_sort, location_words, created_at, updated_at)
   values ('emp', 'emp', 'E', '', '{}', now(), now())`,
)

const filling = performance.now()
let copies = 0
await query(database, 'alter table job disable trigger user')
for (let from = 0; from < JOBS; from += BATCH) {
  const rows = Array.from({ length: Math.min(BATCH, JOBS - from) }, (_, n) => rowOf(from + n))
  copies += rows.filter(({ isCopy }) => isCopy).length
  await insert(database, rows)
}
await query(database, 'alter table job enable trigger user')
await query(database, 'insert into job_to_compare (job_id) select id from job')
await query(database, 'vacuum (analyze)')
console.log(`filled ${JOBS} jobs with ${copies} copies in ${seconds(filling)} s, load ${load()}`)

const fold = () => database.inTx((tx) => foldChangedJobs(tx, new Date()))
const finding = performance.now()
const cpuBefore = process.cpuUsage()
while (await fold());
const cpu = process.cpuUsage(cpuBefore)
console.log(
  `found all copies in ${seconds(finding)} s, load ${load()}: ${await count(database, 'duplicate_of is not null')} folded; ` +
    `CPU time of the service ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s`,
)

await query(database, 'vacuum (analyze)')
const durations: number[] = []
for (let n = 0; n < Number(options.new); n++) {
  // Every other new job is a copy.
  await insert(database, [rowOf(JOBS + 20 * n + (n % 2 === 0 ? 0 : 19))])
  const comparing = performance.now()
  await fold()
  durations.push(performance.now() - comparing)
}
durations.sort((a, b) => a - b)
const quantile = (part: number) => durations[Math.floor(part * durations.length)]!.toFixed(1)
console.log(
  `one new job: p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, max ${durations.at(-1)!.toFixed(1)} ms, load ${load()}`,
)
await database.close()
