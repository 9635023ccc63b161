/** Every column that can contain text, except IDs, is declared as personal data or as free of personal data. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { personalColumns } from '../../src/main/personal-columns.ts'
import { useBoard } from '../support/board.ts'

const board = useBoard()

/** Tables without personal data besides identifiers, such as the catalog and the board's settings. */
const impersonalTables = [
  ...[
    'board_page',
    'brand',
    'catalogue_entry',
    'claim',
    'currency_rate_table',
    'duplicate_decision',
    'event_sink',
    'email_template',
    'employer_cover',
    'employer_logo',
  ],
  ...[
    'entitlement',
    'search_index',
    'search_refusal',
    'feed',
    'feed_document_part',
    'feed_posting',
    'feed_run',
    'index_now',
    'event_position',
    'installation_secret',
    'invoice_series',
    'job_block',
    'job_headings',
    'job_search',
    'job_to_compare',
    'job_view_day',
  ],
  ...[
    'newly_visible_job',
    'passkey_challenge',
    'payment',
    'product',
    'saved_job',
    'schema_migration',
    'search_index',
    'search_refusal',
    'setting',
    'stored_object_to_delete',
    'suspected_copy',
  ],
  ...['sign_in_link', 'job_alert_match', 'stripe_checkout', 'stripe_event', 'task_health', 'task_run'],
  ...['webhook_delivery', 'webhook_delivery_settled', 'webhook_recovery'],
]

/** The columns of the other tables that contain no personal data and are not identifiers. */
const impersonalColumns: Readonly<Record<string, readonly string[]>> = {
  account: ['kind'],
  api_key: ['hash', 'prefix', 'last4', 'scopes', 'publishable_key', 'allowed_origins'],
  application: ['status'],
  application_status_change: ['status'],
  block: ['kind', 'created_by'],
  employer: [
    ...['name', 'name_sort', 'location', 'location_sort', 'location_words', 'website', 'logo_url', 'description'],
    ...['industry', 'industry_sort', 'cover_url', 'verified_domain', 'claimed_by'],
  ],
  event: ['type'],
  idempotent_answer: ['fingerprint'],
  invoice: ['series'],
  job: [
    ...['state', 'category', 'type', 'experience_level', 'salary_currency', 'salary_period', 'title', 'title_sort'],
    ...['company', 'company_sort', 'location', 'location_sort', 'location_words', 'locations', 'locations_folded'],
    ...['description', 'requirements'],
    ...['benefits', 'skills', 'skills_folded', 'custom_questions', 'application_url', 'close_reason', 'import_key'],
    'claimed_from',
    ...['search', 'headings', 'removal_reason', 'areas', 'language', 'source', 'duplicate_of'],
  ],
  job_alert: ['frequency'],
  member: ['role', 'invitation'],
  passkey: ['public_key'],
  session: ['token_hash', 'key_hash'],
  job_report: ['reason', 'status', 'decided_by'],
  mail: ['kind', 'state', 'repeats'],
  operator_action: ['action'],
  rate_limit: ['policy'],
  resume: ['content_type', 'sha256', 'store', 'extraction', 'extraction_error'],
  webhook: ['audience', 'events', 'status', 'disabled_reason', 'secret_sealed', 'previous_secret_sealed'],
  webhook_attempt: ['trigger', 'error_class', 'reason'],
}

test('every column that can contain text, except IDs, is declared, and every declared column with personal data exists', async () => {
  const { rows } = await board.database.read((db) =>
    sql<{ table: string; column: string }>`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and udt_name in ('text', '_text', 'varchar', 'json', 'jsonb', 'bytea', 'inet', 'tsvector')
        and table_name !~ '_(default|former)$'
      order by 1, 2`.execute(db),
  )
  const isId = (column: string) => column === 'id' || column.endsWith('_id')
  const undeclared = rows.filter(
    ({ table, column }) =>
      !isId(column) &&
      !impersonalTables.includes(table) &&
      !personalColumns[table]?.columns.includes(column) &&
      !impersonalColumns[table]?.includes(column),
  )
  expect(undeclared).toEqual([])
  const known = new Set(rows.map(({ table, column }) => `${table}.${column}`))
  const declared = Object.entries(personalColumns).flatMap(([table, { columns }]) =>
    columns.map((one) => `${table}.${one}`),
  )
  expect(declared.filter((one) => !known.has(one))).toEqual([])
})
