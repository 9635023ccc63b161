/** Kysely's table types. `test/db/schema.test.ts` compares this file with the migrated database. */
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { AccountKind } from '../lib/api-keys.ts'

/** Read as JSON values but written as text, because pg would convert a JavaScript array to a PostgreSQL array. */
type JsonArray = ColumnType<object[], string | undefined, string>
type JsonSource = JobSource
type JsonCounts = ColumnType<FeedCounts, string, string>
type JsonProblems = ColumnType<FeedProblem[], string, string>
type JsonSample = ColumnType<FeedSample[], string | undefined, string>
type JsonObject = ColumnType<Record<string, unknown>, string, string>

/** The feed posting from which a job was created. */
export interface JobSource {
  feed_id: string
  external_id: string
  url: string | null
}

export interface FeedCounts {
  read: number
  created: number
  updated: number
  unchanged: number
  missing: number
  closed: number
  reopened: number
  refused: number
}

export interface FeedProblem {
  /** Null: the problem concerns the whole document, or a posting without an ID. */
  external_id: string | null
  code: string
  detail: string
}

/** A posting in a dry run, shown as the job that it would become. */
export interface FeedSample {
  external_id: string
  url: string | null
  title: string
  company: string
  location: string
  /** The start of the description, in Markdown. */
  description: string
}

