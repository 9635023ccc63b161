import { describe, expect, it } from 'vitest'
import { demoBoard } from '../../src/demo/board.ts'

const CATEGORIES = [
  'vehicle-engineering',
  'electrical-electronics',
  'powertrain-battery',
  'autonomous-driving',
  'manufacturing-production',
  'quality-testing',
  'vehicle-service',
  'sales-dealership',
  'supply-chain-logistics',
  'motorsport',
  'software-engineering',
  'embedded-software',
  'data-ai',
  'devops-cloud',
  'cybersecurity',
  'it-support',
  'product-management',
  'design-ux',
  'marketing',
  'finance',
  'human-resources',
  'operations',
]

const TYPES = [
  'full-time',
  'part-time',
  'contract',
  'temporary',
  'internship',
  'apprenticeship',
  'freelance',
  'volunteer',
]

const LEVELS = ['entry', 'junior', 'mid', 'senior', 'lead', 'executive', null]
const PERIODS = ['hour', 'day', 'week', 'month', 'year']
const QUESTION_TYPES = ['text', 'textarea', 'boolean', 'number', 'date', 'url', 'single_select', 'multi_select']

const jobs = demoBoard.flatMap((employer) => employer.jobs)
const named = jobs.map((job) => [job.title, job] as const)

/** Counts words separated by spaces. Japanese has no spaces, so a dictionary-based segmenter counts its words. */
function wordCount(text: string): number {
  if (!/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return text.split(/\s+/).length
  return [...new Intl.Segmenter('ja', { granularity: 'word' }).segment(text)].filter((s) => s.isWordLike).length
}

function isExampleHost(host: string): boolean {
  return /^([a-z0-9-]+\.)+example$/.test(host)
}

function isExampleUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && isExampleHost(hostname)
}

function isExampleEmail(email: string): boolean {
  const [local, host, ...rest] = email.split('@')
  return rest.length === 0 && /^[a-z0-9.-]+$/.test(local ?? '') && isExampleHost(host ?? '')
}

describe('the demo board', () => {
  it('has at least 14 employers and 70 jobs, of which four are inactive', () => {
    expect(demoBoard.length).toBeGreaterThanOrEqual(14)
    expect(jobs.length).toBeGreaterThanOrEqual(70)
    expect(jobs.filter((job) => job.state === 'active').length).toBeGreaterThanOrEqual(66)
    expect(jobs.filter((job) => job.state === 'inactive').length).toBe(4)
  })

  it('has no employer that mixes British and American spelling', () => {
    const british = /metre|litre|centre|licence|programme\b|behaviour|modell|tyre|(?:optim|organ|author)is[ae]/i
    const american = /\bmeters?\b|center|license\b|\bprograms?\b|behavior|model(?:ed|ing)|\btires?\b|ptimiz|rganiz/i
    const texts = demoBoard.map((employer) => JSON.stringify(employer))
    const mixed = texts.filter((text) => british.test(text) && american.test(text))
    expect(mixed.map((text) => JSON.parse(text).name)).toEqual([])
  })

  it('covers many categories and currencies, all types and levels, and salaries by hour, day, month and year', () => {
    expect(new Set(jobs.map((job) => job.category)).size).toBeGreaterThanOrEqual(18)
    expect(new Set(jobs.map((job) => job.type))).toEqual(new Set(TYPES))
    expect(new Set(jobs.map((job) => job.experience_level))).toEqual(new Set(LEVELS))
    const salaries = jobs.flatMap((job) => (job.salary === null ? [] : [job.salary]))
    expect(new Set(salaries.map((salary) => salary.currency)).size).toBeGreaterThanOrEqual(8)
    for (const period of ['hour', 'day', 'month', 'year'] as const)
      expect(salaries.some((salary) => salary.period === period)).toBe(true)
    expect(salaries.length).toBeLessThan(jobs.length)
    expect(salaries.some((salary) => salary.min === null)).toBe(true)
    expect(salaries.some((salary) => salary.max === null)).toBe(true)
  })

  it('uses each of eight options in at least five jobs, but in fewer than half', () => {
    const extras = [
      jobs.filter((job) => job.remote),
      jobs.filter((job) => job.workplace === 'hybrid'),
      jobs.filter((job) => job.is_featured),
      jobs.filter((job) => job.is_urgent),
      jobs.filter((job) => job.is_highlighted),
      jobs.filter((job) => job.application_url !== null),
      jobs.filter((job) => job.contact_email !== null),
      jobs.filter((job) => job.custom_questions.length > 0),
    ]
    for (const having of extras) {
      expect(having.length).toBeGreaterThanOrEqual(5)
      expect(having.length).toBeLessThan(jobs.length / 2)
    }
  })

  it('asks custom questions of every type', () => {
    const asked = new Set(jobs.flatMap((job) => job.custom_questions.map((question) => question.type)))
    expect(asked).toEqual(new Set(QUESTION_TYPES))
  })

  it('has more jobs from the last eight days than older jobs, and no two jobs of the same age', () => {
    const ages = jobs.map((job) => job.posted_days_ago).toSorted((a, b) => a - b)
    expect(new Set(ages).size).toBe(ages.length)
    expect(ages[Math.floor(ages.length / 2)]).toBeLessThan(8)
    expect(ages.at(-1)).toBeGreaterThan(20)
  })

  it('never repeats a name, an email address, a website, a title or a paragraph of a description', () => {
    for (const values of [
      demoBoard.map((employer) => employer.name),
      demoBoard.map((employer) => employer.email),
      demoBoard.map((employer) => employer.website),
      jobs.map((job) => job.title),
      jobs.flatMap((job) => job.description.split('\n\n')),
    ])
      expect(new Set(values).size).toBe(values.length)
  })
})

