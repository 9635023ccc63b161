/** Runs the feed adapters on fictional documents in each format, including the known quirks of each system. */
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { normalizePosting, type Posting } from '../../src/features/feeds/feeds.postings.ts'
import { blocksOf } from '../../src/features/feeds/formats/html.ts'
import { type FormatName, formatOf } from '../../src/features/feeds/formats/index.ts'
import { deadlineOf, timeOf } from '../../src/features/feeds/formats/values.ts'
import { type XmlItem, xmlFormat } from '../../src/features/feeds/formats/xml.ts'

const now = new Date('2026-03-02T09:00:00Z')

async function* chunksOf(document: string | Uint8Array) {
  const bytes = typeof document === 'string' ? Buffer.from(document) : document
  // Small chunks cut characters, tags and lines in two.
  for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7)
}

/** Reads a document. Returns the jobs and postings by external ID, and the IDs and codes of all problems. */
async function read(format: FormatName, document: unknown) {
  const text = typeof document === 'string' || document instanceof Uint8Array ? document : JSON.stringify(document)
  const postings: Record<string, Posting> = {}
  const problems: string[] = []
  for await (const one of formatOf(format).read(chunksOf(text))) {
    if (one === 'unlisted') continue
    if ('refusal' in one) {
      problems.push(`${one.refusal.id ?? '-'} ${one.refusal.code}`)
      continue
    }
    const posting = normalizePosting(one.posting, { company: 'Default GmbH', now })
    if (!('job' in posting)) {
      problems.push(`${posting.externalId} ${posting.code}`)
      continue
    }
    postings[posting.externalId] = posting
    problems.push(...posting.notes.map(({ code }) => `${posting.externalId} ${code}`))
  }
  const jobs = Object.fromEntries(Object.entries(postings).map(([id, { job }]) => [id, job]))
  return { jobs, postings, problems }
}

/** Collects a document from responses by path, and reads it. Also returns the requested paths, in order. */
async function collect(format: FormatName, address: string, responses: Record<string, unknown>) {
  const asked: string[] = []
  const lines: string[] = []
  const fetchText = async ({ pathname, search, host }: URL) => {
    expect(host).toBe(new URL(address).host)
    asked.push(pathname + search)
    const response = responses[pathname + search]
    return typeof response === 'string' || response === undefined ? response : JSON.stringify(response)
  }
  for await (const line of formatOf(format).collect!(new URL(address), fetchText)) lines.push(JSON.stringify(line))
  return { asked, ...(await read(format, lines.map((line) => `${line}\n`).join(''))) }
}

const dates: readonly (readonly [value: unknown, time?: string, deadline?: string])[] = [
  ['2026-02-20', '2026-02-20T00:00:00.000Z', '2026-02-20T23:59:59.999Z'],
  ['2026-02-20T11:00:00+01:00', '2026-02-20T10:00:00.000Z'],
  ['2026-02-20 10:00:00 UTC', '2026-02-20T10:00:00.000Z'],
  ['2026-02-20 10:00:00', '2026-02-20T10:00:00.000Z'],
  ['Fri, 20 Feb 2026 10:00:00 GMT', '2026-02-20T10:00:00.000Z'],
  ['20 Feb 2026', '2026-02-20T00:00:00.000Z'],
  [1_771_581_600, '2026-02-20T10:00:00.000Z'],
  [1_771_581_600_000, '2026-02-20T10:00:00.000Z'],
  ...['', 'soon', '20.02.2026', '2026-13-45', '0000-00-00', -1, Number.NaN, null, {}].map((value) => [value] as const),
]

test.each(dates)('a date given as %s is parsed as %s', (value, time, deadline = time) => {
  expect([timeOf(value)?.toISOString(), deadlineOf(value)?.toISOString()]).toEqual([time, deadline])
})

const escaped = (html: string) => html.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

