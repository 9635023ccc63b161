/** Each table has one owner. Only the owner's SQL names the table, with few exceptions. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8')

/** Tables by owner: a folder in `src`, or a file without its extension. */
const owned: Readonly<Record<string, readonly string[]>> = {
  'db/blocks': ['block'],
  'db/idempotent-answers': ['idempotent_answer'],
  'db/installation-secret': ['installation_secret'],
  'db/migrate': ['schema_migration'],
  'db/operator-actions': ['operator_action'],
  'db/rate-limits': ['rate_limit'],
  'db/task-health': ['task_health'],
  'db/task-runs': ['task_run'],
  events: ['event', 'event_position'],
  files: ['resume_content', 'stored_object_to_delete'],
  mail: ['mail', 'suppressed_address', 'unconfirmed_email'],
  'search/engine': ['search_index', 'search_refusal'],
  'search/memory': ['job_search', 'job_headings'],
  'features/accounts': ['account', 'api_key'],
  'features/applications': [
    'application',
    'application_draft',
    'application_message',
    'application_note',
    'application_status_change',
    'email_template',
  ],
  'features/brand': ['board_page', 'brand'],
  'features/candidates': ['candidate'],
  'features/catalogue': ['catalogue_entry'],
  'features/claims': ['claim'],
  'features/currency-rates': ['currency_rate_table'],
  'features/duplicates': ['duplicate_decision', 'job_block', 'job_to_compare', 'suspected_copy'],
  'features/employers': ['employer', 'employer_cover', 'employer_logo'],
  'features/event-sink': ['event_sink'],
  'features/feeds': ['feed', 'feed_document_part', 'feed_posting', 'feed_run'],
  'features/index-now': ['index_now'],
  'features/job-alerts': ['job_alert', 'job_alert_match'],
  'features/job-reports': ['job_report'],
  'features/job-statistics': ['job_view_day'],
  'features/jobs': ['job', 'newly_visible_job', 'removed_job'],
  'features/passkeys': ['passkey', 'passkey_challenge'],
  'features/payments': ['entitlement', 'invoice', 'invoice_series', 'payment', 'product'],
  'features/registration': ['setting'],
  'features/resumes': ['resume'],
  'features/saved-jobs': ['saved_job'],
  'features/sessions': ['session', 'sign_in_link', 'sign_in_request'],
  'features/teams': ['member'],
  'features/stripe': ['stripe_checkout', 'stripe_event', 'stripe_reading'],
  'features/webhooks': [
    'webhook',
    'webhook_attempt',
    'webhook_delivery',
    'webhook_delivery_settled',
    'webhook_recovery',
  ],
}

/** Tables that other files may also name, with the reason. */
const exceptions: readonly [file: string, tables: readonly string[], reason: string][] = [
  ['commands/backup', ['resume', 'resume_content'], 'A backup contains the tables of all features.'],
  ['commands/seed-demo', ['account', 'employer', 'job'], 'The demo fills the tables of all features.'],
  ['db/migration-plan', ['schema_migration'], 'A plan lists the missing migrations.'],
  ['db/idempotent-answers', ['event'], 'A stored response refers to the event that contains its body.'],
  ['events/outbox', ['webhook', 'webhook_delivery'], 'The statement that writes events also queues their deliveries.'],
  [
    'mail/sender',
    ['account', 'member'],
    'An email goes to the address of an account or a member, which features do not provide.',
  ],
  ['search/engine', ['job', 'removed_job'], 'The indexes of the search engine mirror these tables.'],
  ['search/memory', ['employer', 'job', 'removed_job'], 'The board in memory mirrors these tables.'],
  ['features/accounts/accounts.queries', ['member'], 'A key has the role of the member who created it.'],
  [
    'features/teams',
    ['account'],
    'Members belong to accounts. Accounts import members, so the import would be circular.',
  ],
  ['features/blocks', ['block'], 'Requests are blocked below all features. This feature edits the list.'],
  ['features/desk', ['operator_action'], 'Actions are recorded below all features. This feature lists them.'],
  ['features/emails', ['mail'], 'Emails are sent below all features. This feature lists and requeues them.'],
  ['features/events', ['event', 'event_position'], 'Events are written below all features. This feature lists them.'],
  ['features/jobs', ['job_to_compare'], 'Job alerts wait until copies of a new job have been folded.'],
  ['features/resumes', ['application'], 'Applications import resumes, so the import would be circular.'],
  ['features/webhooks', ['event'], 'A delivery sends the stored text of its event.'],
]

