/** The pages for candidates: saved jobs, alerts, applications, resumes, the profile and its deletion. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { faultOf, type Page, type Visitor, visitor } from '../support/pages.ts'
import { registerOnPages } from '../support/sign-in.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
const cv = (name = 'cv.pdf') => new File([new Uint8Array(pdf('Engineer'))], name, { type: 'application/pdf' })

let employer: Account
let candidate: Account
let ada: Visitor
let other: Visitor
let guest: Visitor
/** The first job has no questions. The second job has every type of question. */
let plain: string
let asking: string

const custom_questions = [
  { id: '1', label: 'Your first line', type: 'text', required: true },
  { id: '2', label: HOSTILE, type: 'textarea', required: false },
  { id: 'license', label: 'Do you drive?', type: 'boolean', required: true },
  { id: 'years', label: 'How many years?', type: 'number', required: false },
  { id: 'start', label: 'From when?', type: 'date', required: false },
  { id: 'work', label: 'Where is your work?', type: 'url', required: false },
  { id: 'shift', label: 'Which shift?', type: 'single_select', required: true, options: ['Early', 'Late'] },
  { id: 'tools', label: 'Which tools?', type: 'multi_select', required: false, options: ['CAN', 'LIN', 'a, b'] },
]

beforeAll(async () => {
  employer = await board.employer({ name: 'Northgear Works' })
  plain = (await board.activeJob(employer, { title: 'Plain job' })).id
  asking = (await board.activeJob(employer, { title: 'Asking job', custom_questions })).id
  candidate = await board.candidate({ email: 'seeker@candidate.example' })
  ada = await visitor(board, candidate)
  other = await visitor(board, await board.candidate())
  guest = await visitor(board)
})

const own = async (path: string, key = candidate.key) => (await board.get(path, key)).body.data
const idOf = (page: Page) => page.path.split('/').at(-1)!
/** Returns the text, the class and `aria-current` of each step of an application. */
const stepsOf = (page: Page) =>
  page.document
    .querySelectorAll('ol.steps li')
    .map((step) => [step.textContent, step.getAttribute('class'), step.getAttribute('aria-current')])
const isRefused = async (page: Promise<Page>) => expect((await page).path).toMatch(/^\/sign-in/)

test('candidates start at a page that shows their next steps', async () => {
  const page = await ada.get('/home')
  expect(page.path).toBe('/me')
  expect(page.seen).toContain('Upload a resume')
  expect((await guest.get('/me')).path).toBe('/sign-in?return_to=%2Fme')
})

test('registering returns to the page that the visitor requested', async () => {
  const visitor = guest
  const form = await visitor.get(`/jobs/${plain}/apply`)
  const returnTo = encodeURIComponent(`/jobs/${plain}/apply`)
  expect(form.path).toBe(`/register/candidate?return_to=${returnTo}`)
  for (const { seen } of [form, await visitor.get(`/jobs/${plain}/apply?source=fair`)])
    expect(seen).toContain('Create an account to apply.')
  const links = [...form.document.querySelectorAll('main a')].map((link) => link.getAttribute('href'))
  expect(links).toEqual(expect.arrayContaining([`/sign-in?return_to=${returnTo}`]))
  const fields = { first_name: 'Ida', last_name: 'Holm', email: 'ida@candidate.example' }
  const inside = await registerOnPages(board, visitor, form.path, fields)
  expect(inside.path).toBe(`/jobs/${plain}/apply`)
  await visitor.post('/sign-out', { _csrf: inside.document.querySelector('[name="_csrf"]')!.getAttribute('value')! })
  guest = await (await import('../support/pages.ts')).visitor(board)
})