describe('greenhouse', () => {
  const html = '<p>Build &amp; test packs.</p><h2>Your profile</h2><ul><li>Lithium</li><li>Python</li></ul>'
  const job = (members: object) => ({
    id: 4_112_001,
    internal_job_id: 9,
    title: 'Battery engineer',
    company_name: 'Voltaire ',
    location: { name: 'Leipzig, Germany' },
    content: escaped(html),
    absolute_url: 'https://boards.greenhouse.io/voltaire/jobs/4112001',
    first_published: '2026-02-27T17:00:00-05:00',
    updated_at: '2026-03-01T10:00:00-05:00',
    ...members,
  })

  test('reads text that is escaped once or twice, pay in cents, and times with an offset', async () => {
    const ranges = [
      { min_cents: 6_000_000, max_cents: 7_000_000, currency_type: 'EUR', title: 'Zone A' },
      { min_cents: 5_500_000, max_cents: 6_500_000, currency_type: 'EUR', title: 'Zone B' },
    ]
    const { jobs, postings, problems } = await read('greenhouse', {
      jobs: [
        job({ pay_input_ranges: ranges, metadata: [{ name: 'Employment Type', value: 'Full-time' }] }),
        job({ id: 2, content: escaped(escaped(html)), location: { name: 'Remote - EU' } }),
        job({ id: 3, internal_job_id: null }),
      ],
      meta: { total: 3 },
    })
    expect(Object.keys(jobs)).toEqual(['2', '4112001'])
    expect(jobs[4_112_001]).toMatchObject({
      ...{ title: 'Battery engineer', company: 'Voltaire', location: 'Leipzig, Germany', type: 'full-time' },
      ...{ description: 'Build & test packs.', requirements: ['Lithium', 'Python'], remote: false },
      salary: { min: 55_000, max: 70_000, currency: 'EUR', period: 'year' },
      posted_at: '2026-02-27T22:00:00.000Z',
      application_url: 'https://boards.greenhouse.io/voltaire/jobs/4112001',
    })
    expect(jobs[2]).toMatchObject({
      description: 'Build & test packs.',
      requirements: ['Lithium', 'Python'],
      remote: true,
    })
    expect(problems).toEqual(['4112001 salary_merged'])
    expect(postings[2]!.hash).not.toBe(postings[4_112_001]!.hash)
  })
})

test('lever: reads list items that have no list element around them, and does not repeat the opening', async () => {
  const { jobs } = await read('lever', [
    {
      id: '0a1b2c3d-0000-4000-8000-000000000001',
      text: 'Fleet planner',
      categories: { location: 'Lyon', allLocations: ['Lyon', 'Paris', 'lyon'], commitment: 'Full-time, part possible' },
      workplaceType: 'hybrid',
      createdAt: 1_772_000_000_000,
      opening: '<div>We move vans.</div>',
      descriptionBody: '<div>You plan.</div>',
      description: '<div>We move vans.</div><div>You plan.</div>',
      lists: [{ text: 'What you bring', content: '<li>SQL</li><li>Calm &amp; care</li>' }],
      additional: '<div>Apply <a href="https://voltaire.example/x?utm_source=lever&amp;a=1">here</a>.</div>',
      salaryRange: { currency: 'EUR', interval: 'per-hour-wage', min: 18.5, max: 22 },
      hostedUrl: 'https://jobs.lever.co/voltaire/1',
      applyUrl: 'https://jobs.lever.co/voltaire/1/apply',
    },
  ])
  expect(Object.values(jobs)).toMatchObject([
    {
      ...{ company: 'Default GmbH', location: 'lyon', locations: ['lyon', 'Paris'], remote: false, type: 'part-time' },
      description: 'We move vans.\n\nYou plan.\n\nApply [here](https://voltaire.example/x?a=1).',
      requirements: ['SQL', 'Calm & care'],
      salary: { min: 19, max: 22, currency: 'EUR', period: 'hour' },
      posted_at: '2026-02-25T06:13:20.000Z',
    },
  ])
})

