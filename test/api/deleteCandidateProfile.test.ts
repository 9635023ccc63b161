import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EventType, eventDataSchemas } from '../../src/events/catalogue.ts'
import { appendEvent } from '../../src/events/outbox.ts'
import { features } from '../../src/main/features.ts'
import { insertApplication } from '../support/applications.ts'
import { ADMIN_KEY, Board, expectStatus } from '../support/board.ts'
import { candidateWith } from '../support/candidates.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { useMonotonic } from '../support/monotonic.ts'
import { describeOperation } from '../support/operation.ts'
import { wholeDatabase } from '../support/whole-database.ts'

describeOperation('deleteCandidateProfile', ({ board, status }) => {
  const path = '/v1/candidates/profile'
  const request = async () => ({ method: 'DELETE', path })

  status(204, () => {
    test("deletes the candidate's personal data from the database, and keeps other people's data", async () => {
      const person = {
        first_name: 'Wilhelmina',
        last_name: 'Oxenstierna',
        email: 'wilhelmina@private.example',
        phone: '+46 8 123 456',
        location: 'Uppsala',
        headline: 'Unmistakable headline',
        summary: 'Inimitable summary',
        website: 'https://private.example',
        skills: ['Glassblowing'],
        is_searchable: true,
      }
      const other = await board.candidate({ email: 'stays@mail.example' })
      const employer = await board.employer()
      const job = await board.activeJob(employer)
      const { first_name, last_name, email, ...profile } = person
      const candidate = await board.candidate({ first_name, last_name, email })
      const { id, key } = candidate
      expectStatus(await board.put(path, key, profile), 200)
      const limited = await board.keyWith(candidate, ['profile:read'])
      for (const one of [key, other.key]) await board.post(`/v1/candidates/jobs/${job.id}/save`, one)
      const applicationId = await insertApplication(board, candidate, employer)
      const at = board.clock.now()
      const name = `${first_name} ${last_name}`
      await board.database.inTx((tx) =>
        appendEvent(tx, {
          type: 'application.submitted',
          subjectId: applicationId,
          employerId: employer.id,
          candidateId: id,
          at,
          data: {
            application: {
              id: applicationId,
              job: { id: job.id, title: job.title, company: job.company },
              candidate: { id, name, email },
              status: 'pending',
              applied_at: at.toISOString(),
            },
          },
        }),
      )
      const before = await wholeDatabase(board.database)
      const texts = [...Object.values(person).flat(), 'wilhelmina', 'Oxenstierna']
      for (const text of texts.filter((text) => typeof text === 'string')) expect(before).toContain(text)
      const events = await board.events()

      const answer = await board.delete(path, key)
      expect([answer.status, answer.text]).toEqual([204, ''])

      const after = await wholeDatabase(board.database)
      for (const text of texts.filter((text) => typeof text === 'string')) expect(after).not.toContain(text)
      expect(after).not.toContain('glassblow')
      expect(after).toContain('stays@mail.example')
      for (const one of [key, limited]) {
        const refused = await board.get('/v1/me', one)
        expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized'])
      }
      for (const one of [employer.key, ADMIN_KEY]) {
        expect((await board.get(`/v1/candidates/${id}`, one)).status).toBe(404)
      }
      expect((await board.get('/v1/candidates/profile', other.key)).status).toBe(200)
      expect((await board.get('/v1/candidates/jobs/saved', other.key)).body.data).toHaveLength(1)
      const stub = await board.database.read((db) =>
        db.selectFrom('application').select(['candidate_id', 'employer_id']).where('id', '=', applicationId).execute(),
      )
      expect(stub).toEqual([{ candidate_id: null, employer_id: employer.id }])

      // Every event still exists and matches the catalog. Only the personal data was removed.
      const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
      ajv.addSchema(features.flatMap(({ schemas = [] }) => schemas))
      const told = await board.events()
      const emptied = JSON.parse(JSON.stringify(events), (_key, value) =>
        value?.id === id && 'email' in value ? { ...value, name: '', email: '' } : value,
      )
      expect(told).toEqual(emptied)
      for (const event of told) {
        expect(ajv.validate(eventDataSchemas[event.type as EventType], event.data), ajv.errorsText()).toBe(true)
      }
      const owners = await board.database.read((db) =>
        db.selectFrom('event').select('type').where('candidate_id', '=', id).orderBy('id').execute(),
      )
      expect(owners.map(({ type }) => type).sort()).toEqual([
        'application.submitted',
        'candidate.profile_updated',
        'candidate.registered',
      ])
    })

    test("frees the email address for a new candidate, who gets none of the previous candidate's data", async () => {
      const registration = { first_name: 'Ada', last_name: 'King', email: 'again@mail.example' }
      const first = await board.candidate(registration)
      await board.put(path, first.key, { headline: 'Former' })
      expectStatus(await board.delete(path, first.key), 204)
      const second = await board.candidate(registration)
      expect(second.id).not.toBe(first.id)
      expect((await board.get(path, second.key)).body.data).toMatchObject({ headline: null })
      expect((await board.get('/v1/candidates/export', second.key)).body.data.events).toHaveLength(1)
    })

    test('hides the candidate from an employer who could see the profile', async () => {
      const employer = await board.employer()
      const candidate = await candidateWith(board, { location: 'Erasmushaven' })
      await insertApplication(board, candidate, employer)
      const list = async () => (await board.get('/v1/candidates?location=erasmushaven', employer.key)).body.data
      expect(await list()).toHaveLength(1)
      expectStatus(await board.delete(path, candidate.key), 204)
      expect(await list()).toEqual([])
    })

    test('rolls back completely if it cannot erase the events', async () => {
      const candidate = await candidateWith(board, { headline: 'Whole' })
      const events = await board.events()
      const alter = (statement: string) =>
        board.database.inTx((tx) => sql.raw(`alter table event ${statement}`).execute(tx))
      await alter(`add constraint no_erasure check (body not like '%"name":""%') not valid`)
      try {
        const { status } = await fetch(`${board.address}${path}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${candidate.key}` },
        })
        expect(status).toBe(500)
      } finally {
        await alter('drop constraint no_erasure')
      }
      expect(await board.events()).toEqual(events)
      expect((await board.get(path, candidate.key)).body.data.headline).toBe('Whole')
    })

    describe('with a second process that uses the same database and still caches the key', () => {
      const monotonic = useMonotonic()
      const second = new Board()
      beforeAll(async () => {
        second.database = board.database
        await second.start()
      })
      afterAll(() => second.service.app.close())

      test('returns no data and refuses all writes with the key in that process after the deletion', async () => {
        const { key } = await board.candidate()
        const job = await board.activeJob(await board.employer())
        expect((await second.get(path, key)).status).toBe(200)
        expectStatus(await board.delete(path, key), 204)
        const answers = [
          await second.get(path, key),
          await second.put(path, key, { headline: 'Late' }),
          await second.get('/v1/candidates/export', key),
          await second.post(`/v1/candidates/jobs/${job.id}/save`, key),
          await second.post('/v1/api-keys', key, { name: 'Late' }),
          await second.delete(path, key),
        ]
        for (const answer of answers) {
          expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized'])
          expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
          expect(answer.body.detail).toBe("This API key's account no longer exists.")
        }
        expect((await second.get('/v1/candidates/jobs/saved', key)).body.data).toEqual([])
        monotonic.advance(1_000)
        expect((await second.get('/v1/me', key)).status).toBe(401)
      })
    })

    test('lets one of two simultaneous deletions succeed amid other requests, which succeed or get 401', async () => {
      for (let round = 0; round < 5; round++) {
        const candidate = await board.candidate()
        const { key } = candidate
        const job = await board.activeJob(await board.employer())
        const answers = await Promise.all([
          board.put(path, key, { headline: 'Before or after' }),
          board.delete(path, key),
          board.put(path, key, { email: `moved-${round}@mail.example` }),
          board.post(`/v1/candidates/jobs/${job.id}/save`, key),
          board.post('/v1/api-keys', key, { name: 'Late' }),
          board.get('/v1/candidates/export', key),
          board.delete(path, key),
          board.put(path, key, { first_name: 'Late' }),
          board.post(`/v1/candidates/jobs/${job.id}/save`, key),
          board.post('/v1/api-keys', key, { name: 'Later' }),
          board.get(path, key),
          board.get('/v1/candidates/jobs/saved', key),
        ])
        const statuses = answers.map((answer) => answer.status)
        expect(statuses.filter((code) => code === 204)).toHaveLength(1)
        expect(statuses.filter((code) => ![200, 201, 204, 401].includes(code))).toEqual([])
        expect((await board.get('/v1/me', key)).status).toBe(401)
        const left = await board.database.read((db) =>
          db.selectFrom('event').select('body').where('candidate_id', '=', candidate.id).execute(),
        )
        for (const { body } of left) expect(body).not.toContain('mail.example')
      }
    })
  })

  status(401, () => {
    test('returns 401 for a second deletion', async () => {
      const { key } = await board.candidate()
      expectStatus(await board.delete(path, key), 204)
      expect((await board.delete(path, key)).status).toBe(401)
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'candidate', request))
})