describe('saving a job', () => {
  test("takes one click in the list, and removing the saved job takes one click on the job's page", async () => {
    const list = await ada.get('/jobs?search=plain')
    const saved = await ada.submit(list, `/jobs/${plain}/save`)
    expect(saved.path).toBe(`/jobs?search=plain#${plain}`)
    expect((await own('/v1/candidates/jobs/saved'))[0].job_id).toBe(plain)
    expect((await ada.get('/me/saved-jobs')).seen).toContain('Plain job')
    const job = await ada.get(`/jobs/${plain}`)
    expect((await ada.submit(job, `/jobs/${plain}/unsave`)).path).toBe(`/jobs/plain-job-${plain}`)
    expect((await ada.get('/me/saved-jobs')).seen).toContain('No saved jobs yet')
  })

  test('is completed after the visitor signs in or registers, and leads back to the job', async () => {
    const seeker = await visitor(board)
    const job = await seeker.get(`/jobs/${plain}`)
    const link = (page: Page, start: string) =>
      seeker.get(page.document.querySelector(`main a[href^="${start}?return_to="]`)!.getAttribute('href')!)
    const signIn = await link(await link(job, '/register/candidate'), '/sign-in')
    const inside = await seeker.submit(signIn, '/sign-in/key', { api_key: candidate.key })
    expect([inside.path, inside.seen]).toEqual([`/jobs/plain-job-${plain}`, expect.stringContaining('Job saved.')])
    expect((await own('/v1/candidates/jobs/saved')).map((each: { job_id: string }) => each.job_id)).toEqual([plain])
    await seeker.submit(inside, `/jobs/${plain}/unsave`)
    const stranger = await visitor(board)
    const path = `/register/candidate?return_to=${encodeURIComponent(`/jobs/${plain}/save`)}`
    const fields = { first_name: 'Eve', last_name: 'Holm', email: 'eve@candidate.example' }
    const registered = await registerOnPages(board, stranger, path, fields)
    expect([registered.path, registered.seen]).toEqual([
      `/jobs/plain-job-${plain}`,
      expect.stringContaining('Job saved.'),
    ])
    const hiring = await visitor(board)
    const asked = await hiring.get(`/sign-in?return_to=${encodeURIComponent(`/jobs/${plain}/save`)}`)
    const employed = await hiring.submit(asked, '/sign-in/key', { api_key: employer.key })
    expect([employed.path, employed.seen.includes('Job saved.')]).toEqual([`/jobs/plain-job-${plain}`, false])
  })

  test('asks visitors to register, refuses a form without its token, and gets 404 for a job that was never active', async () => {
    expect((await guest.get(`/jobs/${plain}`)).text).toContain(
      `/register/candidate?return_to=%2Fjobs%2F${plain}%2Fsave"`,
    )
    await isRefused(guest.post(`/jobs/${plain}/save`, { _csrf: await guest.csrfToken() }))
    expect((await ada.post(`/jobs/${plain}/save`)).status).toBe(403)
    const { id } = await board.job(employer)
    const _csrf = await ada.csrfToken()
    expect((await ada.post(`/jobs/${id}/save`, { _csrf })).status).toBe(404)
    expect(await own('/v1/candidates/jobs/saved')).toEqual([])
  })

  test('does not redirect to another host when it is undone', async () => {
    const fields = { _csrf: await ada.csrfToken(), _return_to: '//evil.example' }
    const page = await ada.send('POST', `/jobs/${plain}/unsave`, { body: new URLSearchParams(fields) })
    expect(page.headers.get('location')).toBe('/me/saved-jobs')
  })
})

