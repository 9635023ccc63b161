/** Kysely's types of the tables. `test/db/schema.test.ts` compares this file with the migrated database. */
import type { ColumnType, Generated } from 'kysely'
import type { AccountKind } from '../lib/api-keys.ts'

/** Read as JSON values but written as text, because pg would convert a JavaScript array to a PostgreSQL array. */
type JsonArray = ColumnType<object[], string | undefined, string>
type JsonObject = ColumnType<Record<string, unknown>, string, string>

export interface AccountTable {
  id: string
  kind: AccountKind
  name: string
  email: string | null
  email_key: string | null
  created_at: Date
  suspended_at: Date | null
  name_sort: string | null
  email_proved_key: string | null
  closed_at: Date | null
  email_confirmed_key: string | null
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

export interface SessionTable {
  id: string
  token_hash: string
  account_id: string
  key_hash: string | null
  created_at: Date
  last_seen_at: Date
  expires_at: Date
}

export interface SignInLinkTable {
  token_hash: string
  account_id: string
  expires_at: Date
}

export interface SignInRequestTable {
  address_hash: string
  requested_at: Date
}

export interface SuppressedAddressTable {
  address_hash: string
  created_at: Date
}

export interface UnconfirmedEmailTable {
  address_hash: string
  sent_at: Date
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
  last_active_at: Date
  last_name_sort: Generated<string>
  location_sort: string | null
  location_words: Generated<string[]>
  skills_folded: Generated<string[]>
  search: Generated<string>
  mail_on_status_change: Generated<boolean>
  places: number[] | null
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
  mail_on_application: Generated<boolean>
  changed_xid: Generated<string>
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
  experience_level: 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive' | null
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
  /** Null: not computed yet. */
  search: string | null
  visible_since: Date | null
  places: number[] | null
  number: Generated<number>
  changed_xid: Generated<string>
  /** No longer read. */
  headings: Generated<string>
  /** Set by a trigger, which recomputes the value when a statement sets the column to null. */
  board_changed_at: Date | null
  left_board_at: Date | null
  removed_at: Date | null
  removal_reason: string | null
  removed_from_board: Generated<boolean>
  suspended_from_board: Generated<boolean>
}

export interface JobReportTable {
  id: string
  job_id: string
  employer_id: string
  reporter_id: string | null
  network_hash: string | null
  reason: string
  message: string | null
  status: Generated<'open' | 'upheld' | 'dismissed'>
  note: string | null
  created_at: Date
  decided_at: Date | null
  decided_by: string | null
}

/** The words of the jobs on the board, maintained by triggers. */
export interface JobSearchTable {
  number: number
  search: string
}

/** The words of title, skills and company. */
export interface JobHeadingsTable {
  number: number
  headings: string
}

export interface RemovedJobTable {
  number: number
  changed_xid: string
}

export interface JobViewDayTable {
  job_id: string
  day: string
  views: number
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

export interface ResumeTable {
  id: string
  candidate_id: string
  filename: string
  content_type: string
  size_bytes: number
  sha256: string
  store: 'database' | 's3'
  created_at: Date
  deleted_at: Date | null
  extraction: Generated<'pending' | 'done' | 'failed'>
  extraction_attempts: Generated<number>
  extraction_lease_until: Date | null
  extraction_error: string | null
  extracted_text: string | null
}

export interface ResumeContentTable {
  resume_id: string
  bytes: Buffer
}

export interface StoredObjectToDeleteTable {
  key: string
  due_at: Date
}

export interface ApplicationTable {
  id: string
  job_id: string
  employer_id: string
  candidate_id: string | null
  cover_letter: string
  answers: JsonObject
  resume_id: string | null
  status: Generated<'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'>
  applied_at: Date
  updated_at: Date
  withdrawn_at: Date | null
  withdrawal_reason: string | null
  erased_at: Date | null
}

export interface ApplicationStatusChangeTable {
  application_id: string
  position: number
  status: string
  reason: string | null
  at: Date
}

export interface SavedJobTable {
  candidate_id: string
  job_id: string
  saved_at: Date
}

export interface MailTable {
  id: string
  kind: string
  account_id: string
  subject_id: string
  details: JsonObject
  state: Generated<'pending' | 'sent' | 'dropped' | 'failed' | 'unknown'>
  attempts: Generated<number>
  due_at: Date
  lease_until: Date | null
  handed_over_at: Date | null
  last_error: string | null
  created_at: Date
  settled_at: Date | null
}

export interface JobAlertTable {
  id: string
  candidate_id: string
  name: string
  name_sort: string
  criteria: JsonObject
  anchors: string[]
  frequency: 'instant' | 'daily' | 'weekly'
  is_active: Generated<boolean>
  watches_from: Date
  last_run_at: Date | null
  next_run_at: Date | null
  created_at: Date
  updated_at: Date
}

export interface JobAlertMatchTable {
  alert_id: string
  job_id: string
  mail_id: string
  matched_at: Date
}

export interface NewlyVisibleJobTable {
  job_id: string
  visible_at: Date
}

export interface WebhookTable {
  id: string
  owner_id: string
  audience: string
  url: string
  events: string[]
  description: string | null
  status: Generated<'active' | 'paused' | 'disabled'>
  disabled_reason: 'gone' | 'failing' | 'key_revoked' | null
  disabled_at: Date | null
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_secret_until: Date | null
  watched_from: Date
  last_success_at: Date | null
  consecutive_failures: Generated<number>
  first_failure_at: Date | null
  breaker_trips: Generated<number>
  breaker_until: Date | null
  tested_at: Date | null
  created_at: Date
  updated_at: Date
  ends_with_key: Generated<boolean>
  key_id: string | null
  key_expires_at: Date | null
}

export interface WebhookDeliveryTable {
  id: string
  event_id: string
  webhook_id: string
  event_type: string
  state: Generated<'pending' | 'delivered' | 'exhausted' | 'canceled'>
  settled_as: string | null
  due_at: Date | null
  scheduled_at: Date | null
  attempts: Generated<number>
  scheduled_attempts: Generated<number>
  manual_wanted: Generated<number>
  lease_until: Date | null
  lease_trigger: string | null
  last_status: number | null
  last_reason: string | null
  created_at: Date
  settled_at: Date | null
}

export interface WebhookAttemptTable {
  delivery_id: string
  number: number
  trigger: 'scheduled' | 'manual'
  started_at: Date
  duration_ms: number
  status: number | null
  error_class: string | null
  reason: string | null
  response_excerpt: string | null
  address: string | null
}

export interface WebhookRecoveryTable {
  id: string
  webhook_id: string
  since: Date
  until: Date
  state: Generated<'running' | 'done' | 'canceled'>
  examined: Generated<number>
  created: Generated<number>
  requeued: Generated<number>
  unchanged: Generated<number>
  reached_at: Date
  reached_id: Generated<string>
  created_at: Date
  finished_at: Date | null
}

export interface IdempotentAnswerTable {
  id: string
  account_id: string | null
  fingerprint: string
  answer_sealed: string
  created_at: Date
}

export interface RateLimitTable {
  window_end: Date
  policy: string
  subject: string
  used: number
}

export interface StripeCheckoutTable {
  payment_id: string
  begun_at: Date
  session_id: string | null
  submitted_at: Date | null
  check_at: Date | null
}

export interface StripeEventTable {
  id: string
  received_at: Date
}

export interface StripeReadingTable {
  id: Generated<boolean>
  read_until: Date
  leased_until: Date | null
}

export interface SchemaMigrationTable {
  name: string
  applied_at: Generated<Date>
}

export interface SettingTable {
  name: string
  value: string
  changed_at: Date
  changed_by: string
}

export interface CatalogueEntryTable {
  kind: 'category' | 'type'
  slug: string
  name: string
  position: number
}

export interface OperatorActionTable {
  id: string
  at: Date
  account_id: string
  key_name: string
  action: string
  subject: string
  note: string | null
}

export interface TaskHealthTable {
  task: string
  done_at: Date | null
  failed_at: Date | null
  error: string | null
}

export interface BlockTable {
  id: string
  kind: 'address' | 'network' | 'email_domain'
  value: string
  reason: string
  created_at: Date
  created_by: string
  expires_at: Date | null
}

export interface TaskRunTable {
  task: string
  requested_at: Date
  requested_by: string
  started_at: Date | null
  ended_at: Date | null
  lease_until: Date | null
  error: string | null
}

export interface Schema {
  account: AccountTable
  api_key: ApiKeyTable
  session: SessionTable
  sign_in_link: SignInLinkTable
  sign_in_request: SignInRequestTable
  suppressed_address: SuppressedAddressTable
  unconfirmed_email: UnconfirmedEmailTable
  installation_secret: InstallationSecretTable
  candidate: CandidateTable
  employer: EmployerTable
  job: JobTable
  job_search: JobSearchTable
  job_headings: JobHeadingsTable
  removed_job: RemovedJobTable
  job_view_day: JobViewDayTable
  job_report: JobReportTable
  product: ProductTable
  payment: PaymentTable
  entitlement: EntitlementTable
  event: EventTable
  resume: ResumeTable
  resume_content: ResumeContentTable
  stored_object_to_delete: StoredObjectToDeleteTable
  application: ApplicationTable
  application_status_change: ApplicationStatusChangeTable
  saved_job: SavedJobTable
  mail: MailTable
  job_alert: JobAlertTable
  job_alert_match: JobAlertMatchTable
  newly_visible_job: NewlyVisibleJobTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  webhook_attempt: WebhookAttemptTable
  webhook_recovery: WebhookRecoveryTable
  idempotent_answer: IdempotentAnswerTable
  rate_limit: RateLimitTable
  stripe_checkout: StripeCheckoutTable
  stripe_event: StripeEventTable
  stripe_reading: StripeReadingTable
  setting: SettingTable
  catalogue_entry: CatalogueEntryTable
  operator_action: OperatorActionTable
  task_health: TaskHealthTable
  task_run: TaskRunTable
  block: BlockTable
  schema_migration: SchemaMigrationTable
}
