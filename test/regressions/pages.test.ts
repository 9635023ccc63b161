/** Fixed bugs in pages. Each test failed before its fix. */
import { expect, test } from 'vitest'
import { makeAlert } from '../support/alerts.ts'
import { expectStatus, useBoard } from '../support/board.ts'
import { faultOf, visitor } from '../support/pages.ts'
import { payUnused } from '../support/payments.ts'
import { registerOnPages } from '../support/sign-in.ts'

const board = useBoard()

test('an error in the reason for closing a job is shown next to the field', async () => {
  const owner = await board.employer()
  const { id } = await board.activeJob(owner)
  const me = await visitor(board, owner)
  const reason = 'x'.repeat(501)
  const page = await me.submit(await me.get(`/employer/jobs/${id}`), `/employer/jobs/${id}/close`, { reason })
  expect([page.status, faultOf(page, 'reason')]).toEqual([422, expect.stringContaining('500')])
  expect(page.document.querySelector('details[open] [name="reason"]')!.getAttribute('value')).toBe(reason)
})

test('items with several lines survive the editor', async () => {
  const owner = await board.employer()
  const requirements = ['A license\nof class B', 'Patience']
  const { id } = await board.job(owner, { requirements, benefits: ['Lunch', 'A bus'] })
  const me = await visitor(board, owner)
  const at = `/employer/jobs/${id}/edit`
  const read = async () => (await board.get(`/v1/jobs/${id}`, owner.key)).body.data
  expect((await me.submit(await me.get(at), at, { title: 'Renamed' })).status).toBe(200)
  expect(await read()).toMatchObject({ title: 'Renamed', requirements, benefits: ['Lunch', 'A bus'] })
  // Encodes line breaks as browsers do, removes one item and adds two. A form with an error keeps these changes.
  const changed = { 'requirements[0]': 'A license\r\nof class C', 'requirements[1]': '', requirements: 'Calm\r\nWit' }
  const faulty = await me.submit(await me.get(at), at, { ...changed, title: '' })
  expect(faulty.status).toBe(422)
  expect((await me.submit(faulty, at, { title: 'Again' })).status).toBe(200)
  expect((await read()).requirements).toEqual(['A license\nof class C', 'Calm', 'Wit'])
})

test('question options with several lines survive the question builder', async () => {
  const owner = await board.employer()
  const question = { id: 'q', label: 'Which?', type: 'single_select', required: true, options: ['One\ntwo', 'Three'] }
  const { id } = await board.job(owner, { custom_questions: [question] })
  const me = await visitor(board, owner)
  const at = `/employer/jobs/${id}/edit`
  const added = await me.submit(await me.get(at), at, { _do: 'add' })
  const back = await me.submit(added, at, { _do: 'remove-1' })
  expect((await me.submit(back, at)).status).toBe(200)
  expect((await board.get(`/v1/jobs/${id}`, owner.key)).body.data.custom_questions).toEqual([question])
})

test('an alert with an invalid search is shown, changed and deleted', async () => {
  const owner = await board.candidate()
  const { id } = await makeAlert(board, owner)
  const criteria = JSON.stringify({ search: 'van', location: 'Nowhere at all', distance: 20, gone_filter: 'x' })
  await board.database.inTx((tx) => tx.updateTable('job_alert').set({ criteria }).where('id', '=', id).execute())
  const me = await visitor(board, owner)
  const page = await me.get(`/me/alerts/${id}`)
  expect([page.status, page.seen.includes('This search no longer works')]).toEqual([200, true])
  const german = (await me.get(`/de/me/alerts/${id}`)).seen
  expect(german).toContain('Diese Suche funktioniert nicht mehr: ')
  for (const reason of ['Prüfen Sie diese Angabe: gone filter.', 'Wir haben diesen Ort nicht gefunden.'])
    expect(german).toContain(reason)
  expect((await me.get('/en/me/alerts')).status).toBe(200)
  const fields = { 'criteria[location]': '', 'criteria[distance]': '' }
  const saved = await me.submit(page, `/me/alerts/${id}`, fields)
  expect([saved.status, saved.seen.includes('Alert saved.')]).toEqual([200, true])
  expect((await board.get(`/v1/candidates/job-alerts/${id}`, owner.key)).body.data.criteria).toEqual({ search: 'van' })
  expect((await me.submit(saved, `/me/alerts/${id}/delete`)).path).toBe('/me/alerts')
})