describe('job alerts', () => {
  test('are created from a search, with all its filters as typed values', async () => {
    const query = 'search=plain&salary_unspecified=include&salary_min=50000&remote=false&skills_in=C%2B%2B,CAN'
    const list = await ada.get(`/jobs?${query}&page=1&sort=title`)
    const link = list.document
      .querySelector('a[href^="/me/alerts/new"]')!
      .getAttribute('href')!
      .replaceAll('&amp;', '&')
    const form = await ada.get(link)
    const page = await ada.submit(form, '/me/alerts/new', { name: 'Mine', frequency: 'weekly' })
    expect(page.seen).toContain('Alert created.')
    const [alert] = await own('/v1/candidates/job-alerts')
    expect(alert).toMatchObject({
      name: 'Mine',
      frequency: 'weekly',
      criteria: {
        search: 'plain',
        salary_unspecified: 'include',
        salary_min: 50_000,
        remote: false,
        skills_in: ['C++', 'CAN'],
      },
    })
  })

  test('are described in the words of the search page', async () => {
    const query = 'search=plain&location=Leeds&distance=25&job_type_not=contract&remote=false&salary_min=50000'
    const form = await ada.get(`/me/alerts/new?${query}`)
    const text = 'Plain, Leeds within 25 miles, Not Contract, Not Remote, 50,000 a year or more'
    expect(form.document.querySelector('[name="name"]')!.getAttribute('value')).toBe(text)
    expect(form.seen).toContain('Also:')
    const made = await ada.submit(form, '/me/alerts/new', { name: 'Own name' })
    const list = await ada.get('/me/alerts')
    expect(list.seen).toContain(text)
    await ada.submit(list, `/me/alerts/${idOf(made)}/delete`)
  })

  test('can be limited to a language, and show distances in the unit of the reader', async () => {
    const query = 'search=plain&location=Leeds&distance=40&distance_unit=km&language=de'
    const form = await ada.get(`/me/alerts/new?${query}`)
    const chosen = (page: Page, name: string) =>
      page.document.querySelector(`select[name="criteria[${name}]"] [selected]`)!.textContent
    expect(['distance', 'language'].map((name) => chosen(form, name))).toEqual(['25 miles', 'German'])
    expect(form.seen).not.toContain('Also:')
    const made = await ada.submit(form, '/me/alerts/new', { name: 'Near Leeds', 'criteria[language]': 'fr' })
    const id = idOf(made)
    const { criteria } = await own(`/v1/candidates/job-alerts/${id}`)
    expect(criteria).toEqual({ search: 'plain', location: 'Leeds', distance: 24.855, language: 'fr' })
    const german = await ada.get(`/de/me/alerts/${id}`)
    expect(chosen(german, 'distance')).toMatch(/^40\skm$/)
    await ada.get(`/en/me/alerts/${id}`)
    await ada.submit(made, `/me/alerts/${id}/delete`)
  })

  test('show the current matches, and are changed, paused, resumed and deleted', async () => {
    const form = await ada.get('/me/alerts/new?search=asking')
    const made = await ada.submit(form, '/me/alerts/new')
    const id = idOf(made)
    expect(made.document.querySelectorAll('.job .job-title').map((title) => title.textContent)).toEqual(['Asking job'])
    const changed = await ada.submit(made, `/me/alerts/${id}`, { name: HOSTILE, 'criteria[search]': 'plain' })
    expect(changed.document.querySelectorAll('.job .job-title').map((title) => title.textContent)).toEqual([
      'Plain job',
    ])
    expect(changed.text).not.toMatch(/<script>|<img/)
    await ada.submit(await ada.get('/me/alerts'), `/me/alerts/${id}/pause`)
    expect((await own(`/v1/candidates/job-alerts/${id}`)).is_active).toBe(false)
    await ada.submit(await ada.get('/me/alerts'), `/me/alerts/${id}/resume`)
    expect((await own(`/v1/candidates/job-alerts/${id}`)).is_active).toBe(true)
    await ada.submit(await ada.get('/me/alerts'), `/me/alerts/${id}/delete`)
    expect((await ada.get(`/me/alerts/${id}`)).status).toBe(404)
  })

  test('show errors next to the fields', async () => {
    const form = await ada.get('/me/alerts/new')
    const sent = { name: '', 'criteria[category]': 'No slug', 'criteria[salary_min]': 'much' }
    const page = await ada.submit(form, '/me/alerts/new', sent)
    expect(page.status).toBe(422)
    for (const name of Object.keys(sent)) expect(faultOf(page, name), name).toBeDefined()
    expect(page.document.querySelector('[name="criteria[salary_min]"]')!.getAttribute('value')).toBe('much')
    const [alert] = await own('/v1/candidates/job-alerts')
    const emptied = await ada.submit(await ada.get(`/me/alerts/${alert.id}`), `/me/alerts/${alert.id}`, { name: ' ' })
    expect([emptied.status, faultOf(emptied, 'name')]).toEqual([422, 'Enter a name.'])
    expect((await ada.get('/me/alerts/new?category=No%20slug')).status).toBe(400)
  })

  test('are hidden from other accounts', async () => {
    const [{ id }] = await own('/v1/candidates/job-alerts')
    const _csrf = await other.csrfToken()
    expect((await other.get(`/me/alerts/${id}`)).status).toBe(404)
    for (const action of ['', '/pause', '/resume', '/delete']) {
      const body = { _csrf, name: 'Taken', frequency: 'daily' }
      expect((await other.post(`/me/alerts/${id}${action}`, body)).status, action).toBe(404)
      await isRefused(guest.post(`/me/alerts/${id}${action}`, { _csrf: await guest.csrfToken() }))
    }
    expect((await own(`/v1/candidates/job-alerts/${id}`)).name).toBe('Mine')
  })
})

