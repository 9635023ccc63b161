/** Finding a job on the website: the search bar, filters, featured jobs, and suggestions in short and empty lists. */
import { beforeAll, describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { insertJobs, type JobSeed, removeJobs } from '../support/jobs.ts'
import { type Page, shownFields, type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
let guest: Visitor
let featured: string[]

const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(board.clock.time - hours * HOUR_MS).toISOString()

beforeAll(async () => {
  guest = await visitor(board)
  const seeds: JobSeed[] = [
    { title: 'Welder', location: 'Leeds, United Kingdom', type: 'full-time', category: 'motorsport' },
    {
      title: 'Welder by day',
      location: 'Bradford, United Kingdom',
      type: 'part-time',
      category: 'motorsport',
      workplace: 'hybrid',
    },
    { title: 'Welder by night', location: 'Munich, Germany', type: 'contract', category: 'vehicle-service' },
    { title: 'Welder at Xyzzy', location: 'Xyzzy works', type: 'full-time', category: 'vehicle-service', remote: true },
    ...[1, 2, 3, 4].map((n) => ({ title: `Featured ${n}`, is_featured: true, posted_at: ago(100 + n) })),
    { title: 'Old painter', posted_at: ago(30 * 24 - 2) },
    ...Array.from({ length: 20 }, (_, n) => ({ title: `Painter ${n}`, posted_at: ago(30 + n) })),
  ]
  featured = (await insertJobs(board, seeds)).slice(4, 8)
})

const location = (page: Page) => page.headers.get('location')
const titles = (page: Page) => page.document.querySelectorAll('.job-title').map((title) => title.textContent)
const heading = (page: Page) => page.document.querySelector('h1')!.textContent
const hrefs = (page: Page, selector: string) =>
  page.document.querySelectorAll(selector).map((link) => link.getAttribute('href')!.replaceAll('&amp;', '&'))

describe('a place', () => {
  test.each([
    [undefined, '25'],
    ['en-GB,en;q=0.8', '25'],
    ['en', '25'],
    ['my-MM', '25'],
    ['de', '24.855'],
    ['en-IE', '24.855'],
    ['*', '25'],
  ])('gets a default distance, which for readers of %s is %s miles', async (language, distance) => {
    const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language }
    const page = await guest.send('GET', '/jobs?location=Leeds', { headers })
    expect([page.status, location(page)]).toEqual([303, `/jobs?location=Leeds&distance=${distance}`])
  })

  test("finds nearby jobs, and shows distances in the reader's unit", async () => {
    const page = await guest.get('/jobs?search=welder&location=Leeds')
    expect(titles(page).sort()).toEqual(['Welder', 'Welder by day'])
    expect(heading(page)).toBe('2 jobs for “welder” near Leeds')
    expect(page.document.querySelector('.asked')!.textContent).toContain('Leeds, within 25 miles')
    const headers = { 'accept-language': 'de-DE' }
    const metric = await guest.send('GET', '/jobs?search=welder&location=Leeds&distance=25', { headers })
    expect(metric.document.querySelector('.asked')!.textContent).toContain('Leeds, Umkreis 40 km')
    expect(metric.seen).toMatch(/\d km/)
    const chosen = await (await visitor(board)).send('GET', '/de/jobs?location=Leeds&distance=25', {
      headers: { 'accept-language': 'en-US' },
    })
    expect(chosen.seen).toMatch(/\d km/)
    expect(metric.seen).not.toMatch(/\d miles/)
    // Both pages are cached by now.
    expect((await guest.get('/jobs?search=welder&location=Leeds&distance=25')).seen).toContain('within 25 miles')
  })

  test('is reported in one notice if it is unknown, and its words are searched for', async () => {
    const page = await guest.get('/jobs?location=Xyzzy&distance=25')
    expect([page.status, page.path]).toEqual([200, '/jobs?location=Xyzzy'])
    expect(titles(page)).toEqual(['Welder at Xyzzy'])
    expect(page.document.querySelectorAll('.notice').map((notice) => notice.textContent)).toEqual([
      'We couldn’t find the place “Xyzzy”. The list contains only jobs with these words in their location.',
    ])
  })

  test('whose name several towns share is searched as the likeliest town, with links to the others', async () => {
    const page = await guest.get('/jobs?search=welder&location=leeds&distance=25&page=1')
    expect(page.seen).toContain('We searched around Leeds, United Kingdom. Other places with this name: Leeds, AL')
    const [other] = hrefs(page, 'main p a[href*="location="]')
    expect(other).toBe('/jobs?search=welder&location=Leeds%2C+AL&distance=25')
    expect((await guest.get(other!)).seen).not.toContain('Other places with this name')
    expect((await guest.get('/jobs?location=Munich&distance=25')).seen).not.toContain('Other places with this name')
  })

  test('with a distance in kilometers is searched in miles', async () => {
    const page = await guest.send('GET', '/jobs?location=Leeds&distance=40&distance_unit=km')
    expect(location(page)).toBe('/jobs?location=Leeds&distance=24.855')
    expect((await guest.get('/jobs?location=Leeds&distance=much&distance_unit=km')).status).toBe(400)
  })

  test('gets no distance if it is a country', async () => {
    const page = await guest.get('/jobs?location=Germany&distance=25')
    expect([page.path, titles(page)]).toEqual(['/jobs?location=Germany', ['Welder by night']])
    expect(page.document.querySelector('.notice')).toBeNull()
  })

  test('is suggested while typing', async () => {
    const options = async (text: string) =>
      (await guest.get(`/jobs/places?text=${encodeURIComponent(text)}`)).document
        .querySelectorAll('[role="option"]')
        .map((option) => option.textContent)
    expect((await options('leed'))[0]).toBe('Leeds, United Kingdom')
    expect((await options('germ'))[0]).toBe('Germany')
    const counted = async (text: string) =>
      (await guest.get(`/jobs/places?text=${text}`)).document.querySelector('[data-count]')!.text
    const many = `${(await options('Munchen')).length} suggestions`
    expect([await counted('Munchen'), await counted('xyzzy')]).toEqual([many, 'No suggestions'])
    expect(await options('califor')).toContain('California')
    expect((await options('Munchen'))[0]).toMatch(/^(München|Munich), Germany$/)
    expect((await options('Malmo'))[0]).toBe('Malmö, Sweden')
    expect((await options('Ile-de-Fr'))[0]).toBe('Ile de France')
    for (const text of ['', 'l', '"', '%', '\u0000', 'a'.repeat(3_000), '<b>']) expect(await options(text)).toEqual([])
  })
})

describe('a filter', () => {
  test('with several values is a single parameter', async () => {
    const sent = await guest.send('GET', '/jobs?search=welder&job_type=contract&job_type=part-time')
    expect([sent.status, location(sent)]).toEqual([303, '/jobs?search=welder&job_type_in=contract,part-time'])
    const page = await guest.get(location(sent)!)
    expect(titles(page).sort()).toEqual(['Welder by day', 'Welder by night'])
    const boxes = page.document.querySelectorAll('input[name="job_type"]')
    const shown = boxes.map((box) => [box.parentNode?.textContent, box.hasAttribute('checked')])
    expect(shown).toEqual([
      ['Full-time2', false],
      ['Contract1', true],
      ['Part-time1', true],
    ])
    expect(hrefs(page, '.chip.on').map(decodeURIComponent)).toEqual([
      '/jobs?search=welder&job_type_in=part-time',
      '/jobs?search=welder&job_type_in=contract',
    ])
  })

  test('by workplace counts jobs, and combines several workplaces', async () => {
    const page = await guest.get('/jobs?workplace=hybrid&workplace=remote')
    expect(page.path).toBe('/jobs?workplace_in=hybrid,remote')
    const chosen = page.document.querySelectorAll('input[name="workplace"][checked]').map((box) => box.parentNode!)
    expect(chosen.map(({ textContent }) => textContent)).toEqual(['Hybrid1', 'Remote1'])
    expect(new Set(titles(page))).toEqual(new Set(['Welder at Xyzzy', 'Welder by day']))
  })

  test('is dropped if it includes both remote and on-site jobs', async () => {
    expect(location(await guest.send('GET', '/jobs?remote=true&remote=false'))).toBe('/jobs')
    expect(location(await guest.send('GET', '/jobs?remote=true&remote=true'))).toBe('/jobs?remote=true')
  })

  test('by date posted depends on the current time', async () => {
    expect(titles(await guest.get('/jobs?search=painter&posted=1'))).toEqual([])
    expect(titles(await guest.get('/jobs?search=painter&posted=7'))).toHaveLength(20)
    const month = '/jobs?search=old+painter&posted=30'
    expect(titles(await guest.get(month))).toEqual(['Old painter'])
    board.clock.advance(3 * HOUR_MS)
    expect(titles(await guest.get(month))).toEqual([])
    board.clock.advance(-3 * HOUR_MS)
    expect((await guest.get('/jobs?posted=2')).status).toBe(400)
  })

  test('by date posted shows the number of jobs for each choice', async () => {
    const counts = async (path: string) =>
      (await guest.get(path)).document
        .querySelectorAll('input[type="radio"][name="posted"]')
        .map((radio) => radio.parentNode?.textContent)
    const expected = ['Any time21', 'Last 24 hours0', 'Last 7 days20', 'Last 30 days21']
    expect(await counts('/jobs?search=painter')).toEqual(expected)
    expect(await counts('/jobs?search=painter&posted=7')).toEqual(expected)
  })

  test('by pay compares salaries in the currency of the board or of the URL, even in an alert', async () => {
    const salary = { period: 'year' } as const
    const ids = await insertJobs(board, [
      { title: 'Baker in Osaka', salary: { ...salary, min: 6_000_000, max: 6_000_000, currency: 'JPY' } },
      { title: 'Baker in Turin', salary: { ...salary, min: 60_000, max: 60_000, currency: 'EUR' } },
    ])
    const offered = (page: Page) => page.document.querySelectorAll('#least-pay option').map(({ text }) => text)
    const chips = (page: Page) => page.document.querySelectorAll('.chip.on').map(({ text }) => text.trim())
    const all = await guest.get('/jobs?search=baker')
    const fields = shownFields(all.document.querySelector('form.filters')!)
    const choosing = (amount: string) => {
      const sent = Object.entries({ ...fields, salary_min: [amount] })
      return guest.get(`/jobs?${new URLSearchParams(sent.map(([name, [value]]) => [name, value!]))}`)
    }
    expect((await choosing('')).path).toBe('/jobs?search=baker')
    const paid = await choosing('50000')
    expect([paid.path, titles(paid)]).toEqual(['/jobs?salary_min=50000&salary_in=USD&search=baker', ['Baker in Turin']])
    expect([offered(paid)[4], chips(paid)]).toEqual(['50,000 USD a year', ['50,000 USD a year or more , remove']])
    const [unpaid] = hrefs(paid, '.chip.on')
    expect((await guest.get(unpaid!)).path).toBe('/jobs?search=baker')
    const yen = await guest.get('/jobs?search=baker&salary_in=jpy&salary_min=5000000')
    expect([titles(yen).sort(), offered(yen)[4], chips(yen)]).toEqual([
      ['Baker in Osaka', 'Baker in Turin'],
      '5,000,000 JPY a year',
      ['5,000,000 JPY a year or more , remove'],
    ])
    expect(titles(await guest.get('/jobs?search=baker&salary_in=JPY&salary_min=8000000'))).toEqual(['Baker in Turin'])
    // URLs from earlier releases compare amounts in any currency.
    const earlier = await guest.get('/jobs?search=baker&salary_min=50000')
    expect([earlier.path, titles(earlier).length]).toEqual(['/jobs?search=baker&salary_min=50000', 2])
    expect(offered(earlier).slice(4, 6)).toEqual(['50,000 a year', '60,000 USD a year'])
    expect(chips(await guest.get('/jobs?sort=salary&salary_in=EUR'))).toEqual(['Pay compared in EUR , remove'])

    const candidate = await board.candidate()
    const seeker = await visitor(board, candidate)
    const [alertPath] = hrefs(await seeker.get(paid.path), 'a[href^="/me/alerts/new"]')
    const form = await seeker.get(alertPath!)
    expect(form.seen).toContain('Minimum salary (USD per year)')
    const alert = await seeker.submit(form, '/me/alerts/new')
    expect(titles(alert)).toEqual(['Baker in Turin'])
    await seeker.submit(await seeker.get('/me/alerts/new?search=baker'), '/me/alerts/new')
    const alerts = (await board.get('/v1/candidates/job-alerts?sort=created_at', candidate.key)).body.data
    expect(alerts.map(({ name, criteria }: { name: string; criteria: unknown }) => [name, criteria])).toEqual([
      ['Baker, 50,000 USD a year or more', { search: 'baker', salary_min: 50_000, salary_in: 'USD' }],
      ['Baker', { search: 'baker' }],
    ])
    await removeJobs(board, ids)
  })

  test('keeps the words and the other filters, and so does the search bar', async () => {
    const page = await guest.get('/jobs?search=welder&job_type=contract&skills_not=java&sort=salary')
    const hidden = (form: string) =>
      page.document
        .querySelectorAll(`${form} input[type="hidden"]`)
        .map((field) => `${field.getAttribute('name')}=${field.getAttribute('value')}`)
    expect(hidden('form.filters')).toEqual(['salary_in=USD', 'search=welder', 'skills_not=java'])
    expect(hidden('form.search')).toEqual(['job_type=contract', 'skills_not=java', 'sort=salary'])
  })
})

test('a job posted today is marked as new', async () => {
  const tags = (page: Page) => page.document.querySelectorAll('.tag').map((tag) => tag.textContent)
  expect(tags(await guest.get('/jobs?search=welder'))).toEqual(['New', 'New', 'New', 'New'])
  expect(tags(await guest.get('/jobs?search=painter'))).toEqual([])
})

test('every card of a job shows its tags, its content and a save button', async () => {
  const marked: JobSeed = {
    ...{ title: 'Luthier', company: 'Marked Motors', location: 'Cremona, Italy' },
    ...{ is_featured: true, is_urgent: true, is_highlighted: true },
    salary: { min: 40_000, max: 50_000, currency: 'EUR', period: 'year' },
  }
  const other = { title: 'Senior luthier', company: 'Other Motors', location: 'Cremona, Italy', posted_at: ago(50) }
  const [id, otherId] = (await insertJobs(board, [marked, other])) as [string, string]
  const candidate = await board.candidate()
  const seeker = await visitor(board, candidate)
  const { employer_id } = (await board.get(`/v1/jobs/${id}`, candidate.key)).body.data
  const alert = await seeker.submit(await seeker.get('/me/alerts/new?search=luthier'), '/me/alerts/new')
  const paths = ['/jobs?search=luthier', '/', `/jobs/${otherId}`, alert.path, `/companies/${employer_id}`]
  const cardOn = (page: Page) => page.document.querySelector(`article[id="${id}"]`)!
  const texts = (page: Page, selector: string) =>
    cardOn(page)
      .querySelectorAll(selector)
      .map(({ text }) => text)
  let company: Page | undefined
  for (const path of paths) {
    company = await seeker.get(path)
    expect(cardOn(company).getAttribute('class'), path).toBe('job is-featured is-highlighted')
    expect(texts(company, '.tag'), path).toEqual(['Featured', 'Urgent', 'New'])
    expect(cardOn(company).querySelector('form')!.getAttribute('action'), path).toBe(`/jobs/${id}/save`)
    expect(company.text, path).toMatch(/<script[^>]+in-place/)
    expect(texts(company, '.logo'), path).toEqual(['MM'])
    expect(texts(company, '.meta li'), path).toEqual(['40,000–50,000 EUR a year', 'Contract', 'Today'])
  }
  const back = await seeker.submit(company!, `/jobs/${id}/save`)
  expect([back.path, texts(back, 'button').length]).toEqual([`/companies/${employer_id}#${id}`, 1])
  const saved = await seeker.get('/me/saved-jobs')
  expect(cardOn(saved).getAttribute('class')).toBe('job is-featured is-highlighted')
  expect(texts(saved, '.tag')).toEqual(['Featured', 'Urgent'])
  const row = (await seeker.get('/me')).document.querySelector(`aside a[href="/jobs/luthier-${id}"]`)!.parentNode!
  expect(row.querySelectorAll('.tag').map(({ text }) => text)).toEqual(['Featured', 'Urgent'])
  const [map] = hrefs(await guest.get(`/jobs/${id}`), 'a[href^="https://www.openstreetmap.org/"]')
  expect(map).toBe('https://www.openstreetmap.org/search?query=Cremona%2C+Italy')
  expect(texts(await guest.get(`/companies/${employer_id}`), 'form')).toEqual([])
  await removeJobs(board, [id, otherId])
})

describe('featured jobs', () => {
  const firstFour = async (path: string) => titles(await guest.get(path)).slice(0, 4)

  test('come first on page 1, at most three, and are not repeated below', async () => {
    const page = await guest.get('/jobs')
    expect(titles(page).slice(0, 3)).toEqual(['Featured 1', 'Featured 2', 'Featured 3'])
    expect(new Set(titles(page)).size).toBe(titles(page).length)
    expect(page.document.querySelectorAll('.job.is-featured .tag.featured')).toHaveLength(3)
    expect(heading(page)).toBe('29 jobs')
    expect(hrefs(page, '.job-link').slice(0, 3)).toEqual(
      featured.slice(0, 3).map((id, n) => `/jobs/featured-${n + 1}-${id}`),
    )
  })

  test('do not displace other jobs', async () => {
    const pages = await Promise.all(['/jobs', '/jobs?page=2'].map((path) => guest.get(path)))
    expect(new Set(pages.flatMap(titles)).size).toBe(29)
    const past = await guest.get('/jobs?page=9')
    expect(past.document.querySelector('.empty')!.textContent).toContain('No jobs on this page')
    expect(hrefs(past, '.empty a')).toEqual(['/jobs'])
  })

  test('come first in a search only if they match', async () => {
    expect((await firstFour('/jobs?search=featured+OR+painter&sort=relevance')).slice(0, 3)).toEqual([
      'Featured 1',
      'Featured 2',
      'Featured 3',
    ])
    expect(titles(await guest.get('/jobs?search=welder&sort=relevance')).join()).not.toContain('Featured')
  })

  test('are not moved up in an order that the visitor chose, on later pages, or in the API', async () => {
    expect((await firstFour('/jobs?sort=title'))[0]).toBe('Featured 1')
    expect((await firstFour('/jobs?sort=title:desc')).join()).not.toContain('Featured')
    expect((await firstFour('/jobs?page=2')).join()).not.toContain('Featured 1,Featured 2,Featured 3')
    const { key } = await board.employer()
    expect((await board.get('/v1/jobs', key)).body.data[0].title).not.toContain('Featured')
    expect((await board.get('/v1/jobs', key)).body.data).toHaveLength(20)
  })
})

describe('a short list', () => {
  test('shows the nearest jobs beyond the distance, and suggests a filter to remove', async () => {
    const page = await guest.get('/jobs?search=welder&location=Leeds&distance=5')
    const nearby = page.document.querySelector('section[aria-labelledby="nearby"]')!
    expect(heading(page)).toBe('One job for “welder” near Leeds')
    expect(nearby.querySelector('h2')!.textContent).toBe('Farther than 5 miles from Leeds')
    expect(nearby.querySelectorAll('.job-title').map((title) => title.textContent)).toEqual(['Welder by day'])
    expect(nearby.textContent).toMatch(/\d miles/)
    expect(page.document.querySelector('.few')!.textContent).toBe('4 jobs match without “Leeds”. Show all 4')
    expect(hrefs(page, '.few a')).toEqual(['/jobs?search=welder'])
  })

  test('suggests nothing if no change finds more jobs', async () => {
    const page = await guest.get('/jobs?search=welder')
    expect([page.document.querySelector('.few'), page.document.querySelector('#nearby')]).toEqual([null, null])
  })
})

describe('an empty list', () => {
  test('suggests a filter to remove, with the number of jobs that match without that filter', async () => {
    const page = await guest.get('/jobs?search=welder&job_type=contract&salary_min=1000000')
    expect(page.document.querySelector('.empty')!.textContent).toContain(
      '1 job matches without “1,000,000 a year or more”.',
    )
    const [href] = hrefs(page, '.empty a')
    expect(titles(await guest.get(href!))).toEqual(['Welder by night'])
  })

  test('suggests removing a place together with its distance', async () => {
    const page = await guest.get('/jobs?search=welder&location=Oslo')
    expect(page.document.querySelector('.empty')!.textContent).toContain('4 jobs match without “Oslo”.')
    expect(hrefs(page, '.empty a')).toEqual(['/jobs?search=welder'])
  })

  test('links to all jobs if removing a single filter does not help', async () => {
    expect(hrefs(await guest.get('/jobs?search=zzzzqqq'), '.empty a')).toEqual(['/jobs'])
  })
})

describe('a URL', () => {
  test('with unknown parameters shows the same page as without them, and links omit them', async () => {
    for (const path of ['/?ref=x', '/jobs?ref=x', '/jobs?remote_gt=1', '/companies?ref=x', '/jobs.atom?ref=x']) {
      expect((await guest.get(path)).status, path).toBe(200)
    }
    const page = await guest.get('/jobs?ref=x&fbclid=y')
    expect(titles(page)).toEqual(titles(await guest.get('/jobs')))
    expect(hrefs(page, 'a[rel="next"], link[rel="canonical"]').join()).not.toMatch(/ref|fbclid/)
    const { key } = await board.employer()
    expect((await board.get('/v1/jobs?ref=x', key)).status).toBe(400)
  })

  test('that receives a form redirects GET requests to the nearest page above it', async () => {
    const id = featured[0]!
    for (const [path, page] of [
      [`/jobs/${id}/save`, `/jobs/${id}`],
      ['/sign-in/key?x=1', '/sign-in'],
      ['/sign-out', '/'],
      ['/me/alerts/alert_1/pause', '/me/alerts/alert_1'],
    ] as const) {
      const answer = await guest.send('GET', path)
      expect([answer.status, location(answer)], path).toEqual([303, page])
    }
    expect(board.service.pages.has('GET /sign-out')).toBe(false)
  })
})

describe('the home page', () => {
  test('shows featured and new jobs once each, categories and companies', async () => {
    await insertJobs(board, [{ title: 'Brewer', company: 'Second Motors' }])
    const page = await guest.get('/')
    expect(titles(page)).toHaveLength(5)
    expect(new Set(titles(page)).size).toBe(5)
    expect(page.document.querySelectorAll('h2').map((title) => title.textContent)).toEqual([
      'Featured jobs',
      'Browse by category',
      'Newest jobs',
      'Recently viewed',
      'Companies hiring now',
      'Get new jobs by email',
      'Hiring?',
    ])
    const firms = page.document.querySelectorAll('.firm').map((firm) => firm.querySelector('.strong')!.textContent)
    expect(firms).toEqual(['Imported Motors', 'Second Motors'])
    expect(hrefs(page, '.hero .under a')[0]).toBe('/jobs?category=motorsport')
    expect(page.document.querySelector('[data-recent]')!.hasAttribute('hidden')).toBe(true)
  })

  test('is current for every visitor, and personal for accounts', async () => {
    expect((await guest.get('/')).seen).toContain('30 jobs are open now')
    await insertJobs(board, [{ title: 'Newcomer' }])
    expect((await guest.get('/')).seen).toContain('Newcomer')
    const inside = await visitor(board, await board.candidate({ first_name: 'Zoe', last_name: 'Only' }))
    const own = await inside.get('/')
    expect(own.seen).toContain('Zoe Only')
    expect(own.document.querySelectorAll('form[data-in-place]').length).toBe(5)
    expect((await guest.get('/')).seen).not.toContain('Zoe Only')
  })

  test('shows a message if there are no jobs yet', async () => {
    await removeJobs(board)
    board.clock.advance(1_000)
    const page = await guest.get('/')
    expect(page.seen).toContain('No open jobs right now. Check back soon.')
    expect(page.document.querySelectorAll('h2').map((title) => title.textContent)).toEqual([
      'Recently viewed',
      'Get new jobs by email',
      'Hiring?',
    ])
    const list = (await guest.get('/jobs')).document.querySelector('.empty')!
    expect(list.textContent).toContain('No jobs yet')
    expect(list.querySelector('a')).toBeNull()
    expect((await guest.get('/jobs?remote=true')).seen).toContain('No jobs found')
  })
})
