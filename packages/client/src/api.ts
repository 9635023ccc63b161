/**
 * The API's types and methods. Generated from the service's OpenAPI document and `operations.ts`: do not edit, run
 * "npm test -- test/client -u".
 */
import type { RequestOptions } from './client.ts'

export interface Counts {
  read: number
  created: number
  updated: number
  unchanged: number
  missing: number
  closed: number
  reopened: number
  refused: number
}

export interface CreatedBy {
  member_id: string
  name: string
}

export interface CriteriaInput {
  /** Words in title, company, description or skills. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
  search?: string
  /** Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search. */
  location?: string
  /** Not equal to the value. */
  location_not?: string
  /** Matches any of these values. */
  location_in?: string[]
  /** Maximum distance from `location`, in `distance_unit` (default: miles). */
  distance?: number
  /** Unit of `distance`: mi (miles, the default) or km. */
  distance_unit?: 'mi' | 'km'
  /** Category. */
  category?: string
  /** Not equal to the value. */
  category_not?: string
  /** Matches any of these values. */
  category_in?: string[]
  /** Job type. */
  job_type?: string
  /** Not equal to the value. */
  job_type_not?: string
  /** Matches any of these values. */
  job_type_in?: string[]
  /** Company, ignoring case and accents. */
  company?: string
  /** Not equal to the value. */
  company_not?: string
  /** Matches any of these values. */
  company_in?: string[]
  /** Whether the job is remote. */
  remote?: boolean
  /** Where people work. */
  workplace?: 'on_site' | 'hybrid' | 'remote'
  /** Not equal to the value. */
  workplace_not?: 'on_site' | 'hybrid' | 'remote'
  /** Matches any of these values. */
  workplace_in?: ('on_site' | 'hybrid' | 'remote')[]
  /** Whether the job is featured. */
  is_featured?: boolean
  /** Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum. */
  salary_min?: number
  /** Greater than the value. */
  salary_min_gt?: number
  /** Less than the value. */
  salary_min_lt?: number
  /** At least the value. */
  salary_min_gte?: number
  /** At most the value. */
  salary_min_lte?: number
  /** Not equal to the value. */
  salary_min_not?: number
  /** Matches any of these values. */
  salary_min_in?: number[]
  /** Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum. */
  salary_max?: number
  /** Greater than the value. */
  salary_max_gt?: number
  /** Less than the value. */
  salary_max_lt?: number
  /** At least the value. */
  salary_max_gte?: number
  /** At most the value. */
  salary_max_lte?: number
  /** Not equal to the value. */
  salary_max_not?: number
  /** Matches any of these values. */
  salary_max_in?: number[]
  /** ISO 4217 code. */
  salary_currency?: string
  /** Not equal to the value. */
  salary_currency_not?: string
  /** Matches any of these values. */
  salary_currency_in?: string[]
  /** Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary. */
  salary_in?: string
  /** include: jobs without a salary pass the salary filters. */
  salary_unspecified?: 'include'
  /** When the job was posted. */
  posted_at?: string | Date
  /** Greater than the value. */
  posted_at_gt?: string | Date
  /** Less than the value. */
  posted_at_lt?: string | Date
  /** At least the value. */
  posted_at_gte?: string | Date
  /** At most the value. */
  posted_at_lte?: string | Date
  /** Not equal to the value. */
  posted_at_not?: string | Date
  /** Matches any of these values. */
  posted_at_in?: (string | Date)[]
  /** Posted after this time. */
  posted_after?: string | Date
  /** Posted before this time. */
  posted_before?: string | Date
  /** When the job expires. */
  expires_at?: string | Date
  /** Greater than the value. */
  expires_at_gt?: string | Date
  /** Less than the value. */
  expires_at_lt?: string | Date
  /** At least the value. */
  expires_at_gte?: string | Date
  /** At most the value. */
  expires_at_lte?: string | Date
  /** Not equal to the value. */
  expires_at_not?: string | Date
  /** Matches any of these values. */
  expires_at_in?: (string | Date)[]
  /** All of these skills. With _in: any of them. With _not: none of them. */
  skills?: string[]
  /** Matches none of these values. */
  skills_not?: string[]
  /** Matches any of these values. */
  skills_in?: string[]
  /** Experience level. */
  experience_level?: 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive'
  /** Not equal to the value. */
  experience_level_not?: 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive'
  /** Matches any of these values. */
  experience_level_in?: ('entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive')[]
  /** Language of the text, without a region: de also matches de-AT. */
  language?: string
  /** Not equal to the value. */
  language_not?: string
  /** Matches any of these values. */
  language_in?: string[]
  /** Job type. */
  type?: string
  /** Not equal to the value. */
  type_not?: string
  /** Matches any of these values. */
  type_in?: string[]
}

export interface CustomQuestion {
  id: string
  label: string
  type: 'text' | 'textarea' | 'boolean' | 'number' | 'date' | 'url' | 'single_select' | 'multi_select'
  required: boolean
  options?: string[]
}

export interface Education {
  institution: string
  degree: string | null
  field: string | null
  start_date: string | null
  end_date: string | null
  description: string | null
}

export interface Experience {
  title: string
  company: string
  location: string | null
  start_date: string
  end_date: string | null
  /** Whether end_date is null. */
  current: boolean
  description: string | null
}

export interface Pagination {
  total: number
  pages?: number
  page?: number
  limit: number
  has_more: boolean
  next_cursor: string | null
  prev_cursor: string | null
}

export interface Salary {
  min: number | null
  max: number | null
  currency: string
  period: 'hour' | 'day' | 'week' | 'month' | 'year'
}

export interface SalaryInput {
  min?: number | null
  max?: number | null
  currency?: string
  period?: 'hour' | 'day' | 'week' | 'month' | 'year'
}

export interface Search {
  /** Number of items that match every term. These come first. */
  matched_all: number
  /** Number of items that match only some terms. */
  matched_some: number
  /** The corrected search text, if the service used it instead of the text sent; otherwise null. */
  corrected: string | unknown
  /** Terms that the search ignored: those beyond the first 12, in lowercase without accents. */
  ignored_terms: string[]
}

export interface Sort {
  fields: string[]
  directions: ('asc' | 'desc')[]
}

export interface Stale {
  /** When the list was last in sync with the database. */
  since: string
}

export type Decision = 'same' | 'different' | 'undecided'

export type DisabledReason = 'gone' | 'failing' | 'key_revoked'

export type ErrorClass = 'dns' | 'blocked_address' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http_status' | 'internal'

export type ExperienceLevel = 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive'

export type Facet = 'category' | 'job_type' | 'remote' | 'experience_level' | 'language' | 'workplace'

export type Format = 'ndjson' | 'greenhouse' | 'lever' | 'ashby' | 'recruitee' | 'smartrecruiters' | 'workable' | 'personio' | 'teamtailor' | 'bamboohr' | 'indeed_xml' | 'job_posting'

export type Frequency = 'instant' | 'daily' | 'weekly'

export type Language = 'en' | 'de' | 'fr' | 'es' | 'ja'

export type Method = 'dns' | 'file' | 'email'

export type Period = 'hour' | 'day' | 'week' | 'month' | 'year'

export type Role = 'owner' | 'recruiter' | 'viewer'

export type Scope = 'profile:read' | 'profile:write' | 'applications:read' | 'applications:write' | 'jobs:read' | 'jobs:write' | 'candidates:read' | 'candidates:write' | 'payments:read' | 'payments:write' | 'alerts:read' | 'alerts:write' | 'webhooks:read' | 'webhooks:write' | 'admin:read' | 'admin:write'

export type Workplace = 'on_site' | 'hybrid' | 'remote'

/** A problem document (RFC 9457). Some codes have additional fields. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: 'invalid_json' | 'invalid_parameter' | 'unknown_parameter' | 'invalid_cursor' | 'pagination_conflict' | 'location_not_resolved' | 'bad_request' | 'unauthorized' | 'payment_required' | 'employer_account_required' | 'candidate_account_required' | 'admin_account_required' | 'publishable_key' | 'origin_not_allowed' | 'insufficient_scope' | 'insufficient_role' | 'fresh_sign_in_required' | 'form_refused' | 'account_suspended' | 'email_blocked' | 'network_blocked' | 'not_owner' | 'not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'already_applied' | 'already_reported' | 'job_not_open' | 'fed_job' | 'job_removed' | 'invalid_transition' | 'email_taken' | 'last_owner' | 'limit_reached' | 'conflict' | 'idempotency_in_progress' | 'iterator_expired' | 'precondition_failed' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'range_not_satisfiable' | 'expectation_failed' | 'validation_failed' | 'idempotency_key_reuse' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'unavailable'
  request_id: string
  /** The first 100 faults of the request. */
  errors?: {
    /** JSON pointer to the faulty field, such as #/salary/max. */
    pointer?: string
    /** Name of the faulty query parameter. */
    parameter?: string
    code: string
    detail: string
  }[]
}

export interface AccountDetail {
  id: string
  kind: 'candidate' | 'employer' | 'admin' | 'integrator'
  name: string
  email: string | null
  created_at: string
  /** When the account was suspended. Its jobs are hidden, and its keys and sessions are refused. */
  suspended_at: string | null
  /** Oldest first. */
  api_keys: ApiKey[]
  holdings: {
    jobs_inactive: number
    jobs_active: number
    jobs_expired: number
    jobs_closed: number
    payments: number
    applications_received: number
    applications: number
    resumes: number
    saved_jobs: number
    job_alerts: number
    webhooks: number
  }
  /** Use in the current windows: search-time and extraction-time are in milliseconds; storage, storage-burst and responses are in KiB; emails is a count. Each process shares new use with the others within a second once that use exceeds 1% of the quota. */
  budgets: {
    name: 'search-time' | 'storage' | 'storage-burst' | 'responses' | 'emails' | 'extraction-time'
    used: number
    quota: number
    window_seconds: number
    /** Start of the next window. Null while the budget is unused. */
    resets_at: string | null
  }[]
}

export interface Account {
  id: string
  kind: 'candidate' | 'employer' | 'admin' | 'integrator'
  name: string
  email: string | null
  created_at: string
  /** When the account was suspended. Its jobs are hidden, and its keys and sessions are refused. */
  suspended_at: string | null
}

export interface ApiKeyCreated {
  id: string
  name: string
  /** Kind of the account, or publishable. */
  kind: 'candidate' | 'employer' | 'admin' | 'integrator' | 'publishable'
  scopes: Scope[]
  /** First characters of the key. */
  prefix: string
  /** Last four characters of the key. */
  last4: string
  created_at: string
  /** Accurate to the minute. */
  last_used_at: string | null
  expires_at: string | null
  /** Null for candidates, and for actions that no member performed, such as those of a key without a member. */
  created_by: CreatedBy | null
  /** Origins whose pages may use a publishable key. Null for all origins, and for secret keys. */
  allowed_origins: string[] | null
  /** The API key. Unless it is publishable, only this response contains it. */
  key: string
}

export interface ApiKey {
  id: string
  name: string
  /** Kind of the account, or publishable. */
  kind: 'candidate' | 'employer' | 'admin' | 'integrator' | 'publishable'
  scopes: Scope[]
  /** First characters of the key. */
  prefix: string
  /** Last four characters of the key. */
  last4: string
  created_at: string
  /** Accurate to the minute. */
  last_used_at: string | null
  expires_at: string | null
  /** Null for candidates, and for actions that no member performed, such as those of a key without a member. */
  created_by: CreatedBy | null
  /** Origins whose pages may use a publishable key. Null for all origins, and for secret keys. */
  allowed_origins: string[] | null
  /** The API key if it is publishable, otherwise null. */
  key: string | null
}

export interface Me {
  account_id: string
  kind: 'candidate' | 'employer' | 'admin' | 'integrator'
  name: string
  email: string | null
  scopes: Scope[]
  key: {
    id: string
    name: string
    last4: string
  }
}

/** All stored data about the candidate, with one field per kind of data. */
export interface CandidateExport {
  exported_at: string
  account: {
    id: string
    name: string
    email: string | null
    /** The language of emails. Null means the board's default language. */
    language: string | null
    created_at: string
  }
  profile: Candidate
  last_active: string
}

export interface CandidateRegistered {
  id: string
  first_name: string
  last_name: string
  email: string
  phone: string | null
  location: string | null
  headline: string | null
  summary: string | null
  experience: Experience[]
  education: Education[]
  skills: string[]
  /** URL of the newest resume. */
  resume_url: string | null
  website: string | null
  github: string | null
  linkedin: string | null
  /** Whether all employers can find the candidate. */
  is_searchable: boolean
  /** Whether to email the candidate about their applications. */
  mail_on_status_change: boolean
  created_at: string
  updated_at: string
  /** The account's first API key, shown only here. Null in a replayed response if the registration was sent without an API key. */
  api_key: string | null
}

export interface Candidate {
  id: string
  first_name: string
  last_name: string
  email: string
  phone: string | null
  location: string | null
  headline: string | null
  summary: string | null
  experience: Experience[]
  education: Education[]
  skills: string[]
  /** URL of the newest resume. */
  resume_url: string | null
  website: string | null
  github: string | null
  linkedin: string | null
  /** Whether all employers can find the candidate. */
  is_searchable: boolean
  /** Whether to email the candidate about their applications. */
  mail_on_status_change: boolean
  created_at: string
  updated_at: string
}

export interface FoundCandidateDetail {
  id: string
  first_name: string
  last_name: string
  headline: string | null
  location: string | null
  skills: string[]
  /** Accurate to the minute. */
  last_active: string
  created_at: string
  /** Email address. Employers see it only if the candidate applied to one of their jobs. */
  email: string | null
  /** Telephone number. Employers see it only if the candidate applied to one of their jobs. */
  phone: string | null
  summary: string | null
  experience: Experience[]
  education: Education[]
  website: string | null
  github: string | null
  linkedin: string | null
}

export interface FoundCandidate {
  id: string
  first_name: string
  last_name: string
  headline: string | null
  location: string | null
  skills: string[]
  /** Accurate to the minute. */
  last_active: string
  created_at: string
  /** Email address. Employers see it only if the candidate applied to one of their jobs. */
  email: string | null
  /** Telephone number. Employers see it only if the candidate applied to one of their jobs. */
  phone: string | null
  /** Distance in miles from the center of the search to the nearest geocoded point; only in searches with `distance`. */
  distance_miles?: number
}

export interface EmployerDetail {
  id: string
  name: string
  location: string | null
  website: string | null
  logo_url: string | null
  description: string | null
  industry: string | null
  employee_count: number | null
  cover_url: string | null
  /** Whether the employer has proved that it owns `verified_domain`. */
  is_verified: boolean
  /** Domain of the website. Null until the employer proves that it owns the domain. */
  verified_domain: string | null
  /** Number of the employer's jobs on the board. */
  open_positions: number
  created_at: string
  updated_at: string
  /** The description as sanitized HTML, as shown on pages. */
  description_html: string | null
}

export interface EmployerProfile {
  id: string
  name: string
  location: string | null
  website: string | null
  logo_url: string | null
  description: string | null
  industry: string | null
  employee_count: number | null
  cover_url: string | null
  /** Whether the employer has proved that it owns `verified_domain`. */
  is_verified: boolean
  /** Domain of the website. Null until the employer proves that it owns the domain. */
  verified_domain: string | null
  /** Number of the employer's jobs on the board. */
  open_positions: number
  created_at: string
  updated_at: string
  /** The description as sanitized HTML, as shown on pages. */
  description_html: string | null
  /** Receives sign-in links. Never public. */
  email: string
  /** Whether to send emails to `email` about applications and messages from candidates. Members choose for themselves. */
  mail_on_application: boolean
  /** Company name on invoices. Null means the name in the profile. */
  billing_name: string | null
  /** Postal address on invoices. */
  billing_address: string | null
  /** VAT or tax ID on invoices. */
  vat_id: string | null
}

export interface EmployerRegistered {
  id: string
  name: string
  location: string | null
  website: string | null
  logo_url: string | null
  description: string | null
  industry: string | null
  employee_count: number | null
  cover_url: string | null
  /** Whether the employer has proved that it owns `verified_domain`. */
  is_verified: boolean
  /** Domain of the website. Null until the employer proves that it owns the domain. */
  verified_domain: string | null
  /** Number of the employer's jobs on the board. */
  open_positions: number
  created_at: string
  updated_at: string
  /** The description as sanitized HTML, as shown on pages. */
  description_html: string | null
  /** The account's first API key, shown only here. Null in a replayed response if the registration was sent without an API key. */
  api_key: string | null
}

export interface Employer {
  id: string
  name: string
  location: string | null
  website: string | null
  logo_url: string | null
  description: string | null
  industry: string | null
  employee_count: number | null
  cover_url: string | null
  /** Whether the employer has proved that it owns `verified_domain`. */
  is_verified: boolean
  /** Domain of the website. Null until the employer proves that it owns the domain. */
  verified_domain: string | null
  /** Number of the employer's jobs on the board. */
  open_positions: number
  created_at: string
  updated_at: string
}

export interface Member {
  id: string
  name: string | null
  email: string
  /** An owner may do everything. A recruiter may not change members or the company's profile, and may not see keys, webhooks or events. A viewer may read the same as a recruiter, but may write only notes. */
  role: Role
  /** invited: has an invitation, which is valid for seven days. active: has joined. */
  state: 'invited' | 'active'
  /** Null only for an employer's first owner, who registered the account. */
  invited_at: string | null
  joined_at: string | null
  /** Accurate to five minutes. */
  last_active: string | null
}

export interface StaffMember {
  id: string
  name: string | null
  email: string
  /** An admin may do everything. A moderator may decide on reports and copies of jobs, change jobs and read accounts. */
  role: 'admin' | 'moderator'
  /** invited: has an invitation, which is valid for seven days. active: has joined. */
  state: 'invited' | 'active'
  /** Null only for an employer's first owner, who registered the account. */
  invited_at: string | null
  joined_at: string | null
  /** Accurate to five minutes. */
  last_active: string | null
}