const tables = new Set(
  [
    ...read('src/db/schema.ts')
      .split('export interface Schema {')[1]!
      .matchAll(/^ {2}(\w+): /gm),
  ].map(([, name]) => name!),
)
const COMMENT = /^\s*\/\*[\s\S]*?\*\/|^\s*(?:\/\/|--).*$/gm
const RAW =
  /\b(?:from|join|into|update|using|table)\s+(?:only\s+)?((?:\w+(?:\s+as)?(?:\s+\w+)?\s*,\s*)*\w+)\b(?!['’.(:])/g
const BUILT = /\b(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|table|\w+Join)\(\s*\[?\s*'(\w+)/g
const FROM_PART = /\b(?:from: sql`|table: ')(\w+)/g

/** Returns the tables that a module's SQL names. */
function tablesIn(source: string): Set<string> {
  const text = source.replace(COMMENT, '')
  const raw = [...text.matchAll(RAW)].flatMap(([, list]) => list!.split(',').map((item) => item.trim().split(/\s/)[0]!))
  const built = [BUILT, FROM_PART].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name!))
  return new Set([...raw, ...built]).intersection(tables)
}

test('the check finds the tables in raw and built SQL', () => {
  const found = (source: string) => [...tablesIn(source)]
  expect(found('sql`select 1 from job join account on true`')).toEqual(['job', 'account'])
  expect(found('sql`select from picked, webhook as hook, event where true`')).toEqual(['webhook', 'event'])
  expect(found('sql`insert into mail (id) select id from json_populate_recordset(null::job, $1)`')).toEqual(['mail'])
  expect(found('sql`update job set title = 1`; sql`delete from removed_job`')).toEqual(['job', 'removed_job'])
  expect(found("db.selectFrom('api_key').innerJoin('account', 'a', 'b')")).toEqual(['api_key', 'account'])
  expect(found('countRowsByDay(reader, { from: sql`payment` })')).toEqual(['payment'])
  expect(found("listPage(reader, query, { table: 'payment' })")).toEqual(['payment'])
  expect(found("import { job } from 'job'\n// from job\n/** from job */")).toEqual([])
})

test('every table has one owner', () => {
  const all = Object.values(owned).flat()
  expect(all.toSorted()).toEqual([...tables].toSorted())
})

test("SQL names a table only in its owner's code, with few exceptions", () => {
  const uses = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const module = file.replaceAll('\\', '/').slice('src/'.length, -'.ts'.length)
    return [...tablesIn(read(file))].map((table) => ({ module, table }))
  })
  const isIn = (module: string, place: string) => module === place || module.startsWith(`${place}/`)
  const isExcepted = ({ module, table }: (typeof uses)[number]) =>
    exceptions.some(([place, excepted]) => isIn(module, place) && excepted.includes(table))
  const foreign = uses.filter(
    ({ module, table }) => !Object.entries(owned).some(([owner, own]) => isIn(module, owner) && own.includes(table)),
  )
  const faults = foreign.filter((use) => !isExcepted(use)).map(({ module, table }) => `src/${module}.ts names ${table}`)
  expect(faults, "Export a function or a fragment from the owner's index.ts").toEqual([])
  const unused = exceptions.flatMap(([place, excepted]) =>
    excepted.filter((table) => !foreign.some((use) => isIn(use.module, place) && use.table === table)),
  )
  expect(unused, 'Remove unused exceptions').toEqual([])
})
