import { expect, test } from 'vitest'
import { hashApiKey } from '../../src/lib/api-keys.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import {
  type Registration,
  refusesBadRegistrationKeys,
  refusesEmails,
  refusesTakenEmails,
  registersForOperators,
  takesEmails,
} from '../support/registration.ts'
import { wholeDatabase } from '../support/whole-database.ts'

describeOperation('registerCandidate', ({ board, status }) => {
  const path = '/v1/candidates'
  const bodyWith = (email: string) => ({ first_name: 'Ada', last_name: 'King', email })
  const registration: Registration = { path, bodyWith }

  status(201, () => {
    test('returns the new profile exactly as documented, with a key that is shown only once', async () => {
      const body = { first_name: '  Ada ', last_name: 'King', email: 'Ada@mail.example' }
      const answer = await board.post(path, undefined, body)
      expect(answer.status).toBe(201)
      expect(answer.headers.get('location')).toBe('/v1/candidates/profile')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const { api_key } = answer.body.data
      expect(api_key).toMatch(/^jm_cand_[0-9A-Za-z]{38}$/)
      const now = board.clock.now().toISOString()
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^cand_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
          first_name: 'Ada',
          last_name: 'King',
          email: 'Ada@mail.example',
          phone: null,
          location: null,
          headline: null,
          summary: null,
          experience: [],
          education: [],
          skills: [],
          resume_url: null,
          website: null,
          github: null,
          linkedin: null,
          is_searchable: false,
          mail_on_status_change: true,
          created_at: now,
          updated_at: now,
          api_key,
        },
      })
      const everything = await wholeDatabase(board.database)
      expect(everything).toContain(hashApiKey(api_key))
      expect(everything).not.toContain(api_key.slice(8, -6))
    })

    test('writes candidate.registered', async () => {
      const { id } = await board.candidate({ first_name: 'Grace', last_name: 'Hopper', email: 'grace@mail.example' })
      const created_at = board.clock.now().toISOString()
      expect((await board.events('candidate.registered')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'candidate.registered',
        created_at,
        data: { candidate: { id, name: 'Grace Hopper', email: 'grace@mail.example', created_at } },
      })
    })

    test("accepts an employer's email address", async () => {
      await board.employer({ email: 'both@mail.example' })
      expect((await board.post(path, undefined, bodyWith('Both@mail.example'))).status).toBe(201)
    })

    test('accepts names of a hundred emoji or Chinese characters', async () => {
      const body = { first_name: '\u{1F697}'.repeat(100), last_name: '李'.repeat(100), email: 'long@mail.example' }
      const { data } = (await board.post(path, undefined, body)).body
      expect([data.first_name, data.last_name]).toEqual([body.first_name, body.last_name])
    })

    takesEmails(board, registration)
    registersForOperators(board, registration)
  })

  status(401, () => refusesBadRegistrationKeys(board, registration))

  status(409, () => refusesTakenEmails(board, registration, 'candidate.registered'))

  status(422, () => {
    refusesEmails(board, registration)

    test('reports all missing fields at once', async () => {
      const answer = await board.post(path, undefined, {})
      expect(faultsOf(answer).sort()).toEqual(['#/email required', '#/first_name required', '#/last_name required'])
    })

    test.each<[Record<string, unknown>, string]>([
      [{ first_name: ' ' }, '#/first_name too_short'],
      [{ first_name: '\u200b\u00ad\u3164' }, '#/first_name too_short'],
      [{ first_name: 'x'.repeat(101) }, '#/first_name too_long'],
      [{ first_name: null }, '#/first_name invalid_type'],
      [{ last_name: '' }, '#/last_name too_short'],
      [{ last_name: 'x'.repeat(101) }, '#/last_name too_long'],
      [{ last_name: ['King'] }, '#/last_name invalid_type'],
      [{ phone: '+1 555' }, '#/phone unknown_field'],
      [{ id: 'cand_1' }, '#/id unknown_field'],
    ])('refuses %o', async (overrides, fault) => {
      const answer = await board.post(path, undefined, { ...bodyWith('refused@mail.example'), ...overrides })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })

    test('leaves the email address available after a refusal', async () => {
      await board.post(path, undefined, { ...bodyWith('free@mail.example'), first_name: '' })
      expect((await board.post(path, undefined, bodyWith('free@mail.example'))).status).toBe(201)
    })
  })
})
