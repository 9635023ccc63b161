/** The employer dashboard: received applications. */
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { apply, mails, setStatus, world } from '../support/applications.ts'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { faultOf, type Page, type Visitor, visitor } from '../support/pages.ts'
import { insertResume, upload } from '../support/resumes.ts'

const board = useBoard()
let employer: Account
let portal: Visitor

beforeAll(async () => {
  employer = await board.employer()
  portal = await visitor(board, employer)
})

const pathOf = (id: string) => `/employer/applications/${id}`
const ofEmployer = async (id: string) => (await board.get(`/v1/employers/applications/${id}`, employer.key)).body.data

describe('the board', () => {
  test('explains that there are no applications', async () => {
    const page = await (await visitor(board, await board.employer())).get('/employer/applications')
    expect(page.seen).toContain('No applicants yet')
  })

  test('has a column for each status, for all jobs or one job, and links to more applications', async () => {
    const own = await board.employer()
    const me = await visitor(board, own)
    const [one, two] = [await board.activeJob(own, { title: 'One' }), await board.activeJob(own, { title: 'Two' })]
    const ids: string[] = []
    for (let n = 0; n < 17; n++) ids.push((await apply(board, await board.candidate(), one.id)).id)
    const other = await apply(board, await board.candidate({ first_name: 'Lin', last_name: 'Vale' }), two.id)
    await setStatus(board, own, other.id, 'hired')
    await apply(board, await board.candidate(), (await board.activeJob(employer)).id)
    const page = await me.get('/employer/applications')
    const columns = page.document.querySelectorAll('.stages section')
    const heads = columns.map((column) => column.querySelector('h2')!.textContent.replace(/\s+/g, ' '))
    expect(heads).toEqual(['New 17', 'Reviewed 0', 'In touch 0', 'Hired 1', 'Not selected 0'])
    expect(columns[0]!.querySelectorAll('article')).toHaveLength(15)
    expect(columns[3]!.textContent).toContain('Lin Vale')
    const list = await me.get(columns[0]!.querySelector('h2 a')!.getAttribute('href')!)
    expect(list.document.querySelectorAll('tbody tr')).toHaveLength(17)
    const ofTwo = await me.get(`/employer/applications?job_id=${two.id}`)
    expect(ofTwo.document.querySelectorAll('.stages article')).toHaveLength(1)
    expect((await me.get('/employer/applications?status=lost')).status).toBe(400)
    expect(
      (await me.get('/employer/applications?status=pending&limit=10&page=2')).document.querySelectorAll('tbody tr'),
    ).toHaveLength(7)
  })
})

test('a withdrawn application does not count as new', async () => {
  const own = await board.employer()
  const me = await visitor(board, own)
  const { id } = await board.activeJob(own, { title: 'One' })
  const candidate = await board.candidate()
  const withdrawn = await apply(board, candidate, id)
  await apply(board, await board.candidate(), id)
  await board.post(`/v1/candidates/applications/${withdrawn.id}/withdraw`, candidate.key, {})
  const page = await me.get('/employer/applications')
  expect(page.document.querySelector('#head-pending')!.textContent.replace(/\s+/g, ' ')).toBe('New 1')
  expect((await me.get('/employer/applications?status=pending')).document.querySelectorAll('tbody tr')).toHaveLength(1)
  const all = await me.get('/employer/applications?sort=applied_at:desc')
  expect(all.document.querySelectorAll('tbody tr')).toHaveLength(2)
  const home = (await me.get('/employer')).seen
  expect(home).toContain('1 job on the board, 1 new applicant')
  expect(home).toMatch(/Applications\s*2\s*None in the previous period/)
})

test('the board moves applicants, whose pages link to the next applicant', async () => {
  const own = await board.employer()
  const me = await visitor(board, own)
  const { id } = await board.activeJob(own)
  const first = await apply(board, await board.candidate(), id)
  board.clock.advance(1_000)
  const second = await apply(board, await board.candidate(), id)
  const page = await me.get(`/employer/applications?job_id=${id}`)
  const action = `/employer/applications/${first.id}/move?job_id=${id}`
  const moved = await me.submit(page, action, { status: 'contacted' })
  expect(moved.path).toBe(`/employer/applications?job_id=${id}#stage-contacted`)
  expect(moved.seen).toContain('moved to In touch.')
  expect(moved.document.querySelectorAll('#stage-contacted article')).toHaveLength(1)
  const newest = await me.get(pathOf(second.id))
  expect(newest.seen).toContain('1 of 2')
  expect(newest.document.querySelector('[rel="prev"]')).toBeNull()
  expect(newest.document.querySelector('[rel="next"]')!.getAttribute('href')).toBe(pathOf(first.id))
})

