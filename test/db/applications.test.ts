/** Simultaneous requests about applications. The requests run concurrently only on PostgreSQL. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { applicationCount, apply, world } from '../support/applications.ts'
import { type Account, type Answer, useBoard } from '../support/board.ts'
import { insertResume } from '../support/resumes.ts'

const board = useBoard()
let employer: Account
let candidate: Account
beforeAll(async () => {
  employer = await board.employer()
  candidate = await board.candidate()
})

const send = (who: Account, jobId: string) =>
  board.post(`/v1/candidates/jobs/${jobId}/apply`, who.key, { cover_letter: 'At once.' })
const withdraw = (who: Account, id: string) => board.post(`/v1/candidates/applications/${id}/withdraw`, who.key)
const move = (id: string, status: string) => board.put(`/v1/employers/applications/${id}`, employer.key, { status })
const times = <T>(n: number, make: () => Promise<T>) => Promise.all(Array.from({ length: n }, make))
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()

/** Counts each kind of row that an application writes, to detect incomplete applications. */
async function wholeness(jobId: string) {
  const { rows } = await board.database.read((db) =>
    sql<Record<string, number>>`
      with taken as (select id, withdrawn_at from application where job_id = ${jobId})
      select count(*) as applications, count(*) filter (where withdrawn_at is null) as standing,
        (select application_count from job where id = ${jobId}) as counted,
        (select count(*) from application_status_change join taken on id = application_id) as changes,
        (select count(*) from event join taken on taken.id = subject_id) as events,
        (select count(*) from mail join taken on taken.id = subject_id) as mails
      from taken`.execute(db),
  )
  return rows[0]!
}
const whole = (n: number) => ({ applications: n, standing: n, counted: n, changes: n, events: n, mails: 2 * n })

test.each([2, 8])(
  'one of %i simultaneous applications by one candidate succeeds, and the other responses contain its ID',
  async (n) => {
    const { id } = await board.activeJob(employer)
    const answers = await times(n, () => send(candidate, id))
    expect(statuses(answers)).toEqual([201, ...Array(n - 1).fill(409)])
    const taken = answers.find(({ status }) => status === 201)!.body.data.id
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toMatchObject({ code: 'already_applied', application_id: taken })
    }
    expect(await wholeness(id)).toEqual(whole(1))
  },
)

test('all simultaneous applications of many candidates are counted', async () => {
  const { id } = await board.activeJob(employer)
  const candidates = await times(24, () => board.candidate())
  const answers = await Promise.all(candidates.map((who) => send(who, id)))
  expect(new Set(statuses(answers))).toEqual(new Set([201]))
  expect(await wholeness(id)).toEqual(whole(24))
  expect(await applicationCount(board, employer, id)).toBe(24)
})

describe('an application to a job', () => {
  const changes: [what: string, change: (jobId: string) => Promise<Answer>, refusals: [number, string][]][] = [
    ['is closed', (id) => board.post(`/v1/jobs/${id}/close`, employer.key), [[409, 'job_not_open']]],
    ['is deleted', (id) => board.delete(`/v1/jobs/${id}`, employer.key), [[404, 'not_found']]],
    [
      'gets new questions',
      (id) =>
        board.put(`/v1/jobs/${id}`, employer.key, {
          custom_questions: [{ id: 'why', label: 'Why?', type: 'text', required: true }],
        }),
      [[422, 'validation_failed']],
    ],
  ]
  test.each(changes)(
    'is stored completely or refused if the job %s simultaneously',
    async (_what, change, refusals) => {
      const candidates = await times(6, () => board.candidate())
      for (let round = 0; round < 4; round++) {
        const { id } = await board.activeJob(employer)
        const [changed, ...answers] = await Promise.all([change(id), ...candidates.map((who) => send(who, id))])
        expect([200, 204]).toContain(changed.status)
        for (const { status, body } of answers) {
          if (status !== 201) expect(refusals).toContainEqual([status, body.code])
        }
        expect(await wholeness(id)).toEqual(whole(answers.filter(({ status }) => status === 201).length))
      }
    },
  )

  test('is refused from the millisecond the job expires', async () => {
    const expires_at = new Date(board.clock.time + 5_000).toISOString()
    const { id } = await board.activeJob(employer, { expires_at })
    board.clock.advance(4_999)
    const inTime = await send(candidate, id)
    board.clock.advance(1)
    const late = await send(await board.candidate(), id)
    expect([inTime.status, late.status, late.body.code]).toEqual([201, 409, 'job_not_open'])
    expect(await wholeness(id)).toEqual(whole(1))
  })
})