test('error pages show who is signed in', async () => {
  const me = await visitor(board, await board.employer({ name: 'Northgear Works' }))
  for (const path of ['/nowhere', '/employer/jobs/job_00000000000000000000000000', '/me/profile', '/jobs/%00']) {
    const page = await me.get(path)
    expect([path, page.status >= 400, page.document.querySelector('.account-name')!.textContent]).toEqual([
      path,
      true,
      'Northgear Works',
    ])
  }
  const guest = await (await visitor(board)).get('/nowhere')
  expect([guest.status, guest.document.querySelector('.top-end > a')!.textContent]).toEqual([404, 'Sign in'])
})

test('opening the URL that a form submits to redirects to the page with the form', async () => {
  const job = await board.activeJob(await board.employer())
  const guest = await visitor(board)
  for (const [path, page] of [
    [`/jobs/${job.id}/save`, `/jobs/${job.id}`],
    ['/sign-in/key', '/sign-in'],
    ['/sign-out', '/'],
    ['/employer/jobs/job_00000000000000000000000000/activate', '/employer/jobs/job_00000000000000000000000000'],
  ]) {
    const answer = await guest.send('GET', path!)
    expect([answer.status, answer.headers.get('location')], path).toEqual([303, page])
  }
})

test('the register and sign-in links in the header lead back to the current page', async () => {
  const page = await (await visitor(board)).get('/jobs?search=battery')
  const links = page.document.querySelectorAll('.top-end a').map((link) => link.getAttribute('href'))
  expect(links).toContain('/register?return_to=%2Fjobs%3Fsearch%3Dbattery')
  expect(links).toContain('/sign-in?return_to=%2Fjobs%3Fsearch%3Dbattery')
})

test("the header links to the candidate's overview", async () => {
  const me = await visitor(board, await board.candidate())
  expect((await me.get('/jobs')).document.querySelector('.top-nav a[href="/me"]')).not.toBeNull()
})

test('a new employer starts at the dashboard, a new candidate at the overview or the requested page', async () => {
  const guest = await visitor(board)
  const fields = { name: 'Holm Works', email: 'ida@holm.example' }
  const inside = await registerOnPages(board, guest, '/register/employer', fields)
  expect(inside.path).toBe('/employer')
  expect(inside.document.querySelector('main a.btn[href="/employer/jobs/new"]')).not.toBeNull()
  const person = { first_name: 'Ida', last_name: 'Holm' }
  const seeker = await visitor(board)
  const mine = await registerOnPages(board, seeker, '/register/candidate', {
    ...person,
    email: 'ida-1@candidate.example',
  })
  expect(mine.path).toBe('/me')
  const { id } = await board.activeJob(await board.employer())
  const other = await visitor(board)
  const there = `/register/candidate?return_to=${encodeURIComponent(`/jobs/${id}/apply`)}`
  const email = 'ida-2@candidate.example'
  expect((await registerOnPages(board, other, there, { ...person, email })).path).toBe(`/jobs/${id}/apply`)
})

test('a receipt offers to post a job only while the post is unused', async () => {
  const owner = await board.employer()
  const { id } = await board.job(owner, { expires_at: new Date(board.clock.time + 60_000).toISOString() })
  const payment = await payUnused(board, owner, id)
  const me = await visitor(board, owner)
  const offer = async () =>
    (await me.get(`/employer/payments/${payment.id}`)).document.querySelector(`form[action$="/activate"]`) !== null
  expect(await offer()).toBe(true)
  expectStatus(await board.post(`/v1/jobs/${id}/activate`, owner.key), 200)
  board.clock.advance(60_000)
  expect(await offer()).toBe(false)
})
