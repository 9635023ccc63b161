/**
 * The baseline: a server for the same requests, handwritten with Fastify and pg as a competent developer would. It uses
 * parameterized queries and fetches a page and its total concurrently. It has no authentication, validation, cursors or
 * log. It writes events only for applications.
 */
import Fastify from 'fastify'
import pg from 'pg'
import { embeddedConnection } from '../../src/db/embedded-stream.ts'
import { fold } from '../../src/search/text/fold.ts'
import { searchQuery, words } from '../../src/search/text/words.ts'

const { PORT, DATABASE_URL, DATA_DIR, EMPLOYER_ID, EMPLOYER_NAME } = process.env
const origin = `http://127.0.0.1:${PORT}`

async function openPool(): Promise<pg.Pool> {
  if (DATABASE_URL) return new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
  const { PGlite } = await import('@electric-sql/pglite')
  const connection = embeddedConnection(await PGlite.create(`${DATA_DIR}/db/pglite`))
  return new pg.Pool({ ...connection, max: 1, idleTimeoutMillis: 0 })
}
const pool = await openPool()

const columns = `job.id, job.employer_id, job.title, job.company, job.location, job.description, job.salary_min,
  job.salary_max, job.salary_currency, job.salary_period, job.category, job.type, job.remote, job.skills,
  job.experience_level, job.application_url, job.is_featured, job.posted_at, job.expires_at, employer.logo_url`
const detailColumns = `${columns}, job.requirements, job.benefits, job.custom_questions, job.contact_email,
  job.is_urgent, job.is_highlighted, job.state, employer.website`

/** SQL conditions by query parameter; `?` is the value. */
const filters: Record<string, [condition: string, convert?: (text: string) => unknown]> = {
  search: ['job.search @@ ?::tsquery', searchQuery],
  category: ['job.category = ?'],
  job_type: ['job.type = ?'],
  remote: ['job.remote = ?', (text) => text === 'true'],
  location: ['job.location_words @> ?::text[]', words],
  company: ['job.company_sort = ?', fold],
  experience_level: ['job.experience_level = ?'],
  salary_min: ['job.salary_annual_high >= ?', Number],
  salary_max: ['job.salary_annual_low <= ?', Number],
  posted_after: ['job.posted_at > ?', (text) => new Date(text)],
  skills: ['job.skills_folded @> ?::text[]', (text) => text.split(',').map(fold)],
}

// biome-ignore lint/suspicious/noExplicitAny: pg does not type rows
const present = (row: any) => ({
  id: row.id,
  title: row.title,
  company: row.company,
  location: row.location,
  description: row.description,
  salary: row.salary_currency && {
    min: row.salary_min === null ? null : Number(row.salary_min),
    max: row.salary_max === null ? null : Number(row.salary_max),
    currency: row.salary_currency,
    period: row.salary_period,
  },
  category: row.category,
  type: row.type,
  remote: row.remote,
  posted_at: row.posted_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  is_featured: row.is_featured,
  application_url: row.application_url ?? `${origin}/v1/candidates/jobs/${row.id}/apply`,
  company_logo_url: row.logo_url,
  employer_id: row.employer_id,
  skills: row.skills,
  experience_level: row.experience_level,
})

const app = Fastify()

app.get('/v1/jobs', async (request) => {
  const { page: pageText, limit: limitText, sort, ...applied } = request.query as Record<string, string>
  const page = Number(pageText ?? 1)
  const limit = Number(limitText ?? 20)
  const values: unknown[] = [new Date()]
  const where = ["job.state = 'active'", 'job.expires_at > $1']
  for (const [name, text] of Object.entries(applied)) {
    const [condition, convert = (value: string) => value] = filters[name]!
    where.push(condition.replace('?', `$${values.push(convert(text))}`))
  }
  let order = 'job.posted_at desc, job.id desc'
  if (sort === 'relevance') {
    const rank = `ts_rank('{0.1, 0.2, 0.5, 1.0}', job.search, $${values.push(searchQuery(applied.search!))}::tsquery)`
    order = `${rank} desc, job.id desc`
  }
  const matching = `from job join employer on employer.id = job.employer_id where ${where.join(' and ')}`
  const counted = values.slice(0, values.length - (sort === 'relevance' ? 1 : 0))
  const [{ rows }, count] = await Promise.all([
    pool.query(`select ${columns} ${matching} order by ${order} limit ${limit} offset ${(page - 1) * limit}`, values),
    pool.query(`select count(*) from job where ${where.join(' and ')}`, counted),
  ])
  const total = Number(count.rows[0].count)
  return {
    data: rows.map(present),
    meta: {
      pagination: { total, pages: Math.ceil(total / limit), page, limit, has_more: page * limit < total },
      sort: { fields: [sort ?? 'posted_at'], directions: ['desc'] },
      filters_applied: applied,
    },
  }
})