export interface Claim {
  id: string
  /** The claimed company. */
  employer_id: string
  /** The domain that the proof is about. */
  domain: string
  method: Method
  state: 'pending' | 'verified'
  /** The record to create, if the method is `dns`. */
  dns_record: {
    name: string
    type: 'TXT'
    value: string
  } | null
  /** The file to publish, if the method is `file`. */
  file: {
    url: string
    content: string
  } | null
  /** Why the last check failed. not_found: the record or file was not found, or the request has no token. mismatch: the record, file or token has the wrong content. unreachable: the DNS lookup or the request for the file failed. */
  problem: 'not_found' | 'mismatch' | 'unreachable' | null
  /** Time of the last check. */
  checked_at: string | null
  created_at: string
  /** When the claim expires, unless it is verified. */
  expires_at: string
}

export interface NamedCount {
  slug: string
  name: string
  job_count: number
}

/** A job that a mirror of the board must remove. Present only with include_deleted. */
export interface DeletedJob {
  id: string
  /** When the job left the board or stopped matching the filters. */
  deleted_at: string
}

export interface JobOfOwner {
  id: string
  title: string
  company: string
  location: string
  description: string
  salary: {
    min: number | null
    max: number | null
    currency: string
    period: Period
  } | null
  category: string
  type: string
  remote: boolean
  /** When the job was first activated or, before that, when it was created. An import can set another time. */
  posted_at: string
  expires_at: string | null
  is_featured: boolean
  application_url: string
  employer_id: string
  skills: string[]
  experience_level: ExperienceLevel | null
  /** BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected. */
  language: string | null
  /** `remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other. */
  workplace: Workplace
  locations: string[]
  requirements: string[]
  benefits: string[]
  is_urgent: boolean
  is_highlighted: boolean
  is_active: boolean
  publish_at: string | null
  custom_questions: CustomQuestion[]
}

export interface Job {
  id: string
  title: string
  company: string
  location: string
  description: string
  salary: {
    min: number | null
    max: number | null
    currency: string
    period: Period
  } | null
  category: string
  type: string
  remote: boolean
  /** When the job was first activated or, before that, when it was created. An import can set another time. */
  posted_at: string
  expires_at: string | null
  is_featured: boolean
  application_url: string
  employer_id: string
  skills: string[]
  experience_level: ExperienceLevel | null
  /** BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected. */
  language: string | null
  /** `remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other. */
  workplace: Workplace
  locations: string[]
  requirements: string[]
  benefits: string[]
  is_urgent: boolean
  is_highlighted: boolean
  is_active: boolean
  publish_at: string | null
  custom_questions: CustomQuestion[]
  /** The description as sanitized HTML, as shown on pages. */
  description_html: string
  company_logo_url: string | null
  company_website: string | null
  contact_email: string | null
  /** ID of the copy that lists show instead of this job. */
  duplicate_of: string | null
}

export interface JobListItem {
  id: string
  title: string
  company: string
  location: string
  description: string
  salary: {
    min: number | null
    max: number | null
    currency: string
    period: Period
  } | null
  category: string
  type: string
  remote: boolean
  /** When the job was first activated or, before that, when it was created. An import can set another time. */
  posted_at: string
  expires_at: string | null
  is_featured: boolean
  application_url: string
  employer_id: string
  skills: string[]
  experience_level: ExperienceLevel | null
  /** BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected. */
  language: string | null
  /** `remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other. */
  workplace: Workplace
  locations: string[]
  company_logo_url: string | null
  /** Distance in miles from the center of the search to the nearest geocoded point; only in searches with `distance`. */
  distance_miles?: number
}

export interface JobOfOwnerWithCount {
  id: string
  title: string
  company: string
  location: string
  description: string
  salary: {
    min: number | null
    max: number | null
    currency: string
    period: Period
  } | null
  category: string
  type: string
  remote: boolean
  /** When the job was first activated or, before that, when it was created. An import can set another time. */
  posted_at: string
  expires_at: string | null
  is_featured: boolean
  application_url: string
  employer_id: string
  skills: string[]
  experience_level: ExperienceLevel | null
  /** BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected. */
  language: string | null
  /** `remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other. */
  workplace: Workplace
  locations: string[]
  requirements: string[]
  benefits: string[]
  is_urgent: boolean
  is_highlighted: boolean
  is_active: boolean
  publish_at: string | null
  custom_questions: CustomQuestion[]
  application_count: number
  /** The posting from which a feed maintains the job. Null for all other jobs. */
  source: {
    feed_id: string
    external_id: string
    url: string | null
  } | null
  /** Distance in miles from the center of the search to the nearest geocoded point; only in searches with `distance`. */
  distance_miles?: number
}

export interface Feed {
  id: string
  name: string
  format: Format
  url: string | null
  board: string | null
  employer_id: string | null
  company: string | null
  every_minutes: number
  close_after_hours: number
  is_active: boolean
  is_prepaid: boolean
  /** held: a run waits for approval. failing: the last run failed. */
  state: 'idle' | 'running' | 'held' | 'failing'
  last_run: {
    id: string
    state: 'pending' | 'running' | 'succeeded' | 'held' | 'failed'
    dry_run: boolean
    created_at: string
    started_at: string | null
    finished_at: string | null
    /** A dry run counts what it would do. */
    counts: Counts
    /** Why the run was held for approval. */
    held_reason: string | null
  } | null
  next_run_at: string | null
  /** Number of postings whose jobs the feed has not closed. */
  job_count: number
  created_at: string
  updated_at: string
}

export interface FeedRun {
  id: string
  state: 'pending' | 'running' | 'succeeded' | 'held' | 'failed'
  dry_run: boolean
  created_at: string
  started_at: string | null
  finished_at: string | null
  /** A dry run counts what it would do. */
  counts: Counts
  /** Why the run was held for approval. */
  held_reason: string | null
  /** The first 100 problems. */
  problems: {
    /** Null if the problem concerns the run, the whole document, or a posting without an ID. */
    external_id: string | null
    code: string
    detail: string
  }[]
  /** The first five postings of a dry run, as the jobs that they would become. */
  sample: {
    external_id: string
    url: string | null
    title: string
    company: string
    location: string
    /** The first 500 characters. */
    description: string
  }[] | null
}

export interface Duplicate {
  job_id: string
  /** same: company, title, location and text are equal, or an operator decided that the jobs are the same. near: company, title and text are similar. */
  kind: 'same' | 'near'
  /** Number of distinct words that both texts contain, divided by the number of distinct words in the two texts together. */
  similarity: number
}

export interface DuplicateDecision {
  job_ids: string[]
  decision: 'same' | 'different'
  decided_at: string
  /** Name of the staff member or the key that decided. Null if the activity log no longer contains the decision. */
  decided_by: string | null
}

export interface ApplicationListItem {
  id: string
  job: {
    id: string
    title: string
    company: string
    location: string
    type: string
    salary: {
      min: number | null
      max: number | null
      currency: string
      period: Period
    } | null
  }
  cover_letter: string
  status: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  applied_at: string
  updated_at: string
  /** When the candidate withdrew the application. The status does not change. */
  withdrawn_at: string | null
}

export interface ApplicationReceipt {
  id: string
  job: {
    id: string
    title: string
    company: string
  }
  status: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  applied_at: string
  updated_at: string
}

export interface Application {
  id: string
  job: {
    id: string
    title: string
    company: string
    location: string
    type: string
    salary: {
      min: number | null
      max: number | null
      currency: string
      period: Period
    } | null
  }
  cover_letter: string
  status: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  applied_at: string
  updated_at: string
  /** When the candidate withdrew the application. The status does not change. */
  withdrawn_at: string | null
  /** Answers to the job's custom questions by question ID. */
  custom_questions: Record<string, unknown>
  resume: {
    id: string
    filename: string
    content_type: string
    size_bytes: number
    /** URL of the file; requires an API key. */
    url: string
  } | null
  status_history: {
    status: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
    at: string
  }[]
}

export interface EmailPreview {
  subject: string
  text: string
}

export interface EmailTemplate {
  status: 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** May contain `{{candidate.first_name}}`, `{{job.title}}`, `{{employer.name}}`. Null for the board's default. */
  subject: string | null
  /** May contain `{{candidate.first_name}}`, `{{job.title}}`, `{{employer.name}}`. Null for the board's default. */
  text: string | null
}

export interface EmployerApplication {
  id: string
  job: {
    id: string
    title: string
    company: string
  }
  /** All fields are null if the candidate was erased. */
  candidate: {
    id: string | null
    name: string | null
    email: string | null
    phone: string | null
    location: string | null
    headline: string | null
  }
  cover_letter: string
  /** Answers to the job's custom questions by question ID. */
  custom_questions: Record<string, unknown>
  resume: {
    id: string
    filename: string
    content_type: string
    size_bytes: number
    /** URL of the file; requires an API key. */
    url: string
  } | null
  status: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  rating: number | null
  tags: string[]
  /** Where the candidate found the job, according to the candidate's client or the link to the job. */
  source: string | null
  applied_at: string
  updated_at: string
  /** When the candidate withdrew the application. The status does not change. */
  withdrawn_at: string | null
  status_history: {
    status: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
    at: string
    reason: string | null
    /** Null for candidates, and for actions that no member performed, such as those of a key without a member. */
    by: CreatedBy | null
  }[]
}

export interface ApplicationMessage {
  id: string
  from: 'employer' | 'candidate'
  /** Null for candidates, and for actions that no member performed, such as those of a key without a member. */
  by: CreatedBy | null
  text: string
  created_at: string
  /** When the other side first read the message, through the API or on the website. */
  read_at: string | null
}

export interface MoveResult {
  id: string
  /** Status of the application. Absent if `problem` is present. */
  status?: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** Why the status cannot be set: a problem document without `instance` and `request_id`. */
  problem?: {
    type: string
    title: string
    status: number
    code: string
  }
}

export interface ApplicationNote {
  id: string
  text: string
  /** Null for candidates, and for actions that no member performed, such as those of a key without a member. */
  by: CreatedBy | null
  created_at: string
}

export interface ApplicationDraft {
  job: {
    id: string
    title: string
    company: string
  }
  cover_letter: string
  resume_id: string | null
  custom_questions: Record<string, unknown>
  /** The page on which the candidate checks, completes and sends the draft. */
  url: string
  created_at: string
  /** 24 hours after the draft was created or last replaced. */
  expires_at: string
}

export interface Resume {
  id: string
  filename: string
  content_type: string
  size_bytes: number
  /** URL of the file; requires an API key. */
  url: string
  /** SHA-256 of the file, in hexadecimal. */
  sha256: string
  /** True for the newest resume, which applications without resume_id use. */
  is_default: boolean
  created_at: string
}

export interface SavedJob {
  job_id: string
  saved_at: string
  job: {
    id: string
    title: string
    company: string
    location: string
    description: string
    salary: {
      min: number | null
      max: number | null
      currency: string
      period: Period
    } | null
    category: string
    type: string
    remote: boolean
    /** When the job was first activated or, before that, when it was created. An import can set another time. */
    posted_at: string
    expires_at: string | null
    is_featured: boolean
    application_url: string
    employer_id: string
    skills: string[]
    experience_level: ExperienceLevel | null
    /** BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected. */
    language: string | null
    /** `remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other. */
    workplace: Workplace
    locations: string[]
    company_logo_url: string | null
    /** Distance in miles from the center of the search to the nearest geocoded point; only in searches with `distance`. */
    distance_miles?: number
    /** Whether the job is on the board. */
    is_active: boolean
  }
}

export interface JobAlert {
  id: string
  name: string
  /** GET /jobs filters, keyed by parameter name, including suffixed names. Values are JSON numbers, booleans, strings or arrays. An empty object matches all jobs. */
  criteria: {
    /** Words in title, company, description or skills. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
    search?: string
    /** Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search. */
    location?: string
    /** Not equal to the value. */
    location_not?: string
    /** Matches any of these values. */
    location_in?: string[]
    /** Maximum distance from `location`, in `distance_unit` (default: miles). */
    distance?: number
    /** Unit of `distance`: mi (miles, the default) or km. */
    distance_unit?: 'mi' | 'km' | ''
    /** Category. */
    category?: string
    /** Not equal to the value. */
    category_not?: string
    /** Matches any of these values. */
    category_in?: string[]
    /** Job type. */
    job_type?: string
    /** Not equal to the value. */
    job_type_not?: string
    /** Matches any of these values. */
    job_type_in?: string[]
    /** Company, ignoring case and accents. */
    company?: string
    /** Not equal to the value. */
    company_not?: string
    /** Matches any of these values. */
    company_in?: string[]
    /** Whether the job is remote. */
    remote?: boolean
    /** Where people work. */
    workplace?: 'on_site' | 'hybrid' | 'remote' | ''
    /** Not equal to the value. */
    workplace_not?: 'on_site' | 'hybrid' | 'remote' | ''
    /** Matches any of these values. */
    workplace_in?: Workplace[]
    /** Whether the job is featured. */
    is_featured?: boolean
    /** Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum. */
    salary_min?: number
    /** Greater than the value. */
    salary_min_gt?: number
    /** Less than the value. */
    salary_min_lt?: number
    /** At least the value. */
    salary_min_gte?: number
    /** At most the value. */
    salary_min_lte?: number
    /** Not equal to the value. */
    salary_min_not?: number
    /** Matches any of these values. */
    salary_min_in?: number[]
    /** Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum. */
    salary_max?: number
    /** Greater than the value. */
    salary_max_gt?: number
    /** Less than the value. */
    salary_max_lt?: number
    /** At least the value. */
    salary_max_gte?: number
    /** At most the value. */
    salary_max_lte?: number
    /** Not equal to the value. */
    salary_max_not?: number
    /** Matches any of these values. */
    salary_max_in?: number[]
    /** ISO 4217 code. */
    salary_currency?: string
    /** Not equal to the value. */
    salary_currency_not?: string
    /** Matches any of these values. */
    salary_currency_in?: string[]
    /** Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary. */
    salary_in?: string
    /** include: jobs without a salary pass the salary filters. */
    salary_unspecified?: 'include' | ''
    /** When the job was posted. */
    posted_at?: string
    /** Greater than the value. */
    posted_at_gt?: string
    /** Less than the value. */
    posted_at_lt?: string
    /** At least the value. */
    posted_at_gte?: string
    /** At most the value. */
    posted_at_lte?: string
    /** Not equal to the value. */
    posted_at_not?: string
    /** Matches any of these values. */
    posted_at_in?: string[]
    /** Posted after this time. */
    posted_after?: string
    /** Posted before this time. */
    posted_before?: string
    /** When the job expires. */
    expires_at?: string
    /** Greater than the value. */
    expires_at_gt?: string
    /** Less than the value. */
    expires_at_lt?: string
    /** At least the value. */
    expires_at_gte?: string
    /** At most the value. */
    expires_at_lte?: string
    /** Not equal to the value. */
    expires_at_not?: string
    /** Matches any of these values. */
    expires_at_in?: string[]
    /** All of these skills. With _in: any of them. With _not: none of them. */
    skills?: string[]
    /** Matches none of these values. */
    skills_not?: string[]
    /** Matches any of these values. */
    skills_in?: string[]
    /** Experience level. */
    experience_level?: 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive' | ''
    /** Not equal to the value. */
    experience_level_not?: 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive' | ''
    /** Matches any of these values. */
    experience_level_in?: ExperienceLevel[]
    /** Language of the text, without a region: de also matches de-AT. */
    language?: string
    /** Not equal to the value. */
    language_not?: string
    /** Matches any of these values. */
    language_in?: string[]
    /** Job type. */
    type?: string
    /** Not equal to the value. */
    type_not?: string
    /** Matches any of these values. */
    type_in?: string[]
  }
  frequency: Frequency
  is_active: boolean
  /** When the alert last ran or, if it is instant, last found a job. */
  last_run_at: string | null
  /** When the alert next runs; null if it is instant or inactive. */
  next_run_at: string | null
  created_at: string
  updated_at: string
}

export interface Email {
  id: string
  /** Kind of email, such as job-alert or sign-in. */
  kind: string
  /** ID of the recipient's account. */
  account_id: string
  /** The email address of the latest attempt, in lowercase. Before the first attempt: the recipient's current email address. */
  to: string | null
  /** ID of the resource that the email is about. */
  subject_id: string
  /** dropped: the email was not sent; see `error`. unknown: the connection broke, but the mail server may have accepted the email. */
  state: 'pending' | 'sent' | 'dropped' | 'failed' | 'unknown'
  attempts: number
  /** Why the latest attempt failed. If the email was dropped: not_needed (nothing left to report, or the recipient opted out), no_address, stopped (the recipient stopped all emails), blocked, or unconfirmed_limit. */
  error: string | null
  created_at: string
  /** When the next attempt is due, if the email is pending. */
  due_at: string
  /** When the email left the pending state. */
  settled_at: string | null
  /** ID of the sent email that this one repeats. */
  repeats: string | null
}

export interface Session {
  id: string
  /** link: by a link in an email, or through an OpenID provider. passkey: with a passkey. api_key: with an API key. */
  begun_with: 'link' | 'passkey' | 'api_key'
  created_at: string
  /** Accurate to five minutes. */
  last_seen_at: string
  expires_at: string
}

/** A job is created or imported. */
export interface JobCreatedEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'job.created'
  /** When the event occurred. */
  created_at: string
  data: {
    job: JobOfOwner
  }
}

/** A job is updated, activated, closed, reopened or upgraded. */
export interface JobUpdatedEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'job.updated'
  /** When the event occurred. */
  created_at: string
  data: {
    job: JobOfOwner
    /** Names of the changed fields. */
    changed_fields: string[]
    /** Previous values of the changed fields. */
    previous: Record<string, unknown>
  }
}

/** A job expires. */
export interface JobExpiredEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'job.expired'
  /** When the event occurred. */
  created_at: string
  data: {
    job: JobOfOwner
  }
}

/** A job is deleted. */
export interface JobDeletedEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'job.deleted'
  /** When the event occurred. */
  created_at: string
  data: {
    job: {
      id: string
      title: string
      company: string
      employer_id: string
      deleted_at: string
    }
  }
}

/** A candidate submits an application. */
export interface ApplicationSubmittedEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'application.submitted'
  /** When the event occurred. */
  created_at: string
  data: {
    application: {
      id: string
      job: {
        id: string
        title: string
        company: string
      }
      candidate: {
        id: string
        name: string
        email: string
      }
      status: string
      applied_at: string
    }
  }
}

