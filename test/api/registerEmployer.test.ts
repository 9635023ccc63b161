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

describeOperation('registerEmployer', ({ board, status }) => {
  const path = '/v1/employers'
  const bodyWith = (email: string) => ({ name: 'Voltaire Vans', email })
  const registration: Registration = { path, bodyWith }

  status(201, () => {
    test('returns the new employer exactly as documented, with a key that is shown only once', async () => {
      const body = { name: ' Voltaire Vans ', email: 'jobs@voltaire.example' }
      const answer = await board.post(path, undefined, body)
      expect(answer.status).toBe(201)
      const { id, api_key } = answer.body.data
      expect(answer.headers.get('location')).toBe(`/v1/employers/${id}`)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(api_key).toMatch(/^jm_emp_[0-9A-Za-z]{38}$/)
      const now = board.clock.now().toISOString()
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^emp_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
          name: 'Voltaire Vans',
          location: null,
          website: null,
          logo_url: null,
          description: null,
          industry: null,
          employee_count: null,
          cover_url: null,
          ...{ is_verified: false, verified_domain: null },
          description_html: null,
          open_positions: 0,
          created_at: now,
          updated_at: now,
          api_key,
        },
      })
      const everything = await wholeDatabase(board.database)
      expect(everything).toContain(hashApiKey(api_key))
      expect(everything).not.toContain(api_key.slice(7, -6))
    })

    test('stores every optional field', async () => {
      const profile = {
        location: 'Gothenburg, Sweden',
        website: 'https://voltaire.example/about?a=1#x',
        logo_url: 'http://voltaire.example/logo.svg',
        description: 'Vans.\n\nElectric ones.',
        industry: 'Vehicle makers',
        employee_count: 10_000_000,
      }
      const answer = await board.post(path, undefined, { ...bodyWith('full@mail.example'), ...profile })
      expect(answer.body.data).toMatchObject(profile)
      expect((await board.get(`/v1/employers/${answer.body.data.id}`, answer.body.data.api_key)).body.data).toEqual(
        withoutKey(answer.body.data),
      )
    })

    test('accepts null in every optional field, and fields of the maximum length', async () => {
      const nulls = { location: null, website: null, logo_url: null, description: null, industry: null }
      const first = await board.post(path, undefined, {
        ...bodyWith('nulls@mail.example'),
        ...nulls,
        employee_count: null,
      })
      expect(first.status).toBe(201)
      const limits = {
        name: '\u{1F697}'.repeat(200),
        email: 'limits@mail.example',
        location: 'l'.repeat(200),
        description: 'd'.repeat(20_000),
        industry: 'i'.repeat(100),
        website: `https://w.example/${'w'.repeat(2_030)}`,
        employee_count: 1,
      }
      expect(limits.website).toHaveLength(2_048)
      expect((await board.post(path, undefined, limits)).status).toBe(201)
    })

    test('writes employer.registered', async () => {
      const answer = await board.post(path, undefined, { ...bodyWith('event@mail.example'), industry: 'Software' })
      const { description_html: _, ...employer } = withoutKey(answer.body.data)
      expect((await board.events('employer.registered')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'employer.registered',
        created_at: board.clock.now().toISOString(),
        data: { employer },
      })
    })

    test("accepts a candidate's email address and another employer's name", async () => {
      await board.candidate({ email: 'both@mail.example' })
      expect((await board.post(path, undefined, bodyWith('BOTH@mail.example'))).status).toBe(201)
    })

    takesEmails(board, registration)
    registersForOperators(board, registration)
  })

  status(401, () => refusesBadRegistrationKeys(board, registration))

  status(409, () => refusesTakenEmails(board, registration, 'employer.registered'))

  status(422, () => {
    refusesEmails(board, registration)

    test('reports all missing fields at once', async () => {
      expect(faultsOf(await board.post(path, undefined, {})).sort()).toEqual(['#/email required', '#/name required'])
    })

    test.each<[Record<string, unknown>, string]>([
      [{ name: '\n' }, '#/name too_short'],
      [{ name: '\u200b\u00ad\u3164' }, '#/name too_short'],
      [{ name: 'x'.repeat(201) }, '#/name too_long'],
      [{ name: null }, '#/name invalid_type'],
      [{ location: ' ' }, '#/location too_short'],
      [{ location: 'x'.repeat(201) }, '#/location too_long'],
      [{ website: 'voltaire.example' }, '#/website invalid_format'],
      [{ website: 'ftp://voltaire.example' }, '#/website invalid_format'],
      [{ website: 'https://user:secret@voltaire.example' }, '#/website invalid_format'],
      [{ website: 'https://' }, '#/website invalid_format'],
      [{ website: 'https://voltaire example' }, '#/website invalid_format'],
      [{ website: `https://w.example/${'w'.repeat(2_031)}` }, '#/website too_long'],
      [{ logo_url: 'javascript:alert(1)' }, '#/logo_url invalid_format'],
      [{ logo_url: 'data:image/svg+xml,x' }, '#/logo_url invalid_format'],
      [{ logo_url: '' }, '#/logo_url invalid_format'],
      [{ description: '' }, '#/description too_short'],
      [{ description: 'x'.repeat(20_001) }, '#/description too_long'],
      [{ industry: 'x'.repeat(101) }, '#/industry too_long'],
      [{ employee_count: 0 }, '#/employee_count too_small'],
      [{ employee_count: 10_000_001 }, '#/employee_count too_large'],
      [{ employee_count: 1.5 }, '#/employee_count invalid_type'],
      [{ employee_count: '12' }, '#/employee_count invalid_type'],
      [{ open_positions: 5 }, '#/open_positions unknown_field'],
      [{ api_key: 'mine' }, '#/api_key unknown_field'],
    ])('refuses %o', async (overrides, fault) => {
      const answer = await board.post(path, undefined, { ...bodyWith('refused@mail.example'), ...overrides })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })
  })
})

function withoutKey({ api_key: _, ...employer }: Record<string, unknown>) {
  return employer
}
