/** Creates varied requests for the benchmarks, the same in every run. */
import { makeJob, postedFrom, postedUntil, randomFrom, vocabulary } from './make-jobs.ts'

const random = randomFrom(20_260_101)
const { pick, zipf, below, next } = random

const filters: Record<string, () => string> = {
  category: () => pick(vocabulary.categories),
  job_type: () => pick(vocabulary.types),
  remote: () => pick(['true', 'false']),
  location: () => pick([pick(vocabulary.cities), zipf(vocabulary.cities).split(', ')[1]!]),
  company: () => zipf(vocabulary.companies),
  experience_level: () => pick(vocabulary.levels),
  salary_min: () => String(1000 * (30 + below(120))),
  salary_max: () => String(1000 * (40 + below(120))),
  posted_after: () => new Date(postedFrom + below(postedUntil - postedFrom)).toISOString(),
  skills: () => zipf(vocabulary.skills),
}

/** Returns distinct URLs of the job list with one to three filters. */
export function filteredLists(count: number): string[] {
  const urls = new Set<string>()
  while (urls.size < count) {
    const names = random.some(Object.keys(filters), 1, 3)
    if (names.includes('salary_min') && names.includes('salary_max')) continue
    urls.add(`/v1/jobs?${new URLSearchParams(names.map((name) => [name, filters[name]!()]))}`)
  }
  return [...urls]
}

/** Returns distinct searches for one or two words: common words, rare words, roles and skills. */
export function searches(count: number, sort?: 'relevance'): string[] {
  const word = () => pick([zipf, pick])(pick([vocabulary.nouns, vocabulary.verbs, vocabulary.adjectives]))
  const texts = new Set<string>()
  while (texts.size < count) {
    const chance = next()
    if (chance < 0.1) texts.add(pick(vocabulary.roles))
    else if (chance < 0.2) texts.add(pick(vocabulary.skills))
    else texts.add(chance < 0.6 ? word() : `${word()} ${word()}`)
  }
  return [...texts].map((search) => `/v1/jobs?${new URLSearchParams({ search, ...(sort && { sort }) })}`)
}

/** Returns `POST /jobs` bodies for generated jobs that were not imported. */
export function newJobs(count: number, from: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const { title, description, location, category, type, salary, requirements, benefits, remote, skills, ...rest } =
      makeJob(from + index)
    const { experience_level = null } = rest
    const job = { title, description, location, category, type, salary, requirements, benefits, remote, skills }
    return JSON.stringify({ ...job, experience_level })
  })
}