test('ashby: omits unlisted postings, hidden pay and equity', async () => {
  const component = {
    compensationType: 'Salary',
    interval: '1 YEAR',
    currencyCode: 'USD',
    minValue: 90_000,
    maxValue: null,
  }
  const compensation = {
    compensationTiers: [
      { components: [{ compensationType: 'EquityPercentage', minValue: 1, interval: 'NONE' }, component] },
    ],
  }
  const job = {
    title: 'Firmware developer',
    employmentType: 'FullTime',
    location: 'HQ',
    address: { postalAddress: { addressLocality: 'Austin', addressRegion: 'TX', addressCountry: 'United States' } },
    secondaryLocations: [{ location: 'Berlin office', address: { postalAddress: { addressLocality: '' } } }],
    workplaceType: 'Remote',
    isRemote: true,
    publishedAt: '2026-02-01T00:00:00.000+00:00',
    descriptionHtml: '<p><strong>Benefits</strong></p><ul><li>Van</li></ul><p>C++ and a_b *c*.</p>',
    compensation,
  }
  const url = 'https://jobs.ashbyhq.com/voltaire/'
  const { jobs } = await read('ashby', {
    apiVersion: '1',
    jobs: [
      { ...job, jobUrl: `${url}first`, shouldDisplayCompensationOnJobPostings: true },
      { ...job, id: 'second', jobUrl: `${url}second`, shouldDisplayCompensationOnJobPostings: false },
      { ...job, id: 'third', isListed: false },
    ],
  })
  expect(Object.keys(jobs)).toEqual(['first', 'second'])
  expect(jobs.first).toMatchObject({
    ...{ location: 'Austin, TX, United States', remote: true, benefits: ['Van'] },
    locations: ['Austin, TX, United States', 'Berlin office'],
    ...{ description: 'C++ and a_b \\*c\\*.', salary: { min: 90_000, max: null, currency: 'USD', period: 'year' } },
  })
  expect(jobs.second!.salary).toBeNull()
})

test('recruitee: reads salaries in text, several locations, and times with a UTC suffix', async () => {
  const offer = {
    id: 77,
    title: 'Monteur:in',
    status: 'published',
    description: '<p>Montage</p>',
    requirements: '<ul><li>Führerschein</li></ul>',
    locations: [
      { city: 'Köln', state: '', country: 'Germany' },
      { city: 'Bonn', country: 'Germany' },
    ],
    ...{ remote: true, hybrid: true, on_site: true, employment_type_code: 'fulltime_permanent' },
    experience_code: 'mid_senior_level',
    salary: { min: '18.50', max: null, period: 'hour', currency: 'EUR' },
    published_at: '2026-02-01 08:00:00 UTC',
    close_at: '2026-05-01 22:00:00 UTC',
    careers_url: 'https://voltaire.recruitee.com/o/monteur',
    mailbox_email: 'job.abc@voltaire.recruitee.com',
  }
  const { jobs, problems } = await read('recruitee', { offers: [offer, { ...offer, id: 78, status: 'draft' }] })
  expect(jobs).toMatchObject({
    77: {
      ...{
        location: 'Köln, Germany',
        locations: ['Köln, Germany', 'Bonn, Germany'],
        remote: false,
        workplace: 'hybrid',
        type: 'full-time',
        experience_level: 'senior',
      },
      ...{ requirements: ['Führerschein'], salary: { min: 19, max: null, currency: 'EUR', period: 'hour' } },
      ...{ posted_at: '2026-02-01T08:00:00.000Z', expires_at: '2026-05-01T22:00:00.000Z' },
    },
  })
  expect(problems).toEqual(['77 salary_rounded'])
  expect(JSON.stringify(jobs)).not.toContain('@')
})

test('workable: joins the rows of a posting, and omits hidden locations', async () => {
  const row = (city: string, members: object = {}) => ({
    ...{
      shortcode: 'AB12',
      title: 'Fitter',
      telecommuting: false,
      published_on: '2026-02-03',
      created_at: '2026-01-01',
    },
    ...{
      employment_type: 'Full-time',
      experience: 'Mid-Senior level',
      description: '<p>Fit</p>',
      url: 'https://w.example/j/AB12',
    },
    locations: [{ country: 'Portugal', city, region: '', hidden: false }],
    ...members,
  })
  const rows = [
    ...Array.from({ length: 60 }, (_, n) => row(`Town ${n}`)),
    row('Secret', { shortcode: 'CD34', locations: [{ city: 'Secret', hidden: true }, { city: 'Porto' }] }),
  ]
  const { jobs, problems } = await read('workable', { name: 'Voltaire', jobs: rows })
  expect(Object.keys(jobs)).toEqual(['AB12', 'CD34'])
  expect(jobs.AB12).toMatchObject({
    type: 'full-time',
    experience_level: 'senior',
    posted_at: '2026-02-03T00:00:00.000Z',
  })
  expect([jobs.AB12!.location, jobs.AB12!.locations!.length]).toEqual(['Town 0, Portugal', 50])
  expect([jobs.CD34!.location, problems]).toEqual(['Porto', ['AB12 locations_cut']])
})

