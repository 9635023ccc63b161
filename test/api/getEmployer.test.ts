import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getEmployer', ({ board, status }) => {
  const request = async () => ({ method: 'GET', path: `/v1/employers/${(await board.employer()).id}` })

  status(200, () => {
    test('returns exactly the documented employer, to every kind of account', async () => {
      const profile = {
        name: 'Voltaire Vans',
        location: 'Gothenburg, Sweden',
        website: 'https://voltaire.example',
        logo_url: 'https://voltaire.example/logo.svg',
        description: 'Electric **vans**.',
        industry: 'Vehicle makers',
        employee_count: 250,
      }
      const { id } = await board.employer(profile)
      const now = board.clock.now().toISOString()
      for (const kind of ['candidate', 'employer', 'integrator', 'admin'] as const) {
        const { key } = await board.account(kind)
        const answer = await board.get(`/v1/employers/${id}`, key)
        expect([answer.status, answer.body]).toEqual([
          200,
          {
            data: {
              id,
              ...profile,
              cover_url: null,
              ...{ is_verified: false, verified_domain: null },
              description_html: '<p>Electric <strong>vans</strong>.</p>\n',
              open_positions: 0,
              created_at: now,
              updated_at: now,
            },
          },
        ])
      }
    })

    test("shows neither the employer's email address nor its keys", async () => {
      const { id, key } = await board.employer({ email: 'private@employer.example' })
      const { text } = await board.get(`/v1/employers/${id}`, key)
      expect(text).not.toContain('private@employer.example')
      expect(text).not.toContain('jm_')
    })

    test('counts only the jobs that are on the board as open positions', async () => {
      const employer = await board.employer()
      const count = async () => (await board.get(`/v1/employers/${employer.id}`, employer.key)).body.data.open_positions
      await board.job(employer)
      expect(await count()).toBe(0)
      const first = await board.activeJob(employer, { expires_at: new Date(board.clock.time + DAY_MS).toISOString() })
      const second = await board.activeJob(employer)
      const third = await board.activeJob(employer)
      await board.activeJob(await board.employer())
      expect(await count()).toBe(3)
      await board.post(`/v1/jobs/${second.id}/close`, employer.key)
      expect(await count()).toBe(2)
      await board.delete(`/v1/jobs/${third.id}`, employer.key)
      expect(await count()).toBe(1)
      board.clock.advance(DAY_MS - 1)
      expect(await count()).toBe(1)
      board.clock.advance(1)
      expect(await count()).toBe(0)
      expect((await board.get(`/v1/jobs/${first.id}`, employer.key)).body.data.is_active).toBe(false)
    })
  })

  status(304, () => answersNotModified(board, 'candidate', request))

  status(404, () => {
    test('does not return a candidate as an employer', async () => {
      const { id, key } = await board.candidate()
      expect((await board.get(`/v1/employers/${id}`, key)).status).toBe(404)
    })
  })
})