export interface Schema {
  account: {
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
    language: string | null
  }
  api_key: {
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
    publishable_key: string | null
    allowed_origins: string[] | null
    member_id: string | null
  }
  member: {
    id: string
    account_id: string
    name: string | null
    email: string
    email_key: string
    role: 'owner' | 'recruiter' | 'viewer' | 'admin' | 'moderator'
    invited_at: Date | null
    invitation: string | null
    joined_at: Date | null
    last_active: Date | null
    language: string | null
    mail_on_application: Generated<boolean>
  }
  session: {
    id: string
    token_hash: string
    account_id: string
    key_hash: string | null
    created_at: Date
    last_seen_at: Date
    expires_at: Date
    member_id: string | null
    email_key: string | null
    passkey_id: string | null
  }
  passkey: {
    id: string
    account_id: string
    member_id: string | null
    email_key: string
    name: string
    credential_id: string
    public_key: Buffer
    counter: number
    created_at: Date
    last_used_at: Date | null
  }
  passkey_challenge: {
    hash: string
    expires_at: Date
  }
  sign_in_link: {
    token_hash: string
    account_id: string
    expires_at: Date
    member_id: string | null
    kinds: string[] | null
  }
  sign_in_request: {
    address_hash: string
    requested_at: Date
  }
  suppressed_address: {
    address_hash: string
    created_at: Date
  }
  unconfirmed_email: {
    address_hash: string
    sent_at: Date
  }
  installation_secret: {
    name: string
    value: Buffer
  }
  candidate: {
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
  employer: {
    id: string
    account_id: string | null
    name: string
    name_sort: string
    location: string | null
    location_sort: string | null
    location_words: Generated<string[]>
    website: string | null
    logo_url: string | null
    cover_url: string | null
    description: string | null
    industry: string | null
    industry_sort: string | null
    employee_count: number | null
    created_at: Date
    updated_at: Date
    mail_on_application: Generated<boolean>
    changed_xid: Generated<string>
    billing_name: string | null
    billing_address: string | null
    vat_id: string | null
    verified_domain: string | null
    claimed_by: string | null
  }
  claim: {
    id: string
    account_id: string
    employer_id: string
    domain: string
    host: string
    method: 'dns' | 'file' | 'email'
    attempts: Generated<number>
    problem: 'not_found' | 'mismatch' | 'unreachable' | null
    checked_at: Date | null
    created_at: Date
    expires_at: Date
    verified_at: Date | null
  }
  employer_logo: {
    employer_id: string
    file: string
    bytes: Buffer
  }
  employer_cover: {
    employer_id: string
    file: string
    bytes: Buffer
  }
  job: {
    id: string
    employer_id: string
    title: string
    title_sort: string
    company: string
    company_sort: string
    location: string
    location_sort: string
    location_words: string[]
    /** All locations, if the job has several. */
    locations: Generated<string[]>
    locations_folded: Generated<string[]>
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
    /** Takes precedence over `is_hybrid`. */
    remote: Generated<boolean>
    is_hybrid: Generated<boolean>
    skills: Generated<string[]>
    skills_folded: Generated<string[]>
    experience_level: 'entry' | 'junior' | 'mid' | 'senior' | 'lead' | 'executive' | null
    /** A language tag. Null: not detected yet. */
    language: string | null
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
    expiry_warned_for: Date | null
    publish_at: Date | null
    published_for: Date | null
    deleted_at: Date | null
    close_reason: string | null
    closed_at: Date | null
    application_count: Generated<number>
    import_key: string | null
    /** Null: not computed yet. */
    search: string | null
    visible_since: Date | null
    places: number[] | null
    areas: string[] | null
    number: Generated<number>
    changed_xid: Generated<string>
    /** The service does not read this column. */
    headings: Generated<string>
    /** Computed by a trigger whenever a statement sets the column to null. */
    board_changed_at: Date | null
    left_board_at: Date | null
    removed_at: Date | null
    removal_reason: string | null
    removed_from_board: Generated<boolean>
    suspended_from_board: Generated<boolean>
    source: JsonSource | null
    /** The job that lists show instead of this one. */
    duplicate_of: string | null
    claimed_from: string | null
  }
  job_to_compare: {
    number: Generated<number>
    job_id: string
  }
  job_block: {
    job_id: string
    block: number
  }
  duplicate_decision: {
    first_job_id: string
    second_job_id: string
    decision: 'same' | 'different'
    decided_at: Date
    action_id: string | null
  }
  suspected_copy: {
    job_id: string
    other_id: string
    similarity: number
    is_folded: boolean
    found_at: Date
  }
  feed: {
    id: string
    employer_id: string | null
    name: string
    format: string
    url: string | null
    board: string | null
    host: string | null
    redirect_host: string | null
    company: string | null
    every_minutes: number
    close_after_hours: number
    is_active: boolean
    is_prepaid: boolean
    created_at: Date
    updated_at: Date
    next_run_at: Date | null
    failures: Generated<number>
    etag: string | null
    last_modified: string | null
    failing_since: Date | null
    failure_mailed_at: Date | null
    succeeded_at: Date | null
  }
  feed_run: {
    id: string
    feed_id: string
    state: 'pending' | 'running' | 'succeeded' | 'held' | 'failed'
    dry_run: boolean
    is_approved: Generated<boolean>
    is_stored: Generated<boolean>
    is_compared: Generated<boolean>
    lease: string | null
    leased_until: Date | null
    created_at: Date
    started_at: Date | null
    finished_at: Date | null
    counts: JsonCounts
    problems: JsonProblems
    sample: JsonSample | null
    held_reason: string | null
    etag: string | null
    last_modified: string | null
  }
  feed_document_part: {
    run_id: string
    number: number
    bytes: Buffer
  }
  feed_posting: {
    feed_id: string
    external_id: string
    job_id: string
    hash: string
    missing_since: Date | null
    closed_at: Date | null
    was_open: Generated<boolean>
    renew_at: Date | null
  }
  /** The words in each job on the board, maintained by triggers. */
  job_search: {
    number: number
    search: string
  }
  /** The words in the title, skills and company name of each job on the board, maintained by triggers. */
  job_headings: {
    number: number
    headings: string
  }
  removed_job: {
    number: number
    changed_xid: string
  }
  search_index: {
    name: string
    horizon: Generated<string>
    server: string
    epoch: Generated<number>
    edition: Generated<number>
    filled_to: number | null
    is_current: Generated<boolean>
    created_at: Date
    followed_at: Date
    follower: string | null
    leased_until: Date | null
  }
  search_refusal: {
    name: string
    number: number
    reason: string
    refused_at: Date
  }
  job_view_day: {
    job_id: string
    day: string
    views: number
  }
  job_report: {
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
  product: {
    slug: string
    name: string
    amount: number
    currency: string
    duration_days: number
    position: number
    is_off_sale: boolean | null
  }
  payment: {
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
    vat_rate: number | null
    vat_amount: Generated<number>
    invoice_number: string | null
  }
  invoice_series: {
    name: string
    last_number: number
  }
  invoice: {
    payment_id: string
    series: string
    number: number
    issued_at: Date
    document: JsonObject
  }
  entitlement: {
    id: string
    job_id: string
    payment_id: string | null
    product: string
    duration_days: number
    created_at: Date
    consumed_at: Date | null
  }
  event: {
    id: string
    type: string
    subject_id: string
    employer_id: string | null
    candidate_id: string | null
    body: string
    created_at: Date
  }
  event_position: {
    position: Generated<number>
    event_id: string
    employer_id: string | null
    candidate_id: string | null
    created_at: Date
  }
  resume: {
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
  resume_content: {
    resume_id: string
    bytes: Buffer
  }
  stored_object_to_delete: {
    key: string
    due_at: Date
  }
  application: {
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
    rating: number | null
    tags: Generated<string[]>
    tags_folded: string[] | null
    source: string | null
  }
  application_status_change: {
    application_id: string
    position: number
    status: string
    reason: string | null
    at: Date
    message: string | null
    by_member_id: string | null
    by_name: string | null
  }
  application_note: {
    id: string
    application_id: string
    text: string
    created_at: Date
    by_member_id: string | null
    by_name: string | null
  }
  application_message: {
    id: string
    application_id: string
    is_from_employer: boolean
    text: string
    created_at: Date
    read_at: Date | null
    by_member_id: string | null
    by_name: string | null
  }
  email_template: {
    employer_id: string
    status: string
    subject: string | null
    text: string | null
  }
  application_draft: {
    candidate_id: string
    job_id: string
    cover_letter: string
    answers: JsonObject
    resume_id: string | null
    source: string | null
    created_at: Date
    expires_at: Date
  }
  saved_job: {
    candidate_id: string
    job_id: string
    saved_at: Date
  }
  mail: {
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
    recipient_key: string | null
    repeats: string | null
    member_id: string | null
  }
  job_alert: {
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
    anchors_version: Generated<number>
  }
  job_alert_match: {
    alert_id: string
    job_id: string
    mail_id: string
    matched_at: Date
  }
  newly_visible_job: {
    job_id: string
    visible_at: Date
  }
  webhook: {
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
    failing_mailed_for: Date | null
    breaker_trips: Generated<number>
    breaker_until: Date | null
    tested_at: Date | null
    created_at: Date
    updated_at: Date
    ends_with_key: Generated<boolean>
    key_id: string | null
    key_expires_at: Date | null
  }
  webhook_delivery: {
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
  webhook_delivery_settled: {
    id: string
    event_id: string
    webhook_id: string
    event_type: string
    state: 'delivered' | 'exhausted' | 'canceled'
    attempts: number
    scheduled_attempts: number
    last_status: number | null
    last_reason: string | null
    created_at: Date
    settled_at: Date | null
  }
  webhook_attempt: {
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
  webhook_recovery: {
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
  idempotent_answer: {
    id: string
    account_id: string | null
    fingerprint: string
    answer_sealed: string
    created_at: Date
  }
  rate_limit: {
    window_end: Date
    policy: string
    subject: string
    used: number
  }
  stripe_checkout: {
    payment_id: string
    begun_at: Date
    session_id: string | null
    submitted_at: Date | null
    check_at: Date | null
  }
  stripe_event: {
    id: string
    received_at: Date
  }
  stripe_reading: {
    id: Generated<boolean>
    read_until: Date
    leased_until: Date | null
  }
  setting: {
    name: string
    value: string
    changed_at: Date
    changed_by: string
  }
  brand: {
    id: Generated<boolean>
    version: number
    name: string | null
    tagline: string | null
    description: string | null
    accent_color: string | null
    contact_email: string | null
    logo_type: string | null
    logo_bytes: Buffer | null
    languages: string[]
    default_language: string
    seller_name: string | null
    seller_address: string | null
    seller_vat_id: string | null
    vat_rate: number | null
    prices_include_vat: Generated<boolean>
    bank_account_name: string | null
    bank_iban: string | null
    bank_bic: string | null
    bank_note: string | null
  }
  board_page: {
    slug: string
    title: string
    text: string
    language: string
    updated_at: Date
  }
  catalogue_entry: {
    kind: 'category' | 'type'
    slug: string
    name: string
    position: number
  }
  operator_action: {
    id: string
    at: Date
    account_id: string
    key_name: string
    action: string
    subject: string
    note: string | null
    member_id: string | null
    member_name: string | null
  }
  task_health: {
    task: string
    done_at: Date | null
    failed_at: Date | null
    error: string | null
  }
  task_run: {
    task: string
    requested_at: Date
    requested_by: string
    started_at: Date | null
    ended_at: Date | null
    lease_until: Date | null
    error: string | null
  }
  block: {
    id: string
    kind: 'address' | 'network' | 'email_domain'
    value: string
    reason: string
    created_at: Date
    created_by: string
    expires_at: Date | null
  }
  currency_rate_table: {
    is_only: Generated<boolean>
    base: string
    as_of: string
    rates: JsonObject
  }
  event_sink: {
    is_only: Generated<boolean>
    published_until: Generated<string>
    leased_until: Date | null
  }
  index_now: {
    is_only: Generated<boolean>
    announced_until: Date
    leased_until: Date | null
  }
  schema_migration: {
    name: string
    applied_at: Generated<Date>
  }
}

/** A row, as a query returns it. */
export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>

export type AccountTable = Schema['account']
export type ApiKeyTable = Schema['api_key']
export type MemberTable = Selectable<Schema['member']>
export type SessionTable = Schema['session']
export type PasskeyTable = Schema['passkey']
export type JobTable = Schema['job']
export type ProductTable = Schema['product']
export type EntitlementTable = Schema['entitlement']
export type SettingTable = Schema['setting']
export type BoardPageTable = Schema['board_page']
export type CatalogueEntryTable = Schema['catalogue_entry']
export type OperatorActionTable = Schema['operator_action']
export type TaskHealthTable = Schema['task_health']
export type TaskRunTable = Schema['task_run']
export type BlockTable = Schema['block']
export type FeedTable = Schema['feed']
export type FeedRunTable = Schema['feed_run']
