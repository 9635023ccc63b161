import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type EventType, eventDataSchemas, eventTypes } from '../../src/events/catalogue.ts'
import { appendEvent } from '../../src/events/outbox.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { features } from '../../src/main/features.ts'
import { ADMIN_KEY, expectStatus, jobBody, useBoard } from '../support/board.ts'

const board = useBoard()
const rowsOf = () =>
  board.database.read((db) => db.selectFrom('event').selectAll().orderBy('created_at').orderBy('id').execute())
const sweep = () => board.service.tasks.find(({ name }) => name === 'job-expiry')!.once()

describe('events', () => {
  test('match the catalog from registration to the deletion of a job', async () => {
    const employer = await board.employer({ name: 'Voltaire Vans', website: 'https://voltaire.example' })
    const candidate = await board.candidate()
    await board.put('/v1/employers/profile', employer.key, { name: 'Voltaire Vehicles', employee_count: 12 })
    const first = await board.job(employer, { salary: { min: 1 }, skills: ['CAN'], expires_at: '2026-04-01' })
    await board.put(`/v1/jobs/${first.id}`, employer.key, { title: 'Other', salary: null, expires_at: null })
    await board.pay(employer, first.id, ['job-post', 'featured', 'urgent', 'highlighted'])
    for (const step of ['activate', 'close', 'reopen']) {
      expectStatus(await board.post(`/v1/jobs/${first.id}/${step}`, employer.key), 200)
    }
    board.clock.advance(30 * DAY_MS)
    await sweep()
    const second = await board.activeJob(employer)
    await board.put(`/v1/jobs/${second.id}`, ADMIN_KEY, { description: 'By the operator.' })
    expectStatus(await board.delete(`/v1/jobs/${second.id}`, employer.key), 204)

    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    ajv.addSchema(features.flatMap(({ schemas = [] }) => schemas))
    const rows = await rowsOf()
    for (const row of rows) {
      const body = JSON.parse(row.body)
      expect(body).toEqual({
        id: row.id,
        type: row.type,
        created_at: row.created_at.toISOString(),
        data: expect.any(Object),
      })
      expect(row.id).toMatch(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      expect(eventTypes).toContain(row.type)
      const isValid = ajv.validate(eventDataSchemas[row.type as EventType], body.data)
      expect(isValid, `${row.type}: ${ajv.errorsText()} in ${row.body}`).toBe(true)
      // Every time in the body has the same format as in responses.
      const times = [...row.body.matchAll(/"\w+_at":"([^"]*)"/g)].map(([, time]) => time!)
      for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    const story = rows.map(({ type, subject_id, employer_id, candidate_id }) => [
      type,
      subject_id,
      employer_id ?? candidate_id,
    ])
    const [e, c] = [employer.id, candidate.id]
    expect(story).toEqual([
      ['employer.registered', e, e],
      ['candidate.registered', c, c],
      ['employer.profile_updated', e, e],
      ['job.created', first.id, e],
      ['job.updated', first.id, e],
      ['job.updated', first.id, e],
      ['job.updated', first.id, e],
      ['job.updated', first.id, e],
      ['job.updated', first.id, e],
      ['job.expired', first.id, e],
      ['job.created', second.id, e],
      ['job.updated', second.id, e],
      ['job.updated', second.id, e],
      ['job.deleted', second.id, e],
    ])
    const changes = rows.filter(({ type }) => type === 'job.updated').map(({ body }) => JSON.parse(body).data)
    expect(changes.map(({ changed_fields, previous }) => [changed_fields, previous])).toEqual([
      [
        ['title', 'salary', 'expires_at'],
        {
          title: 'Battery engineer',
          salary: { min: 1, max: null, currency: 'USD', period: 'year' },
          expires_at: '2026-04-01T23:59:59.999Z',
        },
      ],
      [['is_featured', 'is_urgent', 'is_highlighted'], { is_featured: false, is_urgent: false, is_highlighted: false }],
      [['is_active'], { is_active: false }],
      [['is_active'], { is_active: true }],
      [['is_active'], { is_active: false }],
      [['is_active'], { is_active: false }],
      [['description'], { description: 'Design battery packs for electric vans.' }],
    ])
  })

  test('are stored as JSON.stringify writes them, with any text unchanged', async () => {
    const description = '"\\\u2028</script>\u{1F697}\u0001\u007f\ufffd é'
    const employer = await board.employer()
    const { id } = await board.job(employer, { description })
    const [row] = (await rowsOf()).filter(({ subject_id }) => subject_id === id)
    expect(JSON.parse(row!.body).data.job.description).toBe(description)
    expect(JSON.stringify(JSON.parse(row!.body))).toBe(row!.body)
  })

  test('are written once for each expiry, even after simultaneous and late sweeps', async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer)
    board.clock.advance(31 * DAY_MS)
    await Promise.all([sweep(), sweep(), sweep()])
    board.clock.advance(DAY_MS)
    await sweep()
    const told = (await rowsOf()).filter(({ type, subject_id }) => type === 'job.expired' && subject_id === id)
    expect(told).toHaveLength(1)
  })

  test('leave nothing behind when their transaction is rolled back', async () => {
    const before = await rowsOf()
    const failure = board.database.inTx(async (tx) => {
      await appendEvent(tx, {
        type: 'job.deleted',
        subjectId: 'job_x',
        at: board.clock.now(),
        data: {
          job: {
            id: 'job_x',
            title: 't',
            company: 'c',
            employer_id: 'emp_x',
            deleted_at: board.clock.now().toISOString(),
          },
        },
      })
      throw new Error('taken back')
    })
    await expect(failure).rejects.toThrow('taken back')
    expect(await rowsOf()).toEqual(before)
  })

  test('roll back their cause if they cannot be written', async () => {
    const employer = await board.employer()
    const { id } = await board.job(employer)
    const jobs = async () => (await board.get('/v1/employers/jobs?sort=title', employer.key)).body
    const before = await jobs()
    const send = (method: string, path: string, body: object) =>
      fetch(`${board.address}${path}`, {
        method,
        headers: { authorization: `Bearer ${employer.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const alter = (statement: string) =>
      board.database.inTx((tx) => sql.raw(`alter table event ${statement}`).execute(tx))
    await alter('add constraint no_more check (false) not valid')
    try {
      const answers = [
        await send('POST', '/v1/jobs', jobBody()),
        await send('PUT', `/v1/jobs/${id}`, { title: 'Other' }),
        await send('DELETE', `/v1/jobs/${id}`, {}),
        await send('POST', '/v1/employers', { name: 'Nobody', email: 'nobody@mail.example' }),
        await send('POST', '/v1/candidates', { first_name: 'No', last_name: 'Body', email: 'nobody@mail.example' }),
        await send('PUT', '/v1/employers/profile', { name: 'Other' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(500))
    } finally {
      await alter('drop constraint no_more')
    }
    expect(await jobs()).toEqual(before)
    expect((await board.get('/v1/employers?name_in=Nobody,Other', employer.key)).body.data).toEqual([])
    const nobody = { first_name: 'No', last_name: 'Body', email: 'nobody@mail.example' }
    expect((await board.post('/v1/candidates', undefined, nobody)).status).toBe(201)
  })
})
