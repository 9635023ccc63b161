import { expect, test } from 'vitest'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getCandidateProfile', ({ board, status }) => {
  const request = async () => ({ method: 'GET', path: '/v1/candidates/profile' })

  status(200, () => {
    test("returns the candidate's own profile exactly as documented", async () => {
      const registered = (
        await board.post('/v1/candidates', undefined, {
          first_name: 'Ada',
          last_name: 'King',
          email: 'Ada@mail.example',
        })
      ).body.data
      board.clock.advance(60_000)
      const { api_key, ...profile } = registered
      const answer = await board.get('/v1/candidates/profile', api_key)
      expect([answer.status, answer.body]).toEqual([200, { data: profile }])
      expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    })

    test('returns the experience, the education, the skills and is_searchable', async () => {
      const { id, key } = await board.candidate()
      const experience = [
        {
          title: 'Engineer',
          company: 'Voltaire Vans',
          location: null,
          start_date: '2020-01',
          end_date: null,
          current: true,
          description: null,
        },
      ]
      await board.database.inTx((tx) =>
        tx
          .updateTable('candidate')
          .set({ experience: JSON.stringify(experience), skills: ['CAN', 'C++'], is_searchable: true })
          .where('id', '=', id)
          .execute(),
      )
      const { data } = (await board.get('/v1/candidates/profile', key)).body
      expect(data).toMatchObject({ id, experience, education: [], skills: ['CAN', 'C++'], is_searchable: true })
    })

    test("returns only the caller's own profile", async () => {
      const accounts = [await board.candidate(), await board.candidate()]
      for (const { id, key } of accounts) {
        expect((await board.get('/v1/candidates/profile', key)).body.data.id).toBe(id)
      }
    })
  })

  status(304, () => answersNotModified(board, 'candidate', request))
})
