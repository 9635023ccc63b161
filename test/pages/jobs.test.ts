/** The public board: the list with its search, and each job. */
import { describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { faultOf, visitor } from '../support/pages.ts'

const board = useBoard()

test('the home page shows open jobs and a form that searches the list', async () => {
  const employer = await board.employer()
  const job = await board.activeJob(employer, { title: 'Front page engineer' })
  const page = await (await visitor(board)).get('/')
  expect(page.status).toBe(200)
  expect(page.document.querySelector(`a[href="/jobs/front-page-engineer-${job.id}"]`)!.textContent).toBe(
    'Front page engineer',
  )
  expect(page.document.querySelector('form[role="search"]')!.getAttribute('action')).toBe('/jobs')
})

describe('the list', () => {
  test('searches with the parameters of GET /v1/jobs, and keeps them in its fields', async () => {
    const employer = await board.employer()
    await board.activeJob(employer, { title: 'Gearbox tester', location: 'Turin, Italy' })
    await board.activeJob(employer, { title: 'Gearbox designer', location: 'Oslo, Norway' })
    const page = await (await visitor(board)).get('/jobs?search=gearbox&location=turin&utm_source=mail&ref=newsletter')
    expect(page.document.querySelectorAll('.job-title').map((title) => title.textContent)).toEqual(['Gearbox tester'])
    expect(page.document.querySelector('[name="search"]')!.getAttribute('value')).toBe('gearbox')
    expect(page.seen).toContain('One job')
  })

  test('shows an error in the query next to the field', async () => {
    const page = await (await visitor(board)).get('/jobs?category=No%20slug')
    expect(page.status).toBe(400)
    expect(faultOf(page, 'category')).toMatch(/^Category/)
  })

  test('links from page to page', async () => {
    const employer = await board.employer()
    for (const n of [1, 2, 3]) await board.activeJob(employer, { title: `Pager ${n}` })
    const guest = await visitor(board)
    const first = await guest.get('/jobs?search=pager&limit=2')
    const next = first.document.querySelector('a[rel="next"]')!.getAttribute('href')!.replaceAll('&amp;', '&')
    expect(next).toBe('/jobs?search=pager&limit=2&page=2')
    expect((await guest.get(next)).document.querySelectorAll('.job')).toHaveLength(1)
  })
})

describe('a job', () => {
  test('shows the title, the company, the pay and the location', async () => {
    const employer = await board.employer({ name: 'Northgear Works' })
    const salary = { min: 50_000, max: 60_000, currency: 'EUR', period: 'year' }
    const { id } = await board.activeJob(employer, { title: 'Paint specialist', salary, remote: true })
    const page = await (await visitor(board)).get(`/jobs/${id}`)
    expect(page.status).toBe(200)
    expect(page.document.querySelector('h1')!.textContent).toBe('Paint specialist')
    for (const text of ['Northgear Works', '50,000–60,000 EUR a year', 'Gothenburg, Sweden']) {
      expect(page.seen).toContain(text)
    }
  })

  test('introduces the company by its industry, its location and the first sentence of its description', async () => {
    const employer = await board.employer({
      name: 'Northgear Works',
      industry: 'Vehicle makers',
      location: 'Turin, Italy',
      description: '## About us\n\nWe build **quiet** vans & buses. Our plant has 300 people.',
    })
    const { id } = await board.activeJob(employer)
    const guest = await visitor(board)
    const card = async (path: string, who = guest) =>
      (await who.get(path)).document.querySelectorAll('aside section').at(-1)!.textContent.replace(/\s+/g, ' ')
    const text = 'Vehicle makers, Turin, Italy We build quiet vans & buses. All jobs at Northgear Works'
    expect(await card(`/jobs/${id}`)).toContain(text)
    expect(await card(`/employer/jobs/${id}/preview`, await visitor(board, employer))).toContain(text)
    // A company without a description has no empty paragraph.
    const { id: bare } = await board.activeJob(await board.employer({ name: 'Bare' }))
    expect((await card(`/jobs/${bare}`)).trim()).toMatch(/^\S*Bare All jobs at Bare$/)
  })

  test('shows stored HTML as text', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    const employer = await board.employer({ name: hostile })
    const { id } = await board.activeJob(employer, {
      title: hostile,
      description: hostile,
      location: hostile,
      requirements: [hostile],
      benefits: [hostile],
      skills: [hostile],
    })
    for (const path of [`/jobs/${id}`, '/jobs', '/']) {
      const page = await (await visitor(board)).get(path)
      expect(page.text).not.toMatch(/<script>|<img/)
      expect(
        page.document
          .querySelectorAll('script')
          .every(
            (script) =>
              script.getAttribute('src') !== undefined || script.getAttribute('type') === 'application/ld+json',
          ),
      ).toBe(true)
    }
  })

  test('is not found if it was never active, just like a job that does not exist', async () => {
    const { id } = await board.job(await board.employer())
    const guest = await visitor(board)
    for (const path of [`/jobs/${id}`, '/jobs/job_00000000000000000000000000', '/jobs/x', '/nowhere']) {
      const page = await guest.get(path)
      expect(page.status).toBe(404)
      expect(page.document.querySelector('h1')!.textContent).toBe('Page not found')
    }
  })

  test('is gone once it is closed, and a page explains why', async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer)
    await board.post(`/v1/jobs/${id}/close`, employer.key)
    const page = await (await visitor(board)).get(`/jobs/${id}`)
    expect(page.status).toBe(410)
    expect(page.seen).toContain('You can no longer apply.')
  })
})
