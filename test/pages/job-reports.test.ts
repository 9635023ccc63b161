/** Reporting a job, with or without an account, and the admin pages where reports are decided. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { faultOf, type Page, type Visitor, visitor } from '../support/pages.ts'
import { REPORTS, report, UNKNOWN_REPORT, uphold } from '../support/reports.ts'

const board = useBoard({ TRUST_PROXY: '127.0.0.1' })
const HOSTILE = '<script>alert(1)</script> & "quoted"'
const UNKNOWN = 'job_00000000000000000000000000'
let employer: Account
let desk: Visitor

beforeAll(async () => {
  employer = await board.employer({ name: 'Northgear Works' })
  desk = await visitor(board, { key: ADMIN_KEY })
})

const reportsOf = async (id: string) => (await board.get(`${REPORTS}?job_id=${id}`, ADMIN_KEY)).body.data
const newJob = (overrides = {}) => board.activeJob(employer, overrides)
const links = (page: Page) => page.document.querySelectorAll('a').map((link) => link.getAttribute('href'))

/** Sends the form from this IP address, through the trusted proxy. */
async function sendFrom(address: string, jobId: string, fields: Record<string, string> = { reason: 'spam' }) {
  const guest = await visitor(board)
  const body = new URLSearchParams({ _csrf: await guest.csrfToken(), ...fields })
  return guest.send('POST', `/jobs/${jobId}/report`, { body, headers: { 'x-forwarded-for': address } })
}

describe('reporting a job', () => {
  test("starts with a link on the job's page that robots do not follow, and its form is not indexed", async () => {
    const { id } = await newJob()
    const guest = await visitor(board)
    const link = (await guest.get(`/jobs/${id}`)).document.querySelector(`a[href="/jobs/${id}/report"]`)!
    expect([link.textContent, link.getAttribute('rel')]).toEqual(['Report this job', 'nofollow'])
    const form = await guest.get(`/jobs/${id}/report`)
    expect(form.text).toContain('<meta name="robots" content="noindex">')
  })

  test('requires no account', async () => {
    const { id } = await newJob({ title: 'Easy money' })
    const guest = await visitor(board)
    const form = await guest.get(`/jobs/${id}/report`)
    expect(form.seen).toContain('“Easy money” at Northgear Works')
    const thanks = await guest.submit(form, `/jobs/${id}/report`, { reason: 'fraud', message: 'It wants my card.' })
    expect(thanks.path).toBe(`/jobs/easy-money-${id}`)
    expect(thanks.seen).toContain('Report sent. Thank you. The operator of this board will review your report.')
    expect(await reportsOf(id)).toMatchObject([
      { reason: 'fraud', message: 'It wants my card.', reporter_id: null, status: 'open' },
    ])
  })

  test('records the account of a signed-in reporter', async () => {
    const { id } = await newJob()
    const candidate = await board.candidate()
    const me = await visitor(board, candidate)
    await me.submit(await me.get(`/jobs/${id}/report`), `/jobs/${id}/report`, { reason: 'expired' })
    expect(await reportsOf(id)).toMatchObject([{ reason: 'expired', message: null, reporter_id: candidate.id }])
    const again = await me.submit(await me.get(`/jobs/${id}/report`), `/jobs/${id}/report`, { reason: 'spam' })
    expect([again.status, again.seen.includes('You have already reported this job.')]).toEqual([409, true])
    expect(await reportsOf(id)).toHaveLength(1)
  })

  test('requires the same scope as the API', async () => {
    const { id } = await newJob()
    const key = await board.keyWith(await board.candidate(), ['jobs:read'])
    const me = await visitor(board, { key })
    expect((await me.get(`/jobs/${id}/report`)).status).toBe(403)
    const fields = { _csrf: me.cookies.size > 0 ? await tokenOf(me) : '', reason: 'spam' }
    expect((await me.post(`/jobs/${id}/report`, fields)).status).toBe(403)
    expect(await reportsOf(id)).toEqual([])
  })

  test('accepts one open report about a job per network, and erases the network after the decision', async () => {
    const [{ id }, other] = [await newJob(), await newJob()]
    expect((await sendFrom('192.0.2.1', id)).status).toBe(303)
    const again = await sendFrom('192.0.2.1', id)
    expect([again.status, again.seen.includes('already reported this job from your network')]).toEqual([409, true])
    expect((await sendFrom('192.0.2.2', id)).status).toBe(303)
    expect((await sendFrom('192.0.2.1', other.id)).status).toBe(303)
    expect((await sendFrom('2001:db8::1', id)).status).toBe(303)
    expect((await sendFrom('2001:db8::2', id)).status).toBe(409)
    const hashes = async () =>
      board.database.read((db) =>
        db.selectFrom('job_report').select('network_hash').where('network_hash', 'is not', null).execute(),
      )
    const kept = (await hashes()).map(({ network_hash }) => network_hash)
    // The hash differs for every job and network, and never contains the IP address.
    expect(new Set(kept).size).toBe(kept.length)
    expect(kept.join()).not.toContain('192.0.2')
    const [{ id: reportId }] = await reportsOf(id)
    await board.post(`${REPORTS}/${reportId}/dismiss`, ADMIN_KEY)
    expect(await hashes()).toHaveLength(kept.length - 3)
    expect((await sendFrom('192.0.2.1', id)).status).toBe(303)
  })

  test('shows an error for missing input next to the field, and keeps the choice', async () => {
    const { id } = await newJob()
    const guest = await visitor(board)
    const action = `/jobs/${id}/report`
    const page = await guest.submit(await guest.get(action), action, { reason: 'other', message: ' ' })
    expect([page.status, faultOf(page, 'message')]).toEqual([
      422,
      'Describe the problem if you choose “Something else”.',
    ])
    expect(page.document.querySelector('input[value="other"]')!.hasAttribute('checked')).toBe(true)
    const none = await guest.submit(page, action, { reason: [], message: HOSTILE })
    expect(none.status).toBe(422)
    expect(none.document.querySelector('textarea')!.textContent).toContain(HOSTILE)
    expect(none.text).not.toContain('<script>alert')
    expect(await reportsOf(id)).toEqual([])
  })

  test('is refused without the form’s token', async () => {
    const { id } = await newJob()
    const guest = await visitor(board)
    expect((await guest.post(`/jobs/${id}/report`, { reason: 'spam' })).status).toBe(403)
    expect(await reportsOf(id)).toEqual([])
  })

  test('does not reveal a job that the visitor may not see', async () => {
    const draft = await board.job(employer)
    const { job_id } = await uphold(board, await report(board))
    for (const id of [UNKNOWN, 'x', draft.id, job_id]) {
      const guest = await visitor(board)
      expect((await guest.get(`/jobs/${id}/report`)).status).toBe(404)
      expect((await sendFrom('192.0.2.9', id)).status).toBe(404)
    }
  })
})

