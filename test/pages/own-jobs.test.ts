/** The employer dashboard: jobs, their payments and their results. */
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { apply } from '../support/applications.ts'
import { type Account, useBoard } from '../support/board.ts'
import { faultOf, type Page, type Visitor, visitor } from '../support/pages.ts'
import { entitlementsOf, payUnused } from '../support/payments.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
const UNKNOWN = 'job_00000000000000000000000000'
let employer: Account
let portal: Visitor

beforeAll(async () => {
  employer = await board.employer({ name: 'Northgear Works' })
  portal = await visitor(board, employer)
})

const fields = {
  title: 'Gearbox tester',
  location: 'Turin, Italy',
  category: 'quality-testing',
  description: 'Tests gearboxes.\n\nAll of them.',
}
const ownJob = async (id: string) => (await board.get(`/v1/jobs/${id}`, employer.key)).body.data
const idIn = ({ path }: Page) => /job_\w+/.exec(path)![0]
const tokenOf = async (who: Visitor) =>
  (await who.get('/employer/profile')).document.querySelector('[name="_csrf"]')!.getAttribute('value')!
/** Submits the editor's form with one of its buttons. */
const press = (page: Page, action: string, button: string, more: Record<string, string> = {}) =>
  portal.submit(page, action, { ...more, _do: button })

test('a job that resembles another job of the employer shows a warning with a link, but can be posted', async () => {
  const own = await board.employer()
  const me = await visitor(board, own)
  const other = await board.activeJob(await board.employer({ name: 'Somebody' }), fields)
  const active = await board.activeJob(own, fields)
  await runTask(board, 'duplicates')
  const warningOn = async (page: Page | string) => {
    const { document } = typeof page === 'string' ? await me.get(page) : page
    const links = document.querySelectorAll('main .n-warn a').map((link) => link.getAttribute('href'))
    expect(links).not.toContain(`/employer/jobs/${other.id}`)
    return links.includes(`/employer/jobs/${active.id}`)
  }
  const editor = await me.get('/employer/jobs/new')
  const saved = await me.submit(editor, '/employer/jobs/new', { ...fields, title: 'Gearbox tester (m/f/d)' })
  const path = `/employer/jobs/${idIn(saved)}`
  expect(await warningOn(saved)).toBe(true)
  for (const page of ['/edit', '/preview', '/pay']) expect([page, await warningOn(path + page)]).toEqual([page, true])
  expect(await warningOn(`/employer/jobs/${active.id}`)).toBe(false)

  await me.submit(await me.get(`${path}/edit`), `${path}/edit`, { title: 'Gearbox designer' })
  expect(await warningOn(path)).toBe(false)
  await me.submit(await me.get(`${path}/edit`), `${path}/edit`, { title: fields.title })
  expect(await warningOn(path)).toBe(true)
  await payUnused(board, own, idIn(saved))
  expect((await me.submit(await me.get(path), `${path}/activate`)).seen).toContain('On the board until')
  expect(await warningOn(path)).toBe(false)
})

describe('the list', () => {
  test('explains what to do when it is empty', async () => {
    const page = await (await visitor(board, await board.employer())).get('/employer/jobs')
    expect(page.seen).toContain('You have no jobs yet')
    expect(page.document.querySelectorAll('a[href="/employer/jobs/new"]')).toHaveLength(1)
  })

  test("shows jobs in every state with counts, and no other employers' jobs", async () => {
    const own = await board.employer()
    const me = await visitor(board, own)
    await board.job(own, { title: 'A draft' })
    await board.activeJob(own, { title: 'An active one' })
    const closed = await board.activeJob(own, { title: 'A closed one' })
    await board.post(`/v1/jobs/${closed.id}/close`, own.key, {})
    const expires_at = new Date(board.clock.time + 1_000).toISOString()
    await board.activeJob(own, { title: 'An expired one', expires_at })
    board.clock.advance(1_000)
    await board.activeJob(employer, { title: 'Somebody else’s' })
    const page = await me.get('/employer/jobs')
    expect(page.document.querySelectorAll('tbody tr')).toHaveLength(4)
    expect(page.document.querySelector('.tabs')!.textContent.replace(/\s+/g, ' ')).toBe(
      'All 4Active 1Draft 1Closed 1Ended 1',
    )
    for (const [state, title] of [
      ['inactive', 'A draft'],
      ['active', 'An active one'],
      ['closed', 'A closed one'],
      ['expired', 'An expired one'],
    ]) {
      const one = await me.get(`/employer/jobs?state=${state}`)
      expect(one.document.querySelectorAll('tbody .strong').map((link) => link.textContent)).toEqual([title])
    }
    expect((await me.get('/employer/jobs?search=expired')).document.querySelectorAll('tbody tr')).toHaveLength(1)
    expect((await me.get('/employer/jobs?search=nothingofit')).seen).toContain('No jobs found')
    expect((await me.get('/employer/jobs?state=lost')).status).toBe(400)
  })
})