describe('the list', () => {
  const words = (page: Page, selector: string) =>
    page.document.querySelectorAll(selector).map((element) => element.textContent.replace(/\s+/g, ' ').trim())
  const hrefOf = (page: Page, selector: string) => page.document.querySelector(selector)?.getAttribute('href')

  test('has tabs with counts, describes its filters, and links from one applicant to the next', async () => {
    const own = await board.employer()
    const me = await visitor(board, own)
    const [one, two] = [await board.activeJob(own, { title: 'One' }), await board.activeJob(own, { title: 'Two' })]
    const ids: string[] = []
    for (const job of [one, two, one, one]) {
      ids.push((await apply(board, await board.candidate(), job.id)).id)
      board.clock.advance(1_000)
    }
    const withdrawing = await board.candidate()
    const withdrawn = await apply(board, withdrawing, one.id)
    await board.post(`/v1/candidates/applications/${withdrawn.id}/withdraw`, withdrawing.key, {})
    await setStatus(board, own, ids[3]!, 'reviewed')

    const since = '2020-02-03'
    const query = `job_id=${one.id}&applied_at_gte=${since}`
    const all = await me.get(`/employer/applications?${query}&view=list&utm_source=mail`)
    expect(words(all, '.tabs a')).toEqual(['All 4', 'New 2', 'Reviewed 1', 'In touch 0', 'Hired 0', 'Not selected 0'])
    expect(words(all, '.chip.on')).toEqual(['One , remove', 'Applied since 3 Feb 2020 , remove'])
    expect(all.document.querySelectorAll('tbody tr')).toHaveLength(4)
    const withoutJob = await me.get(hrefOf(all, '.chip.on')!)
    expect(words(withoutJob, '.tabs a').slice(0, 2)).toEqual(['All 5', 'New 3'])
    const other = await me.get(`/employer/applications?job_id_in=${two.id},${newId('job')}&status_not=hired&view=list`)
    expect(words(other, '.chip.on')).toEqual(['Two , remove', 'One job , remove', 'Not Hired , remove'])
    expect(words(await me.get(`/employer/applications?${query}`), '.chip.on')).toHaveLength(2)
    expect((await me.get(`/employer/applications?job_id=${two.id}&status=hired`)).seen).toContain(
      'No applications found',
    )

    const fresh = await me.get(all.document.querySelectorAll('.tabs a')[1]!.getAttribute('href')!)
    const path = `/employer/applications?${query}&status=pending`
    expect(fresh.path).toBe(path)
    const first = await me.get(hrefOf(fresh, 'tbody a')!)
    expect(first.path).toBe(`/employer/applications/${ids[2]}?${query}&status=pending`)
    expect(first.seen).toContain('New: 1 of 2')
    expect(hrefOf(first, '[rel="next"]')).toBe(`/employer/applications/${ids[0]}?${query}&status=pending`)
    const moved = await me.submit(first, first.path, { status: 'rejected' })
    expect([moved.path, moved.seen.includes('New: 1 application')]).toEqual([first.path, true])
    expect(moved.seen).toContain('moved to Not selected. The email is sent in ten minutes, unless')
    const second = await me.get(hrefOf(moved, '[rel="next"]')!)
    expect([second.seen.includes('New: 1 of 1'), hrefOf(second, '[rel="prev"]')]).toEqual([true, undefined])
    expect(hrefOf(second, '[aria-label="Applicants"] a')).toBe(path)
    expect((await me.get(`${pathOf(ids[0]!)}?status=lost`)).seen).toContain('3 of 3')
  })

  test('moves the selected applicants once, and names the applicants who cannot be moved', async () => {
    const own = await board.employer()
    const me = await visitor(board, own)
    const { id } = await board.activeJob(own)
    const [ada, lin, kim, gone] = await Promise.all(
      ['Ada', 'Lin', 'Kim', 'Gone'].map((first_name) => board.candidate({ first_name, last_name: 'Vale' })),
    )
    const sent = []
    for (const candidate of [ada!, lin!, kim!, gone!]) sent.push((await apply(board, candidate, id)).id)
    const [one, two, hired, withdrawn] = sent as [string, string, string, string]
    const foreign = (await world(board)).application.id
    const already = (await apply(board, await board.candidate(), id)).id
    await setStatus(board, own, hired, 'hired')
    await setStatus(board, own, already, 'reviewed')
    await board.post(`/v1/candidates/applications/${withdrawn}/withdraw`, gone!.key, {})

    const list = await me.get('/employer/applications?view=list')
    expect(list.document.querySelectorAll('input[name="ids[]"]').map((pick) => pick.getAttribute('value'))).toEqual(
      expect.arrayContaining([one, two, already]),
    )
    expect(list.document.querySelectorAll('input[name="ids[]"]')).toHaveLength(3)
    const action = '/employer/applications/move?view=list'
    const fields = { 'ids[]': [one, two, hired, withdrawn, already, foreign], status: 'reviewed' }
    const moved = await me.submit(list, action, fields)
    expect([moved.status, moved.path]).toEqual([200, '/employer/applications?view=list'])
    const notice = '2 applicants moved to Reviewed. 1 was already there. 3 couldn’t be moved: '
    expect(moved.seen).toContain(`Warning: ${notice}`)
    expect(moved.document.querySelector('.notice')!.getAttribute('class')).toBe('notice n-warn')
    for (const reason of ['Kim Vale (Hired)', 'Gone Vale (Withdrawn)', '1 deleted application']) {
      expect(moved.seen).toContain(reason)
    }
    const historyOf = async (id: string) =>
      (await board.get(`/v1/employers/applications/${id}`, own.key)).body.data.status_history.length
    const result = async () => [
      await historyOf(one),
      await historyOf(two),
      await historyOf(already),
      await mails(board, one),
    ]
    const before = await result()
    expect(before.slice(0, 3)).toEqual([2, 2, 2])
    const told = (await mails(board, one)).filter(({ kind }) => kind === 'application-status')
    expect(told.map(({ details }) => details)).toEqual([{ status: 'reviewed', position: 2 }])
    expect((await me.submit(list, action, fields)).seen).toContain(notice)
    expect(await result()).toEqual(before)
    const theirs = await board.get(`/v1/employers/applications/${foreign}`, ADMIN_KEY)
    expect(theirs.body.data.status).toBe('pending')

    const page = await me.get('/employer/applications')
    const nobody = await me.submit(page, '/employer/applications/move', { status: 'rejected' })
    expect([nobody.status, nobody.seen.includes('Select at least one applicant.')]).toEqual([422, true])
    expect(nobody.document.querySelectorAll('.stages section')).toHaveLength(5)
    const impossible = { 'ids[]': [hired, one], status: 'pending' }
    const refused = await me.submit(page, '/employer/applications/move', impossible)
    expect([refused.status, refused.seen.includes('No applicants moved to New. 2 couldn’t be moved')]).toEqual([
      409,
      true,
    ])
    expect(refused.document.querySelector('.pick[checked]')!.getAttribute('value')).toBe(one)
    const many = { 'ids[]': Array.from({ length: 101 }, () => one), status: 'rejected' }
    expect((await me.submit(page, '/employer/applications/move', many)).status).toBe(422)
  })
})