const tokenOf = async (who: Visitor) =>
  (await who.get('/sign-in')).document.querySelector('[name="_csrf"]')!.getAttribute('value')!

describe('the report limit', () => {
  const limited = useBoard({ RATE_LIMIT: 'on', PUBLIC_BASE_URL: 'http://127.0.0.1' })

  test('applies separately to each network and each account', async () => {
    const { id } = await limited.activeJob(await limited.employer())
    const send = async (who: Visitor) => {
      const body = new URLSearchParams({ _csrf: await tokenOf(who), reason: 'spam' })
      return who.send('POST', `/jobs/${id}/report`, { body })
    }
    const guest = await visitor(limited)
    expect((await send(guest)).headers.get('ratelimit')).toContain('"reports";r=59;')
    for (let n = 0; n < 59; n++) limited.service.quotas!.reports!.take('127.0.0.1', limited.clock.time)
    const refused = await send(guest)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    const me = await visitor(limited, await limited.candidate())
    expect((await send(me)).headers.get('ratelimit')).toContain('"reports";r=59;')
  })
})

describe('a removed job', () => {
  test('disappears from public lists, feeds and the sitemap, and its employer sees the reason', async () => {
    const job = await newJob({ title: 'Silverquick' })
    await uphold(board, await report(board, { jobId: job.id }), HOSTILE)
    const guest = await visitor(board)
    const gone = await guest.get(`/jobs/${job.id}`)
    expect([gone.status, gone.seen.includes('This job was removed')]).toEqual([410, true])
    for (const path of [`/jobs/${job.id}`, '/jobs', '/jobs?search=silverquick', '/jobs.atom', '/jobs.rss']) {
      expect((await guest.get(path)).text, path).not.toContain('Silverquick</')
    }
    for (const path of ['/jobs.jsonl', '/jobs.xml', '/sitemap.xml', `/companies/${employer.id}`]) {
      expect((await guest.get(path)).text, path).not.toContain(job.id)
    }
    const portal = await visitor(board, employer)
    const own = await portal.get(`/employer/jobs/${job.id}`)
    expect(own.seen).toContain(`The operator removed this job: ${HOSTILE}`)
    expect(own.document.querySelectorAll(`form[action="/employer/jobs/${job.id}/reopen"]`)).toEqual([])
    expect((await portal.get('/employer/jobs')).seen).toContain('Removed')
    const token = own.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    for (const action of ['reopen', 'activate']) {
      const refused = await portal.post(`/employer/jobs/${job.id}/${action}`, { _csrf: token })
      expect([refused.status, refused.seen.includes('The operator removed this job')]).toEqual([409, true])
    }
    const paid = await portal.get(`/employer/jobs/${job.id}/pay`)
    expect([paid.status, paid.seen.includes('The operator removed this job')]).toEqual([409, true])
  })
})