describe('the editor', () => {
  test('saves a draft with every field of a job, and shows it again unchanged', async () => {
    const form = await portal.get('/employer/jobs/new')
    const saved = await portal.submit(form, '/employer/jobs/new', {
      ...fields,
      type: 'contract',
      workplace: 'hybrid',
      locations: 'Oslo\r\nLyon, France',
      'salary[min]': '50,000',
      'salary[max]': '60000',
      'salary[currency]': 'EUR',
      'salary[period]': 'year',
      requirements: 'A license\r\n\r\nPatience',
      benefits: 'Lunch',
      skills: 'CAN\nPython',
      experience_level: 'senior',
      language: 'fr',
      expires_at: '2026-06-01',
      contact_email: 'jobs@northgear.example',
      application_url: 'https://northgear.example/apply',
    })
    expect(saved.status).toBe(200)
    expect(saved.seen).toContain('Saved.')
    const id = idIn(saved)
    const job = await ownJob(id)
    expect(job).toMatchObject({
      ...fields,
      type: 'contract',
      remote: false,
      workplace: 'hybrid',
      locations: [fields.location, 'Oslo', 'Lyon, France'],
      salary: { min: 50_000, max: 60_000, currency: 'EUR', period: 'year' },
      requirements: ['A license', 'Patience'],
      benefits: ['Lunch'],
      skills: ['CAN', 'Python'],
      experience_level: 'senior',
      language: 'fr',
      expires_at: '2026-06-01T23:59:59.999Z',
      contact_email: 'jobs@northgear.example',
      application_url: 'https://northgear.example/apply',
      custom_questions: [],
      is_active: false,
    })
    const action = `/employer/jobs/${id}/edit`
    const same = await portal.submit(await portal.get(action), action)
    expect(same.path).toBe(`/employer/jobs/${id}`)
    expect(await ownJob(id)).toEqual(job)
  })

  test('plans the publication of a job, and shows the plan until the job is published manually', async () => {
    const form = await portal.get('/employer/jobs/new')
    const refused = await portal.submit(form, '/employer/jobs/new', {
      ...fields,
      publish_at: '2026-05-01',
      expires_at: '2026-04-01',
    })
    expect(faultOf(refused, 'publish_at')).toBe('“Publish on” must be before “Open until”.')
    const saved = await portal.submit(refused, '/employer/jobs/new', { publish_at: '2026-05-01', expires_at: '' })
    const id = idIn(saved)
    expect(saved.seen).toContain('Planned for 1 May 2026')
    expect(saved.seen).toContain('If you pay before then')
    const order = await portal.get(`/employer/jobs/${id}/pay`)
    expect(order.seen).toContain('If you pay before 1 May 2026, we’ll publish your job on that day')
    await board.pay(employer, id)
    expect((await portal.get('/employer/jobs')).seen).toContain('Planned for 1 May 2026')
    const action = `/employer/jobs/${id}/edit`
    const same = await portal.submit(await portal.get(action), action)
    expect(same.seen).toContain('The job is paid for. We’ll publish it at that time.')
    expect(await ownJob(id)).toMatchObject({ publish_at: '2026-05-01T00:00:00.000Z', is_active: false })
    const shown = await portal.submit(same, `/employer/jobs/${id}/activate`)
    expect(shown.seen).not.toContain('Planned for')
    expect((await portal.get(action)).document.querySelector('[name="publish_at"]')).toBeNull()
    expect(await ownJob(id)).toMatchObject({ is_active: true })
  })

  test('detects the language of a changed text, unless the employer chose one', async () => {
    const { id } = await board.job(employer)
    const action = `/employer/jobs/${id}/edit`
    const page = await portal.get(action)
    expect(page.document.querySelector('#field-language [selected]')?.getAttribute('value')).toBe('')
    const description = 'Wir suchen Sie für unsere Werkstatt.'
    await portal.submit(page, action, { description })
    expect(await ownJob(id)).toMatchObject({ description, language: 'de' })
    await portal.submit(await portal.get(action), action, { language: 'es' })
    await portal.submit(await portal.get(action), action, { description: 'You repair vans with us.' })
    expect(await ownJob(id)).toMatchObject({ language: 'es' })
    await portal.submit(await portal.get(action), action, { language: '' })
    expect(await ownJob(id)).toMatchObject({ language: 'en' })
  })

  test('removes the salary and all other cleared fields', async () => {
    const { id } = await board.job(employer, {
      salary: { min: 1, max: 2 },
      skills: ['CAN'],
      requirements: ['Patience'],
      contact_email: 'jobs@northgear.example',
      custom_questions: [{ id: 'why', label: 'Why?', type: 'text', required: false }],
    })
    const action = `/employer/jobs/${id}/edit`
    const page = await portal.get(action)
    const emptied = { 'salary[min]': '', 'salary[max]': '', skills: '', requirements: '', contact_email: '' }
    const without = await press(page, action, 'remove-0', emptied)
    expect(without.document.querySelectorAll('[data-question]')).toHaveLength(0)
    expect((await ownJob(id)).custom_questions).toHaveLength(1)
    await portal.submit(without, action)
    expect(await ownJob(id)).toMatchObject({
      salary: null,
      skills: [],
      requirements: [],
      contact_email: null,
      custom_questions: [],
    })
  })

  test('reports required fields that were cleared, instead of ignoring the change', async () => {
    const job = await board.job(employer)
    const action = `/employer/jobs/${job.id}/edit`
    const page = await portal.submit(await portal.get(action), action, { title: ' ', category: '', skills: 'CAN' })
    expect([page.status, faultOf(page, 'title')]).toEqual([422, 'Enter a title.'])
    expect(faultOf(page, 'category')).toBe('Choose a category.')
    expect((await ownJob(job.id)).skills).toEqual([])
  })

  test('shows errors next to each field, and keeps the input', async () => {
    const form = await portal.get('/employer/jobs/new')
    const page = await portal.submit(form, '/employer/jobs/new', {
      title: ' ',
      location: 'Turin, Italy',
      'salary[min]': '9',
      'salary[max]': '1',
      'salary[currency]': 'XYZ1',
      contact_email: 'nobody',
      expires_at: '2020-01-01',
    })
    expect(page.status).toBe(422)
    for (const name of ['title', 'category', 'description', 'salary[min]', 'salary[currency]', 'contact_email']) {
      expect(faultOf(page, name), name).toBeDefined()
    }
    expect(faultOf(page, 'expires_at')).toMatch(/future/)
    expect(page.document.querySelector('[name="location"]')!.getAttribute('value')).toBe('Turin, Italy')
    expect(page.document.querySelector('[role="alert"]')!.textContent).toMatch(/There are \d problems/)
  })

  test('builds questions without JavaScript, one click at a time', async () => {
    const action = '/employer/jobs/new'
    let page = await press(await portal.get(action), action, 'add', fields)
    expect(page.status).toBe(200)
    expect(page.document.querySelector('[name="title"]')!.getAttribute('value')).toBe('Gearbox tester')
    page = await press(page, action, 'add', { 'custom_questions[0][label]': 'A license?' })
    page = await press(page, action, 'add', {
      'custom_questions[1][label]': 'Begin?',
      'custom_questions[1][type]': 'single_select',
      'custom_questions[1][options]': 'At once\nLater',
    })
    page = await press(page, action, 'up-1', { 'custom_questions[2][label]': 'Third' })
    page = await press(page, action, 'remove-2')
    const saved = await portal.submit(page, action, {
      'custom_questions[1][type]': 'boolean',
      'custom_questions[1][required]': ['false', 'true'],
    })
    expect((await ownJob(idIn(saved))).custom_questions).toEqual([
      { id: 'question-2', label: 'Begin?', type: 'single_select', required: false, options: ['At once', 'Later'] },
      { id: 'question-1', label: 'A license?', type: 'boolean', required: true, options: [] },
    ])
  })

  test("shows a question's errors next to that question", async () => {
    const action = '/employer/jobs/new'
    const added = await press(await portal.get(action), action, 'add', fields)
    const page = await portal.submit(added, action, { 'custom_questions[0][type]': 'multi_select' })
    expect(page.status).toBe(422)
    expect(faultOf(page, 'custom_questions[0][label]')).toBe('Enter a question text.')
    expect(faultOf(page, 'custom_questions[0][options]')).toBe(
      'Enter at least one choice. Put each choice on its own line.',
    )
  })

  test('keeps the exact expiry time of an active job, unless the employer enters a new date', async () => {
    const { id, expires_at } = await board.activeJob(employer)
    const action = `/employer/jobs/${id}/edit`
    await portal.submit(await portal.get(action), action, { title: 'Renamed' })
    expect(await ownJob(id)).toMatchObject({ title: 'Renamed', expires_at })
    await portal.submit(await portal.get(action), action, { expires_at: '2026-03-20' })
    expect((await ownJob(id)).expires_at).toBe('2026-03-20T23:59:59.999Z')
  })

  test('opens a preview on request, which shows the job as candidates see it', async () => {
    const page = await press(await portal.get('/employer/jobs/new'), '/employer/jobs/new', 'preview', fields)
    expect(page.path).toMatch(/\/preview$/)
    expect(page.seen).toContain('This is what candidates will see.')
    expect(page.document.querySelector('h1')!.textContent).toBe('Gearbox tester')
    expect(page.document.querySelectorAll('.prose p').map((text) => text.textContent)).toEqual([
      'Tests gearboxes.',
      'All of them.',
    ])
  })

  test('offers the next step in the preview: the payment or, if the job is paid for, its publication', async () => {
    const { id } = await board.job(employer, { publish_at: '2026-05-01T00:00:00.000Z' })
    const path = `/employer/jobs/${id}`
    const nextSteps = async () => {
      const page = await portal.get(`${path}/preview`)
      return page.document.querySelectorAll('.notice .btn').map((button) => button.textContent)
    }
    expect(await nextSteps()).toEqual(['Pay'])
    await board.pay(employer, id)
    expect(await nextSteps()).toEqual(['Publish now'])
    const published = await portal.submit(await portal.get(`${path}/preview`), `${path}/activate`)
    expect(published.path).toBe(path)
    expect(await nextSteps()).toEqual([])
  })

  test('shows the questions in the preview', async () => {
    const custom_questions = [
      { id: 'begin', label: 'Begin?', type: 'single_select', required: true, options: ['Now', 'Later'] },
    ]
    const { id } = await board.job(employer, { custom_questions })
    const page = await portal.get(`/employer/jobs/${id}/preview`)
    for (const text of ['Questions for applicants', 'Begin?', 'Single choice: Now, Later'])
      expect(page.seen).toContain(text)
  })

  test('offers a list of currencies, and explains every error in plain words', async () => {
    const action = '/employer/jobs/new'
    const form = await portal.get(action)
    const currency = form.document.querySelector('select[name="salary[currency]"]')!
    expect(currency.querySelector('[selected]')!.getAttribute('value')).toBe('USD')
    const page = await portal.submit(form, action, {
      title: 'x'.repeat(201),
      'salary[min]': 'a lot',
      'salary[max]': '-1',
      'salary[currency]': 'eur',
      application_url: 'nowhere',
      contact_email: 'nobody',
      expires_at: 'soon',
    })
    expect(page.status).toBe(422)
    const faults = page.document.querySelectorAll('.faults li').map((item) => item.textContent)
    expect(faults).toEqual(
      expect.arrayContaining([
        'Use at most 200 characters for title.',
        'Choose a category.',
        'Choose a currency.',
        'Enter a web address that starts with https://.',
        'Enter a date.',
      ]),
    )
    for (const fault of faults) expect(fault).not.toMatch(/\^|[_\\]|RFC|ISO|integer|null|URL|must match/)
  })

  test('warns about an unknown location, and drops the options of a question that offers no choice', async () => {
    const action = '/employer/jobs/new'
    const added = await press(await portal.get(action), action, 'add', { ...fields, location: 'Nowhereville Qx' })
    expect(added.seen).toContain('We couldn’t find “Nowhereville Qx” on the map')
    const saved = await portal.submit(added, action, {
      'custom_questions[0][label]': 'Why?',
      'custom_questions[0][options]': 'Left\nover',
    })
    expect(saved.seen).toContain('We couldn’t find “Nowhereville Qx” on the map')
    expect((await ownJob(idIn(saved))).custom_questions[0].options).toEqual([])
    const known = await board.job(employer, { location: 'Leeds, United Kingdom' })
    expect((await portal.get(`/employer/jobs/${known.id}`)).seen).not.toContain('on the map')
  })
})