describe('resumes', () => {
  test('are uploaded, downloaded and deleted, and the newest is the default', async () => {
    for (const name of ['first.pdf', 'second.pdf']) {
      const page = await ada.submit(await ada.get('/me/resumes'), '/me/resumes', { file: cv(name) })
      expect(page.seen).toContain('Resume uploaded.')
    }
    const page = await ada.get('/me/resumes')
    const resumes = await own('/v1/candidates/resumes')
    const [second, first] = resumes
    expect(page.document.querySelectorAll('main li .tag').length).toBe(1)
    expect(page.document.querySelector('main li')!.textContent.replace(/\s+/g, ' ')).toContain('second.pdf Default')
    const file = await ada.get(`/me/resumes/${first.id}`)
    expect(file.headers.get('content-disposition')).toContain('attachment; filename=first.pdf')
    expect(file.text.startsWith('%PDF')).toBe(true)
    const _csrf = await other.csrfToken()
    expect((await other.get(`/me/resumes/${first.id}`)).status).toBe(404)
    expect((await other.post(`/me/resumes/${first.id}/delete`, { _csrf })).status).toBe(404)
    await ada.submit(page, `/me/resumes/${second.id}/delete`)
    expect((await own('/v1/candidates/resumes')).map(({ id }: { id: string }) => id)).toEqual([first.id])
  })

  test.each<[string, File, RegExp]>([
    ['of an unsupported type', new File(['\u0000\u0001'], 'cv.exe'), /must be a PDF/],
    ['empty', new File([], 'cv.pdf'), /empty/],
    ['too large', new File([new Uint8Array(5_242_881)], 'cv.pdf'), /too large/],
  ])('are refused with an error next to the field if they are %s', async (_what, file, fault) => {
    const page = await ada.submit(await ada.get('/me/resumes'), '/me/resumes', { file })
    expect([page.status, faultOf(page, 'file')]).toEqual([422, expect.stringMatching(fault)])
  })

  test('show which text of the default resume employers can search, or that it has no text', async () => {
    const me = await visitor(board, await board.candidate())
    const send = async (name: string, bytes: Buffer) => {
      const file = new File([new Uint8Array(bytes)], name)
      await me.submit(await me.get('/me/resumes'), '/me/resumes', { file })
      return (await me.get('/me/resumes')).seen
    }
    const states = async () => {
      const pages = await Promise.all([me.get('/me/resumes'), me.get(`/jobs/${plain}/apply`)])
      return pages.map(({ document }) => document.querySelectorAll('[data-recognized]').map((one) => one.textContent))
    }
    expect(await send('text.txt', Buffer.from('Gearbox <b>specialist</b>'))).toContain('We’re still reading text.txt.')
    await runTask(board, 'resume-extraction')
    const read = expect.stringMatching(
      /Employers who can find your profile can search this text from text.txt\s*Gearbox <b>specialist/,
    )
    expect(await states()).toEqual([[read], [read]])
    expect(await send('long.txt', Buffer.from('word '.repeat(1_000)))).toContain('We’re still reading long.txt.')
    await runTask(board, 'resume-extraction')
    expect((await states())[0]![0]).toMatch(/word …\s*$/)
    await send('scan.pdf', pdf())
    await runTask(board, 'resume-extraction')
    const none = expect.stringContaining('We found no text in scan.pdf')
    expect(await states()).toEqual([[none], [none]])
  })

  test('are not uploaded without a file', async () => {
    const page = await ada.submit(await ada.get('/me/resumes'), '/me/resumes')
    expect([page.status, faultOf(page, 'file')]).toEqual([422, 'Choose a file.'])
  })
})