test('personio: joins the parts of the text, and reads nested elements', async () => {
  const part = (name: string, value: string) =>
    `<jobDescription><name>${name}</name><value><![CDATA[${value}]]></value></jobDescription>`
  const { jobs } = await read(
    'personio',
    `<?xml version="1.0" encoding="UTF-8"?><workzag-jobs><position><id>5</id><subcompany>Voltaire GmbH</subcompany>
    <office>Köln</office><additionalOffices><office>Bonn</office><office>Köln</office></additionalOffices>
    <name>Monteur &amp; Fahrer</name><jobDescriptions>${part('Aufgaben &amp; mehr', '<p>Montage</p>')}
    ${part('Dein Profil', '<ul><li>Führerschein</li></ul>')}</jobDescriptions><employmentType>permanent</employmentType>
    <schedule>part-time</schedule><seniority>entry-level</seniority><createdAt>2026-02-01T10:00:00+01:00</createdAt>
    </position></workzag-jobs>`,
  )
  const empty = '<workzag-jobs><position><id>6</id><name>Fahrer</name><office>Bonn</office></position></workzag-jobs>'
  expect((await read('personio', empty)).problems).toEqual(['6 no_text'])
  expect(jobs[5]).toMatchObject({
    ...{
      title: 'Monteur & Fahrer',
      company: 'Voltaire GmbH',
      location: 'Köln',
      locations: ['Köln', 'Bonn'],
      type: 'part-time',
    },
    ...{ experience_level: 'entry', requirements: ['Führerschein'], description: '### Aufgaben & mehr\n\nMontage' },
    posted_at: '2026-02-01T09:00:00.000Z',
  })
})

test('teamtailor: uses the number in the URL as the ID', async () => {
  const item = {
    ...{ id: '0a1b-uuid', title: 'Planner', url: 'https://careers.voltaire.example/jobs/4711-planner' },
    date_published: '2026-02-01T09:00:00+01:00',
    _jobposting: {
      ...{
        '@type': 'JobPosting',
        description: '<p>Plan</p>',
        employmentType: ['FULL_TIME'],
        jobLocationType: 'TELECOMMUTE',
      },
      identifier: { '@type': 'PropertyValue', value: '4711' },
      hiringOrganization: { name: 'Voltaire' },
      jobLocation: { address: { addressLocality: 'Lund', addressCountry: { name: 'Sweden' } } },
      baseSalary: { currency: 'SEK', value: { minValue: 40_000, maxValue: 50_000, unitText: 'MONTH' } },
      validThrough: '2026-05-01',
    },
  }
  const { jobs } = await read('teamtailor', { version: 'https://jsonfeed.org/version/1.1', items: [item] })
  expect(jobs[4_711]).toMatchObject({
    ...{ company: 'Voltaire', location: 'Lund, Sweden', remote: true, type: 'full-time', description: 'Plan' },
    ...{
      salary: { min: 40_000, max: 50_000, currency: 'SEK', period: 'month' },
      expires_at: '2026-05-01T23:59:59.999Z',
    },
  })
})