describe('an application', () => {
  test('is rated and tagged, gets a decision, messages and notes, and is found by rating and tag', async () => {
    const own = await board.employer()
    const me = await visitor(board, own)
    const { application, candidate } = await world(board, { employer: own })
    const path = pathOf(application.id)
    const assess = { rating: '4', tags: 'Night shift\nBerlin' }
    const page = await me.get(path)
    const saved = await me.submit(page, `${path}/assessment`, assess)
    expect([saved.path, saved.seen.includes('Assessment of')]).toEqual([path, true])
    const late = await me.submit(page, `${path}/assessment`, { rating: '1' })
    expect([late.status, late.document.querySelector('[name="rating"][checked]')!.getAttribute('value')]).toEqual([
      412,
      '1',
    ])
    const silent = { status: 'contacted', message: 'Call me <b>soon</b>.' }
    const faulty = await me.submit(saved, path, { ...silent, notify: 'false' })
    expect([faulty.status, faultOf(faulty, 'message')]).toEqual([
      422,
      'To include a message, select “Email the candidate”.',
    ])
    const moved = await me.submit(saved, path, silent)
    expect(moved.seen).toContain('Call me <b>soon</b>.')
    const theirs = await (await visitor(board, candidate)).get(`/me/applications/${application.id}`)
    expect(theirs.seen).toContain('Call me <b>soon</b>.')
    expect(theirs.seen).not.toContain('Night shift')
    const other = await visitor(board, candidate)
    const theirPath = `/me/applications/${application.id}`
    const told = await me.submit(moved, `${path}/messages`, { reply: 'Can you <i>call</i>?' })
    expect([told.path, told.seen.includes('Can you <i>call</i>?')]).toEqual([`${path}#messages`, true])
    const answered = await other.submit(await other.get(theirPath), `${theirPath}/messages`, { reply: 'On Friday.' })
    expect([answered.path, answered.seen.includes('Can you <i>call</i>?')]).toEqual([`${theirPath}#messages`, true])
    expect(
      [...(await me.get(path)).document.querySelectorAll('#messages li')].map(({ textContent }) =>
        textContent!.replace(/\s+/g, ' ').trim(),
      ),
    ).toEqual([expect.stringMatching(/^You .* readCan you <i>call<\/i>\?$/), expect.stringMatching(/UTCOn Friday\.$/)])
    const empty = await me.submit(told, `${path}/messages`, { reply: ' ' })
    expect([empty.status, faultOf(empty, 'reply')]).toEqual([422, 'Enter a message.'])
    const noted = await me.submit(moved, `${path}/notes`, { text: 'Asks for <b>Thursday</b>.' })
    expect([noted.path, noted.seen.includes('Asks for <b>Thursday</b>.')]).toEqual([`${path}#notes`, true])
    const remove = noted.document.querySelector('#notes form[action$="/delete"]')!.getAttribute('action')!
    const rid = await me.submit(noted, remove, {})
    expect([rid.path, rid.seen.includes('Thursday')]).toEqual([`${path}#notes`, false])
    const file = await me.send('GET', '/employer/applications/export?tags=berlin')
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.text.split('\r\n')).toHaveLength(3)
    const found = await me.get('/employer/applications?rating_gte=4&tags=night%20shift&view=list')
    expect(found.document.querySelector('tbody')!.textContent).toContain('4 out of 5 stars')
    expect(found.document.querySelectorAll('.chip.on')).toHaveLength(2)
    expect((await me.get('/employer/applications?rating_gte=5')).seen).toContain('No applications found')
  })

  test('is found by its source, in the list, on the board and from the statistics of its job', async () => {
    const own = await board.employer()
    const me = await visitor(board, own)
    const { id } = await board.activeJob(own)
    const cy = await board.candidate({ first_name: 'Cy', last_name: 'Underhill' })
    await apply(board, cy, id, { source: 'Partner & Co' })
    await apply(board, await board.candidate({ first_name: 'Ada', last_name: 'Brandt' }), id)
    const statistics = await me.get(`/employer/jobs/${id}/statistics`)
    const link = statistics.document.querySelectorAll('td a').find(({ textContent }) => textContent === 'partner & co')!
    const onBoard = await me.get(link.getAttribute('href')!)
    const inList = await me.get('/employer/applications?source=PARTNER+%26+co&view=list')
    for (const page of [onBoard, inList]) {
      expect([page.seen.includes('Cy Underhill'), page.seen.includes('Ada Brandt')]).toEqual([true, false])
    }
    expect(onBoard.document.querySelectorAll('.stages article')).toHaveLength(1)
    expect(inList.document.querySelector('[name="source"]')!.getAttribute('value')).toBe('PARTNER & co')
    expect(inList.document.querySelector('.chip.on')!.textContent).toContain('Source: PARTNER & co')
  })

  test('shows all its content and the resume', async () => {
    const candidate = await board.candidate({ first_name: 'Ada', last_name: 'Brandt', email: 'ada@brandt.example' })
    await board.put('/v1/candidates/profile', candidate.key, {
      headline: 'Battery engineer',
      phone: '+46 31 555 01 00',
    })
    const bytes = pdf('Cells')
    const resume = await upload(board, candidate, bytes, 'ada.pdf')
    const custom_questions = [
      { id: 'license', label: 'A license?', type: 'boolean', required: true },
      { id: 'when', label: 'When?', type: 'multi_select', required: false, options: ['Now', 'Later'] },
    ]
    const { application } = await world(board, {
      employer,
      candidate,
      job: { custom_questions },
      body: { cover_letter: 'First.\n\nSecond.', custom_questions: { license: true, when: ['Now', 'Later'] } },
    })
    const page = await portal.get(pathOf(application.id))
    for (const text of ['Ada Brandt', 'Battery engineer', 'ada@brandt.example', 'A license?', 'Yes', 'Now, Later']) {
      expect(page.seen).toContain(text)
    }
    expect(page.document.querySelectorAll('.prose p').map((text) => text.textContent)).toEqual(['First.', 'Second.'])
    const link = page.document
      .querySelector('a[href^="/employer/resumes/"]:not([href$="/view"])')!
      .getAttribute('href')!
    const file = await portal.send('GET', link)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
    const stranger = await visitor(board, await board.employer())
    for (const path of [link, '/employer/resumes/res_00000000000000000000000000', '/employer/resumes/x']) {
      expect((await stranger.get(path)).status).toBe(404)
    }
    expect(link).toContain(resume.id)
  })

  test('embeds a PDF resume, which other websites cannot embed, and embeds no other type of file', async () => {
    const candidate = await board.candidate()
    const resume = await upload(board, candidate, pdf('Cells'), 'ada.pdf')
    const { application } = await world(board, { employer, candidate })
    const page = await portal.get(pathOf(application.id))
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("frame-src 'self'; object-src 'self'")
    const path = `/employer/resumes/${resume.id}/view`
    expect(page.document.querySelector('object')!.getAttribute('data')!.split('#')[0]).toBe(path)
    const file = await portal.send('GET', path)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'inline; filename=ada.pdf',
      'content-security-policy':
        "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
      'x-frame-options': 'SAMEORIGIN',
      'x-content-type-options': 'nosniff',
    })
    expect((await (await visitor(board, await board.employer())).get(path)).status).toBe(404)
    const again = await portal.send('GET', path, { headers: { 'if-none-match': file.headers.get('etag')! } })
    expect(again.status).toBe(304)
    for (const name of ['content-security-policy', 'x-frame-options']) {
      expect(again.headers.get(name)).toBe(file.headers.get(name))
    }

    const html = Buffer.from('<html><script>alert(1)</script></html>')
    const other = await board.candidate()
    const text = await upload(board, other, html, 'page.html')
    const { application: second } = await world(board, { employer, candidate: other })
    const plain = await portal.get(pathOf(second.id))
    expect(plain.document.querySelector('object')).toBeNull()
    expect(plain.headers.get('content-security-policy')).not.toMatch(/frame-src|object-src/)
    expect((await portal.get(`/employer/resumes/${text.id}/view`)).status).toBe(404)
  })

  test('shows HTML in the text of the resume as text', async () => {
    const candidate = await board.candidate()
    const script = '<script src="/x.js"></script>'
    await insertResume(board, candidate.id, { extracted_text: `Field engineer ${script}\n\nMotors, 2019` })
    const { application } = await world(board, { employer, candidate })
    const paper = (await portal.get(pathOf(application.id))).document.querySelector('.sheet-paper')!
    expect(paper.querySelectorAll('p')).toHaveLength(2)
    expect(paper.textContent).toContain('Field engineer')
    expect(paper.querySelector('script')).toBeNull()
    expect(paper.innerHTML).toContain('&lt;script')
  })

  test('changes its status with a reason that only the employer sees', async () => {
    const { application, candidate } = await world(board, { employer })
    const path = pathOf(application.id)
    const page = await portal.get(path)
    const moved = await portal.submit(page, path, { status: 'contacted', reason: 'Asks good questions' })
    expect(moved.seen).toContain('moved to In touch.')
    expect(moved.document.querySelector('.timeline')!.textContent).toContain('Asks good questions')
    expect((await ofEmployer(application.id)).status_history.at(-1)).toMatchObject({
      status: 'contacted',
      reason: 'Asks good questions',
    })
    const seen = await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)
    expect(seen.text).not.toContain('Asks good questions')
    const hired = await portal.submit(moved, path, { status: 'hired' })
    expect(hired.document.querySelector(`form[action="${path}"]`)).toBeNull()
  })

  test('reports invalid and impossible changes', async () => {
    const { application, candidate } = await world(board, { employer })
    const path = pathOf(application.id)
    const page = await portal.get(path)
    const refused = await portal.submit(page, path, { status: 'lost', reason: 'x'.repeat(2_001) })
    expect([refused.status, faultOf(refused, 'reason')]).toEqual([422, 'Use at most 2000 characters for reason.'])
    await board.post(`/v1/candidates/applications/${application.id}/withdraw`, candidate.key, {})
    const late = await portal.submit(page, path, { status: 'hired' })
    expect([late.status, late.seen.includes("The application's state is withdrawn")]).toEqual([409, true])
    expect((await portal.get(path)).seen).toContain('The candidate withdrew this application')
    expect((await ofEmployer(application.id)).status).toBe('pending')
  })

  test('shows no personal data after the candidate erased the profile', async () => {
    const candidate = await board.candidate({ first_name: 'Quill', last_name: 'Onberry' })
    const { application } = await world(board, { employer, candidate })
    await board.delete('/v1/candidates/profile', candidate.key)
    const page = await portal.get(pathOf(application.id))
    expect(page.seen).toContain('The candidate’s account and personal data were erased.')
    expect(page.text).not.toContain('Onberry')
  })

  test('is still shown after its job was deleted', async () => {
    const { application, job } = await world(board, { employer })
    await board.delete(`/v1/jobs/${job.id}`, employer.key)
    expect((await portal.get(pathOf(application.id))).status).toBe(200)
  })

  test('is hidden from other employers, and not changed without the form token', async () => {
    const { application } = await world(board, { employer })
    const stranger = await visitor(board, await board.employer())
    const token = (await stranger.get('/employer/profile')).document
      .querySelector('[name="_csrf"]')!
      .getAttribute('value')!
    for (const id of [application.id, 'app_00000000000000000000000000', 'x']) {
      expect((await stranger.get(pathOf(id))).status).toBe(404)
      expect((await stranger.post(pathOf(id), { _csrf: token, status: 'hired' })).status).toBe(404)
    }
    expect((await portal.post(pathOf(application.id), { status: 'hired' })).status).toBe(403)
    expect((await ofEmployer(application.id)).status).toBe('pending')
  })

  test('shows HTML from candidates as text', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    const candidate = await board.candidate({ first_name: hostile, last_name: hostile })
    await board.put('/v1/candidates/profile', candidate.key, { headline: hostile, location: hostile })
    const { application } = await world(board, {
      employer,
      candidate,
      job: { custom_questions: [{ id: 'q', label: hostile, type: 'text', required: true }] },
      body: { cover_letter: hostile, custom_questions: { q: hostile } },
    })
    await board.put(`/v1/employers/applications/${application.id}`, employer.key, {
      status: 'reviewed',
      reason: hostile,
    })
    for (const path of [pathOf(application.id), '/employer/applications', '/employer/applications?status=reviewed']) {
      const page = await portal.get(path)
      expect(page.text, path).not.toMatch(/<script>|<img/)
    }
  })
})