describe('applying', () => {
  test('shows the right control for every type of question, each with its label', async () => {
    const page = await ada.get(`/jobs/${asking}/apply`)
    expect(page.text).not.toMatch(/<script>|<img/)
    const control = (id: string) => page.document.querySelector(`[name="custom_questions[${id}]"]`)!
    const kinds = custom_questions.map(({ id }) => [control(id).tagName, control(id).getAttribute('type')])
    expect(kinds).toEqual([
      ['INPUT', 'text'],
      ['TEXTAREA', undefined],
      ['INPUT', 'radio'],
      ['INPUT', 'number'],
      ['INPUT', 'date'],
      ['INPUT', 'url'],
      ['INPUT', 'radio'],
      ['INPUT', 'checkbox'],
    ])
    expect(page.document.querySelectorAll('.form-part h2').map((title) => title.textContent)).toEqual([
      'Step 1 of 4: About you',
      'Step 2 of 4: Resume',
      'Step 3 of 4: Questions from Northgear Works',
      'Step 4 of 4: Cover letter',
    ])
    const steps = (await ada.get(`/jobs/${plain}/apply`)).seen
    expect([steps.includes('Step 3 of 3: Cover letter'), steps.split('PDF, Word').length]).toEqual([true, 2])
    const ids = page.document.querySelectorAll('[id]').map((element) => element.id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const label of page.document.querySelectorAll('label')) expect(ids).toContain(label.getAttribute('for'))
  })

  test('reports all errors, and keeps the text and the uploaded file', async () => {
    const before = (await own('/v1/candidates/resumes')).length
    const form = await ada.get(`/jobs/${asking}/apply`)
    const page = await ada.submit(form, `/jobs/${asking}/apply`, {
      cover_letter: ' ',
      'custom_questions[2]': 'kept',
      'custom_questions[years]': 'many',
      'custom_questions[work]': 'nowhere',
      _file: cv('kept.pdf'),
    })
    expect(page.status).toBe(422)
    expect(faultOf(page, 'cover_letter')).toBe('Write a cover letter.')
    expect(faultOf(page, 'custom_questions[1]')).toBe('Answer “Your first line”.')
    expect(faultOf(page, 'custom_questions[years]')).toBe('“How many years?”: Enter a number, such as 3 or 7.5.')
    expect(faultOf(page, 'custom_questions[work]')).toMatch(/web address that starts with https/)
    expect(page.seen).toContain('Answer “Which shift?”.')
    expect(page.seen).toContain('Your file kept.pdf was saved to your resumes')
    expect(page.document.querySelector('[name="custom_questions[2]"]')!.textContent.trim()).toBe('kept')
    const resumes = await own('/v1/candidates/resumes')
    expect(resumes.length).toBe(before + 1)
    const chosen = page.document.querySelector('[name="resume_id"][checked]')!
    expect(chosen.getAttribute('value')).toBe(resumes[0].id)
  })

  test('sends the letter, the resume and typed answers, and a second click sends nothing', async () => {
    const [, older] = await own('/v1/candidates/resumes')
    const form = await ada.get(`/jobs/${asking}/apply`)
    const fields = {
      cover_letter: `${HOSTILE}\r\n\r\nYours`,
      resume_id: older.id,
      'custom_questions[1]': 'Here I am',
      'custom_questions[license]': 'false',
      'custom_questions[years]': '7.5',
      'custom_questions[start]': '2026-04-01',
      'custom_questions[work]': 'https://ada.example/work',
      'custom_questions[shift]': 'Late',
      'custom_questions[tools]': ['CAN', 'a, b'],
    }
    const sent = await ada.submit(form, `/jobs/${asking}/apply`, fields)
    expect(sent.seen).toContain('Application sent.')
    expect(sent.text).not.toMatch(/<script>|<img/)
    for (const text of ['Here I am', 'No', '7.5', 'CAN, a, b', 'Sent']) expect(sent.seen).toContain(text)
    expect(await own(`/v1/candidates/applications/${idOf(sent)}`)).toMatchObject({
      cover_letter: `${HOSTILE}\n\nYours`,
      resume: { id: older.id },
      custom_questions: {
        1: 'Here I am',
        license: false,
        years: 7.5,
        start: '2026-04-01',
        work: 'https://ada.example/work',
        shift: 'Late',
        tools: ['CAN', 'a, b'],
      },
    })
    // A second click returns the existing application.
    const again = await ada.submit(form, `/jobs/${asking}/apply`, { ...fields, _file: cv('again.pdf') })
    expect([again.path, again.seen]).toEqual([
      sent.path,
      expect.stringContaining('You have already applied to this job.'),
    ])
    expect((await ada.get(`/jobs/${asking}`)).document.querySelector(`a[href="${sent.path}"]`)).not.toBeNull()
    expect((await ada.get(`/jobs/${asking}/apply`)).path).toBe(sent.path)
  })

  test("refuses another candidate's resume", async () => {
    const [resume] = await own('/v1/candidates/resumes')
    const form = await other.get(`/jobs/${plain}/apply`)
    const page = await other.submit(form, `/jobs/${plain}/apply`, { cover_letter: 'Hello', resume_id: resume.id })
    expect([page.status, page.seen]).toEqual([422, expect.stringContaining('Choose one of your resumes.')])
  })

  test('requires an active job, an account and the form token', async () => {
    const { id } = await board.activeJob(employer, { title: 'Closed job' })
    const form = await ada.get(`/jobs/${id}/apply`)
    await board.post(`/v1/jobs/${id}/close`, employer.key)
    const late = await ada.submit(form, `/jobs/${id}/apply`, { cover_letter: 'Late', _file: cv('late.pdf') })
    expect([late.status, late.seen]).toEqual([409, expect.stringContaining('closed or expired')])
    // The file of the refused application is stored, so the candidate need not upload it again.
    expect((await own('/v1/candidates/resumes'))[0].filename).toBe('late.pdf')
    expect((await ada.get(`/jobs/${id}/apply`)).status).toBe(410)
    expect((await ada.post(`/jobs/${plain}/apply`, { cover_letter: 'Hello' })).status).toBe(403)
    await isRefused(guest.post(`/jobs/${plain}/apply`, { _csrf: await guest.csrfToken(), cover_letter: 'Hello' }))
    expect((await ada.get('/jobs/job_00000000000000000000000000/apply')).status).toBe(404)
  })

  test('is offered in a bar on phones, except to employers', async () => {
    const bars = [guest, ada, await visitor(board, await board.employer())].map(
      async (who) => (await who.get(`/jobs/${plain}`)).document.querySelector('.apply-bar') !== null,
    )
    expect(await Promise.all(bars)).toEqual([true, true, false])
  })
})

