/**
 * `node bench/applications.ts [--applications 100000] [--employers 200] [--url postgres://…] [--seconds 5]`: measures
 * an employer's list of applications, each with a note and a message, for 1,000 jobs. `--employers` must divide 1,000.
 * Measures each case with one client, then with 16 connections that send requests without a pause.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { call } from './acknowledged.ts'
import { withLoadedBoard } from './loaded-board.ts'
import { type Figure, figureOf, load } from './measure.ts'
import { SERVE, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: {
    applications: { type: 'string', default: '100000' },
    employers: { type: 'string', default: '200' },
    url: { type: 'string' },
    seconds: { type: 'string', default: '5' },
  },
})
const count = Number(options.applications)
const seconds = Number(options.seconds)
const JOBS = 1_000
const employers = Number(options.employers)
if (!(count >= 1) || JOBS % employers !== 0) {
  console.error('Usage: node bench/applications.ts [--applications N] [--employers N] [--url URL] [--seconds S]')
  process.exit(2)
}
const STATUSES = ['pending', 'reviewed', 'contacted', 'rejected', 'hired']

/** Returns SQL that distributes the rows evenly among the employers, including the measured employer. */
const ownerFor = (employerId: string) =>
  `case when n % ${employers} = 0 then '${employerId}' else 'emp_bench_' || n % ${employers} end`

const fillFor = (employerId: string) => `
  insert into employer (id, name, name_sort, created_at, updated_at)
  select 'emp_bench_' || n, 'Company ' || n, 'company ' || n, now(), now() from generate_series(1, ${employers - 1}) as n;
  insert into account (id, kind, name, email, created_at)
  select 'cand_bench_' || n, 'candidate', 'Candidate ' || n, n || '@bench.example', now() from generate_series(0, ${count / 20}) as n;
  insert into candidate (id, first_name, last_name, created_at, updated_at)
  select 'cand_bench_' || n, 'First', 'Last ' || n, now(), now() from generate_series(0, ${count / 20}) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, created_at, updated_at, posted_at)
  select 'job_bench_' || n, ${ownerFor(employerId)}, 'Fitter', 'fitter', 'B', 'b', '', '', '{}', '', 'x', 'x', '[]', '', now(), now(), now()
  from generate_series(0, ${JOBS - 1}) as n;
  insert into application (id, job_id, employer_id, candidate_id, cover_letter, answers, status, applied_at, updated_at,
    rating, tags, tags_folded)
  select 'app_bench_' || lpad(n::text, 8, '0'), 'job_bench_' || n % ${JOBS}, ${ownerFor(employerId)}, 'cand_bench_' || n / 20,
    repeat('letter ', 60), '{}', (array['${STATUSES.join("', '")}'])[1 + n % 5], now() - n * interval '37 seconds',
    now() - n * interval '29 seconds', case when n % 9 = 0 then 1 + n % 5 end,
    case when n % 9 = 0 then array['Tag ' || n % 500] else '{}' end, case when n % 9 = 0 then array['tag ' || n % 500] end
  from generate_series(0, ${count - 1}) as n;
  insert into application_status_change (application_id, position, status, at)
  select id, 1, 'pending', applied_at from application;
  insert into application_note (id, application_id, text, created_at)
  select 'note_' || id, id, 'Can start in May.', applied_at from application;
  insert into application_message (id, application_id, is_from_employer, text, created_at)
  select 'msg_' || id, id, true, 'Could we talk?', applied_at from application;
  vacuum analyze`

await withLoadedBoard(100, options.url, async (url) => {
  const server = await startServer(
    [...SERVE, '--only', 'http'],
    { DATABASE_URL: url, RATE_LIMIT: 'off', LOG_LEVEL: 'fatal' },
    '/readyz',
  )
  const { origin } = server
  const profile = { name: 'Bench', email: `bench-${Date.now()}@mail.example` }
  const { data } = await call(origin, 'POST', '/employers', undefined, profile)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of fillFor(data.id!).split(';\n')) await client.query(statement)
  await client.end()

  const path = '/v1/employers/applications'
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
  const cases: [name: string, paths: string[]][] = [
    ['page 1', [path]],
    ['pages 1 to 10', numbers.slice(0, 10).map((page) => `${path}?page=${page}`)],
    ['100 per page', [`${path}?limit=100`]],
    ['by status', STATUSES.map((status) => `${path}?status=${status}`)],
    ['by job', numbers.map((n) => `${path}?job_id=job_bench_${(n * employers) % JOBS}`)],
    ['by rating', [1, 2, 3, 4, 5].map((rating) => `${path}?rating_gte=${rating}`)],
    ['by tag', numbers.map((n) => `${path}?tags=tag%20${n * 9}`)],
    ['last changed first', [`${path}?sort=updated_at:desc`]],
  ]
  const headers = { authorization: `Bearer ${data.api_key}` }
  const show = ({ p50, p99 }: Figure) => `${p50.toFixed(1)} | ${p99.toFixed(1)}`
  console.log('| list | p50 ms | p99 ms | p50 ms at 16 connections | p99 ms at 16 connections | per second |')
  for (const [name, paths] of cases) {
    const latencies: number[] = []
    const askUntil = async (end: number) => {
      for (let asked = 0; performance.now() < end; asked++) {
        const begun = performance.now()
        const response = await fetch(origin + paths[asked % paths.length], { headers })
        await response.arrayBuffer()
        if (response.status !== 200) throw new Error(`${paths[asked % paths.length]}: ${response.status}`)
        latencies.push(performance.now() - begun)
      }
    }
    await askUntil(performance.now() + 1_000)
    latencies.length = 0
    await askUntil(performance.now() + seconds * 1_000)
    const alone = figureOf([{ latencies, seconds }])
    const busy = figureOf([await load({ origin, headers, method: 'GET', paths, bodies: [] }, seconds)])
    console.log(`| ${name} | ${show(alone)} | ${show(busy)} | ${busy.perSecond.toFixed(0)} |`)
  }
  await server.stop()
})