app.get('/v1/jobs/:id', async (request, reply) => {
  const { id } = request.params as { id: string }
  const { rows } = await pool.query(
    `select ${detailColumns} from job join employer on employer.id = job.employer_id
     where job.id = $1 and job.state <> 'deleted'`,
    [id],
  )
  const row = rows[0]
  if (!row) return reply.code(404).send({ error: 'not_found' })
  const { requirements, benefits, is_urgent, is_highlighted, custom_questions, contact_email, website } = row
  const is_active = row.state === 'active' && row.expires_at > new Date()
  return {
    data: {
      ...present(row),
      ...{ requirements, benefits, is_urgent, is_highlighted, is_active, custom_questions },
      ...{ contact_email, company_website: website },
    },
  }
})

let created = 0
app.post('/v1/jobs', async (request, reply) => {
  // biome-ignore lint/suspicious/noExplicitAny: not validated, as described above
  const body = request.body as any
  const id = `job_baseline${Date.now()}${created++}`
  const { rows } = await pool.query(
    `insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
       description, requirements, benefits, salary_min, salary_max, salary_currency, salary_period, category, type, remote,
       skills, skills_folded, experience_level, search, created_at, updated_at, posted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, '',
       $23, $23, $23) returning *`,
    [
      ...[id, EMPLOYER_ID, body.title, fold(body.title), EMPLOYER_NAME, fold(EMPLOYER_NAME!), body.location],
      ...[fold(body.location), words(body.location), body.description, body.requirements, body.benefits],
      ...[body.salary?.min, body.salary?.max, body.salary?.currency, body.salary?.period, body.category, body.type],
      ...[body.remote, body.skills, body.skills.map(fold), body.experience_level, new Date()],
    ],
  )
  const { requirements, benefits, is_urgent, is_highlighted, custom_questions } = rows[0]
  const more = { requirements, benefits, is_urgent, is_highlighted, is_active: false, custom_questions }
  return reply.code(201).send({ data: { ...present(rows[0]), ...more } })
})

/** The caller's identity comes from a header. */
const candidateOf = (headers: Record<string, unknown>) => headers['x-candidate-id']
let applied = 0
app.post('/v1/candidates/jobs/:id/apply', async (request, reply) => {
  const { id: jobId } = request.params as { id: string }
  const { cover_letter } = request.body as { cover_letter: string }
  const candidateId = candidateOf(request.headers)
  const id = `app_baseline${Date.now()}${applied++}`
  const now = new Date()
  const job = { id: jobId, title: 'Known', company: EMPLOYER_NAME }
  const event = JSON.stringify({ id, job, candidate: { id: candidateId }, status: 'pending', applied_at: now })
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `insert into application (id, job_id, employer_id, candidate_id, cover_letter, answers, applied_at, updated_at)
       values ($1, $2, $3, $4, $5, '{}', $6, $6)`,
      [id, jobId, EMPLOYER_ID, candidateId, cover_letter, now],
    )
    await client.query(
      "insert into application_status_change (application_id, position, status, at) values ($1, 1, 'pending', $2)",
      [id, now],
    )
    await client.query(
      `insert into event (id, type, subject_id, employer_id, candidate_id, body, created_at)
       values ($1, 'application.submitted', $1, $2, $3, $4, $5)`,
      [id, EMPLOYER_ID, candidateId, event, now],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
  return reply.code(201).send({ data: { id, job, status: 'pending', applied_at: now, updated_at: now } })
})

app.get('/v1/candidates/applications', async (request) => {
  const { page: pageText, status } = request.query as Record<string, string>
  const page = Number(pageText ?? 1)
  const values: unknown[] = [candidateOf(request.headers)]
  const where = `application.candidate_id = $1${status ? ` and application.status = $${values.push(status)}` : ''}`
  const [{ rows }, count] = await Promise.all([
    pool.query(
      `select application.*, job.title, job.company, job.location, job.type, job.salary_min, job.salary_max,
         job.salary_currency, job.salary_period
       from application join job on job.id = application.job_id
       where ${where} order by application.applied_at desc, application.id desc limit 20 offset ${(page - 1) * 20}`,
      values,
    ),
    pool.query(`select count(*) from application where ${where}`, values),
  ])
  const total = Number(count.rows[0].count)
  return {
    data: rows.map((row) => ({
      id: row.id,
      job: {
        ...{ id: row.job_id, title: row.title, company: row.company, location: row.location, type: row.type },
        salary: row.salary_currency && {
          ...{ min: row.salary_min, max: row.salary_max, currency: row.salary_currency, period: row.salary_period },
        },
      },
      ...{ cover_letter: row.cover_letter, status: row.status, applied_at: row.applied_at, updated_at: row.updated_at },
      withdrawn_at: row.withdrawn_at,
    })),
    meta: { pagination: { total, pages: Math.ceil(total / 20), page, limit: 20 } },
  }
})

await app.listen({ port: Number(PORT) })