describe("the candidate's applications", () => {
  test('are listed by status, shown with their history and hidden from others', async () => {
    const [{ id }] = await own('/v1/candidates/applications')
    await board.put(`/v1/employers/applications/${id}`, employer.key, { status: 'contacted', reason: 'Private note' })
    expect((await ada.get('/me/applications?status=contacted')).seen).toContain('Asking job')
    expect((await ada.get('/me/applications?status=hired')).seen).toContain('No applications with this status')
    const page = await ada.get(`/me/applications/${id}`)
    expect(page.document.querySelectorAll('.timeline li').length).toBe(2)
    expect(stepsOf(page)).toEqual([
      ['Sent (done)', 'done', undefined],
      ['Reviewed (done)', 'done', undefined],
      ['In touch', 'now', 'step'],
      ['Decision', '', undefined],
    ])
    expect(page.text).not.toContain('Private note')
    expect((await other.get(`/me/applications/${id}`)).status).toBe(404)
    expect((await other.post(`/me/applications/${id}/withdraw`, { _csrf: await other.csrfToken() })).status).toBe(404)
    await isRefused(guest.get(`/me/applications/${id}`))
  })

  test('can be withdrawn, after which the candidate may apply again', async () => {
    const [{ id }] = await own('/v1/candidates/applications')
    const path = `/me/applications/${id}/withdraw`
    const tooLong = await ada.submit(await ada.get(`/me/applications/${id}`), path, { reason: 'x'.repeat(2_001) })
    expect([tooLong.status, faultOf(tooLong, 'reason')]).toEqual([422, expect.stringContaining('2000')])
    const page = await ada.submit(await ada.get(`/me/applications/${id}`), path, { reason: 'Found another' })
    expect(page.seen).toContain('Application withdrawn.')
    expect((await own(`/v1/candidates/applications/${id}`)).withdrawn_at).not.toBeNull()
    expect(page.document.querySelector(`form[action="${path}"]`)).toBeNull()
    expect(stepsOf(page)).toEqual([
      ['Sent (done)', 'done', undefined],
      ['In touch (done)', 'done', undefined],
      ['Withdrawn', 'over now', 'step'],
    ])
    expect((await ada.get(`/jobs/${asking}/apply`)).path).toBe(`/jobs/${asking}/apply`)
  })

  test('cannot be withdrawn after a decision', async () => {
    // The employer sees the link's source, even if the form was refused first.
    const job = await ada.get(`/jobs/${plain}?source=Partner%20%3Cb%3E`)
    const link = job.document.querySelector('main a[href*="/apply"]')!.getAttribute('href')!
    const asked = await (await visitor(board)).get(link)
    expect(new URLSearchParams(asked.path.split('?')[1]).get('return_to')).toBe(link)
    const refused = await ada.submit(await ada.get(link), `/jobs/${plain}/apply`, { cover_letter: '' })
    const sent = await ada.submit(refused, `/jobs/${plain}/apply`, { cover_letter: 'Hello' })
    const id = idOf(sent)
    const received = await (await visitor(board, employer)).get(`/employer/applications/${id}`)
    expect(received.seen).toContain('Source: partner <b>')
    await board.put(`/v1/employers/applications/${id}`, employer.key, { status: 'rejected' })
    const page = await ada.submit(sent, `/me/applications/${id}/withdraw`)
    expect([page.status, page.seen]).toEqual([409, expect.stringContaining("The application's state is rejected")])
    expect((await ada.get(`/me/applications/${id}`)).document.querySelector('main details')).toBeNull()
  })
})