/** An application's status is updated. */
export interface ApplicationStatusUpdatedEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'application.status_updated'
  /** When the event occurred. */
  created_at: string
  data: {
    application: {
      id: string
      job: {
        id: string
        title: string
        company: string
      }
      candidate: {
        id: string
        name: string
        email: string
      }
      status: string
      applied_at: string
      updated_at: string
    }
    previous_status: string
  }
}

/** A candidate withdraws an application. */
export interface ApplicationWithdrawnEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'application.withdrawn'
  /** When the event occurred. */
  created_at: string
  data: {
    application: {
      id: string
      job: {
        id: string
        title: string
        company: string
      }
      candidate: {
        id: string
        name: string
        email: string
      }
      status: string
      applied_at: string
      withdrawn_at: string
    }
  }
}

/** A candidate registers. */
export interface CandidateRegisteredEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'candidate.registered'
  /** When the event occurred. */
  created_at: string
  data: {
    candidate: {
      id: string
      name: string
      email: string
      created_at: string
    }
  }
}

/** A candidate updates their profile. */
export interface CandidateProfileUpdatedEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'candidate.profile_updated'
  /** When the event occurred. */
  created_at: string
  data: {
    candidate: {
      id: string
      name: string
      email: string
      updated_at: string
    }
    /** Names of the changed fields. */
    changed_fields: string[]
  }
}

/** An employer registers. */
export interface EmployerRegisteredEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'employer.registered'
  /** When the event occurred. */
  created_at: string
  data: {
    employer: Employer
  }
}

/** An employer's profile is updated. */
export interface EmployerProfileUpdatedEvent {
  /** ID of the event, the same in every delivery. */
  id: string
  type: 'employer.profile_updated'
  /** When the event occurred. */
  created_at: string
  data: {
    employer: Employer
    /** Names of the changed fields. */
    changed_fields: string[]
  }
}

/** An event, exactly as the service sends it to receivers. */
export type Event = JobCreatedEvent | JobUpdatedEvent | JobExpiredEvent | JobDeletedEvent | ApplicationSubmittedEvent | ApplicationStatusUpdatedEvent | ApplicationWithdrawnEvent | CandidateRegisteredEvent | CandidateProfileUpdatedEvent | EmployerRegisteredEvent | EmployerProfileUpdatedEvent

export interface EventType {
  type: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  /** When the event occurs. */
  description: string
  /** Self-contained JSON Schema (2020-12) for the envelope. */
  schema: Record<string, unknown>
  sample: Event
}

export interface Webhook {
  id: string
  url: string
  events: ('job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated')[]
  description: string | null
  status: 'active' | 'paused' | 'disabled'
  created_at: string
  updated_at: string
  /** gone: the receiver responded with 410. failing: no delivery succeeded for five days. key_revoked: the API key that created or last changed the webhook was deleted or has expired. */
  disabled_reason: DisabledReason | null
  disabled_at: string | null
}

export interface WebhookWithSecret {
  id: string
  url: string
  events: ('job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated')[]
  description: string | null
  /** Only this response contains the secret. */
  secret: string
  status: 'active' | 'paused' | 'disabled'
  created_at: string
  updated_at: string
  /** gone: the receiver responded with 410. failing: no delivery succeeded for five days. key_revoked: the API key that created or last changed the webhook was deleted or has expired. */
  disabled_reason: DisabledReason | null
  disabled_at: string | null
}

export interface WebhookTest {
  event_id: string
  event_type: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  is_success: boolean
  started_at: string
  duration_ms: number
  /** Response status; null if no response arrived. */
  response_status: number | null
  /** Null if the attempt succeeded. */
  error_class: ErrorClass | null
  /** Description of the failure. */
  error: string | null
  /** Start of the response body, at most 4 KiB. */
  response_excerpt: string | null
}

export interface WebhookDelivery {
  id: string
  event_id: string
  event_type: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  status: 'pending' | 'delivered' | 'exhausted' | 'canceled'
  /** Number of started attempts. */
  attempt_count: number
  next_attempt_at: string | null
  last_response_status: number | null
  last_error: string | null
  created_at: string
  /** When the delivery reached its final status; null while pending. */
  settled_at: string | null
}

export interface WebhookDeliveryDetail {
  id: string
  event_id: string
  event_type: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  status: 'pending' | 'delivered' | 'exhausted' | 'canceled'
  /** Number of started attempts. */
  attempt_count: number
  next_attempt_at: string | null
  last_response_status: number | null
  last_error: string | null
  created_at: string
  /** When the delivery reached its final status; null while pending. */
  settled_at: string | null
  /** Finished attempts, oldest first. */
  attempts: {
    number: number
    trigger: 'scheduled' | 'manual'
    started_at: string
    duration_ms: number
    /** Response status; null if no response arrived. */
    response_status: number | null
    /** Null if the attempt succeeded. */
    error_class: ErrorClass | null
    /** Description of the failure. */
    error: string | null
    /** Start of the response body, at most 4 KiB. */
    response_excerpt: string | null
  }[]
}

export interface WebhookRecovery {
  id: string
  since: string
  until: string
  /** canceled: the webhook was paused or disabled. */
  status: 'running' | 'done' | 'canceled'
  /** Number of events of subscribed types examined so far. */
  examined: number
  /** Number of examined events that were queued for the first time. */
  created: number
  /** Number of examined events whose exhausted or canceled delivery was queued again. */
  requeued: number
  /** Number of examined events that were already delivered or pending. */
  unchanged: number
  created_at: string
  finished_at: string | null
}

export interface JobReportOfOperator {
  id: string
  job_id: string
  reason: 'spam' | 'fraud' | 'discrimination' | 'expired' | 'wrong_information' | 'other'
  message: string | null
  status: 'open' | 'upheld' | 'dismissed'
  created_at: string
  job: {
    title: string
    company: string
    employer_id: string
    /** When an admin removed the job. */
    removed_at: string | null
  }
  /** ID of the reporting account; null for visitors, erased candidates, and deleted admins and integrators. */
  reporter_id: string | null
  /** The reason shown to the employer, or the admin's note. */
  note: string | null
  decided_at: string | null
  /** ID of the admin account that made the decision. */
  decided_by: string | null
}

export interface JobReport {
  id: string
  job_id: string
  reason: 'spam' | 'fraud' | 'discrimination' | 'expired' | 'wrong_information' | 'other'
  message: string | null
  status: 'open' | 'upheld' | 'dismissed'
  created_at: string
}

export interface JobStatistics {
  job_id: string
  /** Number of views by candidates, plus page views by others. Excludes prefetches, and page views by the employer, by admins, and by clients whose user agent is missing or names a program. */
  views: number
  /** Number of candidates who currently have the job saved. */
  saves: number
  /** Number of applications, including withdrawn applications. */
  applications: number
  /** Applications per source, most first. `source` is null for applications without one. */
  sources: {
    source: string | null
    /** Number of applications, including withdrawn applications. */
    applications: number
  }[]
  /** The last 30 days in UTC, oldest first. */
  days: {
    date: string
    /** Number of views by candidates, plus page views by others. Excludes prefetches, and page views by the employer, by admins, and by clients whose user agent is missing or names a program. */
    views: number
    /** Number of candidates who currently have the job saved. */
    saves: number
    /** Number of applications, including withdrawn applications. */
    applications: number
  }[]
}

export interface Payment {
  id: string
  job_id: string
  products: string[]
  /** In minor units, such as cents for USD. Includes VAT. */
  amount: number
  currency: string
  /** VAT rate in percent. Null if there is no VAT. */
  vat_rate: number | null
  /** The part of `amount` that is VAT, in minor units. */
  vat_amount: number
  status: 'pending' | 'paid' | 'failed' | 'expired' | 'refunded'
  provider: string
  /** URL of the checkout page; null unless the payment is pending. */
  checkout_url: string | null
  created_at: string
  paid_at: string | null
  /** Reference for bank transfers. */
  reference: string
  /** Number of the invoice or receipt, once there is one. */
  invoice_number: string | null
}

export interface Product {
  slug: string
  name: string
  /** In minor units, such as cents for USD. */
  amount: number
  currency: string
  /** Number of days for which a job-post keeps a job without expires_at on the board, or by which it extends a run. Other products ignore it. */
  duration_days: number
  /** Whether the product is for sale. */
  is_active: boolean
}

export interface Board {
  name: string
  tagline: string | null
  description: string | null
  logo_url: string | null
  accent_color: string | null
  contact_email: string | null
  languages: Language[]
  default_language: Language
  seller_name: string | null
  seller_address: string | null
  seller_vat_id: string | null
  /** In percent. Null if no VAT applies. */
  vat_rate: number | null
  prices_include_vat: boolean
  bank_account_name: string | null
  bank_iban: string | null
  bank_bic: string | null
  bank_note: string | null
  default_currency: string
  /** Legal pages. Empty if the website is off. */
  legal: {
    slug: string
    title: string
    url: string
  }[]
}

export interface BoardPage {
  slug: string
  title: string
  text: string
  language: string
  updated_at: string
}

export interface CurrencyRates {
  /** ISO 4217 code of the currency to which the rates refer. */
  base: string
  /** Date of the rates. */
  as_of: string
  /** Units of each currency for one unit of the base currency, by ISO 4217 code. */
  rates: Record<string, number>
}

export interface Block {
  id: string
  /** address: one email address. email_domain: all email addresses at a domain and its subdomains. network: requests from an IP address or a range in CIDR notation. */
  kind: 'address' | 'network' | 'email_domain'
  value: string
  reason: string
  created_at: string
  /** Name of the key that created the block, or `Session` if the admin had signed in without a key. */
  created_by: string
  /** Null if the block does not expire. */
  expires_at: string | null
}

export interface Task {
  name: string
  /** Maximum pause between rounds, in seconds. */
  every_seconds: number
  /** When a round last succeeded, in any process. */
  last_done_at: string | null
  /** When a round last failed. */
  last_failed_at: string | null
  /** Error of the last failed round. */
  error: string | null
  /** The latest requested run. */
  run: {
    state: 'waiting' | 'running' | 'done' | 'failed'
    requested_at: string
    /** Name of the API key, or `Session` or `Command line` if the request used no key. */
    requested_by: string
    started_at: string | null
    ended_at: string | null
    error: string | null
  } | null
}

/** An event of a stream. Pass `iterator` as `after` to continue after this event. */
export interface EventMessage {
  iterator: string
  event: Event
}

/** A page of a list. */
export interface Page<Item, Meta = ListMeta> {
  data: Item[]
  meta: Meta
}

export interface ListMeta {
  /** Responses to requests with `cursor` omit `pages` and `page`. */
  pagination: Pagination
  sort: Sort
  filters_applied: Record<string, unknown>
}

export interface SearchMeta {
  /** Responses to requests with `cursor` omit `pages` and `page`. */
  pagination: Pagination
  sort: Sort
  filters_applied: Record<string, unknown>
  search?: Search
}

export interface StreamMeta {
  /** The iterator to send as `after` in the next request. */
  next: string
  /** Whether the next request returns more items without waiting. */
  has_more: boolean
}

export interface ListJobsMeta {
  /** Responses to requests with `cursor` omit `pages` and `page`. */
  pagination: Pagination
  sort: Sort
  filters_applied: Record<string, unknown>
  /** Values of each requested facet, each with its item count. The counts ignore the filter on the facet itself. The most frequent value comes first. Items without a value are not counted. */
  facets?: Record<string, {
    value: string | boolean
    count: number
  }[]>
  search?: Search
  /** Present only while the database is unavailable: the list comes from memory and may be out of date. The Age header contains the number of seconds since the list was last in sync with the database. */
  stale?: Stale
  /** With updated_since: the value for the next sync. Null on all pages except the first. */
  updated_until?: string | null
}

export interface ListAccountsQuery {
  /** Prefixes of words in the name or email address, or an account ID. */
  search?: string
  /** Kind of account. */
  kind?: 'candidate' | 'employer' | 'admin' | 'integrator'
  /** Not equal to the value. */
  kind_not?: 'candidate' | 'employer' | 'admin' | 'integrator'
  /** Matches any of these values. */
  kind_in?: ('candidate' | 'employer' | 'admin' | 'integrator')[]
  /** Whether the account is suspended. */
  is_suspended?: boolean
  /** When the account was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, name. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface SuspendAccountBody {
  /** Recorded in the activity log; not visible to the account. */
  reason: string
}