describe('a location that several towns share', () => {
  const CHOICES = ['Leeds, United Kingdom', 'Leeds, AL']
  const action = '/employer/jobs/new'
  const offered = (page: Page) =>
    page.document.querySelectorAll('[type="radio"][name="_place"]').map((choice) => choice.getAttribute('value'))

  test('is saved as typed, and the draft asks which town it means', async () => {
    const saved = await portal.submit(await portal.get(action), action, { ...fields, location: ' Leeds ' })
    const id = idIn(saved)
    expect((await ownJob(id)).location).toBe('Leeds')
    expect(saved.seen).toContain('Which Leeds?')
    expect(offered(saved)).toEqual(CHOICES)
    const edit = `/employer/jobs/${id}/edit`
    const chosen = await portal.submit(saved, edit, { _place: 'Leeds, AL' })
    expect([chosen.path, offered(chosen)]).toEqual([`/employer/jobs/${id}`, []])
    expect(await ownJob(id)).toMatchObject({ ...fields, location: 'Leeds, AL' })
    const refused = await portal.submit(saved, edit, { _place: 'x'.repeat(201) })
    expect([refused.status, refused.seen]).toEqual([422, expect.stringContaining('This is a draft')])
  })

  test('leads to a choice of towns in the editor, and the choice is ignored if the location was changed', async () => {
    const { id } = await board.job(employer, { location: 'Leeds' })
    const edit = `/employer/jobs/${id}/edit`
    const page = await portal.get(edit)
    expect(offered(page)).toEqual(CHOICES)
    await portal.submit(page, edit, { location: 'York, United Kingdom', _place: 'Leeds, AL' })
    expect((await ownJob(id)).location).toBe('York, United Kingdom')
    await portal.submit(page, edit, { location: 'Leeds', _place: 'Leeds, United Kingdom', _tag: '' })
    const again = await portal.submit(await portal.get(edit), edit, { location: 'Leeds', title: '' })
    expect([again.status, offered(again)]).toEqual([422, CHOICES])
    await portal.submit(again, edit, { title: 'Tester', _place: 'Leeds, United Kingdom' })
    expect((await ownJob(id)).location).toBe('Leeds, United Kingdom')
  })
})