describe('the list', () => {
  const fresh = useBoard()

  test('explains that there are no reports', async () => {
    const page = await (await visitor(fresh, { key: ADMIN_KEY })).get('/desk/reports')
    expect([page.status, page.seen.includes('No reports yet')]).toEqual([200, true])
  })

  test('shows only open reports by default, and filters by status and reason', async () => {
    const operator = await visitor(fresh, { key: ADMIN_KEY })
    const owner = await fresh.employer()
    const titled = async (title: string) => (await fresh.activeJob(owner, { title })).id
    const message = `${'Long '.repeat(60)}end`
    const open = await report(fresh, { jobId: await titled('Open one'), reason: 'other', message })
    const upheld = await uphold(fresh, await report(fresh, { jobId: await titled('Upheld one') }))
    const dismissed = await report(fresh, { jobId: await titled('Dismissed one') })
    await fresh.post(`${REPORTS}/${dismissed.id}/dismiss`, ADMIN_KEY)
    expect((await operator.get('/desk/reports')).seen).toContain('A candidateToday')
    fresh.clock.advance(2 * 86_400_000)
    const titles = async (path: string) =>
      (await operator.get(path)).document.querySelectorAll('tbody .strong').map((link) => link.textContent)
    const page = await operator.get('/desk/reports')
    expect(await titles('/desk/reports')).toEqual(['Open one'])
    expect(page.document.querySelector('.tabs[aria-label="Status"]')!.textContent.replace(/\s+/g, ' ')).toBe(
      'Open 1Upheld 1Dismissed 1All 3',
    )
    expect(page.document.querySelector('.tabs[aria-label="Status"] [aria-current="page"]')!.textContent).toBe('Open 1')
    expect(page.seen).toContain('A candidate2 days ago')
    expect([page.seen.includes('Long Long'), page.seen.includes('Long end')]).toEqual([true, false])
    expect(links(page)).toContain(`/desk/reports/${open.id}`)
    expect(await titles('/desk/reports?status=upheld')).toEqual(['Upheld one'])
    expect(await titles('/desk/reports?status=dismissed')).toEqual(['Dismissed one'])
    expect(await titles('/desk/reports?status_in=open,upheld,dismissed')).toHaveLength(3)
    expect(await titles('/desk/reports?status_in=open,upheld,dismissed&reason=other')).toEqual(['Open one'])
    expect(await titles(`/desk/reports?status_in=open,upheld&job_id=${upheld.job_id}`)).toEqual(['Upheld one'])
    expect((await operator.get('/desk/reports?reason=fraud')).seen).toContain('No reports found')
    const bad = await operator.get('/desk/reports?status=lost')
    expect([bad.status, bad.seen.includes('There is a problem')]).toEqual([400, true])
    await fresh.post(`${REPORTS}/${open.id}/dismiss`, ADMIN_KEY)
    expect((await operator.get('/desk/reports')).seen).toContain('No open reports')
  })
})