describe('smartrecruiters', () => {
  const list = '/v1/companies/voltaire/postings'
  const entry = (id: string, members: object = {}) => ({
    ...{ id, name: ' Line planner ', company: { identifier: 'voltaire', name: 'Voltaire' }, refNumber: 'R1' },
    releasedDate: '2026-02-20T10:00:00.000Z',
    location: { city: 'Gdańsk', region: 'PM', country: 'pl', remote: false, latitude: '54.3', longitude: '18.6' },
    typeOfEmployment: { id: 'permanent', label: 'Part-time' },
    experienceLevel: { id: 'mid_senior_level' },
    language: { code: 'en' },
    ...{ visibility: 'PUBLIC', ...members },
  })
  const section = (text: string) => ({ title: 'Title', text })
  const detail = (id: string, members: object = {}) => ({
    ...{ ...entry(id), active: true, postingUrl: `https://jobs.voltaire.example/${id}` },
    applyUrl: `https://jobs.voltaire.example/${id}/apply`,
    jobAd: {
      sections: {
        companyDescription: section('<p>Boilerplate</p>'),
        jobDescription: section('<p>Plan lines.</p>'),
        qualifications: section('<ul><li>SAP</li></ul>'),
        additionalInformation: section('<p>Start in May.</p>'),
      },
    },
    ...members,
  })
  const page = (offset: number, totalFound: number, ...content: object[]) => ({
    [`${list}?limit=100&offset=${offset}`]: { offset, limit: 100, totalFound, content },
  })
  const url = formatOf('smartrecruiters').urlOf!('voltaire')

  test('requests each public posting of each page, and omits hidden, missing and ended postings', async () => {
    const { asked, jobs, problems } = await collect('smartrecruiters', url, {
      ...page(0, 4, entry('1'), entry('2', { visibility: 'INTERNAL' })),
      ...page(2, 4, entry('3'), entry('4', { location: { city: 'Łódź', country: 'pl', remote: true } })),
      [`${list}/1`]: detail('1'),
      [`${list}/4`]: detail('4', { location: { remote: true, hybrid: true, city: 'Łódź' }, active: false }),
    })
    expect(asked).toEqual([
      ...[`${list}?limit=100&offset=0`, `${list}/1`, `${list}?limit=100&offset=2`, `${list}/3`, `${list}/4`],
    ])
    expect(problems).toEqual([])
    expect(Object.keys(jobs)).toEqual(['1'])
    expect(jobs[1]).toMatchObject({
      ...{ title: 'Line planner', company: 'Voltaire', location: 'Gdańsk, PM, PL', remote: false, type: 'part-time' },
      ...{ description: 'Plan lines.\n\nStart in May.', requirements: ['SAP'], experience_level: 'senior' },
      ...{ language: 'en', posted_at: '2026-02-20T10:00:00.000Z', application_url: detail('1').applyUrl },
    })
  })

  test.each([
    ['a missing page', 'invalid_document', page(0, 2, entry('1'))],
    ['a list with fewer postings than its count', 'cut_document', { ...page(0, 2, entry('1')), ...page(1, 2) }],
    ['a web page', 'invalid_document', { [`${list}?limit=100&offset=0`]: '<html>' }],
  ])('refuses %s', async (_name, code, responses) => {
    const collected = collect('smartrecruiters', url, { [`${list}/1`]: detail('1'), ...responses })
    await expect(collected).rejects.toMatchObject({ code })
  })
})

describe('bamboohr', () => {
  const url = formatOf('bamboohr').urlOf!('voltaire')
  const entry = {
    ...{ id: '21', jobOpeningName: 'Painter', employmentStatusLabel: 'Full-Time', isRemote: null },
    location: { city: null, state: null },
    atsLocation: { country: 'Canada', province: 'Quebec', city: 'Laval' },
  }
  const detail = (members: object) => ({
    result: {
      jobOpening: {
        jobOpeningShareUrl: 'https://voltaire.bamboohr.com/careers/21',
        description: '<p>Paint &amp; sand.</p>',
        datePosted: '2026-02-11',
        ...members,
      },
    },
  })

  test('reads locations from several fields, and omits postings without a detail document', async () => {
    const { asked, jobs } = await collect('bamboohr', url, {
      '/careers/list': {
        meta: { totalCount: 3 },
        result: [
          { ...entry, locationType: '2' },
          { ...entry, id: 22, locationType: '1' },
          { ...entry, id: '../x' },
        ],
      },
      '/careers/21/detail': detail({}),
      '/careers/22/detail': detail({ location: { city: 'Lyon', state: '', addressCountry: 'France' } }),
    })
    expect(asked.at(-1)).toBe('/careers/..%2Fx/detail')
    expect(jobs[21]).toMatchObject({
      ...{ title: 'Painter', location: 'Laval, Quebec, Canada', remote: false, workplace: 'hybrid', type: 'full-time' },
      ...{ description: 'Paint & sand.', posted_at: '2026-02-11T00:00:00.000Z' },
      application_url: 'https://voltaire.bamboohr.com/careers/21',
    })
    expect(jobs[22]).toMatchObject({ location: 'Lyon, France', remote: true })
    expect(Object.keys(jobs)).toEqual(['21', '22'])
  })

  test('refuses a list that is shorter than its count', async () => {
    const list = { meta: { totalCount: 3 }, result: [entry] }
    await expect(collect('bamboohr', url, { '/careers/list': list })).rejects.toMatchObject({ code: 'cut_document' })
  })
})