describe('the profile', () => {
  const entry = (n: number, member: string) => `experience[${n}][${member}]`

  test('can be changed in one form, including its lists', async () => {
    const page = await ada.submit(await ada.get('/me/profile'), '/me/profile', {
      headline: HOSTILE,
      'skills[]': 'C++\r\nCAN\r\n',
      website: 'https://ada.example',
      is_searchable: ['false', 'true'],
      [entry(0, 'title')]: 'Tester',
      [entry(0, 'company')]: 'Voltaire Vans',
      [entry(0, 'start_date')]: '2020-01',
    })
    expect(page.seen).toContain('Profile saved.')
    expect(page.text).not.toMatch(/<script>|<img/)
    expect(await own('/v1/candidates/profile')).toMatchObject({
      headline: HOSTILE,
      skills: ['C++', 'CAN'],
      is_searchable: true,
      experience: [{ title: 'Tester', company: 'Voltaire Vans', start_date: '2020-01', current: true }],
      education: [],
    })
  })

  test('shows errors next to the fields, even in an entry after a removed entry', async () => {
    const page = await ada.submit(await ada.get('/me/profile'), '/me/profile', {
      first_name: '',
      email: 'seeker@candidate.example',
      phone: 'x',
      _remove: 'experience[0]',
      [entry(1, 'title')]: 'Lead',
      [entry(1, 'company')]: 'Berg Motion',
      [entry(1, 'start_date')]: '2024-13',
    })
    expect(page.status).toBe(422)
    for (const name of ['first_name', 'phone', entry(0, 'start_date')]) expect(faultOf(page, name), name).toBeDefined()
    expect(page.document.querySelector(`[name="${entry(0, 'title')}"]`)!.getAttribute('value')).toBe('Lead')
    expect((await own('/v1/candidates/profile')).first_name).toBe('Ada')
  })

  test('removes the only entry of a list, and refuses an email address that another account uses', async () => {
    await ada.submit(await ada.get('/me/profile'), '/me/profile', { _remove: 'experience[0]' })
    expect((await own('/v1/candidates/profile')).experience).toEqual([])
    const taken = await other.submit(await other.get('/me/profile'), '/me/profile', {
      email: 'seeker@candidate.example',
    })
    expect([taken.status, faultOf(taken, 'email')]).toEqual([409, 'Another account uses this email address.'])
  })

  test('cannot be edited with a key that lacks the scope', async () => {
    const key = await board.keyWith(candidate, ['profile:read'])
    const reader = await visitor(board, { key })
    const form = await reader.get('/me/profile')
    expect(form.status).toBe(200)
    // The page has no form, and a submitted form is refused.
    expect(form.document.querySelector('form[action="/me/profile"]')).toBeNull()
    expect((await reader.post('/me/profile', { _csrf: await reader.csrfToken() })).status).toBe(403)
  })
})