describe('the preview beside the editor', () => {
  const path = '/employer/jobs/preview'

  test('shows the unfinished job as its page will show it, and saves nothing', async () => {
    const count = async () => (await board.get('/v1/employers/jobs', employer.key)).body.meta.pagination.total
    const before = await count()
    const question = (n: number, label: string) =>
      Object.entries({ id: `q${n}`, label, type: 'text', required: 'false' }).map(([member, value]) => [
        `custom_questions[${n}][${member}]`,
        value,
      ])
    const sent = {
      ...{ _csrf: await tokenOf(portal), title: '', location: 'Leeds', _place: 'Leeds, AL', _place_of: 'Leeds' },
      ...{ description: '## Your day\n\n<script>alert(1)</script>**Bold**', 'salary[min]': 'much', skills: 'CAN' },
      ...Object.fromEntries([...question(0, 'Why?'), ...question(1, '')]),
    }
    const page = await portal.post(path, sent)
    expect(page.status).toBe(200)
    const job = page.document.querySelector('[data-preview]')!
    expect(job.querySelectorAll('h2').map((heading) => heading.textContent)).toEqual(
      expect.arrayContaining(['Title', 'Your day', 'Questions for applicants']),
    )
    for (const text of ['Northgear Works', 'Leeds, AL', 'Bold', 'CAN', 'Why?', 'Not stated'])
      expect(job.textContent).toContain(text)
    expect([job.querySelectorAll('ol.rows li').length, page.text.includes('<script>')]).toEqual([1, false])
    expect(page.document.querySelectorAll('[data-placing] [checked]').map((one) => one.getAttribute('value'))).toEqual([
      'Leeds, AL',
    ])
    expect((await portal.post(path, { _csrf: sent._csrf })).status).toBe(200)
    expect(await count()).toBe(before)
  })
})