describe('job_posting', () => {
  const site = 'https://voltaire.example'
  const node = (members: object = {}) => ({
    ...{ '@context': 'https://schema.org', '@type': 'JobPosting', title: 'Welder', datePosted: '2026-02-20' },
    hiringOrganization: { '@type': 'Organization', name: 'Voltaire', sameAs: site },
    jobLocation: [
      { address: { addressLocality: 'Turin', addressCountry: { name: 'Italy' } } },
      { address: { addressLocality: 'Lille', addressCountry: 'FR' } },
    ],
    description: '<p>Weld.</p>',
    ...members,
  })
  const page = (...blocks: unknown[]) =>
    `<!doctype html><html><head>${blocks
      .map(
        (one) => `<script type="application/ld+json">${typeof one === 'string' ? one : JSON.stringify(one)}</script>`,
      )
      .join('')}</head><body>JobPosting</body></html>`
  const sitemap = (...paths: string[]) =>
    `<?xml version="1.0"?><urlset>${paths.map((path) => `<url><loc> ${path} </loc></url>`).join('')}</urlset>`

  test('reads postings from the pages of a sitemap on the same host, in lists and graphs, and with escaped text', async () => {
    const { asked, jobs, problems } = await collect('job_posting', `${site}/sitemap.xml`, {
      '/sitemap.xml': `<sitemapindex><sitemap><loc>${site}/jobs.xml</loc></sitemap></sitemapindex>`,
      '/jobs.xml': sitemap('/a', '/b', 'https://other.example/x', '/c', '/d', '/e'),
      '/a': page({ '@type': 'Organization' }, [
        node({
          identifier: { '@type': 'PropertyValue', name: 'Voltaire', value: 17 },
          employmentType: ['PART_TIME', 'CONTRACTOR'],
          description: escaped(escaped('<p>Weld &amp; grind.</p>')),
          baseSalary: { currency: 'EUR', value: { minValue: 20, maxValue: '24', unitText: 'HOUR' } },
          validThrough: '2026-05-01',
        }),
      ]),
      '/b': page({
        '@graph': [
          { '@type': 'WebPage' },
          { ...node({ identifier: 'B-1', jobLocationType: 'TELECOMMUTE' }), '@type': ['JobPosting'] },
        ],
      }).replace('<head>', '<head><link rel="canonical" href="/b?clean">'),
      '/c': page(
        node({ jobLocation: { address: 'Turin' }, baseSalary: { currency: 'EUR', value: 3_000, unitText: 'MONTH' } }),
      ),
      '/e': page('{"@type":"JobPosting", cut'),
    })
    expect(asked).toEqual(['/sitemap.xml', '/jobs.xml', '/a', '/b', '/c', '/d', '/e'])
    expect(problems).toEqual(['- unreadable'])
    expect(jobs[17]).toMatchObject({
      ...{
        company: 'Voltaire',
        location: 'Turin, Italy',
        locations: ['Turin, Italy', 'Lille, FR'],
        type: 'part-time',
        description: 'Weld & grind.',
      },
      ...{ salary: { min: 20, max: 24, currency: 'EUR', period: 'hour' }, expires_at: '2026-05-01T23:59:59.999Z' },
      application_url: `${site}/a`,
    })
    expect(jobs['B-1']).toMatchObject({ remote: true, application_url: `${site}/b?clean` })
    expect(jobs[`${site}/c`]).toMatchObject({ location: 'Turin', salary: { min: 3_000, max: 3_000, period: 'month' } })
  })

  test.each([
    ['a page without a posting', 'invalid_document', { '/sitemap.xml': page() }],
    ['a cut sitemap', 'cut_document', { '/sitemap.xml': sitemap('/a').slice(0, -5) }],
    ['a missing sitemap', 'invalid_document', { '/sitemap.xml': '<sitemapindex><loc>/b</loc></sitemapindex>' }],
    ['a sitemap of too many pages', 'too_many_postings', { '/sitemap.xml': sitemap(...Array(2_001).fill('/a')) }],
  ])('refuses %s', async (_name, code, responses) => {
    await expect(collect('job_posting', `${site}/sitemap.xml`, responses)).rejects.toMatchObject({ code })
  })
})