test('the start page lists new applicants, jobs that end soon and drafts as to-dos', async () => {
  const own = await board.employer()
  const { id, expires_at } = await board.activeJob(own, { title: 'Ending' })
  const draft = await board.job(own, { title: 'Unfinished' })
  const toDos = async () =>
    (await (await visitor(board, own)).get('/employer')).document
      .querySelectorAll('.todo li')
      .map((item) => [
        item.querySelector('b')!.textContent,
        item.querySelector('p')!.textContent,
        item.querySelector('a')!.getAttribute('href'),
      ])
  const finish = [
    'Finish your draft: Unfinished',
    'Candidates can’t see it until you post it.',
    `/employer/jobs/${draft.id}`,
  ]
  expect(await toDos()).toEqual([finish])
  await apply(board, await board.candidate(), id)
  const ends = (when: string) => [
    `Ending ends ${when}`,
    '1 applicant so far. Buy another post to extend the job.',
    `/employer/jobs/${id}/pay`,
  ]
  const end = Date.parse(expires_at)
  board.clock.time = end - 2 * 86_400_000
  const [waiting, ...others] = await toDos()
  expect(waiting).toEqual([
    '1 new applicant is waiting for a first look',
    expect.stringMatching(/^1 for Ending\. Oldest application: 4 weeks ago$/),
    '/employer/applications',
  ])
  expect(others).toEqual([ends('in 2 days'), finish])
  board.clock.time = end - 86_400_000
  expect((await toDos())[1]).toEqual(ends('tomorrow'))
  board.clock.time = end - 1
  expect((await toDos())[1]).toEqual(ends('today'))
  await board.delete(`/v1/jobs/${draft.id}`, own.key)
  board.clock.time = end
  expect((await toDos()).map(([text]) => text)).toEqual(['1 new applicant is waiting for a first look'])
})
