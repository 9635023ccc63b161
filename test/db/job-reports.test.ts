/** Emails about reports, erased reporters, and removed jobs in the database. */
import { expect, test } from 'vitest'
import { type Account, ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { mailsIn, newDataFolder } from '../support/mails.ts'
import { REPORTS, report, uphold } from '../support/reports.ts'
import { runTask } from '../support/tasks.ts'

const dataDir = newDataFolder()
const board = useBoard({ DATA_DIR: dataDir })
const detail = async (id: string) => (await board.get(`${REPORTS}/${id}`, ADMIN_KEY)).body.data
const REASON = 'It asks for money.'

const mailsTo = async (address: string) => {
  await runTask(board, 'mail')
  return (await mailsIn(dataDir)).filter(({ to }) => to?.some((each) => 'address' in each && each.address === address))
}

test('the employer of a removed job gets one email with the reason and a link to the job', async () => {
  const employer = await board.employer({ email: 'told@employer.example' })
  const { id: jobId } = await board.activeJob(employer, { title: 'Quick money' })
  const [one] = [await report(board, { jobId }), await report(board, { jobId })]
  await uphold(board, one, REASON)
  const [mail, ...more] = await mailsTo('told@employer.example')
  expect(more).toEqual([])
  expect(mail!.subject).toBe('Your job was removed: Quick money')
  expect(mail!.text).toContain(REASON)
  expect(mail!.text).toContain(`/employer/jobs/${jobId}`)
  expect(mail!.headers.some(({ key }) => key === 'list-unsubscribe')).toBe(false)
})

test('the board’s contact email address gets one email about a job with open reports', async () => {
  const email = 'staff@board.example'
  expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, { contact_email: email }), 200)
  const { id: jobId } = await board.activeJob(await board.employer(), { title: 'Quick cash' })
  const first = await report(board, { jobId, reason: 'other', message: 'They want a fee' })
  await report(board, { jobId })
  const [mail, ...more] = await mailsTo(email)
  expect(more).toEqual([])
  expect(mail!.subject).toBe('Job reported: Quick cash')
  expect(mail!.text).toContain('They want a fee')
  expect(mail!.text).toContain(`/desk/reports/${first.id}`)
  expectStatus(await board.post(`${REPORTS}/${first.id}/dismiss`, ADMIN_KEY, {}), 200)
  await report(board, { jobId })
  expect(await mailsTo(email)).toHaveLength(2)
})

test('the employer gets no email if the job is restored before the email is sent', async () => {
  const employer = await board.employer({ email: 'untold@employer.example' })
  const { id: jobId } = await board.activeJob(employer)
  await uphold(board, await report(board, { jobId }), REASON)
  expectStatus(await board.post(`/v1/admin/jobs/${jobId}/restore`, ADMIN_KEY), 200)
  expect(await mailsTo('untold@employer.example')).toEqual([])
})

test('an erased candidate’s reports are kept without personal data', async () => {
  const by: Account = await board.candidate()
  const made = await report(board, { by, reason: 'other', message: 'I am Ada Byron' })
  const exported = (await board.get('/v1/candidates/export', by.key)).body.data
  expect(exported.job_reports).toEqual([made])
  expectStatus(await board.delete('/v1/candidates/profile', by.key), 204)
  expect(await detail(made.id)).toMatchObject({ status: 'open', reason: 'other', message: null, reporter_id: null })
})

test('reports during the erasure of their reporter are refused or anonymous', async () => {
  const by = await board.candidate()
  const jobs = await Promise.all(
    Array.from({ length: 6 }, async () => (await board.activeJob(await board.employer())).id),
  )
  const answers = await Promise.all([
    ...jobs.slice(0, 3).map((id) => board.post(`/v1/jobs/${id}/reports`, by.key, { reason: 'spam' })),
    board.delete('/v1/candidates/profile', by.key),
    ...jobs.slice(3).map((id) => board.post(`/v1/jobs/${id}/reports`, by.key, { reason: 'spam' })),
  ])
  expect(answers[3]!.status).toBe(204)
  for (const { status } of answers.toSpliced(3, 1)) expect([201, 401]).toContain(status)
  for (const id of jobs) {
    const { data } = (await board.get(`${REPORTS}?job_id=${id}`, ADMIN_KEY)).body
    for (const { reporter_id } of data) expect(reporter_id).toBeNull()
  }
})

test("reports that arrive during the job's removal do not stay open", async () => {
  const { id: jobId } = await board.activeJob(await board.employer())
  const first = await report(board, { jobId })
  const readers = await Promise.all(Array.from({ length: 6 }, () => board.candidate()))
  const [decided, ...answers] = await Promise.all([
    board.post(`${REPORTS}/${first.id}/uphold`, ADMIN_KEY, { reason: REASON }),
    ...readers.map(({ key }) => board.post(`/v1/jobs/${jobId}/reports`, key, { reason: 'spam' })),
  ])
  expect(decided.status).toBe(200)
  for (const { status } of answers) expect([201, 404]).toContain(status)
  expect((await board.get(`${REPORTS}?job_id=${jobId}&status=open`, ADMIN_KEY)).body.data).toEqual([])
})

test('the database refuses to activate a removed job', async () => {
  const { job_id } = await uphold(board, await report(board), REASON)
  const activate = board.database.inTx((tx) =>
    tx.updateTable('job').set({ state: 'active' }).where('id', '=', job_id).execute(),
  )
  await expect(activate).rejects.toMatchObject({ constraint: 'job_removed_off_board_check' })
})
