/** Markdown descriptions of jobs and companies, rendered on pages, in feeds and in structured data. */
import { XMLParser } from 'fast-xml-parser'
import { parse } from 'node-html-parser'
import { beforeAll, expect, test } from 'vitest'
import { jobPath } from '../../src/features/jobs/index.ts'
import { type Account, useBoard } from '../support/board.ts'
import { type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
const MARKDOWN = `# What you do

- **Build** gearboxes
- Test [ours](https://northgear.example)

First line
second line <script>alert(1)</script> <img src=x onerror=alert(1)>
![](https://tracker.example/a.png) [here](javascript:alert(1))`
const words = /What you do.*Build gearboxes.*Test ours.*First line.*second line <script>alert\(1\)<\/script>/s
let employer: Account
let guest: Visitor
let job: { id: string; title: string }

beforeAll(async () => {
  employer = await board.employer({ name: 'Northgear Works', description: MARKDOWN })
  guest = await visitor(board)
  job = await board.activeJob(employer, { title: 'Gearbox engineer', description: MARKDOWN })
})

/** Checks that HTML contains the rendered Markdown, and nothing that runs or loads content. */
function expectRendered(html: string): void {
  const content = parse(html)
  expect(content.querySelectorAll('h1, script, img, [onerror]').map(String)).toEqual([])
  expect(content.querySelector('h2')?.text).toBe('What you do')
  expect(content.querySelectorAll('li').map((item) => item.text.trim())).toEqual(['Build gearboxes', 'Test ours'])
  expect(content.querySelector('li strong')?.text).toBe('Build')
  expect(content.querySelectorAll('a').map((link) => link.getAttribute('href'))).toEqual(['https://northgear.example'])
  expect(html).toMatch(/First line<br ?\/?>\s*second line/)
  expect(content.text).toMatch(words)
}

test('the job page and its structured data contain the rendered description', async () => {
  const page = await guest.get(jobPath(job))
  expectRendered(page.document.querySelector('.prose')!.innerHTML)
  const posting = page.document.querySelector('script[type="application/ld+json"]')!.textContent
  expectRendered(JSON.parse(posting).description)
})

test('descriptions for search engines contain no Markdown syntax', async () => {
  const page = await guest.get(jobPath(job))
  const content = page.document.querySelector('meta[name="description"]')!.getAttribute('content')!
  expect(content).toContain('What you do Build gearboxes Test ours')
  expect(content).not.toMatch(/[*#]/)
})

test('the company page renders the description', async () => {
  const page = await guest.get(`/companies/${employer.id}`)
  expectRendered(page.document.querySelector('.prose')!.innerHTML)
})

test('feeds contain the description as HTML', async () => {
  const parser = new XMLParser({ htmlEntities: true, isArray: (name) => ['entry', 'item', 'job'].includes(name) })
  const read = async (path: string) => parser.parse((await guest.get(path)).text)
  expectRendered((await read('/jobs.xml')).source.job[0].description)
  expectRendered((await read('/jobs.rss')).rss.channel.item[0].description)
  const { summary } = (await read('/jobs.atom')).feed.entry[0]
  expectRendered(typeof summary === 'string' ? summary : summary['#text'])
})

test('the API returns the description as stored', async () => {
  expect((await board.get(`/v1/jobs/${job.id}`, employer.key)).body.data.description).toBe(MARKDOWN)
})