describe('indeed_xml', () => {
  const job = (members: Record<string, string>) =>
    `<job>${Object.entries(members).map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`)}</job>`
  const feed = (...jobs: string[]) => `<?xml version="1.0" encoding="utf-8"?>
    <source><publisher>Voltaire</publisher><job></job>${jobs.join('')}</source>`
  const members = {
    title: 'Fitter',
    referencenumber: 'A1',
    city: 'Leeds',
    country: 'UK',
    description: 'a &oacute; b<br>c',
  }

  test('reads CDATA, dates in two formats, locations and a salary in text, and refuses expired postings', async () => {
    const { jobs, problems } = await read(
      'indeed_xml',
      feed(
        job({
          ...members,
          date: 'Fri, 20 Feb 2026 10:00:00 GMT',
          salary: '£30,000–35,000 per year',
          jobtype: 'fulltime',
        }),
        job({ ...members, referencenumber: 'A2', company: '', date: '2026-02-20', salary: '$20 an hour' }),
        job({ ...members, referencenumber: 'A3', date: '2026-02-20T11:00:00+01:00', expirationdate: '2026-03-01' }),
        '<job><title>Tom &amp; Co</title><referencenumber>A4</referencenumber><city>York</city><description>Go</description></job>',
      ),
    )
    expect(jobs.A1).toMatchObject({
      ...{ location: 'Leeds, UK', description: 'a ó b\nc', type: 'full-time', posted_at: '2026-02-20T10:00:00.000Z' },
      salary: { min: 30_000, max: 35_000, currency: 'GBP', period: 'year' },
    })
    expect(jobs.A2).toMatchObject({ company: 'Default GmbH', posted_at: '2026-02-20T00:00:00.000Z', salary: null })
    expect(jobs.A4).toMatchObject({ title: 'Tom & Co', location: 'York' })
    expect(problems).toEqual(['- no_id', 'A2 salary_ignored', 'A3 expired'])
  })

  test('reads a self-closing element as an empty element', async () => {
    const { jobs, problems } = await read(
      'indeed_xml',
      '<source><publisher/><job><title>Fitter</title><referencenumber>A5</referencenumber><salary/><company />' +
        '<city>York</city><description>Go</description></job><job/></source>',
    )
    expect(jobs.A5).toMatchObject({ title: 'Fitter', company: 'Default GmbH', location: 'York', salary: null })
    expect(problems).toEqual(['- no_id'])
  })

  const bomb = '<!DOCTYPE lolz [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><source><job><title>&b;</title></job></source>'
  test.each([
    ['a document type', 'forbidden_markup', bomb],
    ['a document cut in an element', 'cut_document', feed(job(members)).slice(0, -12)],
    ['a document cut in a text', 'cut_document', feed(job(members)).slice(0, -60)],
    ['a document cut after an opening tag', 'cut_document', '<source><job><title>'],
    ['a document cut after a self-closing tag', 'cut_document', '<source><job><salary/>'],
    ['an element that is closed by another', 'cut_document', '<source><job><title></job></source>'],
    ['an empty document', 'cut_document', ''],
    ['a web page', 'invalid_document', '<html><body>Not found</body></html>'],
    ['text', 'invalid_document', 'Not found'],
    ['another encoding', 'invalid_document', Buffer.from('<source>\xe9</source>', 'latin1')],
    ['deep nesting', 'invalid_document', `<source>${'<a>'.repeat(64)}${'</a>'.repeat(64)}</source>`],
  ])('refuses %s', async (_name, code, document) => {
    await expect(read('indeed_xml', document)).rejects.toMatchObject({ code })
  })

  test('stops at the first fault, and keeps a bounded number of elements', async () => {
    const items: XmlItem[] = []
    const format = xmlFormat({ root: 'source', item: 'job' }, (item) => {
      items.push(item)
      throw new Error('No posting')
    })
    const readAll = (document: string) => Array.fromAsync(format.read(Readable.from([Buffer.from(document)])))
    await expect(readAll(`${bomb}<source><job/></source>`)).rejects.toMatchObject({ code: 'forbidden_markup' })
    expect(items).toEqual([])
    await readAll(`<source><job>${'<a/>'.repeat(1_100_000)}</job></source>`)
    expect(items[0]!.get('a')).toHaveLength(524_288)
  })
})

test('HTML ends at an element that is nested too deeply', () => {
  const shown = (depth: number) => blocksOf(`a${'<div>'.repeat(depth)}b`).map(({ plain }) => plain)
  expect([shown(500), shown(501)]).toEqual([['a', 'b'], ['a']])
})

describe('ndjson', () => {
  const line = (members: object) => `${JSON.stringify({ id: 'n1', title: 'Fitter', location: 'Leeds', ...members })}\n`

  test('keeps every field of a job in the format of this board', async () => {
    const members = {
      ...{ company: 'Voltaire', description: '**Bold**', requirements: ['A'], benefits: ['B'], category: 'design' },
      ...{ type: 'contract', remote: true, experience_level: 'lead', language: 'de-AT', skills: ['CAD'] },
      salary: { min: 1_000, max: 2_000, currency: 'EUR', period: 'month' },
      ...{ posted_at: '2026-02-01T00:00:00.000Z', expires_at: '2026-04-01T23:59:59.999Z' },
      application_url: 'https://voltaire.example/apply',
      custom_questions: [{ id: 'a', label: 'A?', type: 'boolean', required: false }],
    }
    const { jobs } = await read('ndjson', line({ ...members, expires_at: '2026-04-01' }))
    expect(jobs.n1).toMatchObject(members)
  })

  test('cuts long titles and lists of locations, cleans texts, and refuses only bad postings', async () => {
    const places = Array.from({ length: 120 }, (_, n) => `Town ${n}`).join('; ')
    const { jobs, problems } = await read(
      'ndjson',
      [
        line({ title: `${'Very '.repeat(80)}long` }),
        line({ id: 'n2', title: 'A\u00a0b\u0000 \u202ec\u200b 🚐', description: 'x\u0000y', location: places }),
        line({ id: 'n3', title: 'مهندس بطاريات', location: '東京' }),
        line({ id: 'x'.repeat(10_000) }),
        line({ id: 'n4', location: '' }),
        line({ id: 'n5', salary: { min: -1, max: 5, currency: 'EUR' } }),
        line({ id: 'n6', salary: { min: 1, max: 5, currency: 'XBT' } }),
        `{"id":"deep","title":${'['.repeat(64)}${']'.repeat(64)}}\n`,
        '[1]\n',
        'not JSON\n',
        '\n',
      ].join(''),
    )
    expect([...jobs.n1!.title].length).toBeLessThanOrEqual(200)
    expect(jobs.n1!.title.endsWith('…')).toBe(true)
    expect(jobs.n2).toMatchObject({ title: 'A b c 🚐', description: 'xy' })
    expect(jobs.n3).toMatchObject({ title: 'مهندس بطاريات', location: '東京' })
    expect(problems).toEqual([
      ...['n1 title_cut', 'n2 locations_cut', `${'x'.repeat(200)} invalid_id`, 'n4 invalid_location'],
      ...['n5 salary_ignored', 'n6 salary_ignored', '- invalid_posting', '- invalid_posting', '- unreadable'],
    ])
  })

  test.each([
    ['a cut last line', 'cut_document', line({}) + line({}).slice(0, 20)],
    ['a web page', 'invalid_document', '<html>\n<p>Sorry</p>'],
  ])('refuses %s', async (_name, code, document) => {
    await expect(read('ndjson', document)).rejects.toMatchObject({ code })
  })
})

test.each([
  ['a web page', '<html></html>'],
  ['another structure', '{"error":"unknown board"}'],
  ['a cut document', '{"jobs":[{"id":1'],
])('JSON formats refuse %s', async (_name, document) => {
  for (const format of ['greenhouse', 'lever', 'ashby', 'recruitee', 'workable', 'teamtailor'] as const) {
    await expect(read(format, document)).rejects.toMatchObject({ name: 'Error', code: 'invalid_document' })
  }
})

test('HTML becomes Markdown without scripts, styles, images and links other than web links', async () => {
  const html = `<script>alert(1)</script><h1>Über uns</h1><p>Wir <b>bauen </b>Vans.<img src="https://t.example/p.gif"></p>
    <p>•&nbsp;eins<br>• zwei</p><ol><li>Erst<ul><li>tief</li></ul></li><li>dann</li></ol>
    <p><a href="javascript:alert(1)">hier</a> <a href="mailto:a@b.example">Mail</a> <i>kursiv</i></p><p>Wir bieten:</p>
    <ul><li>Kaffee</li></ul><style>p{}</style><table><tr><td>a</td><td>b</td></tr></table>`
  const { jobs } = await read('lever', [{ id: '1', text: 'T', categories: { location: 'Bonn' }, description: html }])
  expect(jobs[1]!.description).toBe(
    [
      ...[
        '### Über uns',
        'Wir **bauen** Vans.',
        '- eins\n- zwei\n- Erst\n  - tief\n- dann',
        'hier Mail *kursiv*',
        'a b',
      ],
    ].join('\n\n'),
  )
  expect(jobs[1]!.benefits).toEqual(['Kaffee'])
})