export interface ListSessionsQuery {
  /** When the session began. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, last_seen_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface ListApiKeysQuery {
  /** Name, ignoring case and accents. */
  name?: string
  /** Not equal to the value. */
  name_not?: string
  /** Matches any of these values. */
  name_in?: string[]
  /** When the key was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** When the key expires. */
  expires_at?: string | Date
  /** Greater than the value. */
  expires_at_gt?: string | Date
  /** Less than the value. */
  expires_at_lt?: string | Date
  /** At least the value. */
  expires_at_gte?: string | Date
  /** At most the value. */
  expires_at_lte?: string | Date
  /** Not equal to the value. */
  expires_at_not?: string | Date
  /** Matches any of these values. */
  expires_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, name, last_used_at, expires_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface CreateApiKeyBody {
  name: string
  /** Anyone may see a publishable key. It can read only the board or, if it belongs to an employer, only the employer's jobs. Default: secret. */
  kind?: 'secret' | 'publishable'
  /** Origins whose pages may use a publishable key, such as https://www.example.com. Null for all. */
  allowed_origins?: string[] | null
  /** Default: all scopes of the calling key. A publishable key has only jobs:read. */
  scopes?: Scope[]
  /** Default: the calling key's expiry. */
  expires_at?: string | Date | null
}

export interface ListApplicationsQuery {
  /** Status of the application. */
  status?: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** Not equal to the value. */
  status_not?: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** Matches any of these values. */
  status_in?: ('pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired')[]
  /** When the candidate applied. */
  applied_at?: string | Date
  /** Greater than the value. */
  applied_at_gt?: string | Date
  /** Less than the value. */
  applied_at_lt?: string | Date
  /** At least the value. */
  applied_at_gte?: string | Date
  /** At most the value. */
  applied_at_lte?: string | Date
  /** Not equal to the value. */
  applied_at_not?: string | Date
  /** Matches any of these values. */
  applied_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: applied_at, updated_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface DraftApplicationBody {
  cover_letter: string
  /** ID of one of the candidate's resumes. Default: the newest resume. */
  resume_id?: string | null
  /** Answers to the job's custom questions by question ID: text (up to 1,000 characters), textarea (10,000), boolean, number, date (YYYY-MM-DD), url, single_select (an option), multi_select (a list of options). */
  custom_questions?: Record<string, unknown> | null
  /** Where the candidate found the job, such as the name of a partner board. Stored in lowercase. Visible to the employer and admins. Candidates see it only in their export. */
  source?: string | null
}

export interface WithdrawApplicationBody {
  reason?: string | null
}

export interface ListApplicationMessagesQuery {
  /** When the message was written. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface SendApplicationMessageBody {
  text: string
}

export interface ListEmployerApplicationsQuery {
  /** ID of the job. */
  job_id?: string
  /** Not equal to the value. */
  job_id_not?: string
  /** Matches any of these values. */
  job_id_in?: string[]
  /** Status of the application. */
  status?: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** Not equal to the value. */
  status_not?: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** Matches any of these values. */
  status_in?: ('pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired')[]
  /** When the candidate applied. */
  applied_at?: string | Date
  /** Greater than the value. */
  applied_at_gt?: string | Date
  /** Less than the value. */
  applied_at_lt?: string | Date
  /** At least the value. */
  applied_at_gte?: string | Date
  /** At most the value. */
  applied_at_lte?: string | Date
  /** Not equal to the value. */
  applied_at_not?: string | Date
  /** Matches any of these values. */
  applied_at_in?: (string | Date)[]
  /** The employer's rating. */
  rating?: number
  /** Greater than the value. */
  rating_gt?: number
  /** Less than the value. */
  rating_lt?: number
  /** At least the value. */
  rating_gte?: number
  /** At most the value. */
  rating_lte?: number
  /** Matches any of these values. */
  rating_in?: number[]
  /** Where the candidate found the job, ignoring case. */
  source?: string
  /** Matches any of these values. */
  source_in?: string[]
  /** Applications with all of these tags. With `_in`: with any of them. */
  tags?: string[]
  /** Matches any of these values. */
  tags_in?: string[]
  /** Comma-separated field:direction; fields: applied_at, updated_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface UpdateApplicationStatusBody {
  /** Allowed changes: pending to any other status; reviewed to contacted, rejected or hired; contacted to reviewed, rejected or hired; rejected to reviewed. */
  status?: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** Stored in the history together with the new status. Visible only to the employer and admins. */
  reason?: string | null
  /** Whether to email the candidate about a new status, if they allow it. Default: true. */
  notify?: boolean
  /** Message to the candidate in the email about a new status. Requires `status`, and `notify` must be true. */
  message?: string | null
  /** Visible to the employer and admins. Candidates see it only in their export. */
  rating?: number | null
  /** Visible to the employer and admins. Candidates see tags only in their export. Tags that differ only in case or accents are stored once. */
  tags?: string[]
}

export interface MoveApplicationsBody {
  /** IDs of applications. Repeated IDs are handled once. */
  ids: string[]
  /** Allowed changes: pending to any other status; reviewed to contacted, rejected or hired; contacted to reviewed, rejected or hired; rejected to reviewed. */
  status: 'pending' | 'reviewed' | 'contacted' | 'rejected' | 'hired'
  /** Stored in the history together with the new status. Visible only to the employer and admins. */
  reason?: string | null
  /** Whether to email the candidate about a new status, if they allow it. Default: true. */
  notify?: boolean
  /** Message to the candidate in the email about a new status. Requires `status`, and `notify` must be true. */
  message?: string | null
}

export interface ListApplicantMessagesQuery {
  /** When the message was written. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface MessageApplicantBody {
  text: string
}

export interface ListApplicationNotesQuery {
  /** When the note was written. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface CreateApplicationNoteBody {
  text: string
}

export interface ListBlocksQuery {
  /** Kind of block. */
  kind?: 'address' | 'network' | 'email_domain'
  /** Not equal to the value. */
  kind_not?: 'address' | 'network' | 'email_domain'
  /** Matches any of these values. */
  kind_in?: ('address' | 'network' | 'email_domain')[]
  /** Blocked value, exactly as stored. */
  value?: string
  /** When the block was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, value. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface CreateBlockBody {
  /** address: one email address. email_domain: all email addresses at a domain and its subdomains. network: requests from an IP address or a range in CIDR notation. */
  kind: 'address' | 'network' | 'email_domain'
  value: string
  /** Visible only to admins. */
  reason: string
  /** Default: the block does not expire. */
  expires_at?: string | Date | null
}

export interface RegisterCandidateBody {
  first_name: string
  last_name: string
  email: string
}

export interface ListCandidatesQuery {
  /** Words in the profile or the resume. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
  search?: string
  /** Whole words of the location. With distance: the center of the search. */
  location?: string
  /** Not equal to the value. */
  location_not?: string
  /** Matches any of these values. */
  location_in?: string[]
  /** Maximum distance from `location`, in `distance_unit` (default: miles). */
  distance?: number
  /** Unit of `distance`: mi (miles, the default) or km. */
  distance_unit?: 'mi' | 'km'
  /** All of these skills. With _in: any of them. With _not: none of them. */
  skills?: string[]
  /** Matches none of these values. */
  skills_not?: string[]
  /** Matches any of these values. */
  skills_in?: string[]
  /** When the candidate last used the board. */
  last_active?: string | Date
  /** Greater than the value. */
  last_active_gt?: string | Date
  /** Less than the value. */
  last_active_lt?: string | Date
  /** At least the value. */
  last_active_gte?: string | Date
  /** At most the value. */
  last_active_lte?: string | Date
  /** Not equal to the value. */
  last_active_not?: string | Date
  /** Matches any of these values. */
  last_active_in?: (string | Date)[]
  /** When the candidate registered. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: last_active, created_at, last_name, distance, relevance. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface UpdateCandidateProfileBody {
  first_name?: string
  last_name?: string
  email?: string
  phone?: string | null
  location?: string | null
  headline?: string | null
  summary?: string | null
  experience?: {
    title: string
    company: string
    location?: string | null
    /** YYYY-MM */
    start_date: string
    /** YYYY-MM */
    end_date?: string | null
    /** Must be true if end_date is null, and false otherwise. Default: derived from end_date. */
    current?: boolean
    description?: string | null
  }[] | null
  education?: {
    institution: string
    degree?: string | null
    field?: string | null
    /** YYYY-MM */
    start_date?: string | null
    /** YYYY-MM */
    end_date?: string | null
    description?: string | null
  }[] | null
  skills?: string[] | null
  website?: string | null
  github?: string | null
  linkedin?: string | null
  is_searchable?: boolean
  mail_on_status_change?: boolean
}

export interface ReplaceCurrencyRatesBody {
  /** ISO 4217 code of the currency to which the rates refer. */
  base: string
  /** Date of the rates. */
  as_of: string
  /** Units of each currency for one unit of the base currency, by ISO 4217 code. */
  rates: Record<string, number>
}

export interface ListEmailsQuery {
  /** Prefix of the recipient's email address. */
  to?: string
  /** failed: every attempt failed. unknown: the email may have arrived. */
  state?: 'pending' | 'sent' | 'dropped' | 'failed' | 'unknown'
  /** Not equal to the value. */
  state_not?: 'pending' | 'sent' | 'dropped' | 'failed' | 'unknown'
  /** Matches any of these values. */
  state_in?: ('pending' | 'sent' | 'dropped' | 'failed' | 'unknown')[]
  /** Kind of email, such as job-alert. */
  kind?: string
  /** ID of the recipient's account. */
  account_id?: string
  /** When the email was queued. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface RetryEmailsBody {
  /** Only emails created at or after this time. */
  since?: string | Date
}

export interface VerifyClaimBody {
  /** The token in the email. */
  token?: string
}

export interface CreateClaimBody {
  method: Method
  /** Required for the method `email`: an email address at the domain, to which the service sends the token. */
  email?: string
}

export interface UpdateEmailTemplateBody {
  /** May contain `{{candidate.first_name}}`, `{{job.title}}`, `{{employer.name}}`. Null for the board's default. */
  subject?: string | null
  /** May contain `{{candidate.first_name}}`, `{{job.title}}`, `{{employer.name}}`. Null for the board's default. */
  text?: string | null
}

export interface PreviewEmailTemplateBody {
  /** May contain `{{candidate.first_name}}`, `{{job.title}}`, `{{employer.name}}`. Null for the board's default. */
  subject?: string | null
  /** May contain `{{candidate.first_name}}`, `{{job.title}}`, `{{employer.name}}`. Null for the board's default. */
  text?: string | null
}

export interface RegisterEmployerBody {
  name: string
  email: string
  location?: string | null
  website?: string | null
  logo_url?: string | null
  description?: string | null
  industry?: string | null
  employee_count?: number | null
}

export interface ListEmployersQuery {
  /** Name, ignoring case and accents. */
  name?: string
  /** Not equal to the value. */
  name_not?: string
  /** Matches any of these values. */
  name_in?: string[]
  /** Whole words of the location. */
  location?: string
  /** Not equal to the value. */
  location_not?: string
  /** Matches any of these values. */
  location_in?: string[]
  /** Industry, ignoring case and accents. */
  industry?: string
  /** Not equal to the value. */
  industry_not?: string
  /** Matches any of these values. */
  industry_in?: string[]
  /** Number of employees. */
  employee_count?: number
  /** Greater than the value. */
  employee_count_gt?: number
  /** Less than the value. */
  employee_count_lt?: number
  /** At least the value. */
  employee_count_gte?: number
  /** At most the value. */
  employee_count_lte?: number
  /** Not equal to the value. */
  employee_count_not?: number
  /** Matches any of these values. */
  employee_count_in?: number[]
  /** Number of jobs on the board. */
  open_positions?: number
  /** Greater than the value. */
  open_positions_gt?: number
  /** Less than the value. */
  open_positions_lt?: number
  /** At least the value. */
  open_positions_gte?: number
  /** At most the value. */
  open_positions_lte?: number
  /** Not equal to the value. */
  open_positions_not?: number
  /** Matches any of these values. */
  open_positions_in?: number[]
  /** When the employer registered or was imported. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: name, location, created_at, open_positions, employee_count. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface UpdateEmployerProfileBody {
  name?: string
  email?: string
  location?: string | null
  website?: string | null
  logo_url?: string | null
  description?: string | null
  industry?: string | null
  employee_count?: number | null
  mail_on_application?: boolean
  /** Company name on invoices. Null means the name in the profile. */
  billing_name?: string | null
  /** Postal address on invoices. */
  billing_address?: string | null
  /** VAT or tax ID on invoices. */
  vat_id?: string | null
}

export interface ListEventsQuery {
  /** Type of the event. */
  type?: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  /** Not equal to the value. */
  type_not?: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  /** Matches any of these values. */
  type_in?: ('job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated')[]
  /** ID of the job, application, candidate or employer that the event is about. */
  subject_id?: string
  /** Not equal to the value. */
  subject_id_not?: string
  /** Matches any of these values. */
  subject_id_in?: string[]
  /** When the event occurred. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface PollEventsQuery {
  limit?: number
  /** Selects the stream. An iterator from `meta.next`, `now`, or an empty value for the oldest item. Cannot be combined with filters, sort, page or cursor. */
  after?: string
  /** Selects the stream. Maximum wait for a new item, in seconds. */
  wait_seconds?: number
}

export interface StreamEventsQuery {
  /** An iterator, or `now`. If absent or empty, the stream starts with the oldest event. */
  after?: string
}

export interface ListFeedsQuery {
  /** Format of the document. */
  format?: Format
  /** Not equal to the value. */
  format_not?: Format
  /** Matches any of these values. */
  format_in?: Format[]
  /** ID of the employer. */
  employer_id?: string
  /** When the feed was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Whether the feed runs automatically. */
  is_active?: boolean
  /** Comma-separated field:direction; fields: created_at, name. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface CreateFeedBody {
  name: string
  format: Format
  /** The employer of all jobs of the feed. Default: your company. For admins, the default is null: the company of each posting is then its employer. */
  employer_id?: string | null
  /** A public https URL. Null if you push documents. Hosted formats use the field `board` instead. */
  url?: string | null
  /** The company's name in the URL of its careers page; for teamtailor, the page's host. Required for greenhouse, lever, ashby, recruitee, smartrecruiters, workable, personio, teamtailor, bamboohr. */
  board?: string | null
  /** The company for postings that do not name one. */
  company?: string | null
  /** Interval between runs, in minutes. */
  every_minutes?: number
  /** Time in hours for which a posting must be missing before its job is closed. */
  close_after_hours?: number
  /** Whether the feed runs automatically. */
  is_active?: boolean
  /** For an employer's feed: whether its jobs need no payment. Only admins can change this field. */
  is_prepaid?: boolean
}

export interface UpdateFeedBody {
  name?: string
  /** A public https URL. Null if you push documents. Hosted formats use the field `board` instead. */
  url?: string | null
  /** The company's name in the URL of its careers page; for teamtailor, the page's host. Required for greenhouse, lever, ashby, recruitee, smartrecruiters, workable, personio, teamtailor, bamboohr. */
  board?: string | null
  /** The company for postings that do not name one. */
  company?: string | null
  /** Interval between runs, in minutes. */
  every_minutes?: number
  /** Time in hours for which a posting must be missing before its job is closed. */
  close_after_hours?: number
  /** Whether the feed runs automatically. */
  is_active?: boolean
  /** For an employer's feed: whether its jobs need no payment. Only admins can change this field. */
  is_prepaid?: boolean
}

export interface CreateFeedRunBody {
  /** Whether the run only reports what it would do, and changes nothing. */
  dry_run?: boolean
}

export interface CreateFeedDocumentBody {
  /** The document, as text. */
  document: string
}

export interface ListFeedRunsQuery {
  /** State of the run. */
  state?: 'pending' | 'running' | 'succeeded' | 'held' | 'failed'
  /** Not equal to the value. */
  state_not?: 'pending' | 'running' | 'succeeded' | 'held' | 'failed'
  /** Matches any of these values. */
  state_in?: ('pending' | 'running' | 'succeeded' | 'held' | 'failed')[]
  /** When the run was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, state. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface ListJobAlertsQuery {
  /** Name, ignoring case and accents. */
  name?: string
  /** Not equal to the value. */
  name_not?: string
  /** Matches any of these values. */
  name_in?: string[]
  /** Frequency. */
  frequency?: Frequency
  /** Not equal to the value. */
  frequency_not?: Frequency
  /** Matches any of these values. */
  frequency_in?: Frequency[]
  /** Whether the alert is active. */
  is_active?: boolean
  /** When the alert was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, updated_at, name. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface CreateJobAlertBody {
  name: string
  /** GET /jobs filters, keyed by parameter name, including suffixed names. Values are JSON numbers, booleans, strings or arrays. An empty object matches all jobs. */
  criteria: {
    /** Words in title, company, description or skills. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
    search?: string
    /** Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search. */
    location?: string
    /** Not equal to the value. */
    location_not?: string
    /** Matches any of these values. */
    location_in?: string[]
    /** Maximum distance from `location`, in `distance_unit` (default: miles). */
    distance?: number
    /** Unit of `distance`: mi (miles, the default) or km. */
    distance_unit?: 'mi' | 'km'
    /** Category. */
    category?: string
    /** Not equal to the value. */
    category_not?: string
    /** Matches any of these values. */
    category_in?: string[]
    /** Job type. */
    job_type?: string
    /** Not equal to the value. */
    job_type_not?: string
    /** Matches any of these values. */
    job_type_in?: string[]
    /** Company, ignoring case and accents. */
    company?: string
    /** Not equal to the value. */
    company_not?: string
    /** Matches any of these values. */
    company_in?: string[]
    /** Whether the job is remote. */
    remote?: boolean
    /** Where people work. */
    workplace?: Workplace
    /** Not equal to the value. */
    workplace_not?: Workplace
    /** Matches any of these values. */
    workplace_in?: Workplace[]
    /** Whether the job is featured. */
    is_featured?: boolean
    /** Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum. */
    salary_min?: number
    /** Greater than the value. */
    salary_min_gt?: number
    /** Less than the value. */
    salary_min_lt?: number
    /** At least the value. */
    salary_min_gte?: number
    /** At most the value. */
    salary_min_lte?: number
    /** Not equal to the value. */
    salary_min_not?: number
    /** Matches any of these values. */
    salary_min_in?: number[]
    /** Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum. */
    salary_max?: number
    /** Greater than the value. */
    salary_max_gt?: number
    /** Less than the value. */
    salary_max_lt?: number
    /** At least the value. */
    salary_max_gte?: number
    /** At most the value. */
    salary_max_lte?: number
    /** Not equal to the value. */
    salary_max_not?: number
    /** Matches any of these values. */
    salary_max_in?: number[]
    /** ISO 4217 code. */
    salary_currency?: string
    /** Not equal to the value. */
    salary_currency_not?: string
    /** Matches any of these values. */
    salary_currency_in?: string[]
    /** Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary. */
    salary_in?: string
    /** include: jobs without a salary pass the salary filters. */
    salary_unspecified?: 'include'
    /** When the job was posted. */
    posted_at?: string | Date
    /** Greater than the value. */
    posted_at_gt?: string | Date
    /** Less than the value. */
    posted_at_lt?: string | Date
    /** At least the value. */
    posted_at_gte?: string | Date
    /** At most the value. */
    posted_at_lte?: string | Date
    /** Not equal to the value. */
    posted_at_not?: string | Date
    /** Matches any of these values. */
    posted_at_in?: (string | Date)[]
    /** Posted after this time. */
    posted_after?: string | Date
    /** Posted before this time. */
    posted_before?: string | Date
    /** When the job expires. */
    expires_at?: string | Date
    /** Greater than the value. */
    expires_at_gt?: string | Date
    /** Less than the value. */
    expires_at_lt?: string | Date
    /** At least the value. */
    expires_at_gte?: string | Date
    /** At most the value. */
    expires_at_lte?: string | Date
    /** Not equal to the value. */
    expires_at_not?: string | Date
    /** Matches any of these values. */
    expires_at_in?: (string | Date)[]
    /** All of these skills. With _in: any of them. With _not: none of them. */
    skills?: string[]
    /** Matches none of these values. */
    skills_not?: string[]
    /** Matches any of these values. */
    skills_in?: string[]
    /** Experience level. */
    experience_level?: ExperienceLevel
    /** Not equal to the value. */
    experience_level_not?: ExperienceLevel
    /** Matches any of these values. */
    experience_level_in?: ExperienceLevel[]
    /** Language of the text, without a region: de also matches de-AT. */
    language?: string
    /** Not equal to the value. */
    language_not?: string
    /** Matches any of these values. */
    language_in?: string[]
    /** Job type. */
    type?: string
    /** Not equal to the value. */
    type_not?: string
    /** Matches any of these values. */
    type_in?: string[]
  }
  frequency: Frequency
  is_active?: boolean
}

export interface UpdateJobAlertBody {
  name?: string
  /** GET /jobs filters, keyed by parameter name, including suffixed names. Values are JSON numbers, booleans, strings or arrays. An empty object matches all jobs. */
  criteria?: {
    /** Words in title, company, description or skills. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
    search?: string
    /** Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search. */
    location?: string
    /** Not equal to the value. */
    location_not?: string
    /** Matches any of these values. */
    location_in?: string[]
    /** Maximum distance from `location`, in `distance_unit` (default: miles). */
    distance?: number
    /** Unit of `distance`: mi (miles, the default) or km. */
    distance_unit?: 'mi' | 'km'
    /** Category. */
    category?: string
    /** Not equal to the value. */
    category_not?: string
    /** Matches any of these values. */
    category_in?: string[]
    /** Job type. */
    job_type?: string
    /** Not equal to the value. */
    job_type_not?: string
    /** Matches any of these values. */
    job_type_in?: string[]
    /** Company, ignoring case and accents. */
    company?: string
    /** Not equal to the value. */
    company_not?: string
    /** Matches any of these values. */
    company_in?: string[]
    /** Whether the job is remote. */
    remote?: boolean
    /** Where people work. */
    workplace?: Workplace
    /** Not equal to the value. */
    workplace_not?: Workplace
    /** Matches any of these values. */
    workplace_in?: Workplace[]
    /** Whether the job is featured. */
    is_featured?: boolean
    /** Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum. */
    salary_min?: number
    /** Greater than the value. */
    salary_min_gt?: number
    /** Less than the value. */
    salary_min_lt?: number
    /** At least the value. */
    salary_min_gte?: number
    /** At most the value. */
    salary_min_lte?: number
    /** Not equal to the value. */
    salary_min_not?: number
    /** Matches any of these values. */
    salary_min_in?: number[]
    /** Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum. */
    salary_max?: number
    /** Greater than the value. */
    salary_max_gt?: number
    /** Less than the value. */
    salary_max_lt?: number
    /** At least the value. */
    salary_max_gte?: number
    /** At most the value. */
    salary_max_lte?: number
    /** Not equal to the value. */
    salary_max_not?: number
    /** Matches any of these values. */
    salary_max_in?: number[]
    /** ISO 4217 code. */
    salary_currency?: string
    /** Not equal to the value. */
    salary_currency_not?: string
    /** Matches any of these values. */
    salary_currency_in?: string[]
    /** Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary. */
    salary_in?: string
    /** include: jobs without a salary pass the salary filters. */
    salary_unspecified?: 'include'
    /** When the job was posted. */
    posted_at?: string | Date
    /** Greater than the value. */
    posted_at_gt?: string | Date
    /** Less than the value. */
    posted_at_lt?: string | Date
    /** At least the value. */
    posted_at_gte?: string | Date
    /** At most the value. */
    posted_at_lte?: string | Date
    /** Not equal to the value. */
    posted_at_not?: string | Date
    /** Matches any of these values. */
    posted_at_in?: (string | Date)[]
    /** Posted after this time. */
    posted_after?: string | Date
    /** Posted before this time. */
    posted_before?: string | Date
    /** When the job expires. */
    expires_at?: string | Date
    /** Greater than the value. */
    expires_at_gt?: string | Date
    /** Less than the value. */
    expires_at_lt?: string | Date
    /** At least the value. */
    expires_at_gte?: string | Date
    /** At most the value. */
    expires_at_lte?: string | Date
    /** Not equal to the value. */
    expires_at_not?: string | Date
    /** Matches any of these values. */
    expires_at_in?: (string | Date)[]
    /** All of these skills. With _in: any of them. With _not: none of them. */
    skills?: string[]
    /** Matches none of these values. */
    skills_not?: string[]
    /** Matches any of these values. */
    skills_in?: string[]
    /** Experience level. */
    experience_level?: ExperienceLevel
    /** Not equal to the value. */
    experience_level_not?: ExperienceLevel
    /** Matches any of these values. */
    experience_level_in?: ExperienceLevel[]
    /** Language of the text, without a region: de also matches de-AT. */
    language?: string
    /** Not equal to the value. */
    language_not?: string
    /** Matches any of these values. */
    language_in?: string[]
    /** Job type. */
    type?: string
    /** Not equal to the value. */
    type_not?: string
    /** Matches any of these values. */
    type_in?: string[]
  }
  frequency?: Frequency
  is_active?: boolean
}

export interface ListJobAlertMatchesQuery {
  /** Comma-separated field:direction; fields: title, posted_at, location, salary, company_name, application_count, distance, relevance, date_posted. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface ListJobsQuery {
  /** Words in title, company, description or skills. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
  search?: string
  /** Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search. */
  location?: string
  /** Not equal to the value. */
  location_not?: string
  /** Matches any of these values. */
  location_in?: string[]
  /** Maximum distance from `location`, in `distance_unit` (default: miles). */
  distance?: number
  /** Unit of `distance`: mi (miles, the default) or km. */
  distance_unit?: 'mi' | 'km'
  /** Category. */
  category?: string
  /** Not equal to the value. */
  category_not?: string
  /** Matches any of these values. */
  category_in?: string[]
  /** Job type. */
  job_type?: string
  /** Not equal to the value. */
  job_type_not?: string
  /** Matches any of these values. */
  job_type_in?: string[]
  /** Company, ignoring case and accents. */
  company?: string
  /** Not equal to the value. */
  company_not?: string
  /** Matches any of these values. */
  company_in?: string[]
  /** Whether the job is remote. */
  remote?: boolean
  /** Where people work. */
  workplace?: Workplace
  /** Not equal to the value. */
  workplace_not?: Workplace
  /** Matches any of these values. */
  workplace_in?: Workplace[]
  /** Whether the job is featured. */
  is_featured?: boolean
  /** Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum. */
  salary_min?: number
  /** Greater than the value. */
  salary_min_gt?: number
  /** Less than the value. */
  salary_min_lt?: number
  /** At least the value. */
  salary_min_gte?: number
  /** At most the value. */
  salary_min_lte?: number
  /** Not equal to the value. */
  salary_min_not?: number
  /** Matches any of these values. */
  salary_min_in?: number[]
  /** Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum. */
  salary_max?: number
  /** Greater than the value. */
  salary_max_gt?: number
  /** Less than the value. */
  salary_max_lt?: number
  /** At least the value. */
  salary_max_gte?: number
  /** At most the value. */
  salary_max_lte?: number
  /** Not equal to the value. */
  salary_max_not?: number
  /** Matches any of these values. */
  salary_max_in?: number[]
  /** ISO 4217 code. */
  salary_currency?: string
  /** Not equal to the value. */
  salary_currency_not?: string
  /** Matches any of these values. */
  salary_currency_in?: string[]
  /** Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary. */
  salary_in?: string
  /** include: jobs without a salary pass the salary filters. */
  salary_unspecified?: 'include'
  /** When the job was posted. */
  posted_at?: string | Date
  /** Greater than the value. */
  posted_at_gt?: string | Date
  /** Less than the value. */
  posted_at_lt?: string | Date
  /** At least the value. */
  posted_at_gte?: string | Date
  /** At most the value. */
  posted_at_lte?: string | Date
  /** Not equal to the value. */
  posted_at_not?: string | Date
  /** Matches any of these values. */
  posted_at_in?: (string | Date)[]
  /** Posted after this time. */
  posted_after?: string | Date
  /** Posted before this time. */
  posted_before?: string | Date
  /** When the job expires. */
  expires_at?: string | Date
  /** Greater than the value. */
  expires_at_gt?: string | Date
  /** Less than the value. */
  expires_at_lt?: string | Date
  /** At least the value. */
  expires_at_gte?: string | Date
  /** At most the value. */
  expires_at_lte?: string | Date
  /** Not equal to the value. */
  expires_at_not?: string | Date
  /** Matches any of these values. */
  expires_at_in?: (string | Date)[]
  /** All of these skills. With _in: any of them. With _not: none of them. */
  skills?: string[]
  /** Matches none of these values. */
  skills_not?: string[]
  /** Matches any of these values. */
  skills_in?: string[]
  /** Experience level. */
  experience_level?: ExperienceLevel
  /** Not equal to the value. */
  experience_level_not?: ExperienceLevel
  /** Matches any of these values. */
  experience_level_in?: ExperienceLevel[]
  /** Language of the text, without a region: de also matches de-AT. */
  language?: string
  /** Not equal to the value. */
  language_not?: string
  /** Matches any of these values. */
  language_in?: string[]
  /** Employer's ID. */
  employer_id?: string
  /** Not equal to the value. */
  employer_id_not?: string
  /** Matches any of these values. */
  employer_id_in?: string[]
  /** Includes copies of other jobs on the board. */
  include_duplicates?: boolean
  /** Only jobs that changed since this time, in order of change. Use meta.updated_until from an earlier response. */
  updated_since?: string | Date
  /** Job type. */
  type?: string
  /** Not equal to the value. */
  type_not?: string
  /** Matches any of these values. */
  type_in?: string[]
  /** Comma-separated field:direction; fields: title, posted_at, location, salary, company_name, application_count, distance, relevance, updated_at, date_posted. With updated_since, the default is updated_at:asc. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
  /** Fields whose values `meta.facets` counts. */
  facets?: Facet[]
}

export interface ListJobChangesQuery {
  /** Words in title, company, description or skills. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
  search?: string
  /** Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search. */
  location?: string
  /** Not equal to the value. */
  location_not?: string
  /** Matches any of these values. */
  location_in?: string[]
  /** Maximum distance from `location`, in `distance_unit` (default: miles). */
  distance?: number
  /** Unit of `distance`: mi (miles, the default) or km. */
  distance_unit?: 'mi' | 'km'
  /** Category. */
  category?: string
  /** Not equal to the value. */
  category_not?: string
  /** Matches any of these values. */
  category_in?: string[]
  /** Job type. */
  job_type?: string
  /** Not equal to the value. */
  job_type_not?: string
  /** Matches any of these values. */
  job_type_in?: string[]
  /** Company, ignoring case and accents. */
  company?: string
  /** Not equal to the value. */
  company_not?: string
  /** Matches any of these values. */
  company_in?: string[]
  /** Whether the job is remote. */
  remote?: boolean
  /** Where people work. */
  workplace?: Workplace
  /** Not equal to the value. */
  workplace_not?: Workplace
  /** Matches any of these values. */
  workplace_in?: Workplace[]
  /** Whether the job is featured. */
  is_featured?: boolean
  /** Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum. */
  salary_min?: number
  /** Greater than the value. */
  salary_min_gt?: number
  /** Less than the value. */
  salary_min_lt?: number
  /** At least the value. */
  salary_min_gte?: number
  /** At most the value. */
  salary_min_lte?: number
  /** Not equal to the value. */
  salary_min_not?: number
  /** Matches any of these values. */
  salary_min_in?: number[]
  /** Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum. */
  salary_max?: number
  /** Greater than the value. */
  salary_max_gt?: number
  /** Less than the value. */
  salary_max_lt?: number
  /** At least the value. */
  salary_max_gte?: number
  /** At most the value. */
  salary_max_lte?: number
  /** Not equal to the value. */
  salary_max_not?: number
  /** Matches any of these values. */
  salary_max_in?: number[]
  /** ISO 4217 code. */
  salary_currency?: string
  /** Not equal to the value. */
  salary_currency_not?: string
  /** Matches any of these values. */
  salary_currency_in?: string[]
  /** Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary. */
  salary_in?: string
  /** include: jobs without a salary pass the salary filters. */
  salary_unspecified?: 'include'
  /** When the job was posted. */
  posted_at?: string | Date
  /** Greater than the value. */
  posted_at_gt?: string | Date
  /** Less than the value. */
  posted_at_lt?: string | Date
  /** At least the value. */
  posted_at_gte?: string | Date
  /** At most the value. */
  posted_at_lte?: string | Date
  /** Not equal to the value. */
  posted_at_not?: string | Date
  /** Matches any of these values. */
  posted_at_in?: (string | Date)[]
  /** Posted after this time. */
  posted_after?: string | Date
  /** Posted before this time. */
  posted_before?: string | Date
  /** When the job expires. */
  expires_at?: string | Date
  /** Greater than the value. */
  expires_at_gt?: string | Date
  /** Less than the value. */
  expires_at_lt?: string | Date
  /** At least the value. */
  expires_at_gte?: string | Date
  /** At most the value. */
  expires_at_lte?: string | Date
  /** Not equal to the value. */
  expires_at_not?: string | Date
  /** Matches any of these values. */
  expires_at_in?: (string | Date)[]
  /** All of these skills. With _in: any of them. With _not: none of them. */
  skills?: string[]
  /** Matches none of these values. */
  skills_not?: string[]
  /** Matches any of these values. */
  skills_in?: string[]
  /** Experience level. */
  experience_level?: ExperienceLevel
  /** Not equal to the value. */
  experience_level_not?: ExperienceLevel
  /** Matches any of these values. */
  experience_level_in?: ExperienceLevel[]
  /** Language of the text, without a region: de also matches de-AT. */
  language?: string
  /** Not equal to the value. */
  language_not?: string
  /** Matches any of these values. */
  language_in?: string[]
  /** Employer's ID. */
  employer_id?: string
  /** Not equal to the value. */
  employer_id_not?: string
  /** Matches any of these values. */
  employer_id_in?: string[]
  /** Includes copies of other jobs on the board. */
  include_duplicates?: boolean
  /** Only jobs that changed since this time, in order of change. Use meta.updated_until from an earlier response. */
  updated_since: string | Date
  /** Includes {id, deleted_at} for jobs that left the board or stopped matching the filters since updated_since. */
  include_deleted?: boolean
  /** Job type. */
  type?: string
  /** Not equal to the value. */
  type_not?: string
  /** Matches any of these values. */
  type_in?: string[]
  /** Comma-separated field:direction; fields: title, posted_at, location, salary, company_name, application_count, distance, relevance, updated_at, date_posted. With updated_since, the default is updated_at:asc. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
  /** Fields whose values `meta.facets` counts. */
  facets?: Facet[]
}

export interface CreateJobBody {
  title: string
  description: string
  location: string
  category: string
  /** A job type, such as full-time, part-time, contract, temporary, internship or freelance. */
  type: string
  salary?: {
    min?: number | null
    max?: number | null
    currency?: string
    period?: Period
  } | null
  requirements?: string[] | null
  benefits?: string[] | null
  remote?: boolean
  /** At most 365 days from now. For an active or closed job: at most 365 days from its activation, or the current value if that is later. A date without a time means the end of that day. */
  expires_at?: string | Date | null
  /** When a paid job becomes active automatically, at most 365 days ahead. A date without a time means the start of that day. */
  publish_at?: string | Date | null
  skills?: string[] | null
  experience_level?: ExperienceLevel | null
  /** BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected. */
  language?: string | null
  /** `remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other. */
  workplace?: Workplace
  /** All locations, beginning with `location`. If a request contains only `location` or only `locations`, the service sets the other. */
  locations?: string[] | null
  custom_questions?: CustomQuestion[] | null
  /** Default: this board's own URL for applying to the job. */
  application_url?: string | null
  contact_email?: string | null
}

export interface UpdateJobBody {
  title?: string
  description?: string
  location?: string
  category?: string
  /** A job type, such as full-time, part-time, contract, temporary, internship or freelance. */
  type?: string
  salary?: {
    min?: number | null
    max?: number | null
    currency?: string
    period?: Period
  } | null
  requirements?: string[] | null
  benefits?: string[] | null
  remote?: boolean
  /** At most 365 days from now. For an active or closed job: at most 365 days from its activation, or the current value if that is later. A date without a time means the end of that day. */
  expires_at?: string | Date | null
  /** When a paid job becomes active automatically, at most 365 days ahead. A date without a time means the start of that day. */
  publish_at?: string | Date | null
  skills?: string[] | null
  experience_level?: ExperienceLevel | null
  /** BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected. */
  language?: string | null
  /** `remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other. */
  workplace?: Workplace
  /** All locations, beginning with `location`. If a request contains only `location` or only `locations`, the service sets the other. */
  locations?: string[] | null
  custom_questions?: CustomQuestion[] | null
  /** Default: this board's own URL for applying to the job. */
  application_url?: string | null
  contact_email?: string | null
}

export interface CloseJobBody {
  reason?: string | null
}

export interface ApplyToJobBody {
  cover_letter: string
  /** ID of one of the candidate's resumes. Default: the newest resume. */
  resume_id?: string | null
  /** Answers to the job's custom questions by question ID: text (up to 1,000 characters), textarea (10,000), boolean, number, date (YYYY-MM-DD), url, single_select (an option), multi_select (a list of options). */
  custom_questions?: Record<string, unknown> | null
  /** Where the candidate found the job, such as the name of a partner board. Stored in lowercase. Visible to the employer and admins. Candidates see it only in their export. */
  source?: string | null
}

export interface ListSavedJobsQuery {
  /** When the job was saved. */
  saved_at?: string | Date
  /** Greater than the value. */
  saved_at_gt?: string | Date
  /** Less than the value. */
  saved_at_lt?: string | Date
  /** At least the value. */
  saved_at_gte?: string | Date
  /** At most the value. */
  saved_at_lte?: string | Date
  /** Not equal to the value. */
  saved_at_not?: string | Date
  /** Matches any of these values. */
  saved_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: saved_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface ListOwnJobsQuery {
  /** Words in title, company, description or skills. Supports "phrases", -exclusions and or. Only the first 12 terms count. */
  search?: string
  /** Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search. */
  location?: string
  /** Not equal to the value. */
  location_not?: string
  /** Matches any of these values. */
  location_in?: string[]
  /** Maximum distance from `location`, in `distance_unit` (default: miles). */
  distance?: number
  /** Unit of `distance`: mi (miles, the default) or km. */
  distance_unit?: 'mi' | 'km'
  /** Category. */
  category?: string
  /** Not equal to the value. */
  category_not?: string
  /** Matches any of these values. */
  category_in?: string[]
  /** Job type. */
  job_type?: string
  /** Not equal to the value. */
  job_type_not?: string
  /** Matches any of these values. */
  job_type_in?: string[]
  /** Company, ignoring case and accents. */
  company?: string
  /** Not equal to the value. */
  company_not?: string
  /** Matches any of these values. */
  company_in?: string[]
  /** Whether the job is remote. */
  remote?: boolean
  /** Where people work. */
  workplace?: Workplace
  /** Not equal to the value. */
  workplace_not?: Workplace
  /** Matches any of these values. */
  workplace_in?: Workplace[]
  /** Whether the job is featured. */
  is_featured?: boolean
  /** Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum. */
  salary_min?: number
  /** Greater than the value. */
  salary_min_gt?: number
  /** Less than the value. */
  salary_min_lt?: number
  /** At least the value. */
  salary_min_gte?: number
  /** At most the value. */
  salary_min_lte?: number
  /** Not equal to the value. */
  salary_min_not?: number
  /** Matches any of these values. */
  salary_min_in?: number[]
  /** Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum. */
  salary_max?: number
  /** Greater than the value. */
  salary_max_gt?: number
  /** Less than the value. */
  salary_max_lt?: number
  /** At least the value. */
  salary_max_gte?: number
  /** At most the value. */
  salary_max_lte?: number
  /** Not equal to the value. */
  salary_max_not?: number
  /** Matches any of these values. */
  salary_max_in?: number[]
  /** ISO 4217 code. */
  salary_currency?: string
  /** Not equal to the value. */
  salary_currency_not?: string
  /** Matches any of these values. */
  salary_currency_in?: string[]
  /** Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary. */
  salary_in?: string
  /** include: jobs without a salary pass the salary filters. */
  salary_unspecified?: 'include'
  /** When the job was posted. */
  posted_at?: string | Date
  /** Greater than the value. */
  posted_at_gt?: string | Date
  /** Less than the value. */
  posted_at_lt?: string | Date
  /** At least the value. */
  posted_at_gte?: string | Date
  /** At most the value. */
  posted_at_lte?: string | Date
  /** Not equal to the value. */
  posted_at_not?: string | Date
  /** Matches any of these values. */
  posted_at_in?: (string | Date)[]
  /** Posted after this time. */
  posted_after?: string | Date
  /** Posted before this time. */
  posted_before?: string | Date
  /** When the job expires. */
  expires_at?: string | Date
  /** Greater than the value. */
  expires_at_gt?: string | Date
  /** Less than the value. */
  expires_at_lt?: string | Date
  /** At least the value. */
  expires_at_gte?: string | Date
  /** At most the value. */
  expires_at_lte?: string | Date
  /** Not equal to the value. */
  expires_at_not?: string | Date
  /** Matches any of these values. */
  expires_at_in?: (string | Date)[]
  /** All of these skills. With _in: any of them. With _not: none of them. */
  skills?: string[]
  /** Matches none of these values. */
  skills_not?: string[]
  /** Matches any of these values. */
  skills_in?: string[]
  /** Experience level. */
  experience_level?: ExperienceLevel
  /** Not equal to the value. */
  experience_level_not?: ExperienceLevel
  /** Matches any of these values. */
  experience_level_in?: ExperienceLevel[]
  /** Language of the text, without a region: de also matches de-AT. */
  language?: string
  /** Not equal to the value. */
  language_not?: string
  /** Matches any of these values. */
  language_in?: string[]
  /** State of the job. */
  state?: 'inactive' | 'active' | 'closed' | 'expired'
  /** Not equal to the value. */
  state_not?: 'inactive' | 'active' | 'closed' | 'expired'
  /** Matches any of these values. */
  state_in?: ('inactive' | 'active' | 'closed' | 'expired')[]
  /** Job type. */
  type?: string
  /** Not equal to the value. */
  type_not?: string
  /** Matches any of these values. */
  type_in?: string[]
  /** Comma-separated field:direction; fields: title, posted_at, location, salary, company_name, application_count, distance, relevance, date_posted. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface ListDuplicateDecisionsQuery {
  /** Decision about the pair. */
  decision?: 'same' | 'different'
  /** Not equal to the value. */
  decision_not?: 'same' | 'different'
  /** Matches any of these values. */
  decision_in?: ('same' | 'different')[]
  /** When the decision was made. */
  decided_at?: string | Date
  /** Greater than the value. */
  decided_at_gt?: string | Date
  /** Less than the value. */
  decided_at_lt?: string | Date
  /** At least the value. */
  decided_at_gte?: string | Date
  /** At most the value. */
  decided_at_lte?: string | Date
  /** Not equal to the value. */
  decided_at_not?: string | Date
  /** Matches any of these values. */
  decided_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: decided_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface DecideDuplicatesBody {
  job_ids: string[]
  /** undecided: deletes earlier decisions about pairs of these jobs, so that the service compares their texts again. */
  decision: Decision
}

export interface ReportJobBody {
  reason: 'spam' | 'fraud' | 'discrimination' | 'expired' | 'wrong_information' | 'other'
  /** Description of the problem. Required if reason is other. */
  message?: string | null
}

export interface ListMembersQuery {
  /** Role of the member. */
  role?: Role
  /** Not equal to the value. */
  role_not?: Role
  /** Matches any of these values. */
  role_in?: Role[]
  /** When the member joined. */
  joined_at?: string | Date
  /** Greater than the value. */
  joined_at_gt?: string | Date
  /** Less than the value. */
  joined_at_lt?: string | Date
  /** At least the value. */
  joined_at_gte?: string | Date
  /** At most the value. */
  joined_at_lte?: string | Date
  /** Not equal to the value. */
  joined_at_not?: string | Date
  /** Matches any of these values. */
  joined_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: email, joined_at, invited_at, last_active. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface InviteMemberBody {
  email: string
  name?: string | null
  /** An owner may do everything. A recruiter may not change members or the company's profile, and may not see keys, webhooks or events. A viewer may read the same as a recruiter, but may write only notes. */
  role: Role
}

export interface UpdateMemberBody {
  name?: string | null
  /** An owner may do everything. A recruiter may not change members or the company's profile, and may not see keys, webhooks or events. A viewer may read the same as a recruiter, but may write only notes. */
  role?: Role
}

export interface ListPaymentsQuery {
  /** Payment status. */
  status?: 'pending' | 'paid' | 'failed' | 'expired' | 'refunded'
  /** Not equal to the value. */
  status_not?: 'pending' | 'paid' | 'failed' | 'expired' | 'refunded'
  /** Matches any of these values. */
  status_in?: ('pending' | 'paid' | 'failed' | 'expired' | 'refunded')[]
  /** ID of the job. */
  job_id?: string
  /** Not equal to the value. */
  job_id_not?: string
  /** Matches any of these values. */
  job_id_in?: string[]
  /** When the payment was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Prefixes of words in the company's name, or an exact email address, invoice number, reference or ID. */
  search?: string
  /** Comma-separated field:direction; fields: created_at, paid_at, amount. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface CreatePaymentBody {
  job_id: string
  products: string[]
}

export interface UpdateProductBody {
  name?: string
  amount?: number
  currency?: string
  duration_days?: number
  is_active?: boolean
}

export interface ListReportsQuery {
  /** Status of the report. */
  status?: 'open' | 'upheld' | 'dismissed'
  /** Not equal to the value. */
  status_not?: 'open' | 'upheld' | 'dismissed'
  /** Matches any of these values. */
  status_in?: ('open' | 'upheld' | 'dismissed')[]
  /** Why the job was reported. */
  reason?: 'spam' | 'fraud' | 'discrimination' | 'expired' | 'wrong_information' | 'other'
  /** Not equal to the value. */
  reason_not?: 'spam' | 'fraud' | 'discrimination' | 'expired' | 'wrong_information' | 'other'
  /** Matches any of these values. */
  reason_in?: ('spam' | 'fraud' | 'discrimination' | 'expired' | 'wrong_information' | 'other')[]
  /** ID of the reported job. */
  job_id?: string
  /** Not equal to the value. */
  job_id_not?: string
  /** Matches any of these values. */
  job_id_in?: string[]
  /** ID of the reported job's employer. */
  employer_id?: string
  /** Not equal to the value. */
  employer_id_not?: string
  /** Matches any of these values. */
  employer_id_in?: string[]
  /** When the job was reported. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, decided_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface UpholdReportBody {
  /** Shown to the employer. */
  reason: string
}

export interface DismissReportBody {
  /** Visible only to admins. */
  note?: string | null
}

export interface ListResumesQuery {
  /** When the resume was uploaded. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, size_bytes. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface UpdateBoardBody {
  /** Shown on every page, in emails and in feeds. */
  name?: string
  /** One sentence about the board. */
  tagline?: string | null
  /** For search engines and the API reference. */
  description?: string | null
  /** Hexadecimal RGB color, such as #0b6472. */
  accent_color?: string | null
  contact_email?: string | null
  /** Languages of the website and of emails. */
  languages?: Language[]
  /** The language for readers who prefer none of `languages`. Must be one of `languages`. */
  default_language?: Language
  /** Legal name of the operator, for invoices. */
  seller_name?: string | null
  /** Postal address of the operator, for invoices. */
  seller_address?: string | null
  /** VAT or tax ID of the operator, for invoices. */
  seller_vat_id?: string | null
  /** VAT on all products in percent, such as 20 or 8.1. Null if no VAT applies. */
  vat_rate?: number | null
  /** Whether product prices include VAT. If not, VAT is added to them. */
  prices_include_vat?: boolean
  /** Account holder, for bank transfers. */
  bank_account_name?: string | null
  /** IBAN with valid check digits, with or without spaces. */
  bank_iban?: string | null
  /** BIC of the bank. */
  bank_bic?: string | null
  /** Other payment options, shown with the bank details. */
  bank_note?: string | null
}

export interface UpdateBoardPageBody {
  title?: string
  /** Markdown: CommonMark without raw HTML, images or first-level headings. */
  text?: string
  /** BCP 47 tag, such as en or pt-BR. */
  language?: string
}

export interface ListStaffQuery {
  /** Role of the member. */
  role?: 'admin' | 'moderator'
  /** Not equal to the value. */
  role_not?: 'admin' | 'moderator'
  /** Matches any of these values. */
  role_in?: ('admin' | 'moderator')[]
  /** When the member joined. */
  joined_at?: string | Date
  /** Greater than the value. */
  joined_at_gt?: string | Date
  /** Less than the value. */
  joined_at_lt?: string | Date
  /** At least the value. */
  joined_at_gte?: string | Date
  /** At most the value. */
  joined_at_lte?: string | Date
  /** Not equal to the value. */
  joined_at_not?: string | Date
  /** Matches any of these values. */
  joined_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: email, joined_at, invited_at, last_active. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface InviteStaffBody {
  email: string
  name?: string | null
  /** An admin may do everything. A moderator may decide on reports and copies of jobs, change jobs and read accounts. */
  role: 'admin' | 'moderator'
}

export interface UpdateStaffBody {
  name?: string | null
  /** An admin may do everything. A moderator may decide on reports and copies of jobs, change jobs and read accounts. */
  role?: 'admin' | 'moderator'
}

export interface ListWebhooksQuery {
  /** Webhook status. */
  status?: 'active' | 'paused' | 'disabled'
  /** Not equal to the value. */
  status_not?: 'active' | 'paused' | 'disabled'
  /** Matches any of these values. */
  status_in?: ('active' | 'paused' | 'disabled')[]
  /** When the webhook was created. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, updated_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface CreateWebhookBody {
  /** A public https URL. */
  url: string
  events: ('job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated')[]
  description?: string | null
  /** Signs deliveries. Printable ASCII. Default: generated by the service. */
  secret?: string
}

export interface UpdateWebhookBody {
  /** A public https URL. */
  url?: string
  events?: ('job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated')[]
  description?: string | null
  /** Set to active or paused. Only the service can set it to disabled. */
  status?: 'active' | 'paused' | 'disabled'
}

export interface RotateWebhookSecretBody {
  /** How long the previous secret stays valid. Default: 86400. */
  grace_period_seconds?: number
  /** Rotates the secret even during a grace period, and ends that period immediately. */
  force?: boolean
  /** Signs deliveries. Printable ASCII. Default: generated by the service. */
  secret?: string
}

export interface TestWebhookBody {
  /** Type of the sample event. Default: the webhook's first event type. */
  type?: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
}

export interface ListWebhookDeliveriesQuery {
  /** Delivery status. */
  status?: 'pending' | 'delivered' | 'exhausted' | 'canceled'
  /** Not equal to the value. */
  status_not?: 'pending' | 'delivered' | 'exhausted' | 'canceled'
  /** Matches any of these values. */
  status_in?: ('pending' | 'delivered' | 'exhausted' | 'canceled')[]
  /** Type of the event. */
  type?: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  /** Not equal to the value. */
  type_not?: 'job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated'
  /** Matches any of these values. */
  type_in?: ('job.created' | 'job.updated' | 'job.expired' | 'job.deleted' | 'application.submitted' | 'application.status_updated' | 'application.withdrawn' | 'candidate.registered' | 'candidate.profile_updated' | 'employer.registered' | 'employer.profile_updated')[]
  /** When the delivery was queued. */
  created_at?: string | Date
  /** Greater than the value. */
  created_at_gt?: string | Date
  /** Less than the value. */
  created_at_lt?: string | Date
  /** At least the value. */
  created_at_gte?: string | Date
  /** At most the value. */
  created_at_lte?: string | Date
  /** Not equal to the value. */
  created_at_not?: string | Date
  /** Matches any of these values. */
  created_at_in?: (string | Date)[]
  /** Comma-separated field:direction; fields: created_at, settled_at. */
  sort?: string
  /** Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort. */
  order?: 'asc' | 'desc'
  /** Page number. Cannot be combined with cursor. */
  page?: number
  limit?: number
  /** next_cursor or prev_cursor from a response. An empty value returns the start of the list. */
  cursor?: string
}

export interface RecoverWebhookBody {
  /** Start of the time range. */
  since: string | Date
  /** End of the time range. Default: now. */
  until?: string | Date
}

export interface AccountsMethods {
  /** List all accounts. Keys: admin (`admin:read`). `GET /v1/admin/accounts` */
  list(query?: ListAccountsQuery, options?: RequestOptions): Promise<Page<Account>>
  /** List all accounts. Keys: admin (`admin:read`). `GET /v1/admin/accounts` */
  listAll(query?: Omit<ListAccountsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Account>
  /** Get an account with its keys, resource counts and budgets. Keys: admin (`admin:read`). `GET /v1/admin/accounts/{id}` */
  get(id: string, options?: RequestOptions): Promise<AccountDetail>
  /** Delete an account permanently: erase a candidate, close an employer, or delete an admin or integrator. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/admin/accounts/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
  /** Suspend an account: hide its jobs, and refuse its keys and sessions. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `POST /v1/admin/accounts/{id}/suspend` */
  suspend(id: string, body: SuspendAccountBody, options?: RequestOptions): Promise<AccountDetail>
  /** Resume a suspended account. Keys: admin (`admin:write`). `POST /v1/admin/accounts/{id}/resume` */
  resume(id: string, options?: RequestOptions): Promise<AccountDetail>
  /** List an account's sessions. Keys: admin (`admin:read`). `GET /v1/admin/accounts/{id}/sessions` */
  listSessions(id: string, query?: ListSessionsQuery, options?: RequestOptions): Promise<Page<Session>>
  /** List an account's sessions. Keys: admin (`admin:read`). `GET /v1/admin/accounts/{id}/sessions` */
  listAllSessions(id: string, query?: Omit<ListSessionsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Session>
  /** End an account's sessions and invalidate its sign-in links. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/admin/accounts/{id}/sessions` */
  endSessions(id: string, options?: RequestOptions): Promise<void>
  /** End an account session. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/admin/accounts/{id}/sessions/{session_id}` */
  endSession(id: string, sessionId: string, options?: RequestOptions): Promise<void>
  /** Remove the passkeys of an account and its members, and end their sessions. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/admin/accounts/{id}/passkeys` */
  deletePasskeys(id: string, options?: RequestOptions): Promise<void>
}

export interface ApiKeysMethods {
  /** List the account's API keys. Keys: candidate (`profile:read`), employer (`profile:read`), admin (`profile:read`), integrator (`profile:read`). `GET /v1/api-keys` */
  list(query?: ListApiKeysQuery, options?: RequestOptions): Promise<Page<ApiKey>>
  /** List the account's API keys. Keys: candidate (`profile:read`), employer (`profile:read`), admin (`profile:read`), integrator (`profile:read`). `GET /v1/api-keys` */
  listAll(query?: Omit<ListApiKeysQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<ApiKey>
  /** Create an API key for the account; a secret key is shown only once. Keys: candidate (`profile:write`), employer (`profile:write`), admin (`profile:write`), integrator (`profile:write`). `POST /v1/api-keys` */
  create(body: CreateApiKeyBody, options?: RequestOptions): Promise<ApiKeyCreated>
  /** Revoke an API key. Keys: candidate (`profile:write`), employer (`profile:write`), admin (`profile:write`), integrator (`profile:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/api-keys/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
}

export interface ApplicationsMethods {
  /** List the calling candidate's applications. Keys: candidate (`applications:read`). `GET /v1/candidates/applications` */
  list(query?: ListApplicationsQuery, options?: RequestOptions): Promise<Page<ApplicationListItem>>
  /** List the calling candidate's applications. Keys: candidate (`applications:read`). `GET /v1/candidates/applications` */
  listAll(query?: Omit<ListApplicationsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<ApplicationListItem>
  /** Get one of the candidate's applications, with answers, resume and history. Keys: candidate (`applications:read`). `GET /v1/candidates/applications/{id}` */
  get(id: string, options?: RequestOptions): Promise<Application>
  /** Draft an application for the candidate to send on the website within 24 hours. Keys: candidate (`applications:write`). `POST /v1/candidates/jobs/{id}/draft` */
  draft(id: string, body: DraftApplicationBody, options?: RequestOptions): Promise<ApplicationDraft>
  /** Withdraw an undecided application; the candidate can apply again. Keys: candidate (`applications:write`). `POST /v1/candidates/applications/{id}/withdraw` */
  withdraw(id: string, body?: WithdrawApplicationBody, options?: RequestOptions): Promise<Application>
  /** List the messages about one of the candidate's applications. Marks the listed messages from the other side as read. Keys: candidate (`applications:read`). `GET /v1/candidates/applications/{id}/messages` */
  listMessages(id: string, query?: ListApplicationMessagesQuery, options?: RequestOptions): Promise<Page<ApplicationMessage>>
  /** List the messages about one of the candidate's applications. Marks the listed messages from the other side as read. Keys: candidate (`applications:read`). `GET /v1/candidates/applications/{id}/messages` */
  listAllMessages(id: string, query?: Omit<ListApplicationMessagesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<ApplicationMessage>
  /** Send a message to the employer about an application. Keys: candidate (`applications:write`). `POST /v1/candidates/applications/{id}/messages` */
  sendMessage(id: string, body: SendApplicationMessageBody, options?: RequestOptions): Promise<ApplicationMessage>
  /** List applications to the calling employer's jobs; admins see all applications. With `Accept: text/csv`, returns all pages as one spreadsheet. An apostrophe precedes characters that would start a formula. Keys: employer (`applications:read`), admin (`applications:read`). `GET /v1/employers/applications` */
  listReceived(query?: ListEmployerApplicationsQuery, options?: RequestOptions): Promise<Page<EmployerApplication>>
  /** List applications to the calling employer's jobs; admins see all applications. With `Accept: text/csv`, returns all pages as one spreadsheet. An apostrophe precedes characters that would start a formula. Keys: employer (`applications:read`), admin (`applications:read`). `GET /v1/employers/applications` */
  listAllReceived(query?: Omit<ListEmployerApplicationsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<EmployerApplication>
  /** Get an application to one of the employer's jobs. Keys: employer (`applications:read`), admin (`applications:read`). `GET /v1/employers/applications/{id}` */
  getReceived(id: string, options?: RequestOptions): Promise<EmployerApplication>
  /** Change the status, rating or tags of an application. Keys: employer (`applications:write`), admin (`applications:write`). `PUT /v1/employers/applications/{id}` */
  updateStatus(id: string, body?: UpdateApplicationStatusBody, options?: RequestOptions): Promise<EmployerApplication>
  /** Change the status of up to 100 applications, each independently of the others. Keys: employer (`applications:write`), admin (`applications:write`). `POST /v1/employers/applications/bulk` */
  updateMany(body: MoveApplicationsBody, options?: RequestOptions): Promise<MoveResult[]>
  /** List the messages about an application to one of the employer's jobs. Marks the listed messages from the other side as read. Keys: employer (`applications:read`). `GET /v1/employers/applications/{id}/messages` */
  listApplicantMessages(id: string, query?: ListApplicantMessagesQuery, options?: RequestOptions): Promise<Page<ApplicationMessage>>
  /** List the messages about an application to one of the employer's jobs. Marks the listed messages from the other side as read. Keys: employer (`applications:read`). `GET /v1/employers/applications/{id}/messages` */
  listAllApplicantMessages(id: string, query?: Omit<ListApplicantMessagesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<ApplicationMessage>
  /** Send a message to the candidate about an application. Keys: employer (`applications:write`). `POST /v1/employers/applications/{id}/messages` */
  messageApplicant(id: string, body: MessageApplicantBody, options?: RequestOptions): Promise<ApplicationMessage>
  /** List the employer's notes on an application; candidates never see them on the board. Keys: employer (`applications:read`). `GET /v1/employers/applications/{id}/notes` */
  listNotes(id: string, query?: ListApplicationNotesQuery, options?: RequestOptions): Promise<Page<ApplicationNote>>
  /** List the employer's notes on an application; candidates never see them on the board. Keys: employer (`applications:read`). `GET /v1/employers/applications/{id}/notes` */
  listAllNotes(id: string, query?: Omit<ListApplicationNotesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<ApplicationNote>
  /** Add a note to an application. Keys: employer (`applications:write`). `POST /v1/employers/applications/{id}/notes` */
  createNote(id: string, body: CreateApplicationNoteBody, options?: RequestOptions): Promise<ApplicationNote>
  /** Delete a note. Keys: employer (`applications:write`). `DELETE /v1/employers/applications/{id}/notes/{note_id}` */
  deleteNote(id: string, noteId: string, options?: RequestOptions): Promise<void>
}

export interface BlocksMethods {
  /** List blocked email addresses, email domains and networks. Keys: admin (`admin:read`). `GET /v1/admin/blocks` */
  list(query?: ListBlocksQuery, options?: RequestOptions): Promise<Page<Block>>
  /** List blocked email addresses, email domains and networks. Keys: admin (`admin:read`). `GET /v1/admin/blocks` */
  listAll(query?: Omit<ListBlocksQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Block>
  /** Block an email address, an email domain or a network. Keys: admin (`admin:write`). `POST /v1/admin/blocks` */
  create(body: CreateBlockBody, options?: RequestOptions): Promise<Block>
  /** Delete a block. Keys: admin (`admin:write`). `DELETE /v1/admin/blocks/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
}

export interface CandidatesMethods {
  /** Register a candidate; the API key is shown once. Keys: admin (`profile:write`), integrator (`profile:write`). `POST /v1/candidates` */
  register(body: RegisterCandidateBody, options?: RequestOptions): Promise<CandidateRegistered>
  /** List searchable candidates and the calling employer's applicants; admins see all candidates. Keys: employer (`candidates:read`), admin (`candidates:read`). `GET /v1/candidates` */
  list(query?: ListCandidatesQuery, options?: RequestOptions): Promise<Page<FoundCandidate, SearchMeta>>
  /** List searchable candidates and the calling employer's applicants; admins see all candidates. Keys: employer (`candidates:read`), admin (`candidates:read`). `GET /v1/candidates` */
  listAll(query?: Omit<ListCandidatesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<FoundCandidate>
  /** Get a searchable candidate or one of the calling employer's applicants; admins can get any candidate. Keys: employer (`candidates:read`), admin (`candidates:read`). `GET /v1/candidates/{id}` */
  get(id: string, options?: RequestOptions): Promise<FoundCandidateDetail>
  /** Get the calling candidate's profile. Keys: candidate (`profile:read`). `GET /v1/candidates/profile` */
  getProfile(options?: RequestOptions): Promise<Candidate>
  /** Change the calling candidate's profile; absent fields keep their values. Keys: candidate (`profile:write`). `PUT /v1/candidates/profile` */
  updateProfile(body?: UpdateCandidateProfileBody, options?: RequestOptions): Promise<Candidate>
  /** Erase the calling candidate and all of their personal data, immediately and permanently. Employers keep anonymous stubs of the applications. Keys: candidate (`profile:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/candidates/profile` */
  deleteProfile(options?: RequestOptions): Promise<void>
  /** Export all stored data about the calling candidate. Keys: candidate (`profile:read`). `GET /v1/candidates/export` */
  export(options?: RequestOptions): Promise<CandidateExport>
}

export interface CurrencyRatesMethods {
  /** Get the exchange rates that salary_in and sort=salary use. Keys: candidate, employer, admin, integrator. `GET /v1/currency-rates` */
  get(options?: RequestOptions): Promise<CurrencyRates>
  /** Replace all exchange rates. Keys: admin (`admin:write`). `PUT /v1/admin/currency-rates` */
  replace(body: ReplaceCurrencyRatesBody, options?: RequestOptions): Promise<CurrencyRates>
}

export interface EmailsMethods {
  /** List queued emails, and emails from the last 30 days. Keys: admin (`admin:read`). `GET /v1/admin/emails` */
  list(query?: ListEmailsQuery, options?: RequestOptions): Promise<Page<Email>>
  /** List queued emails, and emails from the last 30 days. Keys: admin (`admin:read`). `GET /v1/admin/emails` */
  listAll(query?: Omit<ListEmailsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Email>
  /** Send an email again. Keys: admin (`admin:write`). `POST /v1/admin/emails/{id}/retry` */
  retry(id: string, options?: RequestOptions): Promise<Email>
  /** Resend failed emails, up to 10,000 per request. Keys: admin (`admin:write`). `POST /v1/admin/emails/retry` */
  retryAll(body?: RetryEmailsBody, options?: RequestOptions): Promise<{
    retried: number
  }>
}

export interface ClaimsMethods {
  /** Get a claim. Keys: employer (`profile:read`). `GET /v1/employers/{id}/claims/{claim_id}` */
  get(id: string, claimId: string, options?: RequestOptions): Promise<Claim>
  /** Check the proof of a claim and, if it is valid, verify the employer and transfer the company. Returns the claim. If the check fails, `state` remains `pending`, and `problem` is the reason. Each claim can be checked up to 50 times. Keys: employer (`profile:write`). `POST /v1/employers/{id}/claims/{claim_id}/verify` */
  verify(id: string, claimId: string, body?: VerifyClaimBody, options?: RequestOptions): Promise<Claim>
  /** Claim your own company, or one that a feed or an import created; the response contains any record or file to publish. The domain comes from the website in your profile or, if you have none, from the website of the company. If a feed or an import created the company, its website must be at that domain. Once the claim is verified, the jobs of the company belong to you. The claim replaces your earlier claim to the company, and expires unless you verify it within seven days. An account uses the same record and file for all claims to a domain. Keys: employer (`profile:write`). `POST /v1/employers/{id}/claims` */
  create(id: string, body: CreateClaimBody, options?: RequestOptions): Promise<Claim>
  /** Remove an employer's verification; its domain and the companies that it took over can be claimed again. Also releases the companies of an employer whose verification has ended because its website moved. Keys: admin (`admin:write`). `DELETE /v1/admin/employers/{id}/verification` */
  removeVerification(id: string, options?: RequestOptions): Promise<void>
}

export interface EmailTemplatesMethods {
  /** Get the employer's own email about a new status. Keys: employer (`applications:read`). `GET /v1/employers/email-templates/{status}` */
  get(status: string, options?: RequestOptions): Promise<EmailTemplate>
  /** Change the employer's own email about a new status. Keys: employer (`applications:write`). `PUT /v1/employers/email-templates/{status}` */
  update(status: string, body?: UpdateEmailTemplateBody, options?: RequestOptions): Promise<EmailTemplate>
  /** Preview an email about a new status without saving it; absent fields use their stored values. Keys: employer (`applications:read`). `POST /v1/employers/email-templates/{status}/preview` */
  preview(status: string, body?: PreviewEmailTemplateBody, options?: RequestOptions): Promise<EmailPreview>
}

export interface EmployersMethods {
  /** Register an employer; the API key is shown once. Keys: admin (`profile:write`), integrator (`profile:write`). `POST /v1/employers` */
  register(body: RegisterEmployerBody, options?: RequestOptions): Promise<EmployerRegistered>
  /** List employers. Keys: candidate, employer, admin, integrator, publishable. `GET /v1/employers` */
  list(query?: ListEmployersQuery, options?: RequestOptions): Promise<Page<Employer>>
  /** List employers. Keys: candidate, employer, admin, integrator, publishable. `GET /v1/employers` */
  listAll(query?: Omit<ListEmployersQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Employer>
  /** Get an employer. Keys: candidate, employer, admin, integrator, publishable. `GET /v1/employers/{id}` */
  get(id: string, options?: RequestOptions): Promise<EmployerDetail>
  /** Get the calling employer's profile. Keys: employer (`profile:read`). `GET /v1/employers/profile` */
  getProfile(options?: RequestOptions): Promise<EmployerProfile>
  /** Change the calling employer's profile; absent fields keep their values. Keys: employer (`profile:write`). `PUT /v1/employers/profile` */
  updateProfile(body?: UpdateEmployerProfileBody, options?: RequestOptions): Promise<EmployerProfile>
  /** Permanently close the calling employer's account. Deletes the employer's jobs, webhooks, keys and sessions. Candidates keep their applications. Payments are not refunded. Keys: employer (`profile:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/employers/profile` */
  deleteProfile(options?: RequestOptions): Promise<void>
  /** Set the logo: PNG, JPEG or WebP, at most 2 MiB and 4,096 pixels wide and high. The content determines the type. The service stores a WebP without metadata, at most 512 pixels wide and high. `logo_url` becomes its URL. Keys: employer (`profile:write`). `PUT /v1/employers/logo` */
  updateLogo(file: Blob, options?: RequestOptions): Promise<EmployerProfile>
  /** Remove the logo. Keys: employer (`profile:write`). `DELETE /v1/employers/logo` */
  deleteLogo(options?: RequestOptions): Promise<void>
  /** Set the cover: PNG, JPEG or WebP, at most 2 MiB and 4,096 pixels wide and high. The content determines the type. The service stores a WebP without metadata, at most 1,600 pixels wide and high. `cover_url` becomes its URL. Keys: employer (`profile:write`). `PUT /v1/employers/cover` */
  updateCover(file: Blob, options?: RequestOptions): Promise<EmployerProfile>
  /** Remove the cover. Keys: employer (`profile:write`). `DELETE /v1/employers/cover` */
  deleteCover(options?: RequestOptions): Promise<void>
}

export interface EventsMethods {
  /** List or follow the caller's events; admins and integrators see all events. With `after` or `wait_seconds`, returns events in the order of the event stream. A reader that continues from `meta.next` never misses an event. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/events` */
  list(query?: ListEventsQuery, options?: RequestOptions): Promise<Page<Event>>
  /** List or follow the caller's events; admins and integrators see all events. With `after` or `wait_seconds`, returns events in the order of the event stream. A reader that continues from `meta.next` never misses an event. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/events` */
  listAll(query?: Omit<ListEventsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Event>
  /** Get an event. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/events/{id}` */
  get(id: string, options?: RequestOptions): Promise<Event>
  /** List or follow the caller's events; admins and integrators see all events. With `after` or `wait_seconds`, returns events in the order of the event stream. A reader that continues from `meta.next` never misses an event. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/events` */
  poll(query?: PollEventsQuery, options?: RequestOptions): Promise<Page<Event, StreamMeta>>
  /** Stream the caller's events as server-sent events; admins and integrators see all events. Each message has an iterator as its `id`, the event type as its `event`, and the event as its `data`. After a disconnect, send the last `id` in the header Last-Event-ID, which takes precedence over `after`. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/events/stream` */
  stream(query?: StreamEventsQuery, options?: RequestOptions): AsyncIterable<EventMessage>
}

export interface FeedsMethods {
  /** List the calling employer's feeds; admins see all feeds. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/feeds` */
  list(query?: ListFeedsQuery, options?: RequestOptions): Promise<Page<Feed>>
  /** List the calling employer's feeds; admins see all feeds. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/feeds` */
  listAll(query?: Omit<ListFeedsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Feed>
  /** Get a feed. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/feeds/{id}` */
  get(id: string, options?: RequestOptions): Promise<Feed>
  /** Create a feed, which creates, updates and closes jobs as its document changes. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/feeds` */
  create(body: CreateFeedBody, options?: RequestOptions): Promise<Feed>
  /** Change a feed; absent fields keep their values. Keys: employer (`jobs:write`), admin (`jobs:write`). `PUT /v1/feeds/{id}` */
  update(id: string, body?: UpdateFeedBody, options?: RequestOptions): Promise<Feed>
  /** Delete a feed, and close or keep its jobs. Keys: employer (`jobs:write`), admin (`jobs:write`). `DELETE /v1/feeds/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
  /** Queue a run, which fetches the feed's document. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/feeds/{id}/runs` */
  run(id: string, body?: CreateFeedRunBody, options?: RequestOptions): Promise<FeedRun>
  /** Send a document of at most 64 MiB, and queue a run for it. Send the document unchanged, even if it is JSON, as `application/octet-stream` or another listed media type except `application/json`. A small document can also be the field `document` of a JSON body of at most 1 MiB. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/feeds/{id}/documents` */
  sendDocument(id: string, body: CreateFeedDocumentBody, options?: RequestOptions): Promise<FeedRun>
  /** List a feed's runs from the last 90 days. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/feeds/{id}/runs` */
  listRuns(id: string, query?: ListFeedRunsQuery, options?: RequestOptions): Promise<Page<FeedRun>>
  /** List a feed's runs from the last 90 days. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/feeds/{id}/runs` */
  listAllRuns(id: string, query?: Omit<ListFeedRunsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<FeedRun>
  /** Get a run with its report. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/feeds/{id}/runs/{run_id}` */
  getRun(id: string, runId: string, options?: RequestOptions): Promise<FeedRun>
  /** Approve a held run, which then makes its changes. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/feeds/{id}/runs/{run_id}/approve` */
  approveRun(id: string, runId: string, options?: RequestOptions): Promise<FeedRun>
  /** Discard a held run, which then changes nothing. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/feeds/{id}/runs/{run_id}/discard` */
  discardRun(id: string, runId: string, options?: RequestOptions): Promise<FeedRun>
}

export interface JobAlertsMethods {
  /** List the calling candidate's job alerts. Keys: candidate (`alerts:read`). `GET /v1/candidates/job-alerts` */
  list(query?: ListJobAlertsQuery, options?: RequestOptions): Promise<Page<JobAlert>>
  /** List the calling candidate's job alerts. Keys: candidate (`alerts:read`). `GET /v1/candidates/job-alerts` */
  listAll(query?: Omit<ListJobAlertsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<JobAlert>
  /** Get a job alert. Keys: candidate (`alerts:read`). `GET /v1/candidates/job-alerts/{id}` */
  get(id: string, options?: RequestOptions): Promise<JobAlert>
  /** Create a job alert. Keys: candidate (`alerts:write`). `POST /v1/candidates/job-alerts` */
  create(body: CreateJobAlertBody, options?: RequestOptions): Promise<JobAlert>
  /** Change a job alert; absent fields keep their values, but criteria are replaced entirely. Keys: candidate (`alerts:write`). `PUT /v1/candidates/job-alerts/{id}` */
  update(id: string, body?: UpdateJobAlertBody, options?: RequestOptions): Promise<JobAlert>
  /** Delete a job alert. Keys: candidate (`alerts:write`). `DELETE /v1/candidates/job-alerts/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
  /** List the jobs on the board that match an alert. `filters_applied` contains the alert's criteria. Keys: candidate (`alerts:read`). `GET /v1/candidates/job-alerts/{id}/matches` */
  listMatches(id: string, query?: ListJobAlertMatchesQuery, options?: RequestOptions): Promise<Page<JobListItem, SearchMeta>>
  /** List the jobs on the board that match an alert. `filters_applied` contains the alert's criteria. Keys: candidate (`alerts:read`). `GET /v1/candidates/job-alerts/{id}/matches` */
  listAllMatches(id: string, query?: Omit<ListJobAlertMatchesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<JobListItem>
}

export interface JobsMethods {
  /** List the jobs on the board. Keys: candidate (`jobs:read`), employer (`jobs:read`), admin (`jobs:read`), integrator (`jobs:read`), publishable. `GET /v1/jobs` */
  list(query?: ListJobsQuery, options?: RequestOptions): Promise<Page<JobListItem, ListJobsMeta>>
  /** List the jobs on the board. Keys: candidate (`jobs:read`), employer (`jobs:read`), admin (`jobs:read`), integrator (`jobs:read`), publishable. `GET /v1/jobs` */
  listAll(query?: Omit<ListJobsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<JobListItem>
  /** List the jobs on the board. Keys: candidate (`jobs:read`), employer (`jobs:read`), admin (`jobs:read`), integrator (`jobs:read`), publishable. `GET /v1/jobs` */
  listChanges(query: ListJobChangesQuery, options?: RequestOptions): Promise<Page<JobListItem | DeletedJob, ListJobsMeta>>
  /** List the jobs on the board. Keys: candidate (`jobs:read`), employer (`jobs:read`), admin (`jobs:read`), integrator (`jobs:read`), publishable. `GET /v1/jobs` */
  listAllChanges(query: Omit<ListJobChangesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<JobListItem | DeletedJob>
  /** Get a job, even if it is closed or expired. Keys: candidate (`jobs:read`), employer (`jobs:read`), admin (`jobs:read`), integrator (`jobs:read`), publishable. `GET /v1/jobs/{id}` */
  get(id: string, options?: RequestOptions): Promise<Job>
  /** Create a job, which is inactive until it is paid for and activated. Keys: employer (`jobs:write`). `POST /v1/jobs` */
  create(body: CreateJobBody, options?: RequestOptions): Promise<JobOfOwner>
  /** Change a job; absent fields keep their values. Keys: employer (`jobs:write`), admin (`jobs:write`). `PUT /v1/jobs/{id}` */
  update(id: string, body?: UpdateJobBody, options?: RequestOptions): Promise<JobOfOwner>
  /** Delete a job. Keys: employer (`jobs:write`), admin (`jobs:write`). `DELETE /v1/jobs/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
  /** Put a paid job on the board. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/jobs/{id}/activate` */
  activate(id: string, options?: RequestOptions): Promise<JobOfOwner>
  /** Close a job before it expires. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/jobs/{id}/close` */
  close(id: string, body?: CloseJobBody, options?: RequestOptions): Promise<JobOfOwner>
  /** Reopen a closed job until it expires. Keys: employer (`jobs:write`), admin (`jobs:write`). `POST /v1/jobs/{id}/reopen` */
  reopen(id: string, options?: RequestOptions): Promise<JobOfOwner>
  /** Apply to a job on the board. Keys: candidate (`applications:write`). `POST /v1/candidates/jobs/{id}/apply` */
  apply(id: string, body: ApplyToJobBody, options?: RequestOptions): Promise<ApplicationReceipt>
  /** Save a job; 200 if it is already saved. Keys: candidate (`applications:write`). `POST /v1/candidates/jobs/{id}/save` */
  save(id: string, options?: RequestOptions): Promise<SavedJob>
  /** Unsave a job; succeeds even if the job was not saved. Keys: candidate (`applications:write`). `DELETE /v1/candidates/jobs/{id}/save` */
  unsave(id: string, options?: RequestOptions): Promise<void>
  /** List the calling candidate's saved jobs, newest first. Keys: candidate (`applications:read`). `GET /v1/candidates/jobs/saved` */
  listSaved(query?: ListSavedJobsQuery, options?: RequestOptions): Promise<Page<SavedJob>>
  /** List the calling candidate's saved jobs, newest first. Keys: candidate (`applications:read`). `GET /v1/candidates/jobs/saved` */
  listAllSaved(query?: Omit<ListSavedJobsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<SavedJob>
  /** List the calling employer's jobs in any state; admins see all jobs. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/employers/jobs` */
  listOwn(query?: ListOwnJobsQuery, options?: RequestOptions): Promise<Page<JobOfOwnerWithCount, SearchMeta>>
  /** List the calling employer's jobs in any state; admins see all jobs. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/employers/jobs` */
  listAllOwn(query?: Omit<ListOwnJobsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<JobOfOwnerWithCount>
  /** Get a job's daily views, saves and applications. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/employers/jobs/{id}/statistics` */
  getStatistics(id: string, options?: RequestOptions): Promise<JobStatistics>
  /** Find the jobs on the board that are copies of a job. Keys: employer (`jobs:read`), admin (`jobs:read`). `GET /v1/jobs/{id}/duplicates` */
  getDuplicates(id: string, options?: RequestOptions): Promise<Duplicate[]>
  /** List the decisions about copies. Keys: admin (`admin:read`). `GET /v1/admin/duplicates` */
  listDuplicateDecisions(query?: ListDuplicateDecisionsQuery, options?: RequestOptions): Promise<Page<DuplicateDecision>>
  /** List the decisions about copies. Keys: admin (`admin:read`). `GET /v1/admin/duplicates` */
  listAllDuplicateDecisions(query?: Omit<ListDuplicateDecisionsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<DuplicateDecision>
  /** Decide whether jobs are copies of each other. Keys: admin (`admin:write`). `POST /v1/admin/duplicates` */
  decideDuplicates(body: DecideDuplicatesBody, options?: RequestOptions): Promise<{
    job_ids: string[]
    /** undecided: deletes earlier decisions about pairs of these jobs, so that the service compares their texts again. */
    decision: Decision
  }>
  /** Report a job to the operator. Keys: candidate (`jobs:write`), employer (`jobs:write`), admin (`jobs:write`), integrator (`jobs:write`). `POST /v1/jobs/{id}/reports` */
  report(id: string, body: ReportJobBody, options?: RequestOptions): Promise<JobReport>
  /** Restore a removed job. Keys: admin (`admin:write`). `POST /v1/admin/jobs/{id}/restore` */
  restore(id: string, options?: RequestOptions): Promise<JobOfOwner>
  /** List every category with its number of jobs on the board. Keys: candidate (`jobs:read`), employer (`jobs:read`), admin (`jobs:read`), integrator (`jobs:read`), publishable. `GET /v1/jobs/categories` */
  listCategories(options?: RequestOptions): Promise<NamedCount[]>
  /** List every job type with its number of jobs on the board. Keys: candidate (`jobs:read`), employer (`jobs:read`), admin (`jobs:read`), integrator (`jobs:read`), publishable. `GET /v1/jobs/types` */
  listTypes(options?: RequestOptions): Promise<NamedCount[]>
}

export interface MembersMethods {
  /** List the members of the employer's account. Keys: employer (`profile:read`). `GET /v1/employers/members` */
  list(query?: ListMembersQuery, options?: RequestOptions): Promise<Page<Member>>
  /** List the members of the employer's account. Keys: employer (`profile:read`). `GET /v1/employers/members` */
  listAll(query?: Omit<ListMembersQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Member>
  /** Invite a member by email; the link is valid for seven days. Inviting an invited member again returns 200 and sends a new link; the previous link is then invalid. Keys: employer (`profile:write`). The key must have every scope of the account and no expiry date. `POST /v1/employers/members` */
  invite(body: InviteMemberBody, options?: RequestOptions): Promise<Member>
  /** Change a member's role or name. Keys: employer (`profile:write`). The key must have every scope of the account and no expiry date. `PUT /v1/employers/members/{id}` */
  update(id: string, body?: UpdateMemberBody, options?: RequestOptions): Promise<Member>
  /** Remove a member, delete their keys and end their sessions, or withdraw an invitation. Keys: employer (`profile:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/employers/members/{id}` */
  remove(id: string, options?: RequestOptions): Promise<void>
}

export interface MeMethods {
  /** Get the calling account. Keys: candidate, employer, admin, integrator. `GET /v1/me` */
  get(options?: RequestOptions): Promise<Me>
}

export interface PaymentsMethods {
  /** List the calling employer's payments; admins see all payments. Keys: employer (`payments:read`), admin (`payments:read`). `GET /v1/employers/payments` */
  list(query?: ListPaymentsQuery, options?: RequestOptions): Promise<Page<Payment>>
  /** List the calling employer's payments; admins see all payments. Keys: employer (`payments:read`), admin (`payments:read`). `GET /v1/employers/payments` */
  listAll(query?: Omit<ListPaymentsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Payment>
  /** Get a payment. Keys: employer (`payments:read`), admin (`payments:read`). `GET /v1/employers/payments/{id}` */
  get(id: string, options?: RequestOptions): Promise<Payment>
  /** Create a payment for a job; a person completes it at checkout_url. Keys: employer (`payments:write`). `POST /v1/employers/payments` */
  create(body: CreatePaymentBody, options?: RequestOptions): Promise<Payment>
  /** Confirm a payment: check its status with Stripe, or settle a test payment without a charge. Keys: employer (`payments:write`), admin (`payments:write`). `POST /v1/employers/payments/{id}/confirm` */
  confirm(id: string, options?: RequestOptions): Promise<Payment>
  /** Record that a payment has arrived. Keys: admin (`admin:write`). `POST /v1/admin/payments/{id}/mark-paid` */
  markPaid(id: string, options?: RequestOptions): Promise<Payment>
  /** Download a completed payment's invoice as a PDF, or a receipt if the operator has set no legal name. The document is issued once, with a consecutive number. Later changes to names, addresses and prices do not affect it. Keys: employer (`payments:read`), admin (`payments:read`). `GET /v1/employers/payments/{id}/invoice` */
  getInvoice(id: string, options?: RequestOptions): Promise<Blob>
}

export interface ProductsMethods {
  /** List all products, including products that are not for sale. Keys: employer (`payments:read`), admin (`payments:read`). `GET /v1/employers/products` */
  list(options?: RequestOptions): Promise<Product[]>
  /** Change a product, or stop selling it. Keys: admin (`admin:write`). `PUT /v1/admin/products/{slug}` */
  update(slug: string, body?: UpdateProductBody, options?: RequestOptions): Promise<Product>
}

export interface ReportsMethods {
  /** List job reports. Keys: admin (`admin:read`). `GET /v1/admin/reports` */
  list(query?: ListReportsQuery, options?: RequestOptions): Promise<Page<JobReportOfOperator>>
  /** List job reports. Keys: admin (`admin:read`). `GET /v1/admin/reports` */
  listAll(query?: Omit<ListReportsQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<JobReportOfOperator>
  /** Get a report. Keys: admin (`admin:read`). `GET /v1/admin/reports/{id}` */
  get(id: string, options?: RequestOptions): Promise<JobReportOfOperator>
  /** Remove the reported job and uphold all open reports about it. Keys: admin (`admin:write`). `POST /v1/admin/reports/{id}/uphold` */
  uphold(id: string, body: UpholdReportBody, options?: RequestOptions): Promise<JobReportOfOperator>
  /** Dismiss all open reports about the reported job; the job does not change. Keys: admin (`admin:write`). `POST /v1/admin/reports/{id}/dismiss` */
  dismiss(id: string, body?: DismissReportBody, options?: RequestOptions): Promise<JobReportOfOperator>
}

export interface ResumesMethods {
  /** List the calling candidate's resumes. Keys: candidate (`profile:read`). `GET /v1/candidates/resumes` */
  list(query?: ListResumesQuery, options?: RequestOptions): Promise<Page<Resume>>
  /** List the calling candidate's resumes. Keys: candidate (`profile:read`). `GET /v1/candidates/resumes` */
  listAll(query?: Omit<ListResumesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Resume>
  /** Upload a resume of at most 5 MiB; it becomes the default. PDF, DOCX, DOC, ODT, RTF or plain text. The content determines the format: the service ignores the media type and corrects the file extension. Keys: candidate (`profile:write`). `POST /v1/candidates/resume` */
  upload(file: Blob, options?: RequestOptions): Promise<Resume>
  /** Get the calling candidate's default resume, which is the newest. Keys: candidate (`profile:read`). `GET /v1/candidates/resume` */
  getDefault(options?: RequestOptions): Promise<Resume>
  /** Download a resume; employers can download the resumes in applications to their jobs. Supports If-None-Match, If-Range, and Range with one byte range. A request for multiple ranges returns the whole file. Keys: candidate (`profile:read`), employer (`applications:read`), admin (`profile:read`). `GET /v1/candidates/resume/{id}` */
  download(id: string, options?: RequestOptions): Promise<Blob>
  /** Delete a resume; applications that include the resume keep it. Keys: candidate (`profile:write`). `DELETE /v1/candidates/resume/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
}

export interface SettingsMethods {
  /** Get the board's settings and legal pages; needs no API key `GET /v1/board` */
  get(options?: RequestOptions): Promise<Board>
  /** Change the board's settings; absent fields keep their values. Takes effect within two seconds, on every page and in every email. Keys: admin (`admin:write`). `PUT /v1/admin/board` */
  update(body?: UpdateBoardBody, options?: RequestOptions): Promise<Board>
  /** Set the logo: PNG, JPEG or WebP, at most 1 MiB and 4,096 × 4,096 pixels. The content determines the type. A different `image/…` media type in the request is refused. The service stores a PNG without metadata, at most 512 pixels wide and high. Keys: admin (`admin:write`). `PUT /v1/admin/board/logo` */
  updateLogo(file: Blob, options?: RequestOptions): Promise<Board>
  /** Remove the logo. Keys: admin (`admin:write`). `DELETE /v1/admin/board/logo` */
  deleteLogo(options?: RequestOptions): Promise<void>
  /** Get a legal page. Keys: admin (`admin:read`). `GET /v1/admin/board/pages/{slug}` */
  getPage(slug: string, options?: RequestOptions): Promise<BoardPage>
  /** Publish or change a legal page (/pages/:slug on the website). Creates the page if needed; a new page needs `title` and `text`. A board can have the pages `imprint`, `privacy`, `terms` and `contact`, and up to 20 more. Keys: admin (`admin:write`). `PUT /v1/admin/board/pages/{slug}` */
  updatePage(slug: string, body?: UpdateBoardPageBody, options?: RequestOptions): Promise<BoardPage>
  /** Delete a legal page. Keys: admin (`admin:write`). `DELETE /v1/admin/board/pages/{slug}` */
  deletePage(slug: string, options?: RequestOptions): Promise<void>
}

export interface StaffMethods {
  /** List the board's staff. Keys: admin (`admin:read`). `GET /v1/admin/members` */
  list(query?: ListStaffQuery, options?: RequestOptions): Promise<Page<StaffMember>>
  /** List the board's staff. Keys: admin (`admin:read`). `GET /v1/admin/members` */
  listAll(query?: Omit<ListStaffQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<StaffMember>
  /** Invite staff by email; the link is valid for seven days. Inviting an invited member again returns 200 and sends a new link; the previous link is then invalid. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `POST /v1/admin/members` */
  invite(body: InviteStaffBody, options?: RequestOptions): Promise<StaffMember>
  /** Change a staff member's role or name. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `PUT /v1/admin/members/{id}` */
  update(id: string, body?: UpdateStaffBody, options?: RequestOptions): Promise<StaffMember>
  /** Remove a staff member, delete their keys and end their sessions, or withdraw an invitation. Keys: admin (`admin:write`). The key must have every scope of the account and no expiry date. `DELETE /v1/admin/members/{id}` */
  remove(id: string, options?: RequestOptions): Promise<void>
}

export interface TasksMethods {
  /** List background tasks with their last rounds. Keys: admin (`admin:read`). `GET /v1/admin/tasks` */
  list(options?: RequestOptions): Promise<Task[]>
  /** Run a background task now, in a worker process. Keys: admin (`admin:write`). `POST /v1/admin/tasks/{name}/runs` */
  run(name: string, options?: RequestOptions): Promise<Task>
}

export interface WebhooksMethods {
  /** List the account's webhooks. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/webhooks` */
  list(query?: ListWebhooksQuery, options?: RequestOptions): Promise<Page<Webhook>>
  /** List the account's webhooks. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/webhooks` */
  listAll(query?: Omit<ListWebhooksQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<Webhook>
  /** Get a webhook. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/webhooks/{id}` */
  get(id: string, options?: RequestOptions): Promise<Webhook>
  /** Create a webhook; it receives the events of the given types that the account may see. Keys: candidate (`webhooks:write`), employer (`webhooks:write`), admin (`webhooks:write`), integrator (`webhooks:write`). `POST /v1/webhooks` */
  create(body: CreateWebhookBody, options?: RequestOptions): Promise<WebhookWithSecret>
  /** Change, pause or resume a webhook; absent fields keep their values. Pausing cancels pending deliveries. Resuming does not send them: use `recover`. A new URL also applies to pending deliveries. The webhook is disabled when the API key that created or last changed it is deleted or expires. To assign the webhook to another key, send `{}` with that key. Keys: candidate (`webhooks:write`), employer (`webhooks:write`), admin (`webhooks:write`), integrator (`webhooks:write`). `PUT /v1/webhooks/{id}` */
  update(id: string, body?: UpdateWebhookBody, options?: RequestOptions): Promise<Webhook>
  /** Delete a webhook and its deliveries. Keys: candidate (`webhooks:write`), employer (`webhooks:write`), admin (`webhooks:write`), integrator (`webhooks:write`). `DELETE /v1/webhooks/{id}` */
  delete(id: string, options?: RequestOptions): Promise<void>
  /** Rotate a webhook's secret; both secrets sign requests until the grace period ends. Keys: candidate (`webhooks:write`), employer (`webhooks:write`), admin (`webhooks:write`), integrator (`webhooks:write`). `POST /v1/webhooks/{id}/rotate-secret` */
  rotateSecret(id: string, body?: RotateWebhookSecretBody, options?: RequestOptions): Promise<WebhookWithSecret>
  /** Send one sample event now and return the receiver's response; at most every five seconds. Keys: candidate (`webhooks:write`), employer (`webhooks:write`), admin (`webhooks:write`), integrator (`webhooks:write`). `POST /v1/webhooks/{id}/test` */
  test(id: string, body?: TestWebhookBody, options?: RequestOptions): Promise<WebhookTest>
  /** List a webhook's deliveries. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/webhooks/{id}/deliveries` */
  listDeliveries(id: string, query?: ListWebhookDeliveriesQuery, options?: RequestOptions): Promise<Page<WebhookDelivery>>
  /** List a webhook's deliveries. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/webhooks/{id}/deliveries` */
  listAllDeliveries(id: string, query?: Omit<ListWebhookDeliveriesQuery, 'page' | 'cursor'>, options?: RequestOptions): AsyncIterable<WebhookDelivery>
  /** Get a delivery with its attempts. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/webhooks/{id}/deliveries/{delivery_id}` */
  getDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDeliveryDetail>
  /** Queue an extra attempt for a delivery, in addition to its schedule. A success ends the schedule. A failure does not change it. Keys: candidate (`webhooks:write`), employer (`webhooks:write`), admin (`webhooks:write`), integrator (`webhooks:write`). `POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry` */
  retryDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery>
  /** Queue the undelivered events in a time range. Runs in the background. Does not change delivered or pending deliveries. Keys: candidate (`webhooks:write`), employer (`webhooks:write`), admin (`webhooks:write`), integrator (`webhooks:write`). `POST /v1/webhooks/{id}/recover` */
  recover(id: string, body: RecoverWebhookBody, options?: RequestOptions): Promise<WebhookRecovery>
  /** Get the progress of a recovery. Keys: candidate (`webhooks:read`), employer (`webhooks:read`), admin (`webhooks:read`), integrator (`webhooks:read`). `GET /v1/webhooks/{id}/recoveries/{recovery_id}` */
  getRecovery(id: string, recoveryId: string, options?: RequestOptions): Promise<WebhookRecovery>
  /** List event types with their envelope schemas and samples. Keys: candidate, employer, admin, integrator. `GET /v1/webhooks/event-types` */
  listEventTypes(options?: RequestOptions): Promise<EventType[]>
}

/** The resources of the API. */
export interface Api {
  readonly accounts: AccountsMethods
  readonly apiKeys: ApiKeysMethods
  readonly applications: ApplicationsMethods
  readonly blocks: BlocksMethods
  readonly candidates: CandidatesMethods
  readonly currencyRates: CurrencyRatesMethods
  readonly emails: EmailsMethods
  readonly claims: ClaimsMethods
  readonly emailTemplates: EmailTemplatesMethods
  readonly employers: EmployersMethods
  readonly events: EventsMethods
  readonly feeds: FeedsMethods
  readonly jobAlerts: JobAlertsMethods
  readonly jobs: JobsMethods
  readonly members: MembersMethods
  readonly me: MeMethods
  readonly payments: PaymentsMethods
  readonly products: ProductsMethods
  readonly reports: ReportsMethods
  readonly resumes: ResumesMethods
  readonly settings: SettingsMethods
  readonly staff: StaffMethods
  readonly tasks: TasksMethods
  readonly webhooks: WebhooksMethods
}
