/** The board's data for search engines, feed readers and aggregators. */
import { readFile } from 'node:fs/promises'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { parseAtomFeed, parseJsonFeed, parseRssFeed } from 'feedsmith'
import { parse } from 'node-html-parser'
import type * as schemaOrg from 'schema-dts'
import { beforeAll, describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { jobPath } from '../../src/features/jobs/index.ts'
import { sitemapIndex } from '../../src/features/site/site.sitemap.ts'
import { type Account, useBoard } from '../support/board.ts'
import { type Page, type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
const HOSTILE = `</script><script>alert(1)</script> ]]> & <b>"bold"</b> \u0007 'quoted'`
/** Names cannot contain control characters. */
const HOSTILE_NAME = HOSTILE.replace('\u0007', '')
let employer: Account
let guest: Visitor
const open: string[] = []

const DAY_MS = 86_400_000
const salary = { min: 50_000, max: 64_000, currency: 'EUR', period: 'year' }

beforeAll(async () => {
  employer = await board.employer({
    name: 'Northgear Works',
    website: 'https://northgear.example',
    industry: 'Automotive',
  })
  guest = await visitor(board)
  const jobs = [
    {
      title: 'Gearbox engineer',
      salary,
      requirements: ['Five years'],
      benefits: ['A bicycle'],
      skills: ['C++'],
      description: `## You\n\n"Design" & test [gears](https://gears.example). ${'More about the work. '.repeat(5)}`,
      location: 'Detroit, MI',
      experience_level: 'senior',
    },
    { title: 'Gearbox designer', location: 'Remote, Germany', remote: true, type: 'contract' },
    {
      title: 'Gearbox tester',
      location: 'Turin, Italy',
      locations: ['Munich, Germany', 'Xyzzy', 'Torino, Italy'],
      salary: { ...salary, min: 20, max: 20, period: 'hour' },
    },
    {
      title: HOSTILE_NAME,
      description: HOSTILE,
      location: HOSTILE_NAME,
      skills: [HOSTILE_NAME.slice(0, 60)],
      category: 'it-support',
    },
  ]
  for (const job of jobs) open.push((await board.activeJob(employer, job)).id)
})

const parser = new XMLParser({
  ignoreAttributes: false,
  htmlEntities: true,
  // These elements become arrays even if there is only one.
  isArray: (name) => ['entry', 'item', 'job', 'url', 'sitemap'].includes(name),
})

function xml(page: Page) {
  expect(XMLValidator.validate(page.text)).toBe(true)
  return parser.parse(page.text)
}

interface Vocabulary {
  JobPosting: schemaOrg.JobPosting
  PropertyValue: schemaOrg.PropertyValue
  Organization: schemaOrg.Organization
  Place: schemaOrg.Place
  PostalAddress: schemaOrg.PostalAddress
  GeoCoordinates: schemaOrg.GeoCoordinates
  Country: schemaOrg.Country
  MonetaryAmount: schemaOrg.MonetaryAmount
  QuantitativeValue: schemaOrg.QuantitativeValue
}
type PropertyOf<Type> = Type extends string ? never : Exclude<keyof Type, `@${string}`>

/** The properties in the pages, each with its values or its type. The compiler checks the names against schema.org. */
const vocabulary: Record<string, Record<string, RegExp | string>> = {
  JobPosting: {
    title: /./,
    description: /^<(?:p|h2)>/,
    identifier: 'PropertyValue',
    url: /^https:/,
    datePosted: /^\d{4}-\d\d-\d\dT/,
    validThrough: /^\d{4}-\d\d-\d\dT/,
    employmentType: /^(?:FULL_TIME|PART_TIME|CONTRACTOR|TEMPORARY|INTERN|VOLUNTEER|PER_DIEM|OTHER)$/,
    hiringOrganization: 'Organization',
    jobLocation: 'Place',
    jobLocationType: /^TELECOMMUTE$/,
    applicantLocationRequirements: 'Country',
    baseSalary: 'MonetaryAmount',
    directApply: /^(?:true|false)$/,
    occupationalCategory: /./,
    industry: /./,
    skills: /./,
    qualifications: /./,
    jobBenefits: /./,
  },
  PropertyValue: { name: /./, value: /^job_/ },
  Organization: { name: /./, url: /^https:/, sameAs: /^https?:/, logo: /^https?:/ },
  Place: { address: 'PostalAddress', geo: 'GeoCoordinates' },
  PostalAddress: { addressLocality: /./, addressRegion: /^[A-Z]+$/, addressCountry: /^[A-Z]{2}$/ },
  GeoCoordinates: { latitude: /^-?[\d.]+$/, longitude: /^-?[\d.]+$/ },
  Country: { name: /^[A-Z]{2}$/ },
  MonetaryAmount: { currency: /^[A-Z]{3}$/, value: 'QuantitativeValue' },
  QuantitativeValue: {
    value: /^\d+$/,
    minValue: /^\d+$/,
    maxValue: /^\d+$/,
    unitText: /^(?:HOUR|DAY|WEEK|MONTH|YEAR)$/,
  },
} satisfies { [Type in keyof Vocabulary]: { [Property in PropertyOf<Vocabulary[Type]>]?: RegExp | keyof Vocabulary } }
type Thing = Record<string, unknown> & { '@type': string }

function expectOfType(thing: Thing, type: string): void {
  expect(thing['@type']).toBe(type)
  for (const [name, value] of Object.entries(thing)) {
    if (name.startsWith('@')) continue
    const expected = vocabulary[type]![name]
    expect(expected, `${type}.${name}`).toBeDefined()
    if (typeof expected === 'string') for (const each of [value].flat()) expectOfType(each as Thing, expected)
    else expect(String(value), `${type}.${name}`).toMatch(expected!)
  }
}

async function postingOf(id: string): Promise<Thing> {
  const page = await guest.get(`/jobs/${id}`)
  const scripts = page.document.querySelectorAll('script[type="application/ld+json"]')
  expect(scripts).toHaveLength(1)
  return JSON.parse(scripts[0]!.textContent)
}

describe('schema.org/JobPosting', () => {
  test('is valid for every job, with all properties that Google requires', async () => {
    for (const id of open) {
      const posting = await postingOf(id)
      expectOfType(posting, 'JobPosting')
      expect(posting['@context']).toBe('https://schema.org')
      for (const name of ['title', 'description', 'datePosted', 'hiringOrganization'])
        expect(posting).toHaveProperty(name)
      // A job has a location, or countries for remote work.
      expect(posting.jobLocation ?? posting.applicantLocationRequirements).toBeDefined()
    }
  })

  test('contains the data of the job', async () => {
    expect(await postingOf(open[0]!)).toMatchObject({
      title: 'Gearbox engineer',
      employmentType: 'FULL_TIME',
      identifier: { name: 'Northgear Works', value: open[0] },
      hiringOrganization: { name: 'Northgear Works', sameAs: 'https://northgear.example' },
      jobLocation: { address: { addressLocality: 'Detroit', addressRegion: 'MI', addressCountry: 'US' } },
      industry: 'Automotive',
      baseSalary: { currency: 'EUR', value: { minValue: 50_000, maxValue: 64_000, unitText: 'YEAR' } },
      skills: 'C++',
      qualifications: 'Five years',
      jobBenefits: 'A bicycle',
      directApply: true,
    })
    const remote = await postingOf(open[1]!)
    expect(remote).toMatchObject({
      employmentType: 'CONTRACTOR',
      jobLocationType: 'TELECOMMUTE',
      applicantLocationRequirements: { name: 'DE' },
    })
    expect(remote).not.toHaveProperty('jobLocation')
    const tester = (await postingOf(open[2]!)) as unknown as { jobLocation: { address: object }[] }
    expect(tester).toMatchObject({ baseSalary: { value: { value: 20, unitText: 'HOUR' } } })
    expect(tester.jobLocation.map(({ address }) => address)).toMatchObject([
      { addressCountry: 'IT' },
      { addressCountry: 'DE' },
      { addressLocality: 'Xyzzy' },
    ])
  })

  test('cannot be terminated by user input, nor can the attributes in the head', async () => {
    const page = await guest.get(`/jobs/${open[3]}`)
    expect(page.text).not.toMatch(/<script>|<b>/)
    expect((await postingOf(open[3]!)).title).toBe(HOSTILE_NAME)
    const { description } = (await postingOf(open[3]!)) as unknown as { description: string }
    expect(parse(description).querySelectorAll('script, b')).toHaveLength(0)
    const property = (name: string) => page.document.querySelector(`meta[property="${name}"]`)!.getAttribute('content')
    expect(property('og:title')).toBe(`${HOSTILE_NAME} at Northgear Works`)
    expect(property('og:url')).toBe(`https://board.example${jobPath({ id: open[3]!, title: HOSTILE_NAME })}`)
    expect(page.document.querySelector('link[rel="canonical"]')!.getAttribute('href')).toBe(property('og:url'))
  })
})

/** Asserts that a client with a cached response gets 304 until the board changes. */
async function expectCached(path: string): Promise<void> {
  const ask = (tag: string) => guest.send('GET', path, { headers: { 'if-none-match': tag } })
  const [tag, same] = await board.withoutAlternating(async () => {
    const first = await guest.get(path)
    const tag = first.headers.get('etag')!
    return [tag, await ask(tag)] as const
  })
  expect([path, same.status, same.text]).toEqual([path, 304, ''])
  await board.put(`/v1/jobs/${open[0]}`, employer.key, { title: 'Gearbox engineer (senior)' })
  const changed = await ask(tag)
  expect([changed.status, changed.headers.get('etag') === tag]).toEqual([200, false])
  await board.put(`/v1/jobs/${open[0]}`, employer.key, { title: 'Gearbox engineer' })
}

/** Returns the faults of a sitemap file. */
async function sitemapFaults(contents: string): Promise<string[]> {
  const schema = await readFile(new URL('../support/sitemap.xsd', import.meta.url), 'utf8')
  const { errors } = await validateXML({ xml: { fileName: 'sitemap.xml', contents }, schema })
  return errors.map(({ message }) => message)
}

describe('the sitemap', () => {
  test('is valid for its XML schema, which rejects invalid files', async () => {
    for (const path of ['/sitemap.xml', ...['pages', 'jobs-1', 'companies-1'].map((file) => `/sitemaps/${file}.xml`)]) {
      const { text } = await guest.get(path)
      expect([path, ...(await sitemapFaults(text))]).toEqual([path])
      expect(await sitemapFaults(text.replaceAll('<loc>https://', '<loc>board '))).not.toEqual([])
      expect(await sitemapFaults(text.replaceAll(/<(\/?)loc>/g, '<$1link>'))).not.toEqual([])
    }
    const { text } = await guest.get('/sitemaps/jobs-1.xml')
    expect(await sitemapFaults(text.replace(/<lastmod>[^<]+/, '<lastmod>yesterday'))).toHaveLength(1)
  })

  test('follows the sitemap protocol in its files, elements, URLs and times', async () => {
    const index = sitemapIndex('https://board.example', { jobs: 100_001, companies: 50_000 })
    const parts = parser.parse(index).sitemapindex.sitemap.map(({ loc }: { loc: string }) => loc.split('/').at(-1))
    expect(parts).toEqual(['pages.xml', 'jobs-1.xml', 'jobs-2.xml', 'jobs-3.xml', 'companies-1.xml'])
    for (const file of ['pages', 'jobs-1', 'companies-1']) {
      const { urlset, ...rest } = xml(await guest.get(`/sitemaps/${file}.xml`))
      expect(Object.keys(rest)).toEqual(['?xml'])
      expect(urlset['@_xmlns']).toBe('http://www.sitemaps.org/schemas/sitemap/0.9')
      for (const { loc, lastmod, 'xhtml:link': links = [], ...others } of urlset.url) {
        expect(others).toEqual({})
        expect(loc).toMatch(/^https:\/\/board\.example\/[!-~]{0,2000}$/)
        expect(lastmod ?? '2026-03-02T09:00:00.000Z').toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        for (const link of links) expect(Object.keys(link)).toEqual(['@_rel', '@_hreflang', '@_href'])
      }
    }
  })

  test('contains exactly the jobs on the board', async () => {
    const closed = (await board.activeJob(employer, { title: 'Closed' })).id
    await board.post(`/v1/jobs/${closed}/close`, employer.key)
    await board.job(employer, { title: 'Never active' })
    const index = xml(await guest.get('/sitemap.xml'))
    const parts = index.sitemapindex.sitemap.map(({ loc }: { loc: string }) => new URL(loc).pathname)
    expect(parts).toEqual(['/sitemaps/pages.xml', '/sitemaps/jobs-1.xml', '/sitemaps/companies-1.xml'])
    const page = await guest.get(parts[1])
    const urls: { loc: string; lastmod: string }[] = xml(page).urlset.url
    const found = urls.map(({ loc }) => loc)
    const titles = new Map(
      (await board.get('/v1/jobs?limit=100', employer.key)).body.data.map((job: { id: string; title: string }) => [
        job.id,
        job.title,
      ]),
    )
    expect(found).toEqual(
      [...open].sort().map((id) => `https://board.example${jobPath({ id, title: titles.get(id) as string })}`),
    )
    expect(Object.keys(Object.assign({}, ...urls))).toEqual(['loc', 'lastmod'])
    expect(new Set(urls.map(({ lastmod }) => lastmod))).toEqual(new Set([board.clock.now().toISOString()]))
    await expectCached('/sitemaps/jobs-1.xml')
    expect((await guest.get('/sitemaps/jobs-2.xml')).status).toBe(404)
    expect((await guest.get('/sitemaps/jobs-0.xml')).status).toBe(404)
  })

  test('contains the pages in each language, with links to the other languages', async () => {
    const page = await guest.get('/sitemaps/pages.xml')
    const { text, headers } = page
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
    const found = xml(page).urlset.url.map(({ loc }: { loc: string }) => loc.replace('https://board.example', ''))
    expect(found.slice(0, 10)).toEqual(
      ['', '/jobs'].flatMap((path) => [path || '/', ...['/de', '/fr', '/es', '/ja'].map((tag) => tag + path)]),
    )
    const [, german] = text.split('<loc>https://board.example/de</loc>')
    for (const [tag, path] of [
      ['en', '/'],
      ['ja', '/ja'],
      ['x-default', '/'],
    ]) {
      expect(german).toContain(`<xhtml:link rel="alternate" hreflang="${tag}" href="https://board.example${path}"/>`)
    }
  })

  test('is listed in robots.txt, which excludes the API', async () => {
    const { text, headers } = await guest.get('/robots.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text).toContain('Sitemap: https://board.example/sitemap.xml')
    expect(text).toContain('Disallow: /v1/\n')
  })
})

describe('Markdown', () => {
  const read = async (path: string, status = 200) => {
    const { status: found, headers, text } = await guest.get(path)
    expect([path, found, headers.get('content-type')]).toEqual([path, status, 'text/markdown; charset=utf-8'])
    return text
  }
  const pathOf = (title: string, n: number) => jobPath({ id: open[n]!, title })

  test('versions of jobs, companies and lists link to each other', async () => {
    const path = pathOf('Gearbox engineer', 0)
    const page = await guest.get(path)
    expect(page.document.querySelector('link[type="text/markdown"]')?.getAttribute('href')).toBe(`${path}.md`)
    const job = await read(`${path}.md`)
    expect(job).toMatch(/^# Gearbox engineer at Northgear Works\n\n- Pay: 50,000–64,000 EUR a year/)
    expect(job).toContain('- Type: Full-time')
    expect(job).toContain('## Requirements\n\n- Five years\n')
    expect(job).toContain(`[Apply](https://board.example${path})`)
    expect((await (await visitor(board)).get(`/de${path}.md`)).text).toContain('## Anforderungen')
    const company = await read(`/companies/${employer.id}.md`)
    expect(company).toMatch(/^# Northgear Works\n/)
    const line = `- [Gearbox engineer](https://board.example${path}.md): Northgear Works`
    const list = await read('/jobs.md?search=gearbox&job_type=full-time')
    for (const text of [company, list]) expect(text).toContain(line)
    expect(list).not.toContain('Gearbox designer')
    expect(job).toContain(`(https://board.example/companies/${employer.id}.md)`)
    const directory = await read('/companies.md?name=northgear')
    expect(directory).toMatch(/^# Companies\n/)
    expect(directory).toContain(`- [Northgear Works](https://board.example/companies/${employer.id}.md): `)
    const front = await read('/index.md')
    expect(front).toContain('\n## Newest jobs\n\n- [')
    expect(front).toContain(`](https://board.example/companies/${employer.id}.md): `)
    for (const path of ['/', '/companies?page=1'])
      expect((await guest.get(path)).document.querySelector('link[type="text/markdown"]')?.getAttribute('href')).toBe(
        path === '/' ? '/index.md' : '/companies.md?page=1',
      )
  })

  test('paths redirect to the canonical path, and unknown paths get a 404', async () => {
    const moved = await guest.send('GET', `/jobs/${open[0]}.md`)
    expect([moved.status, moved.headers.get('location')]).toEqual([301, `${pathOf('Gearbox engineer', 0)}.md`])
    for (const path of [
      '/jobs/none.md',
      '/companies/none.md',
      '/pages/none.md',
      '/docs/none.md',
      '/jobs/job_00000000000000000000000000.md',
    ])
      expect([path, (await guest.get(path)).status]).toEqual([path, 404])
    expect((await guest.get('/jobs.md?color=red&search=gearbox')).status).toBe(200)
  })

  test('escapes names and searches, which cannot add links, HTML elements or lines', async () => {
    const link = '[Apply](https://evil.example)'
    const company = await board.employer({ name: `${link} <b> GmbH` })
    const job = { title: `A ${link}`, location: `B ${link}`, requirements: ['C\n\n## D'] }
    const { id } = await board.activeJob(company, job)
    const { headers } = await guest.send('GET', `/jobs/${id}.md`)
    const texts = await Promise.all(
      [
        headers.get('location')!,
        `/companies/${company.id}.md`,
        `/jobs.md?search=${encodeURIComponent(`\n## ${link}`)}`,
      ].map((path) => read(path)),
    )
    for (const text of texts) {
      expect(text).toContain('\\[Apply\\](https://evil.example)')
      expect(text).not.toMatch(/[^\\]\]\(https:\/\/evil|[^\\]<|^## (?:D|\[)/m)
    }
    await board.post(`/v1/jobs/${id}/close`, company.key)
  })

  test('shows a closed job as gone', async () => {
    const { id } = await board.activeJob(employer, { title: 'Gone by noon' })
    await board.post(`/v1/jobs/${id}/close`, employer.key)
    expect(await read(`${jobPath({ id, title: 'Gone by noon' })}.md`, 410)).toContain('This job is closed.')
  })

  test('is announced in llms.txt, whose links to documents work', async () => {
    const text = await read('/llms.txt')
    const paths = [...text.matchAll(/\]\(https:\/\/board\.example(\S+)\)/g)].map(([, path]) => path!)
    expect(paths.length).toBe(11)
    for (const path of paths.filter((one) => one !== '/v1/mcp')) expect((await guest.get(path)).status).toBe(200)
    expect(await read('/docs/agents.md')).toMatch(/^# AI agents\n/)
  })
})

/** The elements that a partner documents. Those marked with `!` are required. */
type Members = Record<string, RegExp>

/** The elements in https://docs.indeed.com/job-sync-xml/xml-feed, and `location`, which other aggregators read. */
const INDEED: Members = {
  'title!': /^.{1,300}$/s,
  'date!': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  'referencenumber!': /^job_/,
  'requisitionid!': /^job_/,
  'url!': /^https:\/\/\S+$/,
  'company!': /./,
  'sourcename!': /./,
  city: /^[^,]+$/,
  state: /^[A-Z]+$/,
  country: /^[A-Z]{2}$/,
  location: /./,
  'description!': /^<p>|^<h2>/,
  salary: /^[\d,–]+ [A-Z]{3} an? \w+$/,
  'jobtype!': /^[a-z-]+$/,
  category: /./,
  experience: /^[a-z]+$/,
  remotetype: /^(?:Fully|Hybrid) remote$/,
  expirationdate: /^\d{4}-\d\d-\d\dT/,
  lastactivitydate: /^\d{4}-\d\d-\d\dT/,
}

/** The elements in https://learn.microsoft.com/linkedin/talent/job-postings/xml-feeds-development-guide. */
const LINKEDIN: Members = {
  'partnerJobId!': /^.{1,40}$/,
  'company!': /./,
  'title!': /^.{1,200}$/,
  'description!': /^(?:[^<]|<\/?(?:p|br|ul|ol|li|strong|em)>){100,}$/,
  'applyUrl!': /^https:\/\/\S+$/,
  'location!': /./,
  city: /^[^,]+$/,
  state: /^[A-Z]+$/,
  country: /^[A-Z]{2}$/,
  workplaceTypes: /^(?:On-site|Remote|Hybrid)$/,
  jobtype: /^(?:FULL_TIME|PART_TIME|CONTRACT|INTERNSHIP|TEMPORARY|VOLUNTEER|OTHER)$/,
  experienceLevel: /^(?:EXECUTIVE|DIRECTOR|MID_SENIOR_LEVEL|ASSOCIATE|ENTRY_LEVEL|INTERNSHIP|NOT_APPLICABLE)$/,
  posterEmail: /@/,
}

const partnerParser = new XMLParser({ isArray: (name) => name === 'job' })

function expectMembers(jobs: readonly Record<string, string>[], members: Members): void {
  const rules = new Map(Object.entries(members).map(([name, rule]) => [name.replace('!', ''), rule]))
  const required = Object.keys(members).flatMap((name) => (name.endsWith('!') ? [name.slice(0, -1)] : []))
  for (const job of jobs) {
    expect(Object.keys(job)).toEqual(expect.arrayContaining(required))
    for (const [name, value] of Object.entries(job)) expect(value, name).toMatch(rules.get(name) ?? /(?!)/)
  }
}

describe('feeds', () => {
  test('are linked from their list', async () => {
    const page = await guest.get('/jobs?search=gearbox&page=1')
    const links = page.document.querySelectorAll('link[rel="alternate"][type]').map((link) => link.getAttribute('href'))
    expect(links).toEqual(['atom', 'rss', 'json', 'jsonl', 'xml', 'md'].map((kind) => `/jobs.${kind}?search=gearbox`))
  })

  test('contain, in Atom format, an entry for each job', async () => {
    const page = await guest.get('/jobs.atom?search=gearbox')
    expect(page.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    const { feed } = xml(page)
    expect(feed.id).toBe('https://board.example/jobs.atom?search=gearbox')
    expect(feed.title).toBe('Jobs for “gearbox” · Job Marketplace')
    expect(feed.entry).toHaveLength(3)
    for (const entry of feed.entry) {
      expect(entry.id).toMatch(/^https:\/\/board\.example\/jobs\/job_/)
      expect(Number.isNaN(Date.parse(entry.updated))).toBe(false)
      expect(entry.author.name).toBe('Northgear Works')
    }
  })

  test('contain, in RSS format, an item for each job', async () => {
    const page = await guest.get('/jobs.rss?search=gearbox&sort=title')
    expect(page.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8')
    const { channel } = xml(page).rss
    expect(channel.item.map(({ title }: { title: string }) => title)).toEqual([
      'Gearbox designer at Northgear Works',
      'Gearbox engineer at Northgear Works',
      'Gearbox tester at Northgear Works',
    ])
    expect(channel.link).toBe('https://board.example/jobs?search=gearbox&amp;sort=title'.replace('&amp;', '&'))
  })

  test('are understood by a feed reader in Atom, RSS and JSON format, and cached until the board changes', async () => {
    const query = '?search=gearbox&sort=title&source=reader'
    const atom = parseAtomFeed((await guest.get(`/jobs.atom${query}`)).text)
    const rss = parseRssFeed((await guest.get(`/jobs.rss${query}`)).text)
    const json = parseJsonFeed((await guest.get(`/jobs.json${query}`)).text)
    const address = `https://board.example${jobPath({ id: open[1]!, title: 'Gearbox designer' })}?source=reader`
    const title = 'Gearbox designer at Northgear Works'
    const now = board.clock.now().toISOString()
    const icon = 'https://board.example/icon-512.png'
    expect(atom).toMatchObject({ title: { value: 'Jobs for “gearbox” · Job Marketplace' }, logo: icon })
    expect(atom.entries).toHaveLength(3)
    expect(atom.entries![0]).toMatchObject({ title: { value: title }, updated: now, links: [{ href: address }] })
    expect(rss).toMatchObject({ image: { url: icon } })
    expect(rss.items![0]).toMatchObject({ title, link: address, dc: { creators: ['Northgear Works'] } })
    expect(json).toMatchObject({ icon, feed_url: `https://board.example/jobs.json${query}` })
    expect(json.items![0]).toMatchObject({ title, url: address, date_modified: now, language: 'en' })
    for (const path of ['/jobs.atom', '/jobs.json', '/jobs.xml', '/jobs.jsonl']) await expectCached(path)
  })

  test("follow the rules for Indeed's elements", async () => {
    const { text } = await guest.get('/jobs.xml?source=indeed')
    const jobs: Record<string, string>[] = partnerParser.parse(text).source.job
    // The text of every element is a CDATA section, without entities that a parser would have to resolve.
    const plain = text.slice(text.indexOf('<job>')).replace(/<!\[CDATA\[.*?\]\]>/gs, '')
    expect(plain.replace(/<\/?[a-z]+>/g, '').trim()).toBe('')
    expectMembers(jobs, INDEED)
    expect(new Set(jobs.map(({ referencenumber }) => referencenumber)).size).toBe(open.length)
    const engineer = jobs.find(({ requisitionid }) => requisitionid === open[0])!
    expect(engineer).toMatchObject({
      ...{
        city: 'Detroit',
        state: 'MI',
        country: 'US',
        salary: '50,000–64,000 EUR a year',
        sourcename: 'Job Marketplace',
      },
      url: expect.stringMatching(/\?source=indeed$/),
      category: 'Powertrain and battery',
    })
    expect(engineer.description).toMatch(/"Design" &amp; test <a .*<li>Five years<\/li>.*<li>A bicycle<\/li>/s)
  })

  test("follow the rules for LinkedIn's elements", async () => {
    const { source } = partnerParser.parse((await guest.get('/jobs.linkedin.xml?source=linkedin')).text)
    expect(source).toMatchObject({
      expectedJobCount: open.length,
      publisher: 'Job Marketplace',
      publisherUrl: 'https://board.example',
    })
    // The other jobs have descriptions of fewer than 100 characters.
    expect(source.job.map(({ partnerJobId }: { partnerJobId: string }) => partnerJobId)).toEqual([open[0]])
    const [{ skills, salaries, ...job }] = source.job
    expectMembers([job], LINKEDIN)
    expect(job).toMatchObject({ location: 'Detroit, MI, United States', experienceLevel: 'MID_SENIOR_LEVEL' })
    expect(job.description).toMatch(/^<p><strong>You<\/strong><\/p>\n<p>"Design" &amp; test gears\./)
    expect([skills.skill, salaries.salary]).toEqual([
      'C++',
      {
        highEnd: { amount: 64_000, currencyCode: 'EUR' },
        lowEnd: { amount: 50_000, currencyCode: 'EUR' },
        ...{ period: 'YEARLY', type: 'BASE_SALARY' },
      },
    ])
  })

  test("contain, in JSON Lines format, the same resources as the API's list", async () => {
    const page = await guest.get('/jobs.jsonl?search=gearbox')
    expect(page.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const lines = page.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toEqual((await board.get('/v1/jobs?search=gearbox', employer.key)).body.data)
  })

  test('contain all jobs in XML format, without characters that XML forbids', async () => {
    const { source } = xml(await guest.get('/jobs.xml'))
    expect(source.job.map((job: { referencenumber: string }) => job.referencenumber).sort()).toEqual([...open].sort())
    const hostile = source.job.find((job: { referencenumber: string }) => job.referencenumber === open[3])
    expect(hostile.title).toBe(HOSTILE_NAME)
    expect(hostile.description).not.toContain('\u0007')
  })

  test('refuse invalid queries, and are empty if nothing matches', async () => {
    expect((await guest.get('/jobs.atom?remote=perhaps')).status).toBe(400)
    expect(xml(await guest.get('/jobs.rss?search=zzzz')).rss.channel.item).toBeUndefined()
    expect((await guest.get('/jobs.jsonl?search=zzzz')).text).toBe('')
    expect(xml(await guest.get('/jobs.xml?search=zzzz')).source.job).toBeUndefined()
  })
})

describe('companies', () => {
  test('are listed and shown with their open jobs', async () => {
    const list = await guest.get('/companies')
    const link = list.document.querySelector(`a[href="/companies/${employer.id}"]`)!
    expect(link.querySelector('.strong')!.textContent).toBe('Northgear Works')
    const page = await guest.get(`/companies/${employer.id}`)
    expect(page.document.querySelectorAll('.job')).toHaveLength(open.length)
    expect(page.text).not.toContain('Never active')
    for (const path of [
      '/companies/x',
      '/companies/emp_00000000000000000000000000',
      `/companies/${employer.id}?page=x`,
    ]) {
      expect((await guest.get(path)).status, path).toBe(404)
    }
  })
})

describe('searching', () => {
  test('removes meaningless parameters from the URL', async () => {
    const page = await guest.send('GET', '/jobs?search=&location=&distance=25&category=it-support&sort=relevance')
    expect([page.status, page.headers.get('location')]).toEqual([303, '/jobs?category=it-support'])
    expect((await guest.send('GET', '/jobs?search=a&sort=relevance')).status).toBe(200)
  })

  test('counts the results for each job type', async () => {
    const page = await guest.get('/jobs?search=gearbox')
    const options = page.document.querySelectorAll('input[name="job_type"]')
    expect(options.map(({ parentNode }) => parentNode?.textContent)).toEqual(['Full-time2', 'Contract1'])
  })

  test('links each chip to the same search without its filter', async () => {
    const page = await guest.get('/jobs?search=gearbox&job_type=contract&skills_not=java')
    const chips = page.document.querySelectorAll('.chip.on')
    expect(chips.map((chip) => chip.getAttribute('href')!.replaceAll('&amp;', '&'))).toEqual([
      '/jobs?search=gearbox&skills_not=java',
      '/jobs?search=gearbox&job_type=contract',
    ])
    expect(chips.map((chip) => chip.textContent.trim())).toEqual(['Contract , remove', 'Not java , remove'])
    // The form keeps parameters that have no visible field.
    expect(page.document.querySelector('input[name="skills_not"]')!.getAttribute('value')).toBe('java')
    expect(page.document.querySelector('.chips a.small')!.getAttribute('href')).toBe('/jobs?search=gearbox')
  })

  test('names the filters on times and amounts', async () => {
    const page = await guest.get('/jobs?expires_at=2026-12-01&salary_min_in=40000,50000')
    const chips = page.document.querySelectorAll('.chip.on').map((chip) => chip.firstChild!.textContent.trim())
    expect(chips).toEqual(['End date: 2026-12-01', 'Minimum salary: 40,000', 'Minimum salary: 50,000'])
  })

  test('suggests titles, and accepts any input', async () => {
    const page = await guest.get('/jobs/suggestions?search=gearb')
    const values = page.document.querySelectorAll('[role="option"]').map((option) => option.textContent)
    expect(values).toContain('Gearbox engineer')
    for (const text of ['', '"', '-', 'or', '%25', 'a'.repeat(3_000), '<script>']) {
      expect((await guest.get(`/jobs/suggestions?search=${encodeURIComponent(text)}`)).status, text).toBe(200)
    }
  })

  test("shows each visitor the current jobs, and a person's name only to that person", async () => {
    expect((await guest.get('/jobs?search=latecomer')).seen).toContain('0 jobs')
    await board.activeJob(employer, { title: 'Latecomer' })
    const page = await guest.get('/jobs?search=latecomer')
    expect(page.seen).toContain('One job')
    const again = await guest.send('GET', '/jobs?search=latecomer', {
      headers: { 'if-none-match': page.headers.get('etag')! },
    })
    expect(again.status).toBe(304)
    const inside = await visitor(board, await board.candidate({ first_name: 'Zoe', last_name: 'Only' }))
    expect((await inside.get('/jobs?search=latecomer')).seen).toContain('Zoe Only')
    expect((await guest.get('/jobs?search=latecomer')).seen).not.toContain('Zoe Only')
  })
})

describe('the page of one job', () => {
  test('has a readable URL, to which paths with only the ID or a wrong slug redirect', async () => {
    const { id } = await board.activeJob(employer, { title: 'Señor C++ Entwickler (m/w/d), Köln' })
    const path = `/jobs/senor-c-entwickler-m-w-d-koln-${id}`
    for (const other of [`/jobs/${id}`, `/jobs/wrong-${id}`, `/jobs/%E2%82%AC-x-${id}`]) {
      const page = await guest.send('GET', `${other}?ref=x`)
      expect([page.status, page.headers.get('location'), page.headers.get('cache-control')]).toEqual([
        301,
        `${path}?ref=x`,
        'no-cache',
      ])
    }
    const page = await guest.get(path)
    expect([page.status, page.path]).toEqual([200, path])
    const canonical = page.document.querySelector('link[rel="canonical"]')!.getAttribute('href')
    expect(canonical).toBe(`https://board.example${path}`)
    expect((await guest.get('/jobs?search=senor')).document.querySelector(`a[href="${path}"]`)).not.toBeNull()
    const feed = xml(await guest.get('/jobs.atom?search=senor')).feed.entry[0]
    expect([feed.id, feed.link['@href'] ?? feed.link]).toEqual([`https://board.example/jobs/${id}`, expect.anything()])
    const japanese = (await board.activeJob(employer, { title: '整備士' })).id
    expect((await guest.send('GET', `/jobs/${japanese}`)).status).toBe(200)
    expect((await guest.get('/jobs/nothing')).status).toBe(404)
  })

  test('shows when a closed job was closed, not its planned end, and when an expired job ended', async () => {
    const { id } = await board.activeJob(employer, { title: 'Closing' })
    const day = (time: number) =>
      new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(time))
    board.clock.advance(DAY_MS)
    await board.post(`/v1/jobs/${id}/close`, employer.key)
    const closed = await guest.get(`/jobs/${id}`)
    expect([closed.status, closed.seen]).toEqual([410, expect.stringContaining(`Closed on ${day(board.clock.time)}`)])
    // Jobs that were closed before the service recorded the time have no date.
    await board.database.inTx((tx) => tx.updateTable('job').set({ closed_at: null }).where('id', '=', id).execute())
    const undated = await guest.get(`/jobs/${id}`)
    expect([undated.status, undated.seen]).toEqual([410, expect.not.stringContaining('This job ended on')])
    await board.post(`/v1/jobs/${id}/reopen`, employer.key)
    const open = await guest.get(`/jobs/${id}`)
    expect([open.status, open.seen]).toEqual([200, expect.not.stringContaining('Closed on')])
    const { expires_at } = (await board.get(`/v1/jobs/${id}`, employer.key)).body.data
    board.clock.advance(60 * DAY_MS)
    expect((await guest.get(`/jobs/${id}`)).seen).toContain(`This job ended on ${day(Date.parse(expires_at))}`)
  })

  test('links back to the results only if the visitor came from there', async () => {
    const { id } = await board.activeJob(employer, { title: 'Referred' })
    const crumbs = async (referer?: string) => {
      const headers = referer === undefined ? {} : { referer }
      const page = await guest.send('GET', `/jobs/referred-${id}`, { headers })
      return page.document.querySelector('.crumbs')!.textContent.trim()
    }
    const results = 'https://board.example/jobs?search=van&location=Turin'
    expect(await crumbs(results)).toBe('Back to results: Jobs for “van” in Turin')
    expect(await crumbs()).toMatch(/^Jobs/)
    expect(await crumbs('https://evil.example/jobs?search=van')).toMatch(/^Jobs/)
  })

  test('shows similar jobs with the same occupation, nearby or remote', async () => {
    const post = async (title: string, location: string, remote = false, category = 'testing') =>
      (await board.activeJob(employer, { title, location, remote, category })).id
    const id = await post('Senior Brake Welder, Nights', 'Leeds, United Kingdom')
    const near = await post('Brake Welders', 'Bradford, United Kingdom', false, 'other')
    const remote = await post('Remote Brake Welder', 'Lisbon, Portugal', true)
    const oneWord = await post('Hull Welder', 'Leeds, United Kingdom')
    await post('Brake Welder', 'Lisbon, Portugal')
    await post('Hull Welder', 'Leeds, United Kingdom', false, 'other')
    await post('Brake Fluid Buyer', 'Leeds, United Kingdom', false, 'other')
    const page = await guest.get(`/jobs/${id}`)
    const shown = page.document
      .querySelectorAll('[aria-labelledby="similar-jobs"] article')
      .map((card) => card.getAttribute('id'))
    expect(new Set(shown)).toEqual(new Set([near, remote, oneWord]))
    expect(shown.at(-1)).toBe(oneWord)
  })
})

test('an expired job returns 410, without structured data', async () => {
  const expires_at = new Date(board.clock.time + DAY_MS).toISOString()
  const { id } = await board.activeJob(employer, { title: 'Short', expires_at })
  board.clock.advance(DAY_MS)
  const page = await guest.get(`/jobs/${id}`)
  expect(page.status).toBe(410)
  expect(page.document.querySelector('script[type="application/ld+json"]')).toBeNull()
})