describe('posting a job', () => {
  test('refuses an upgrade that the job already has, and explains why in the reader’s language', async () => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner)
    await board.pay(owner, id, ['featured'])
    const me = await visitor(board, owner)
    const path = `/employer/jobs/${id}/pay`
    const refused = await me.submit(await me.get(`/fr${path}`), path, { products: ['featured'] })
    expect([refused.status, refused.seen]).toEqual([409, expect.stringContaining('Cette offre est déjà à la une.')])
  })

  test('names the end that the employer chose, or else the number of days', async () => {
    const me = await visitor(board, employer)
    const payPage = async (more: Record<string, unknown>, language = '') => {
      const { id } = await board.job(employer, more)
      return (await me.get(`${language}/employer/jobs/${id}/pay`)).seen
    }
    expect(await payPage({})).toContain('we’ll publish your job for 30 days. No subscription.')
    const open = { expires_at: '2026-04-10T21:59:59Z' }
    expect(await payPage(open)).toContain('we’ll publish your job until 10 Apr 2026. No subscription.')
    expect(await payPage(open, '/de')).toContain('veröffentlichen wir Ihre Stelle bis 10.04.2026. Kein Abonnement.')
  })

  test('leads from payment to closing, reopening and renewal', async () => {
    const { id } = await board.job(employer)
    const path = `/employer/jobs/${id}`
    expect((await portal.get(path)).seen).toContain('This is a draft')
    // Activation before payment redirects to the payment page.
    const early = await portal.post(`${path}/activate`, { _csrf: await tokenOf(portal) })
    expect([early.path, early.seen.includes('The job needs a payment')]).toEqual([`${path}/pay`, true])

    const checkout = await portal.submit(early, `${path}/pay`, { products: ['job-post', 'urgent'] })
    expect(checkout.path).toMatch(/^\/checkout\//)
    await portal.send('POST', checkout.path, {
      body: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const back = (await portal.get(checkout.path)).document.querySelector('a[href^="/employer/payments/"]')!
    const receipt = await portal.get(back.getAttribute('href')!)
    expect(receipt.document.querySelector('h1')!.textContent).toBe('Receipt')
    for (const text of ['Northgear Works', '199.00 USD', 'Total', 'This is a test payment'])
      expect(receipt.seen).toContain(text)

    // The payment put the job on the board.
    const active = await portal.get(path)
    expect(active.seen).toContain('On the board until')
    expect(await ownJob(id)).toMatchObject({ is_active: true, is_urgent: true })
    const closed = await portal.submit(active, `${path}/close`, { reason: 'Filled' })
    expect(closed.seen).toContain('Nobody can apply.')
    await portal.submit(closed, `${path}/reopen`)
    expect((await ownJob(id)).is_active).toBe(true)
    // A second click has no further effect.
    const again = await portal.submit(closed, `${path}/reopen`)
    expect([again.status, again.path]).toEqual([200, path])

    board.clock.advance(31 * 86_400_000)
    // The session has expired, too.
    await portal.signIn(employer)
    const late = await portal.post(`${path}/close`, { _csrf: await tokenOf(portal) })
    expect([late.status, late.document.querySelector('[role="alert"]')!.textContent]).toEqual([
      409,
      expect.stringContaining('The job is expired'),
    ])
    const expired = await portal.get(path)
    expect(expired.seen).toContain('This job has ended')
    await board.pay(employer, id)
    expect((await ownJob(id)).is_active).toBe(true)
  })

  test('refuses payments without products, and payments for unknown or already paid products', async () => {
    const { id } = await board.job(employer)
    const path = `/employer/jobs/${id}/pay`
    const page = await portal.get(path)
    for (const products of [[], ['gold']]) {
      const refused = await portal.submit(page, path, { products })
      expect([
        refused.status,
        faultOf(refused, 'products') !== undefined || refused.seen.includes('There is a problem'),
      ]).toEqual([422, true])
    }
    await board.pay(employer, id, ['job-post', 'urgent'])
    const twice = await portal.submit(page, path, { products: ['urgent'] })
    expect([twice.status, twice.seen.includes('This job is already urgent.')]).toEqual([409, true])
    expect(await entitlementsOf(board, id)).toHaveLength(2)
  })

  test('offers and shows upgrades that the job lacks, with the total, and later offers another post', async () => {
    const { id } = await board.job(employer)
    const path = `/employer/jobs/${id}/pay`
    const page = await portal.get(path)
    const offered = (each: Page) =>
      each.document.querySelectorAll('[type="checkbox"][name="products"]').map((box) => box.getAttribute('value'))
    const total = (each: Page) => each.document.querySelector('.sum tfoot td')!.textContent
    expect([offered(page).toSorted(), total(page)]).toEqual([['featured', 'highlighted', 'urgent'], '199.00 USD'])
    expect(page.document.querySelectorAll('.shown .job')).toHaveLength(3)
    const summed = await portal.submit(page, path, { products: ['job-post', 'featured'], _do: 'sum' })
    expect([summed.path, total(summed)]).toEqual([path, '298.00 USD'])
    expect(summed.document.querySelector('[value="featured"]')!.hasAttribute('checked')).toBe(true)
    expect((await board.get(`/v1/employers/payments?job_id=${id}`, employer.key)).body.data).toEqual([])
    await board.pay(employer, id, ['job-post', 'featured'])
    const later = await portal.get(path)
    expect(offered(later).toSorted()).toEqual(['highlighted', 'job-post', 'urgent'])
    expect(later.seen).toContain('30 more days')
  })

  test('requires no payment on a free board', async () => {
    await board.restart({ PAYMENTS: 'free' })
    onTestFinished(() => board.restart())
    const { id } = await board.job(employer)
    const page = await portal.get(`/employer/jobs/${id}`)
    await portal.submit(page, `/employer/jobs/${id}/activate`)
    expect((await ownJob(id)).is_active).toBe(true)
    const settled = await portal.submit(await portal.get(`/employer/jobs/${id}/pay`), `/employer/jobs/${id}/pay`, {
      products: 'featured',
    })
    expect([settled.path, settled.seen.includes('Nothing to pay')]).toEqual([`/employer/jobs/${id}`, true])
  })
})

test("the payments page shows the title of each payment's job, even if the job has been deleted", async () => {
  const own = await board.employer()
  const me = await visitor(board, own)
  expect((await me.get('/employer/payments')).seen).toContain('No payments yet')
  const { id } = await board.job(own, { title: 'Paid for' })
  const payment = await board.pay(own, id)
  await board.post('/v1/employers/payments', own.key, { job_id: id, products: ['featured'] })
  await board.delete(`/v1/jobs/${id}`, own.key)
  const page = await me.get('/employer/payments')
  expect(page.document.querySelectorAll('tbody tr')).toHaveLength(2)
  expect(page.seen).toContain('Paid for')
  expect((await me.get(`/employer/payments/${payment.id}`)).seen).toContain('Paid for (deleted)')
  expect((await me.get('/employer/payments?status=pending')).document.querySelectorAll('tbody tr')).toHaveLength(1)
  expect((await me.get('/employer/payments?status=lost')).status).toBe(400)
})

test('a copy is a draft with all data of the job', async () => {
  const questions = [{ id: 'why', label: 'Why?', type: 'text', required: true }]
  const salary = { min: 1, max: null, currency: 'SEK', period: 'hour' }
  const { id } = await board.activeJob(employer, { skills: ['CAN'], custom_questions: questions, salary, remote: true })
  const editor = await portal.submit(await portal.get(`/employer/jobs/${id}`), `/employer/jobs/${id}/duplicate`)
  expect(editor.path).toMatch(/\/edit$/)
  const [original, copy] = [await ownJob(id), await ownJob(idIn(editor))]
  const own = ['id', 'posted_at', 'expires_at', 'is_active', 'application_url']
  const rest = (job: object) => Object.fromEntries(Object.entries(job).filter(([name]) => !own.includes(name)))
  expect(rest(copy)).toEqual(rest(original))
  expect(copy.is_active).toBe(false)
})

test('a job is deleted after confirmation', async () => {
  const { id } = await board.activeJob(employer)
  const asked = await portal.get(`/employer/jobs/${id}/delete`)
  expect((await ownJob(id)).is_active).toBe(true)
  const page = await portal.submit(asked, `/employer/jobs/${id}/delete`)
  expect([page.path, page.seen.includes('Job deleted.')]).toEqual(['/employer/jobs', true])
  expect((await board.get(`/v1/jobs/${id}`, employer.key)).status).toBe(404)
})

test('statistics are shown as charts with numbers', async () => {
  const { id } = await board.activeJob(employer)
  await apply(board, await board.candidate(), id, { source: 'partner' })
  const page = await portal.get(`/employer/jobs/${id}/statistics`)
  expect(page.document.querySelectorAll('svg[role="img"]').map((chart) => chart.getAttribute('aria-label'))).toEqual([
    'Views by day over the last 30 days: 0 in total, at most 0 per day',
    'Saves by day over the last 30 days: 0 in total, at most 0 per day',
    'Applications by day over the last 30 days: 1 in total, at most 1 per day',
  ])
  const [sources, days] = page.document.querySelectorAll('tbody')
  expect(sources!.querySelectorAll('td').map(({ text }) => text)).toEqual(['partner', '1'])
  expect(days!.querySelectorAll('tr')).toHaveLength(30)
})

describe('the profile', () => {
  test('can be changed, and shows errors', async () => {
    const page = await portal.get('/employer/profile')
    const saved = await portal.submit(page, '/employer/profile', {
      location: 'Turin, Italy',
      employee_count: '1,200',
      mail_on_application: 'false',
    })
    expect(saved.seen).toContain('Saved.')
    const { data } = (await board.get('/v1/employers/profile', employer.key)).body
    expect(data).toMatchObject({
      name: 'Northgear Works',
      location: 'Turin, Italy',
      employee_count: 1_200,
      mail_on_application: false,
    })
    const refused = await portal.submit(saved, '/employer/profile', { name: '', website: 'nowhere' })
    expect([refused.status, faultOf(refused, 'website')]).toEqual([
      422,
      'Enter a web address that starts with https://.',
    ])
    expect(faultOf(refused, 'name')).toBeDefined()
  })

  test('previews the public page without saving', async () => {
    const page = await portal.get('/employer/profile')
    const typed = { description: '## Who we are\n\nWe build **quiet** vans.', industry: 'Typed', _preview: 'true' }
    const shown = await portal.submit(page, '/employer/profile', typed)
    expect([shown.status, shown.seen.includes('Save to publish your changes.')]).toEqual([200, true])
    const preview = shown.document.querySelector('[data-preview]')!
    expect(preview.querySelector('.prose strong')!.textContent).toBe('quiet')
    expect(preview.querySelector('.cover-name')!.textContent).toContain('Typed')
    expect(preview.querySelector('.facts')!.textContent).toContain('Typed')
    expect(shown.document.querySelector('[name="industry"]')!.getAttribute('value')).toBe('Typed')
    const stored = async () => (await board.get('/v1/employers/profile', employer.key)).body.data.description
    expect(await stored()).not.toBe(typed.description)
    // The form still contains the input.
    expect((await portal.submit(shown, '/employer/profile')).seen).toContain('Saved.')
    expect(await stored()).toBe(typed.description)
  })
})

test('the account is deleted, and the session ended, only after the owner enters the company name', async () => {
  const closed = await board.employer({ name: 'Short Lived Ltd' })
  const job = await board.activeJob(closed)
  const who = await visitor(board, closed)
  expect(
    (await who.get('/employer/profile')).document.querySelector('a[href="/employer/profile/close"]'),
  ).not.toBeNull()
  const form = await who.get('/employer/profile/close')
  const wrong = await who.submit(form, '/employer/profile/close', { confirmation: 'Northgear Works' })
  expect([wrong.status, faultOf(wrong, 'confirmation')]).toEqual([422, 'This doesn’t match your company’s name.'])
  const gone = await who.submit(form, '/employer/profile/close', { confirmation: ' short lived ltd' })
  expect([gone.path, gone.seen]).toEqual(['/', expect.stringContaining('Your account is closed.')])
  expect((await who.get('/employer/profile')).path).toMatch(/^\/sign-in/)
  expect((await board.get('/v1/employers/profile', closed.key)).status).toBe(401)
  expect((await board.get(`/v1/jobs/${job.id}`, employer.key)).status).toBe(404)
})

describe('access control', () => {
  const pages = ['', '/edit', '/preview', '/delete', '/pay', '/statistics']
  const posts = ['/edit', '/activate', '/close', '/reopen', '/duplicate', '/delete', '/pay']

  test('hides or refuses resources of other employers, as the API does', async () => {
    const draft = await board.job(employer)
    const posted = await board.activeJob(employer)
    const payment = await board.pay(employer, draft.id, ['urgent'])
    const stranger = await visitor(board, await board.employer())
    const token = await tokenOf(stranger)
    const before = [await ownJob(draft.id), await ownJob(posted.id)]
    for (const [id, status] of [
      [draft.id, 404],
      [UNKNOWN, 404],
      ['x', 404],
      [posted.id, 403],
    ] as const) {
      for (const page of pages) {
        const expected = page === '/statistics' ? 404 : status
        expect((await stranger.get(`/employer/jobs/${id}${page}`)).status, page).toBe(expected)
      }
      for (const page of posts) {
        const sent = { _csrf: token, ...fields, products: 'job-post', job_id: id }
        const answer = await stranger.post(`/employer/jobs/${id}${page}`, sent)
        expect(answer.status, `POST ${page}`).toBe(status)
      }
    }
    expect([await ownJob(draft.id), await ownJob(posted.id)]).toEqual(before)
    for (const id of [payment.id, 'pay_00000000000000000000000000', 'x']) {
      expect((await stranger.get(`/employer/payments/${id}`)).status).toBe(404)
    }
  })

  test('refuses forms without their token', async () => {
    const { id } = await board.activeJob(employer)
    for (const page of posts) expect((await portal.post(`/employer/jobs/${id}${page}`, fields)).status).toBe(403)
    for (const path of ['/employer/jobs/new', '/employer/profile']) {
      expect((await portal.post(path, fields)).status).toBe(403)
    }
    expect((await ownJob(id)).is_active).toBe(true)
  })

  test('refuses pages to a key that lacks their scope', async () => {
    const { id } = await board.activeJob(employer)
    const reader = await visitor(board, { key: await board.keyWith(employer, ['jobs:read']) })
    expect((await reader.get(`/employer/jobs/${id}`)).status).toBe(200)
    for (const path of ['/employer/jobs/new', `/employer/jobs/${id}/edit`, '/employer/profile', '/employer/payments']) {
      expect((await reader.get(path)).status, path).toBe(403)
    }
  })
})

test('HTML stored in a job or profile is shown as text', async () => {
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  const own = await board.employer({ name: hostile, description: hostile })
  const me = await visitor(board, own)
  const { id } = await board.job(own, {
    title: hostile,
    description: hostile,
    location: hostile,
    requirements: [hostile],
    skills: [hostile],
    custom_questions: [{ id: 'q', label: hostile, type: 'single_select', required: true, options: [hostile] }],
  })
  const payment = await board.pay(own, id)
  const job = `/employer/jobs/${id}`
  for (const path of [
    ...['/employer/jobs', job, `${job}/edit`, `${job}/preview`, `${job}/delete`, `${job}/pay`, `${job}/statistics`],
    ...['/employer/payments', `/employer/payments/${payment.id}`, '/employer/profile', '/employer/applications'],
  ]) {
    const page = await me.get(path)
    expect(page.status, path).toBe(200)
    expect(page.text, path).not.toMatch(/<script>|<img/)
    expect(Buffer.byteLength(page.text), path).toBeLessThan(60_000)
  }
})