describe('a report', () => {
  test('shows the current job and all reports about it as text', async () => {
    const texts = { title: HOSTILE, description: HOSTILE, requirements: [HOSTILE], benefits: [HOSTILE] }
    const job = await newJob({
      ...texts,
      location: HOSTILE,
      skills: [HOSTILE.slice(0, 60)],
      application_url: 'https://elsewhere.example/apply',
      custom_questions: [{ id: 'why', label: HOSTILE, type: 'text', required: false }],
    })
    const first = await report(board, { jobId: job.id, reason: 'other', message: HOSTILE })
    await report(board, { jobId: job.id, by: await board.employer(), reason: 'fraud' })
    await sendFrom('192.0.2.77', job.id)
    const page = await desk.get(`/desk/reports/${first.id}`)
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('<script>alert')
    for (const text of [
      '3 reports',
      'A candidate',
      'An employer',
      'A visitor',
      'This report',
      'https://elsewhere.example',
    ]) {
      expect(page.seen).toContain(text)
    }
    expect(page.seen).toContain('Removing it upholds all 3 open reports.')
    expect(page.document.querySelectorAll('h1')).toHaveLength(1)
  })

  test('counts all reports about the job, but shows only the latest 100', async () => {
    const job = await newJob()
    const { id } = await report(board, { jobId: job.id })
    await board.database.withClient((client) =>
      client.query(`
        insert into job_report (id, job_id, employer_id, reason, status, created_at)
        select 'rep_' || n, job_id, employer_id, reason, status, created_at + n * interval '1 second'
        from job_report, generate_series(1, 120) n where id = '${id}'`),
    )
    const page = await desk.get(`/desk/reports/${id}`)
    expect(page.seen).toContain('121 reports')
    expect(page.seen).toContain('Removing it upholds all 121 open reports.')
    expect(page.document.querySelectorAll('.timeline li')).toHaveLength(100)
    expect((await desk.get(`/desk/jobs/${job.id}`)).seen).toContain('Removing it upholds all 121 open reports.')
  })

  test('can be upheld with a reason, after which the job can be restored', async () => {
    const job = await newJob()
    const { id } = await report(board, { jobId: job.id })
    const path = `/desk/reports/${id}`
    const missing = await desk.submit(await desk.get(path), `${path}/uphold`, { reason: ' ' })
    expect([missing.status, faultOf(missing, 'reason')]).toEqual([422, expect.any(String)])
    expect(await reportsOf(job.id)).toMatchObject([{ status: 'open' }])
    const upheld = await desk.submit(missing, `${path}/uphold`, { reason: 'It asks for money.' })
    expect(upheld.seen).toContain('Job removed.')
    expect(upheld.seen).toContain('Reason given to the employer: It asks for money.')
    expect((await board.get(`/v1/jobs/${job.id}`, employer.key)).body.data.is_active).toBe(false)
    expect((await desk.get(`/desk/reports?status=upheld&job_id=${job.id}`)).seen).toContain('Removed')
    const restored = await desk.submit(upheld, `${path}/restore`)
    expect(restored.seen).toContain('Job restored. It is on the board again.')
    expect((await board.get(`/v1/jobs/${job.id}`, employer.key)).body.data.is_active).toBe(true)
    expect(restored.document.querySelectorAll(`form[action="${path}/restore"]`)).toEqual([])
  })

  test('can be dismissed, with or without a note', async () => {
    for (const note of ['', 'It is a job.']) {
      const job = await newJob()
      const { id } = await report(board, { jobId: job.id })
      const path = `/desk/reports/${id}`
      const dismissed = await desk.submit(await desk.get(path), `${path}/dismiss`, { note })
      expect(dismissed.seen).toContain('Report dismissed.')
      expect(await reportsOf(job.id)).toMatchObject([{ status: 'dismissed', note: note || null }])
    }
  })

  test('cannot be decided after a colleague has decided it', async () => {
    const { id } = await report(board, { jobId: (await newJob()).id })
    const path = `/desk/reports/${id}`
    const stale = await desk.get(path)
    await uphold(board, { id })
    const late = await desk.submit(stale, `${path}/dismiss`)
    expect([late.status, late.seen.includes('This report has already been decided.')]).toEqual([409, true])
  })

  test('shows that its job was deleted', async () => {
    const job = await newJob()
    const { id } = await report(board, { jobId: job.id })
    await board.delete(`/v1/jobs/${job.id}`, employer.key)
    const path = `/desk/reports/${id}`
    const page = await desk.get(path)
    expect([page.status, page.seen.includes('The employer has deleted this job.')]).toEqual([200, true])
    expect((await desk.submit(page, `${path}/uphold`, { reason: 'It was one' })).status).toBe(200)
  })

  test('requires the form token and the scope, and is not found under another ID', async () => {
    const { id } = await report(board, { jobId: (await newJob()).id })
    for (const action of ['uphold', 'dismiss', 'restore']) {
      expect((await desk.post(`/desk/reports/${id}/${action}`, { reason: 'No' })).status).toBe(403)
      const body = { _csrf: await tokenOf(desk), ...(action === 'uphold' && { reason: 'No' }) }
      expect((await desk.post(`/desk/reports/${UNKNOWN_REPORT}/${action}`, body)).status).toBe(404)
    }
    expect((await desk.get(`/desk/reports/${UNKNOWN_REPORT}`)).status).toBe(404)
    const reader = await visitor(board, { key: await board.keyWith(await board.account('admin'), ['admin:read']) })
    const shown = await reader.get(`/desk/reports/${id}`)
    expect([shown.status, shown.document.querySelectorAll('main form')]).toEqual([200, []])
    expect((await reader.post(`/desk/reports/${id}/dismiss`, { _csrf: await tokenOf(reader) })).status).toBe(403)
    expect((await board.get(`${REPORTS}/${id}`, ADMIN_KEY)).body.data.status).toBe('open')
  })
})