describe.each(demoBoard.map((employer) => [employer.name, employer] as const))('employer %s', (_name, employer) => {
  it('is complete and uses .example domains', () => {
    expect(employer.email).toMatch(/^jobs@/)
    expect(isExampleEmail(employer.email)).toBe(true)
    expect(isExampleUrl(employer.website)).toBe(true)
    if (employer.logo_url !== null) expect(isExampleUrl(employer.logo_url)).toBe(true)
    expect(employer.location.length).toBeGreaterThan(0)
    expect(employer.description.length).toBeGreaterThan(100)
    expect(employer.industry.length).toBeGreaterThan(0)
    expect(Number.isSafeInteger(employer.employee_count) && employer.employee_count > 0).toBe(true)
    expect(employer.jobs.length).toBeGreaterThan(0)
    const domain = employer.email.split('@')[1]
    for (const job of employer.jobs) {
      if (job.contact_email !== null) expect(job.contact_email.endsWith(`@${domain}`)).toBe(true)
      if (job.application_url !== null) expect(new URL(job.application_url).hostname.endsWith(`${domain}`)).toBe(true)
    }
  })
})

describe.each(named)('job %s', (_title, job) => {
  it('respects the limits of the board', () => {
    expect(job.title.length).toBeLessThanOrEqual(200)
    for (const location of [job.location, ...(job.locations ?? [])]) expect(location.length).toBeLessThanOrEqual(200)
    expect(job.description.length).toBeLessThanOrEqual(50_000)
    for (const list of [job.requirements, job.benefits, job.skills]) expect(new Set(list).size).toBe(list.length)
    for (const entry of [...job.requirements, ...job.benefits]) {
      expect(entry.length).toBeGreaterThan(0)
      expect(entry.length).toBeLessThanOrEqual(500)
    }
    for (const skill of job.skills) expect(skill.length).toBeLessThanOrEqual(64)
    expect(CATEGORIES).toContain(job.category)
    expect(TYPES).toContain(job.type)
    expect(LEVELS).toContain(job.experience_level)
    expect(job.remote).toBe(/^Remote/.test(job.location))
    expect(job.remote && job.workplace === 'hybrid').toBe(false)
  })

  it('has a description and lists of realistic lengths', () => {
    const words = wordCount(job.description)
    expect(words).toBeGreaterThanOrEqual(80)
    expect(words).toBeLessThanOrEqual(250)
    expect(job.description.split('\n\n').length).toBeGreaterThanOrEqual(2)
    expect(job.description).not.toMatch(/<[a-z/]|https?:/i)
    expect(job.requirements.length).toBeGreaterThanOrEqual(3)
    expect(job.requirements.length).toBeLessThanOrEqual(6)
    expect(job.benefits.length).toBeGreaterThanOrEqual(2)
    expect(job.benefits.length).toBeLessThanOrEqual(5)
    expect(job.skills.length).toBeGreaterThanOrEqual(3)
    expect(job.skills.length).toBeLessThanOrEqual(8)
    if (job.contact_email !== null) expect(isExampleEmail(job.contact_email)).toBe(true)
    if (job.application_url !== null) expect(isExampleUrl(job.application_url)).toBe(true)
  })

  it('has a valid salary or none', () => {
    if (job.salary === null) return
    const { min, max, currency, period } = job.salary
    expect(currency).toMatch(/^[A-Z]{3}$/)
    expect(PERIODS).toContain(period)
    expect(min !== null || max !== null).toBe(true)
    for (const end of [min, max]) if (end !== null) expect(Number.isSafeInteger(end) && end > 0).toBe(true)
    if (min !== null && max !== null) expect(min).toBeLessThanOrEqual(max)
  })

  it('has valid custom questions', () => {
    const ids = job.custom_questions.map((question) => question.id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const question of job.custom_questions) {
      expect(question.id).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
      expect(question.label.length).toBeGreaterThan(0)
      expect(QUESTION_TYPES).toContain(question.type)
      const isSelect = question.type === 'single_select' || question.type === 'multi_select'
      expect(question.options !== undefined).toBe(isSelect)
      const options = question.options ?? []
      if (isSelect) expect(options.length).toBeGreaterThanOrEqual(2)
      expect(new Set(options).size).toBe(options.length)
    }
  })

  it('has not expired when the board is loaded', () => {
    expect(job.posted_days_ago).toBeGreaterThanOrEqual(0.1)
    expect(job.posted_days_ago).toBeLessThanOrEqual(29)
    expect(job.runs_for_days).toBeGreaterThan(job.posted_days_ago + 1)
    expect(job.runs_for_days).toBeLessThanOrEqual(365)
  })
})
