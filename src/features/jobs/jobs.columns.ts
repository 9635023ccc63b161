/** Converts a job's members to columns. */
import { findNamesakes, geocode, pointsOf } from '../../geo/gazetteer.ts'
import { allLocations } from '../../lib/locations.ts'
import { annualize, type Salary } from '../../lib/salary.ts'
import { type Workplace, workplaceIn } from '../../lib/workplaces.ts'
import { fold } from '../../search/text/fold.ts'
import { detectLanguage } from '../../search/text/language.ts'
import { words } from '../../search/text/words.ts'
import { plainMembersOf, type SentPlainMembers } from './jobs.members.ts'
import type { JobBody } from './jobs.schemas.ts'
import type { JobSettings } from './jobs.state.ts'

/** The gazetteer's data about a location. */
export interface Placing {
  /** Whether the location can be geocoded, so that searches by distance find the job. */
  isKnown: boolean
  /** The towns that share the location's name, likeliest first, or none if the location is unambiguous. */
  namesakes: readonly string[]
}

/** Maximum number of towns that an employer can choose from. */
const NAMESAKES_MAX = 6

export const placingOf = (location: string): Placing => ({
  isKnown: pointsOf(location).length > 0,
  namesakes: findNamesakes(location, NAMESAKES_MAX),
})

export type JobMembers = ReturnType<typeof completeMembers>

/** Returns all derived columns except the search vector, and the columns of the writable members except the times. */
export function jobColumns(job: JobMembers, company: string) {
  const { low, high } = annualize(job.salary)
  const { locations } = job
  const others = locations.length > 1 ? locations : []
  return {
    title: job.title,
    title_sort: fold(job.title),
    company,
    company_sort: fold(company),
    location: job.location,
    location_sort: fold(job.location),
    location_words: [...new Set(locations.flatMap(words))],
    locations: others,
    locations_folded: others.map(fold),
    ...geocode(locations),
    description: job.description,
    requirements: job.requirements,
    benefits: job.benefits,
    salary_min: job.salary?.min ?? null,
    salary_max: job.salary?.max ?? null,
    salary_currency: job.salary?.currency ?? null,
    salary_period: job.salary?.period ?? null,
    salary_annual_low: low,
    salary_annual_high: high,
    category: job.category,
    type: job.type,
    ...plainMembersOf(job),
    remote: job.workplace === 'remote',
    is_hybrid: job.workplace === 'hybrid',
    language: job.language ?? detectLanguage(job),
    skills: job.skills,
    skills_folded: [...new Set(job.skills.map(fold))],
    custom_questions: JSON.stringify(job.custom_questions),
    application_url: job.application_url,
    contact_email: job.contact_email,
  }
}

/** Returns the members of a request or an import line. Omitted members have their default values. */
export function completeMembers(
  body: Omit<JobBody, PlannedMember | keyof SentPlainMembers | 'workplace'> &
    SentPlainMembers & { workplace?: Workplace | null | undefined },
  { defaultCurrency }: JobSettings,
) {
  return {
    ...body,
    ...plainMembersOf(body),
    workplace: workplaceIn(body),
    locations: allLocations(body.location, body.locations),
    salary: completeSalary(body.salary, defaultCurrency),
    requirements: body.requirements ?? [],
    benefits: body.benefits ?? [],
    skills: body.skills ?? [],
    custom_questions: body.custom_questions ?? [],
    application_url: body.application_url ?? null,
    contact_email: body.contact_email ?? null,
  }
}

/** Returns a salary as sent. Omitted members have their default values. */
export function completeSalary(salary: JobBody['salary'], defaultCurrency: string): Salary | null {
  if (!salary) return null
  return {
    min: salary.min ?? null,
    max: salary.max ?? null,
    currency: salary.currency ?? defaultCurrency,
    period: salary.period ?? 'year',
  }
}

export type PlannedMember = 'expires_at' | 'publish_at'

/** Initial values of the columns that activations, upgrades, removals and other later operations change. */
export const pristine = {
  first_activated_at: null,
  activated_at: null,
  expiry_announced_at: null,
  publish_at: null,
  published_for: null,
  deleted_at: null,
  application_count: 0,
  is_featured: false,
  is_urgent: false,
  is_highlighted: false,
  removed_at: null,
  removal_reason: null,
  removed_from_board: false,
  suspended_from_board: false,
  source: null,
  duplicate_of: null,
}
