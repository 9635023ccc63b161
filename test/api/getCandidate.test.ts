import { expect, test } from 'vitest'
import { insertApplication } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { candidateWith } from '../support/candidates.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getCandidate', ({ board, status }) => {
  const request = async () => ({
    method: 'GET',
    path: `/v1/candidates/${(await candidateWith(board, { is_searchable: true })).id}`,
  })
  const profile = {
    first_name: 'Ada',
    last_name: 'King',
    phone: '+44 20 7946 0000',
    location: 'London',
    headline: 'Chemist',
    summary: 'Cells.',
    experience: [
      {
        title: 'Engineer',
        company: 'Voltaire Vans',
        location: null,
        start_date: '2020-02',
        end_date: null,
        current: true,
        description: null,
      },
    ],
    education: [
      { institution: 'Politecnico', degree: null, field: null, start_date: null, end_date: null, description: null },
    ],
    skills: ['CAN'],
    website: 'https://ada.example',
    github: null,
    linkedin: 'https://linkedin.example/ada',
  }

  status(200, () => {
    test('returns exactly the documented resource, without the email address and phone number', async () => {
      const { id } = await candidateWith(board, { ...profile, is_searchable: true })
      const now = board.clock.now().toISOString()
      const answer = await board.get(`/v1/candidates/${id}`, (await board.employer()).key)
      const data = { id, ...profile, last_active: now, created_at: now, email: null, phone: null }
      expect([answer.status, answer.body]).toEqual([200, { data }])
    })

    test("shows an unsearchable applicant's contact data to admins and the employer who received the application", async () => {
      const employer = await board.employer()
      const candidate = await candidateWith(board, { ...profile, email: 'applicant@mail.example' })
      await insertApplication(board, candidate, employer)
      for (const key of [employer.key, ADMIN_KEY]) {
        const { data } = expectStatus(await board.get(`/v1/candidates/${candidate.id}`, key), 200).body
        expect(data).toMatchObject({ ...profile, email: 'applicant@mail.example' })
      }
    })

    test('still shows an applicant who withdrew', async () => {
      const employer = await board.employer()
      const candidate = await board.candidate()
      const id = await insertApplication(board, candidate, employer)
      const withdrawn_at = board.clock.now()
      await board.database.inTx((tx) =>
        tx.updateTable('application').set({ withdrawn_at }).where('id', '=', id).execute(),
      )
      expect((await board.get(`/v1/candidates/${candidate.id}`, employer.key)).status).toBe(200)
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))

  status(404, () => {
    test("treats unsearchable candidates, including other employers' applicants, as nonexistent", async () => {
      const hidden = await board.candidate()
      const applicant = await board.candidate()
      await insertApplication(board, applicant, await board.employer())
      const { key } = await board.employer()
      const [unknown, ...others] = await Promise.all(
        ['cand_00000000000000000000000001', hidden.id, applicant.id].map((id) =>
          board.get(`/v1/candidates/${id}`, key),
        ),
      )
      expect([unknown!.status, unknown!.body.code]).toEqual([404, 'not_found'])
      const { request_id: _, instance: __, ...rest } = unknown!.body
      for (const answer of others) expect(answer.body).toMatchObject(rest)
    })
  })
})
