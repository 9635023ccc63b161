/**
 * Types for the demo board, and two helpers that keep the content files readable. `job` adds common defaults and joins
 * the description's paragraphs. `pay` lets a salary fit on one line.
 */

export interface CustomQuestion {
  /** In snake_case, unique within its job. */
  id: string
  label: string
  type: 'text' | 'textarea' | 'boolean' | 'number' | 'date' | 'url' | 'single_select' | 'multi_select'
  required: boolean
  /** Required for `single_select` and `multi_select`, and absent for all other types. */
  options?: string[]
}

export interface DemoSalary {
  min: number | null
  max: number | null
  currency: string
  period: 'hour' | 'day' | 'week' | 'month' | 'year'
}

export interface DemoJob {
  title: string
  description: string
  location: string
  /** The other locations. */
  locations?: string[]
  category: string
  type: string
  salary: DemoSalary | null
  requirements: string[]
  benefits: string[]
  remote: boolean
  /** Omitted for jobs that are remote or on site. */
  workplace?: 'hybrid'
  skills: string[]
  experience_level: 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive' | null
  custom_questions: CustomQuestion[]
  application_url: string | null
  contact_email: string | null
  is_featured: boolean
  is_urgent: boolean
  is_highlighted: boolean
  /** Age of the posting when the board is seeded, 0.1 to 29 days. */
  posted_days_ago: number
  /** Days from posting to expiry. More than one day remains at the time of seeding. */
  runs_for_days: number
  state: 'active' | 'inactive'
}

export interface DemoEmployer {
  name: string
  email: string
  website: string
  location: string
  description: string
  industry: string
  employee_count: number
  logo_url: string | null
  jobs: DemoJob[]
}

type Usual =
  | 'remote'
  | 'custom_questions'
  | 'application_url'
  | 'contact_email'
  | 'is_featured'
  | 'is_urgent'
  | 'is_highlighted'
  | 'state'

type JobDraft = Omit<DemoJob, Usual | 'description'> &
  Partial<Pick<DemoJob, Usual>> & {
    /** One string per paragraph. */
    description: string[]
  }

export function job(draft: JobDraft): DemoJob {
  return {
    remote: false,
    custom_questions: [],
    application_url: null,
    contact_email: null,
    is_featured: false,
    is_urgent: false,
    is_highlighted: false,
    state: 'active',
    ...draft,
    description: draft.description.join('\n\n'),
  }
}

export function pay(
  min: number | null,
  max: number | null,
  currency: string,
  period: DemoSalary['period'],
): DemoSalary {
  return { min, max, currency, period }
}
