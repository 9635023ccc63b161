/** One story from an empty board to a hire, over HTTP, with the actions of each person in order. */
import { expect, test } from 'vitest'
import { expectStatus, jobBody, useBoard } from '../support/board.ts'

const board = useBoard()

const LETTER = 'I have built battery packs for delivery vans for six years and would like to build yours.'
const RESUME = 'Ada Fahrenheit\nBattery pack engineer, Gothenburg\nThermal management, busbars, cell aging.\n'

/** Runs all background tasks until none has any work left. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const outcomes: string[] = []
    for (const task of board.service.tasks) outcomes.push(await task.once())
    if (outcomes.every((outcome) => outcome === 'done')) return
  }
  throw new Error('The background tasks never finish')
}

test('an employer pays for a job, a candidate finds it, applies and is hired', async () => {
  // The employer registers, writes the job, gets 402, pays and activates the job.
  const employer = await board.employer({ name: 'Nordlicht Batterien', website: 'https://nordlicht.example' })
  const draft = jobBody({
    title: 'Battery pack engineer',
    location: 'Gothenburg, Sweden',
    salary: { min: 52_000, max: 64_000, currency: 'EUR', period: 'year' },
    skills: ['thermal management', 'python'],
    custom_questions: [
      { id: 'permit', label: 'May you work in the EU?', type: 'boolean', required: true },
      { id: 'start', label: 'When could you start?', type: 'date', required: true },
      { id: 'city', label: 'Where?', type: 'single_select', required: false, options: ['Gothenburg', 'Lund'] },
    ],
  })
  const alerting = await board.candidate({ first_name: 'Ada', last_name: 'Fahrenheit' })
  const upload = { filename: 'ada.txt', content_base64: Buffer.from(RESUME).toString('base64') }
  const resume = expectStatus(await board.post('/v1/candidates/resume', alerting.key, upload), 201).body.data
  const alertBody = {
    name: 'Batteries in Gothenburg',
    criteria: { search: 'battery', location: 'gothenburg', salary_min: 50_000 },
    frequency: 'instant',
  }
  const alert = expectStatus(await board.post('/v1/candidates/job-alerts', alerting.key, alertBody), 201).body.data

  const { id: jobId } = expectStatus(await board.post('/v1/jobs', employer.key, draft), 201).body.data
  const unpaid = expectStatus(await board.post(`/v1/jobs/${jobId}/activate`, employer.key), 402)
  expect(unpaid.body.products).toEqual(['job-post'])
  expectStatus(await board.get(`/v1/jobs/${jobId}`, alerting.key), 404)
  await board.pay(employer, jobId)
  expectStatus(await board.post(`/v1/jobs/${jobId}/activate`, employer.key), 200)
  await settle()

  // The candidate completes the profile, finds the job and the alert's match, saves the job and applies.
  const profile = {
    headline: 'Battery pack engineer',
    skills: ['Thermal management', 'Python'],
    experience: [
      {
        ...{ title: 'Pack engineer', company: 'Kiruna Cells', location: 'Kiruna', start_date: '2020-02' },
        ...{ end_date: null, current: true, description: 'Packs for vans.' },
      },
    ],
    is_searchable: true,
  }
  const updated = expectStatus(await board.put('/v1/candidates/profile', alerting.key, profile), 200).body.data
  expect(updated.resume_url).toBe(resume.url)
  const found = await board.get('/v1/jobs?search=battery&location=gothenburg&salary_min=50000', alerting.key)
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([jobId])
  const matches = await board.get(`/v1/candidates/job-alerts/${alert.id}/matches`, alerting.key)
  expect(matches.body.data.map(({ id }: { id: string }) => id)).toEqual([jobId])
  expectStatus(await board.post(`/v1/candidates/jobs/${jobId}/save`, alerting.key), 201)
  const saved = await board.get('/v1/candidates/jobs/saved', alerting.key)
  expect(saved.body.data).toMatchObject([{ job_id: jobId, job: { title: 'Battery pack engineer', is_active: true } }])

  const apply = `/v1/candidates/jobs/${jobId}/apply`
  const forgotten = expectStatus(await board.post(apply, alerting.key, { cover_letter: LETTER }), 422)
  expect(forgotten.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    '#/custom_questions/permit',
    '#/custom_questions/start',
  ])
  const body = { cover_letter: LETTER, custom_questions: { permit: true, start: '2026-06-01', city: 'Gothenburg' } }
  const applied = expectStatus(await board.post(apply, alerting.key, body), 201)
  const applicationId = applied.body.data.id
  expect(applied.body.data).toEqual({
    id: applicationId,
    job: { id: jobId, title: 'Battery pack engineer', company: 'Nordlicht Batterien' },
    status: 'pending',
    applied_at: board.clock.now().toISOString(),
    updated_at: board.clock.now().toISOString(),
  })
  const again = expectStatus(await board.post(apply, alerting.key, body), 409)
  expect(again.body).toMatchObject({ code: 'already_applied', application_id: applicationId })

  // The employer reads the letter, the answers and the resume, and then hires.
  const inbox = await board.get('/v1/employers/applications?status=pending', employer.key)
  expect(inbox.body.data).toMatchObject([
    { id: applicationId, cover_letter: LETTER, candidate: { id: alerting.id, name: 'Ada Fahrenheit' } },
  ])
  expect(inbox.body.data[0].custom_questions).toEqual(body.custom_questions)
  const path = new URL(inbox.body.data[0].resume.url).pathname
  const file = expectStatus(await board.get(path, employer.key), 200)
  expect(file.text).toBe(RESUME)
  expectStatus(await board.get(path, (await board.employer()).key), 404)
  const application = `/v1/employers/applications/${applicationId}`
  for (const [status, reason] of [
    ['reviewed', 'Strong on thermal design'],
    ['contacted', null],
    ['hired', null],
  ]) {
    board.clock.advance(3_600_000)
    const answer = expectStatus(await board.put(application, employer.key, { status, reason }), 200)
    expect(answer.body.data.status).toBe(status)
  }
  const own = expectStatus(await board.get(`/v1/candidates/applications/${applicationId}`, alerting.key), 200).body.data
  expect(own.status_history.map(({ status }: { status: string }) => status)).toEqual([
    'pending',
    'reviewed',
    'contacted',
    'hired',
  ])
  expect(JSON.stringify(own)).not.toContain('Strong on thermal design')

  // The candidate withdraws another application. Every event was recorded exactly once.
  const other = await board.activeJob(employer, { title: 'Cell test engineer' })
  const letter = { cover_letter: LETTER }
  const second = expectStatus(await board.post(`/v1/candidates/jobs/${other.id}/apply`, alerting.key, letter), 201)
  const withdrawal = `/v1/candidates/applications/${second.body.data.id}/withdraw`
  const withdrawn = expectStatus(await board.post(withdrawal, alerting.key, { reason: 'Hired elsewhere' }), 200)
  expect(withdrawn.body.data.withdrawn_at).toBe(board.clock.now().toISOString())
  await settle()

  const events = (await board.events()).map(({ type }) => type).filter((type) => type.startsWith('application.'))
  expect(events).toEqual([
    'application.submitted',
    'application.status_updated',
    'application.status_updated',
    'application.status_updated',
    'application.submitted',
    'application.withdrawn',
  ])
  const counts = await board.get('/v1/employers/jobs?sort=title', employer.key)
  expect(counts.body.data.map((job: { application_count: number }) => job.application_count)).toEqual([1, 0])
  const mails = await board.database.read((db) =>
    db.selectFrom('mail').select(['kind', 'account_id', 'state']).orderBy('created_at').orderBy('id').execute(),
  )
  const kinds = (account: string) => mails.filter(({ account_id }) => account_id === account).map(({ kind }) => kind)
  // The status changed again before the email was sent, so the one email names the latest status.
  expect(kinds(alerting.id)).toEqual(['job-alert', 'application-sent', 'application-status', 'application-sent'])
  expect(kinds(employer.id)).toEqual(['application-received', 'application-received', 'application-withdrawn'])

  // The candidate leaves: no personal data remains, and the employer keeps a stub.
  expectStatus(await board.get('/v1/candidates/export', alerting.key), 200)
  expectStatus(await board.delete('/v1/candidates/profile', alerting.key), 204)
  expectStatus(await board.get('/v1/me', alerting.key), 401)
  const stub = expectStatus(await board.get(application, employer.key), 200).body.data
  expect(stub).toMatchObject({ status: 'hired', cover_letter: '', resume: null, candidate: { id: null, name: null } })
  for (const event of await board.events()) expect(JSON.stringify(event)).not.toMatch(/Fahrenheit|ada-\d+@/)
})
