/**
 * Each event type has a real cause. The event is written once, in the same transaction, exactly as specified, and
 * reaches exactly the entitled accounts.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type EventType, eventSchemas, eventTypes } from '../../src/events/catalogue.ts'
import { type ImportedJob, importJobs } from '../../src/features/jobs/index.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { features } from '../../src/main/features.ts'
import { type Account, ADMIN_KEY, expectStatus, jobBody, ORIGIN, useBoard } from '../support/board.ts'
import { idsOf } from '../support/collection.ts'
import { ensureImportedEmployer } from '../support/jobs.ts'
import { makeWebhook } from '../support/webhooks.ts'

const board = useBoard()
/** Private text, which no event may contain. */
const PRIVATE = 'nobody-elses-business'

interface Sent {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  body: any
}

/** Sends a request whose failure may be undocumented. */
async function send(method: string, path: string, key: string | undefined, body?: object): Promise<Sent> {
  const response = await fetch(`${board.address}${path}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const none: Account = { id: '', key: '' }
let [employer, candidate, otherEmployer, otherCandidate, integrator] = [none, none, none, none, none]
let jobId = ''
let applicationId = ''
const now = () => board.clock.now().toISOString()
const post = (path: string, key: string | undefined, body?: object) => send('POST', path, key, body)
const put = (path: string, key: string, body: object) => send('PUT', path, key, body)

beforeAll(async () => {
  otherEmployer = await board.employer()
  otherCandidate = await board.candidate()
  integrator = await board.integrator()
})

const job = { id: expect.stringMatching(/^job_/), title: 'Cell engineer', company: 'Voltaire Vehicles' }
const ada = () => ({ id: candidate.id, name: 'Ada Brandt', email: 'ada.brandt@mail.example' })
const applied = (status: string) => ({
  id: applicationId,
  job: { ...job, id: jobId },
  candidate: ada(),
  status,
  applied_at: expect.stringMatching(/Z$/),
})

interface Cause {
  /** The accounts that see the event, in addition to admins and integrators. */
  of: readonly ('employer' | 'candidate')[]
  /** Runs before the cause. */
  before?: () => Promise<unknown>
  run: () => Promise<Sent>
  status: number
  /** Returns the exact event data for a response. */
  data: (body: Sent['body']) => unknown
  /** The status of a repeated cause, which writes no event. */
  again?: number
}

/** The causes form one story, so their order matters. */
const causes: Record<EventType, Cause> = {
  'employer.registered': {
    of: ['employer'],
    run: () =>
      post('/v1/employers', undefined, {
        name: 'Voltaire Vans',
        email: 'private-desk@voltaire.example',
        location: 'Gothenburg',
      }),
    status: 201,
    data: ({ data: { api_key, description_html: _, ...registered } }) => {
      employer = { id: registered.id, key: api_key }
      return { employer: registered }
    },
    again: 409,
  },
  'employer.profile_updated': {
    of: ['employer'],
    run: () =>
      put('/v1/employers/profile', employer.key, {
        name: 'Voltaire Vehicles',
        employee_count: 12,
        mail_on_application: false,
      }),
    status: 200,
    data: ({ data }) => {
      const {
        email: _e,
        mail_on_application: _,
        billing_name: _n,
        billing_address: _a,
        vat_id: _v,
        description_html: _h,
        ...told
      } = data
      return { employer: told, changed_fields: ['name', 'employee_count'] }
    },
    again: 200,
  },
  'candidate.registered': {
    of: ['candidate'],
    run: () =>
      post('/v1/candidates', undefined, { first_name: 'Ada', last_name: 'Brand', email: 'ada.brandt@mail.example' }),
    status: 201,
    data: ({ data: { id, api_key, created_at } }) => {
      candidate = { id, key: api_key }
      return { candidate: { ...ada(), name: 'Ada Brand', created_at } }
    },
    again: 409,
  },
  'candidate.profile_updated': {
    of: ['candidate'],
    run: () =>
      put('/v1/candidates/profile', candidate.key, {
        last_name: 'Brandt',
        phone: '+46 31 700 00 01',
        summary: PRIVATE,
        mail_on_status_change: false,
      }),
    status: 200,
    data: () => ({
      candidate: { ...ada(), updated_at: now() },
      changed_fields: ['last_name', 'phone', 'summary'],
    }),
    again: 200,
  },
  'job.created': {
    of: ['employer'],
    run: () => post('/v1/jobs', employer.key, jobBody({ salary: { min: 1 }, contact_email: 'cells@voltaire.example' })),
    status: 201,
    data: ({ data }) => {
      jobId = data.id
      expect(data.is_active).toBe(false)
      return { job: data }
    },
  },
  'job.updated': {
    of: ['employer'],
    run: () => put(`/v1/jobs/${jobId}`, employer.key, { title: 'Cell engineer', salary: null }),
    status: 200,
    data: ({ data }) => ({
      job: data,
      changed_fields: ['title', 'salary'],
      previous: { title: 'Battery engineer', salary: { min: 1, max: null, currency: 'USD', period: 'year' } },
    }),
    again: 200,
  },
  'application.submitted': {
    of: ['employer', 'candidate'],
    before: async () => {
      await board.pay(employer, jobId)
      expectStatus(await board.post(`/v1/jobs/${jobId}/activate`, employer.key), 200)
    },
    run: () => post(`/v1/candidates/jobs/${jobId}/apply`, candidate.key, { cover_letter: PRIVATE }),
    status: 201,
    data: ({ data }) => {
      applicationId = data.id
      return { application: { ...applied('pending'), applied_at: now() } }
    },
    again: 409,
  },
  'application.status_updated': {
    of: ['employer', 'candidate'],
    run: () =>
      put(`/v1/employers/applications/${applicationId}`, employer.key, { status: 'contacted', reason: PRIVATE }),
    status: 200,
    data: () => ({ application: { ...applied('contacted'), updated_at: now() }, previous_status: 'pending' }),
    again: 200,
  },
  'application.withdrawn': {
    of: ['employer', 'candidate'],
    run: () => post(`/v1/candidates/applications/${applicationId}/withdraw`, candidate.key, { reason: PRIVATE }),
    status: 200,
    data: () => ({ application: { ...applied('contacted'), withdrawn_at: now() } }),
    again: 200,
  },
  'job.deleted': {
    of: ['employer'],
    run: () => send('DELETE', `/v1/jobs/${jobId}`, employer.key),
    status: 204,
    data: () => ({ job: { ...job, id: jobId, employer_id: employer.id, deleted_at: now() } }),
    again: 404,
  },
  'job.expired': {
    of: ['employer'],
    before: async () => {
      jobId = (await board.activeJob(employer, { title: 'Cell engineer' })).id
      expectStatus(await board.post(`/v1/jobs/${jobId}/close`, employer.key, { reason: PRIVATE }), 200)
      expectStatus(await board.post(`/v1/jobs/${jobId}/reopen`, employer.key), 200)
      board.clock.advance(31 * DAY_MS)
    },
    run: async () => {
      const sweeper = board.service.tasks.find(({ name }) => name === 'job-expiry')!
      const status = await sweeper.once().then(
        () => 200,
        () => 500,
      )
      return { status, body: (await send('GET', `/v1/employers/jobs`, employer.key)).body }
    },
    status: 200,
    data: ({ data: [{ application_count: _, source: __, ...told }] }) => {
      expect([told.id, told.is_active]).toEqual([jobId, false])
      return { job: told }
    },
    again: 200,
  },
}

async function alterEvents(statement: string): Promise<void> {
  await board.database.inTx((tx) => sql.raw(`alter table event ${statement}`).execute(tx))
}

/** Returns the names of the accounts that see an event, both in the list and by ID. */
async function viewersOf(id: string): Promise<string[]> {
  const keys = {
    employer: employer.key,
    otherEmployer: otherEmployer.key,
    candidate: candidate.key,
    otherCandidate: otherCandidate.key,
    admin: ADMIN_KEY,
    integrator: integrator.key,
  }
  const seeing: string[] = []
  for (const [name, key] of Object.entries(keys)) {
    // This account is not registered yet.
    if (key === '') continue
    const { status } = await board.get(`/v1/events/${id}`, key)
    const isListed = idsOf(await board.get('/v1/events?limit=100', key)).includes(id)
    expect([name, status]).toEqual([name, isListed ? 200 : 404])
    if (isListed) seeing.push(name)
  }
  return seeing.sort()
}

/** The names of the accounts with a webhook for every event type, by account ID. */
const subscribers = new Map<string, string>()

async function subscribe(name: string, key: string): Promise<void> {
  const { account_id } = (await board.get('/v1/me', key)).body.data
  if (!subscribers.has(account_id)) await makeWebhook(board, { id: account_id, key }, { events: eventTypes })
  subscribers.set(account_id, name)
}

/** Returns the names of the accounts that receive an event by webhook. */
async function receiversOf(id: string): Promise<string[]> {
  const { rows } = await board.database.read((db) =>
    sql<{ owner_id: string }>`select owner_id from webhook_delivery as delivery
      join webhook on webhook.id = delivery.webhook_id where event_id = ${id}`.execute(db),
  )
  return rows.map(({ owner_id }) => subscribers.get(owner_id)!).sort()
}

describe('every event type', () => {
  beforeAll(async () => {
    await subscribe('otherEmployer', otherEmployer.key)
    await subscribe('otherCandidate', otherCandidate.key)
    await subscribe('integrator', integrator.key)
    await subscribe('admin', ADMIN_KEY)
  })

  test('has a cause in this test', () => {
    expect(Object.keys(causes).sort()).toEqual(eventTypes.toSorted())
  })

  test.each(Object.entries(causes))(
    '%s is written once with its cause or not at all, and only for the entitled accounts',
    async (type, cause) => {
      await cause.before?.()
      board.clock.advance(1_000)
      const before = await board.events()
      await alterEvents('add constraint no_more check (false) not valid')
      const failed = await cause.run().finally(() => alterEvents('drop constraint no_more'))
      expect([failed.status, await board.events()]).toEqual([500, before])

      // If the failed run had left anything behind, this run would be refused or write no event.
      const { status, body } = await cause.run()
      expect([status, body]).toEqual([cause.status, body])
      const told = (await board.events()).filter(({ id }) => !before.some((earlier) => earlier.id === id))
      expect(told).toEqual([{ id: expect.stringMatching(/^evt_/), type, created_at: now(), data: cause.data(body) }])
      const [event] = told
      expect(Object.keys(event!)).toEqual(['id', 'type', 'created_at', 'data'])
      const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
      ajv.addSchema(features.flatMap(({ schemas = [] }) => schemas))
      expect(ajv.validate(eventSchemas[type as EventType], event), ajv.errorsText()).toBe(true)
      const entitled = ['admin', 'integrator', ...cause.of].sort()
      expect(await viewersOf(event!.id)).toEqual(entitled)
      // A newly registered account cannot have a webhook yet.
      const isRegistration = type.endsWith('.registered')
      const sentTo = await receiversOf(event!.id)
      expect(sentTo).toEqual(isRegistration ? ['admin', 'integrator'] : entitled)
      if (isRegistration) await subscribe(cause.of[0]!, (type === 'candidate.registered' ? candidate : employer).key)

      if (cause.again !== undefined) {
        expect((await cause.run()).status).toBe(cause.again)
        expect((await board.events()).at(-1)).toEqual(event)
      }
    },
  )

  test('reveals only data that all its readers may see', async () => {
    const { text } = await board.get('/v1/events?limit=100', ADMIN_KEY)
    for (const type of eventTypes) expect(text).toContain(`"type":"${type}"`)
    for (const secret of [PRIVATE, 'private-desk', employer.key, candidate.key, '700 00 01', 'mail_on']) {
      expect(text).not.toContain(secret)
    }
  })

  test('loses the name and email address of an erased candidate, for every reader', async () => {
    expectStatus(await board.delete('/v1/candidates/profile', candidate.key), 204)
    for (const key of [employer.key, ADMIN_KEY, integrator.key]) {
      const answer = await board.get('/v1/events?limit=100', key)
      expect(answer.body.data.filter(({ type }: { type: string }) => type.startsWith('application.'))).toHaveLength(3)
      expect(answer.text).not.toMatch(/brand/i)
    }
  })
})

test('only admins and integrators see events about imported jobs of companies without an account', async () => {
  const before = await board.events()
  const at = board.clock.now()
  const company = 'Voltaire Vehicles'
  await board.database.inTx(async (tx) => {
    // A different company with the name of an existing account.
    const imported = await ensureImportedEmployer(tx, { name: company }, at)
    const line = { title: 'Imported', company, location: 'Leipzig' } as ImportedJob
    const settings = { origin: ORIGIN, defaultCurrency: 'USD' }
    for (let run = 0; run < 2; run++) {
      await importJobs(tx, settings, [{ job: line, employer: imported }], { isActive: true, now: at })
    }
  })
  const told = (await board.events()).filter(({ id }) => !before.some((earlier) => earlier.id === id))
  expect(told).toMatchObject([{ type: 'job.created', data: { job: { title: 'Imported', is_active: true } } }])
  candidate = otherCandidate
  expect(await viewersOf(told[0]!.id)).toEqual(['admin', 'integrator'])
})
