/** The tables as Kysely sees them. `test/db/schema.test.ts` compares this file with the migrated database. */
import type { ColumnType, Generated } from 'kysely'
import type { AccountKind } from '../lib/api-keys.ts'

/** Read as values, written as text: pg would make a PostgreSQL array of a JavaScript one. */
type JsonArray = ColumnType<object[], string | undefined, string>

export interface AccountTable {
  id: string
  kind: AccountKind
  name: string
  email: string | null
  email_key: string | null
  created_at: Date
}

export interface ApiKeyTable {
  id: string
  account_id: string
  name: string
  name_sort: string
  hash: string
  prefix: string
  last4: string
  scopes: string[]
  created_at: Date
  last_used_at: Date | null
  expires_at: Date | null
}

export interface InstallationSecretTable {
  name: string
  value: Buffer
}

export interface CandidateTable {
  id: string
  first_name: string
  last_name: string
  phone: string | null
  location: string | null
  headline: string | null
  summary: string | null
  experience: JsonArray
  education: JsonArray
  skills: Generated<string[]>
  website: string | null
  github: string | null
  linkedin: string | null
  is_searchable: Generated<boolean>
  created_at: Date
  updated_at: Date
}

export interface EmployerTable {
  id: string
  account_id: string | null
  name: string
  name_sort: string
  location: string | null
  location_sort: string | null
  location_words: Generated<string[]>
  website: string | null
  logo_url: string | null
  description: string | null
  industry: string | null
  industry_sort: string | null
  employee_count: number | null
  created_at: Date
  updated_at: Date
}

export interface JobTable {
  id: string
  employer_id: string
  title: string
  title_sort: string
  company: string
  company_sort: string
  location: string
  location_sort: string
  location_words: string[]
  description: string
  requirements: Generated<string[]>
  benefits: Generated<string[]>
  salary_min: number | null
  salary_max: number | null
  salary_currency: string | null
  salary_period: string | null
  salary_annual_low: number | null
  salary_annual_high: number | null
  category: string
  type: string
  remote: Generated<boolean>
  skills: Generated<string[]>
  skills_folded: Generated<string[]>
  experience_level: string | null
  custom_questions: JsonArray
  application_url: string | null
  contact_email: string | null
  is_featured: Generated<boolean>
  is_urgent: Generated<boolean>
  is_highlighted: Generated<boolean>
  state: Generated<'inactive' | 'active' | 'closed' | 'deleted'>
  created_at: Date
  updated_at: Date
  posted_at: Date
  first_activated_at: Date | null
  activated_at: Date | null
  expires_at: Date | null
  expiry_announced_at: Date | null
  deleted_at: Date | null
  close_reason: string | null
  application_count: Generated<number>
  import_key: string | null
  search: string
}

export interface ProductTable {
  slug: string
  name: string
  amount: number
  currency: string
  duration_days: number
  position: number
}

export interface PaymentTable {
  id: string
  employer_id: string
  job_id: string
  products: string[]
  amounts: number[]
  amount: number
  currency: string
  status: Generated<'pending' | 'paid' | 'failed' | 'expired' | 'refunded'>
  provider: string
  checkout_token: string
  created_at: Date
  paid_at: Date | null
}

export interface EntitlementTable {
  id: string
  job_id: string
  payment_id: string | null
  product: string
  duration_days: number
  created_at: Date
  consumed_at: Date | null
}

export interface EventTable {
  id: string
  type: string
  subject_id: string
  employer_id: string | null
  candidate_id: string | null
  body: string
  created_at: Date
}

export interface SchemaMigrationTable {
  name: string
  applied_at: Generated<Date>
}

export interface Schema {
  account: AccountTable
  api_key: ApiKeyTable
  installation_secret: InstallationSecretTable
  candidate: CandidateTable
  employer: EmployerTable
  job: JobTable
  product: ProductTable
  payment: PaymentTable
  entitlement: EntitlementTable
  event: EventTable
  schema_migration: SchemaMigrationTable
}