describe('personal data', () => {
  test('can be downloaded as one file', async () => {
    expect((await ada.get('/me/data')).document.querySelector('a[href="/me/data/export"]')).not.toBeNull()
    const file = await ada.get('/me/data/export')
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename=job-marketplace-\d{4}-\d\d-\d\d\.json$/,
    )
    expect(file.headers.get('cache-control')).toBe('no-store')
    const { data } = (await board.get('/v1/candidates/export', candidate.key)).body
    expect(Object.keys(JSON.parse(file.text))).toEqual(Object.keys(data))
    await isRefused(guest.get('/me/data/export'))
  })

  test('is erased, and the session ended, only after the candidate enters the email address', async () => {
    const form = await ada.get('/me/data/erase')
    const wrong = await ada.submit(form, '/me/data/erase', { confirmation: 'else@candidate.example' })
    expect([wrong.status, faultOf(wrong, 'confirmation')]).toEqual([
      422,
      'This isn’t the email address of your account.',
    ])
    expect((await ada.post('/me/data/erase', { confirmation: 'seeker@candidate.example' })).status).toBe(403)
    const gone = await ada.submit(form, '/me/data/erase', { confirmation: 'Seeker@candidate.example' })
    expect([gone.path, gone.seen]).toEqual(['/', expect.stringContaining('Account erased')])
    await isRefused(ada.get('/me'))
    expect((await board.get('/v1/candidates/profile', candidate.key)).status).toBe(401)
  })
})
