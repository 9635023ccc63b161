/** The employer dashboard: received applications. */
import { beforeAll, describe, expect, test } from 'vitest'
import { apply, setStatus, world } from '../support/applications.ts'
import { type Account, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { faultOf, type Visitor, visitor } from '../support/pages.ts'
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

test('does not count a withdrawn application as new', async () => {
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
  expect((await me.get('/employer')).seen).toContain('1 job on the board, 1 new applicant')
})

test('moves applicants, and links from one applicant to the next', async () => {
  const own = await board.employer()
  const me = await visitor(board, own)
  const { id } = await board.activeJob(own)
  const first = await apply(board, await board.candidate(), id)
  board.clock.advance(1_000)
  const second = await apply(board, await board.candidate(), id)
  const page = await me.get(`/employer/applications?job_id=${id}`)
  const moved = await me.submit(page, `/employer/applications/${first.id}/move`, { status: 'contacted' })
  expect(moved.path).toBe(`/employer/applications?job_id=${id}#stage-contacted`)
  expect(moved.seen).toContain('moved to In touch.')
  expect(moved.document.querySelectorAll('#stage-contacted article')).toHaveLength(1)
  const newest = await me.get(pathOf(second.id))
  expect(newest.seen).toContain('1 of 2')
  expect(newest.document.querySelector('[rel="prev"]')).toBeNull()
  expect(newest.document.querySelector('[rel="next"]')!.getAttribute('href')).toBe(pathOf(first.id))
})

describe('an application', () => {
  test('shows all its content and the resume', async () => {
    const candidate = await board.candidate({ first_name: 'Ada', last_name: 'Brandt', email: 'ada@brandt.example' })
    await board.put('/v1/candidates/profile', candidate.key, {
      headline: 'Battery engineer',
      phone: '+46 31 555 01 00',
    })
    const bytes = pdf('Cells')
    const resume = await upload(board, candidate, bytes, 'ada.pdf')
    const custom_questions = [
      { id: 'licence', label: 'A licence?', type: 'boolean', required: true },
      { id: 'when', label: 'When?', type: 'multi_select', required: false, options: ['Now', 'Later'] },
    ]
    const { application } = await world(board, {
      employer,
      candidate,
      job: { custom_questions },
      body: { cover_letter: 'First.\n\nSecond.', custom_questions: { licence: true, when: ['Now', 'Later'] } },
    })
    const page = await portal.get(pathOf(application.id))
    for (const text of ['Ada Brandt', 'Battery engineer', 'ada@brandt.example', 'A licence?', 'Yes', 'Now, Later']) {
      expect(page.seen).toContain(text)
    }
    expect(page.document.querySelectorAll('.prose p').map((text) => text.textContent)).toEqual(['First.', 'Second.'])
    const link = page.document.querySelector('a[href^="/employer/resumes/"]')!.getAttribute('href')!
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

  test('shows the text of the resume as text', async () => {
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
    expect([late.status, late.seen.includes('The application is withdrawn')]).toEqual([409, true])
    expect((await portal.get(path)).seen).toContain('The candidate withdrew this application')
    expect((await ofEmployer(application.id)).status).toBe('pending')
  })

  test('shows no personal data after the candidate erased the profile', async () => {
    const candidate = await board.candidate({ first_name: 'Quill', last_name: 'Onberry' })
    const { application } = await world(board, { employer, candidate })
    await board.delete('/v1/candidates/profile', candidate.key)
    const page = await portal.get(pathOf(application.id))
    expect(page.seen).toContain('The candidate erased their account')
    expect(page.text).not.toContain('Onberry')
  })

  test('is still shown after its job was deleted', async () => {
    const { application, job } = await world(board, { employer })
    await board.delete(`/v1/jobs/${job.id}`, employer.key)
    expect((await portal.get(pathOf(application.id))).status).toBe(200)
  })

  test('is hidden from other employers, and not changed without the token', async () => {
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