test('an application during a rename has the same company name in its response and its event', async () => {
  const candidates = await times(6, () => board.candidate())
  for (let round = 0; round < 4; round++) {
    const owner = await board.employer({ name: 'Before Motors' })
    const { id } = await board.activeJob(owner)
    const [renamed, ...answers] = await Promise.all([
      board.put('/v1/employers/profile', owner.key, { name: 'After Motors' }),
      ...candidates.map((who) => send(who, id)),
    ])
    expect(new Set(statuses([renamed!, ...answers]))).toEqual(new Set([200, 201]))
    expect(await wholeness(id)).toEqual(whole(6))
    const told = (await board.events('application.submitted')) as unknown as {
      data: { application: { id: string; job: object } }
    }[]
    for (const { body } of answers) {
      expect(['Before Motors', 'After Motors']).toContain(body.data.job.company)
      const event = told.find(({ data }) => data.application.id === body.data.id)
      expect(event!.data.application.job).toEqual(body.data.job)
    }
  }
})

test('an application with a resume that is deleted simultaneously is complete or refused', async () => {
  for (let round = 0; round < 6; round++) {
    const { id } = await board.activeJob(employer)
    const person = await board.candidate()
    const resume_id = await insertResume(board, person.id)
    const [answer] = await Promise.all([
      board.post(`/v1/candidates/jobs/${id}/apply`, person.key, { cover_letter: 'At once.', resume_id }),
      board.database.inTx((tx) => tx.deleteFrom('resume').where('id', '=', resume_id).execute()),
    ])
    expect([201, 422]).toContain(answer!.status)
    expect(await wholeness(id)).toEqual(whole(answer!.status === 201 ? 1 : 0))
  }
})

test('one of two simultaneous status changes succeeds, and the other is validated against the new status', async () => {
  for (let round = 0; round < 5; round++) {
    const { application } = await world(board, { employer })
    const answers = await Promise.all([move(application.id, 'hired'), move(application.id, 'rejected')])
    expect(statuses(answers)).toEqual([200, 409])
    const [won, lost] = answers[0]!.status === 200 ? answers : answers.toReversed()
    const { status } = won!.body.data
    expect(lost!.body).toMatchObject({
      code: 'invalid_transition',
      state: status,
      allowed: status === 'hired' ? [] : ['reviewed'],
    })
    expect(won!.body.data.status_history.map((entry: { status: string }) => entry.status)).toEqual(['pending', status])
  }
})

test('the same status change sent five times simultaneously is one change', async () => {
  const { application, job } = await world(board, { employer })
  const answers = await times(5, () => move(application.id, 'reviewed'))
  expect(new Set(statuses(answers))).toEqual(new Set([200]))
  expect(await wholeness(job.id)).toEqual({ ...whole(1), changes: 2, events: 2, mails: 3 })
})

test('exactly one of two simultaneous requests, a withdrawal and a rejection, succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const { application, job } = await world(board, { employer, candidate })
    const [withdrawn, rejected] = await Promise.all([
      withdraw(candidate, application.id),
      move(application.id, 'rejected'),
    ])
    expect(statuses([withdrawn, rejected])).toEqual([200, 409])
    const isWithdrawn = withdrawn.status === 200
    expect(await applicationCount(board, employer, job.id)).toBe(isWithdrawn ? 0 : 1)
  }
})

test('simultaneous withdrawals and new applications never deadlock, and keep the counts correct', async () => {
  const { application, job } = await world(board, { employer, candidate })
  let standing = application.id
  for (let round = 0; round < 6; round++) {
    const answers = await Promise.all([
      send(candidate, job.id),
      withdraw(candidate, standing),
      send(candidate, job.id),
      withdraw(candidate, standing),
      move(standing, 'reviewed'),
    ])
    for (const { status } of answers) expect([200, 201, 409]).toContain(status)
    expect(answers.filter(({ status }) => status === 201).length).toBeLessThan(2)
    const { standing: now, counted } = await wholeness(job.id)
    expect(counted).toBe(now)
    const taken = answers.find(({ status }) => status === 201)
    standing = taken ? taken.body.data.id : (await apply(board, candidate, job.id)).id
  }
})

test('an application during the erasure of the profile is anonymous and not counted, or refused', async () => {
  for (let round = 0; round < 4; round++) {
    const [one, other] = [await board.activeJob(employer), await board.activeJob(employer)]
    const person = await board.candidate()
    const first = await apply(board, person, one.id)
    const [erased, ...answers] = await Promise.all([
      board.delete('/v1/candidates/profile', person.key),
      send(person, other.id),
      send(person, one.id),
      withdraw(person, first.id),
      move(first.id, 'reviewed'),
    ])
    expect(erased.status).toBe(204)
    for (const { status } of answers) expect([200, 201, 401, 404, 409]).toContain(status)
    for (const { id } of [one, other]) expect((await wholeness(id)).counted).toBe(0)
    const rows = await board.database.read((db) =>
      db.selectFrom('application').selectAll().where('job_id', 'in', [one.id, other.id]).execute(),
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toMatchObject({ candidate_id: null, cover_letter: '', answers: {} })
  }
})
