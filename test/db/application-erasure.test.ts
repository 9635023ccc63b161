/** Applications after their candidate erases the profile, and in exports of personal data. */
import { expect, test } from 'vitest'
import { applicationsPersonalData } from '../../src/features/applications/applications.personal-data.ts'
import { applicationCount, setStatus, world } from '../support/applications.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { insertResume } from '../support/resumes.ts'

const board = useBoard()
const erase = (id: string) => board.database.inTx((tx) => applicationsPersonalData.erase(tx, id, board.clock.now()))
const custom_questions = [{ id: 'why', label: 'Why?', type: 'text', required: true }]
const made = (given: Parameters<typeof world>[1]) =>
  world(board, {
    ...given,
    job: { custom_questions },
    body: { custom_questions: { why: 'Ada loves vans' }, source: 'ada.example' },
  })

test.each([
  ['pending', true],
  ['reviewed', true],
  ['contacted', true],
  ['rejected', false],
  ['hired', false],
])('an erasure leaves an anonymous stub of an application that is %s', async (status, isWithdrawn) => {
  const candidate = await board.candidate()
  await insertResume(board, candidate.id)
  const { application, employer, job } = await made({ candidate })
  const employerPath = `/v1/employers/applications/${application.id}`
  if (status !== 'pending')
    await board.put(employerPath, employer.key, { status, reason: 'Ada called twice', message: 'Dear Ada' })
  await board.put(employerPath, employer.key, { rating: 5, tags: ['Ada'] })
  const before = (await board.get(employerPath, employer.key)).body.data
  board.clock.advance(60_000)
  await erase(candidate.id)
  const now = board.clock.now().toISOString()
  const answer = await board.get(employerPath, employer.key)
  expect(answer.body.data).toEqual({
    ...before,
    candidate: { id: null, name: null, email: null, phone: null, location: null, headline: null },
    cover_letter: '',
    custom_questions: {},
    resume: null,
    rating: null,
    tags: [],
    source: null,
    updated_at: now,
    withdrawn_at: isWithdrawn ? now : null,
    status_history: before.status_history.map((entry: object) => ({ ...entry, reason: null })),
  })
  expect(answer.text).not.toContain('Ada')
  expect(await applicationCount(board, employer, job.id)).toBe(isWithdrawn ? 0 : 1)
  expect((await board.get('/v1/employers/applications', employer.key)).body.data).toEqual([answer.body.data])

  const moved = await board.put(employerPath, employer.key, { status: status === 'reviewed' ? 'hired' : 'reviewed' })
  expect(moved.status).toBe(409)
  expect(moved.body).toMatchObject({ code: 'invalid_transition', state: 'erased', allowed: [] })
  const rated = await board.put(employerPath, employer.key, { rating: 1 })
  expect([rated.status, rated.body.state]).toEqual([409, 'erased'])
  expect((await board.put(employerPath, ADMIN_KEY, answer.body.data)).body).toEqual(answer.body)
})

test('an erasure keeps the time of withdrawal, and counts the withdrawal only once', async () => {
  const { application, candidate, employer, job } = await made({})
  await board.post(`/v1/candidates/applications/${application.id}/withdraw`, candidate.key, { reason: 'Ada moves' })
  const withdrawn_at = board.clock.now().toISOString()
  board.clock.advance(60_000)
  await erase(candidate.id)
  const { data } = (await board.get(`/v1/employers/applications/${application.id}`, employer.key)).body
  expect(data.withdrawn_at).toBe(withdrawn_at)
  expect(await applicationCount(board, employer, job.id)).toBe(0)
  const row = await board.database.read((db) =>
    db.selectFrom('application').selectAll().where('id', '=', application.id).executeTakeFirstOrThrow(),
  )
  expect(row).toMatchObject({ candidate_id: null, withdrawal_reason: null, erased_at: board.clock.now() })
})

test('an erasure leaves the applications of other candidates unchanged', async () => {
  const { application, employer } = await made({})
  const path = `/v1/employers/applications/${application.id}`
  const before = (await board.get(path, employer.key)).body
  await erase((await board.candidate()).id)
  expect((await board.get(path, employer.key)).body).toEqual(before)
})

test("an export contains all application data about the candidate except the employers' reasons", async () => {
  const candidate = await board.candidate()
  const resumeId = await insertResume(board, candidate.id)
  const first = await made({ candidate })
  await made({})
  await setStatus(board, first.employer, first.application.id, 'reviewed')
  await board.put(`/v1/employers/applications/${first.application.id}`, first.employer.key, {
    ...{ rating: 2, tags: ['Late'] },
  })
  board.clock.advance(1_000)
  const second = await made({ candidate })
  await board.post(`/v1/candidates/applications/${second.application.id}/withdraw`, candidate.key, { reason: 'Moving' })
  const exported = await board.database.read((db) => applicationsPersonalData.export(db, candidate.id))
  const read = async (id: string) => {
    const { resume, status_history, ...rest } = (await board.get(`/v1/candidates/applications/${id}`, candidate.key))
      .body.data
    const history = status_history.map((change: object) => ({ ...change, message: null }))
    return { ...rest, resume_id: resume.id, status_history: history, notes: [], messages: [] }
  }
  const hidden = { source: 'ada.example' }
  expect(exported).toEqual([
    { ...(await read(first.application.id)), ...hidden, withdrawal_reason: null, rating: 2, tags: ['Late'] },
    { ...(await read(second.application.id)), ...hidden, withdrawal_reason: 'Moving', rating: null, tags: [] },
  ])
  expect((exported as { resume_id: string }[]).map(({ resume_id }) => resume_id)).toEqual([resumeId, resumeId])
})
