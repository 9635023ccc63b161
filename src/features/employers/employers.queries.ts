import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { ListQuery, QueryOf } from '../../lists/query.ts'
import { comparing, foldedText, listPage, type Page, sortKey, wordsOf } from '../../lists/sql-page.ts'
import { emailOf, isSuspended } from '../accounts/index.ts'
import { openPositionsOf } from '../jobs/index.ts'
import type { employerList } from './employers.schemas.ts'
import { nameBegins } from './employers.sql.ts'

export type EmployerRow = Row<'employer'> & { open_positions: number }
/** An employer with its account's email address, which is never public. */
export type OwnEmployerRow = EmployerRow & { email: string | null }

const openPositions = (now: Date) => openPositionsOf('employer.id', now)

const employers = (reader: Reader, now: Date) =>
  reader.selectFrom('employer').selectAll().select(openPositions(now).as('open_positions'))

export const findEmployer = (reader: Reader, id: string, now: Date): Promise<OwnEmployerRow | undefined> =>
  employers(reader, now).select(emailOf('employer.account_id').as('email')).where('id', '=', id).executeTakeFirst()

/**
 * Matches public employers: imported companies that no employer has taken over, and employers whose account is not
 * suspended.
 */
export const isShown = () => sql<boolean>`(employer.claimed_by is null and not ${isSuspended('employer.account_id')})`

export const findShownEmployer = (reader: Reader, id: string, now: Date): Promise<EmployerRow | undefined> =>
  employers(reader, now).where('id', '=', id).where(isShown).executeTakeFirst()

export async function getBuyer(reader: Reader, id: string) {
  const { name, billing_name, billing_address, vat_id } = await reader
    .selectFrom('employer')
    .select(['name', 'billing_name', 'billing_address', 'vat_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { name: billing_name ?? name, address: billing_address, vat_id }
}

export function findEmployerNames(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; name: string }>`
    select id, name from employer where id = any(${ids}::text[])`.toMap(reader, 'id', 'name')
}

/** Lists public employers with IDs after `afterId`, ordered by ID. */
export const listExportedEmployers = (reader: Reader, afterId: string, limit: number, now: Date) =>
  employers(reader, now).where('id', '>', afterId).where(isShown).orderBy('id').limit(limit).execute()

/**
 * Locks and returns an employer, or returns undefined if the employer does not exist. The lock is weaker than
 * `for update`, which could deadlock: a rename locks the employer before its jobs, whereas a payment locks a job first.
 */
export async function lockEmployer(tx: Tx, id: string, now: Date) {
  await tx.selectFrom('employer').select('id').where('id', '=', id).forNoKeyUpdate().execute()
  return findEmployer(tx, id, now)
}

export async function insertEmployer(tx: Tx, employer: Insertable<Schema['employer']>): Promise<void> {
  await tx.insertInto('employer').values(employer).execute()
}

/** The employer of an imported company's jobs: the company, or the employer that took it over. */
export interface ImportedEmployer {
  id: string
  name: string
  /** The imported company, if an employer took it over. */
  claimedFrom: string | null
}

/**
 * Selects imported companies by their folded names. Looks up one name at a time, because a plan from before the first
 * import would compare each name with all companies.
 */
const importedCompanies = (names: readonly string[]) => sql`
  unnest(${names}::text[]) as wanted (name), lateral (
    select id, name, name_sort, claimed_by from employer
    where account_id is null and name_sort = wanted.name offset 0) as company`

/** Returns the employer of each imported company's jobs, by the company's folded name. */
export async function findImportedEmployers(
  reader: Reader,
  names: readonly string[],
): Promise<Map<string, ImportedEmployer>> {
  const rows = await statement<ImportedEmployer & { name_sort: string }>`
    select coalesce(owner.id, company.id) as id, coalesce(owner.name, company.name) as name, company.name_sort,
      case when owner.id is not null then company.id end as "claimedFrom"
    from ${importedCompanies(names)}
      left join lateral (select id, name from employer where id = company.claimed_by offset 0) as owner on true
    `.all(reader)
  return new Map(rows.map(({ name_sort, ...employer }) => [name_sort, employer]))
}

/** Locks imported companies, so that no employer can take them over, and returns the employers of their jobs. */
export async function lockImportedEmployers(tx: Tx, names: readonly string[]): Promise<Map<string, ImportedEmployer>> {
  await sql`
    select 1 from employer where id = any(array(select company.id from ${importedCompanies(names)}))
    order by id for key share`.execute(tx)
  return findImportedEmployers(tx, names)
}

/**
 * Locks and returns an imported company. Returns undefined if the company has an account, or if an employer took it
 * over.
 */
export async function lockUnclaimedEmployer(tx: Tx, id: string): Promise<Row<'employer'> | undefined> {
  return tx
    .selectFrom('employer')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', 'is', null)
    .where('claimed_by', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Returns the ID of the employer that took over an imported company, or undefined if there is none. */
export async function findClaimant(reader: Reader, id: string): Promise<string | undefined> {
  const row = await reader.selectFrom('employer').select('claimed_by').where('id', '=', id).executeTakeFirst()
  return row?.claimed_by ?? undefined
}

/** Lists the companies that an employer took over. */
export const listClaimed = (reader: Reader, employerId: string) =>
  reader.selectFrom('employer').select(['id', 'name']).where('claimed_by', '=', employerId).orderBy('id').execute()

/**
 * Inserts employers, but writes no events. Skips names that have already been imported. Returns the number of inserted
 * rows.
 */
export function insertImportedEmployers(tx: Tx, rows: readonly Insertable<Schema['employer']>[]) {
  // Passes all rows in one parameter, because an import inserts hundreds of rows at once.
  const columns = sql.raw(Object.keys(rows[0] ?? { id: '' }).join(', '))
  return statement`
    insert into employer (${columns})
    select ${columns} from json_populate_recordset(null::employer, ${JSON.stringify(rows)}::json)
    on conflict (name_sort) where account_id is null do nothing`.affected(tx)
}

export async function updateEmployer(tx: Tx, id: string, change: Updateable<Schema['employer']>): Promise<void> {
  await tx.updateTable('employer').set(change).where('id', '=', id).execute()
}

export function listEmployers(
  reader: Reader,
  query: QueryOf<typeof employerList>,
  now: Date,
): Promise<Page<EmployerRow>> {
  return listPage(reader, query, {
    table: 'employer',
    columns: sql`employer.*, ${openPositions(now)} as open_positions`,
    where: [isShown()],
    filters: {
      name: foldedText('employer.name_sort'),
      location: wordsOf('employer.location_words', 'employer.location_sort'),
      industry: foldedText('employer.industry_sort'),
      // Casts to bigint, because the parameter may exceed the range of an integer column.
      employee_count: comparing(sql`employer.employee_count::bigint`),
      open_positions: comparing(openPositions(now)),
      created_at: comparing('employer.created_at'),
    },
    sorts: {
      name: sortKey.text('employer.name_sort'),
      location: sortKey.nullableText('employer.location_sort'),
      created_at: sortKey.time('employer.created_at'),
      open_positions: sortKey.expression('bigint', openPositions(now)),
      employee_count: sortKey.nullableBigint('employer.employee_count', 2_147_483_647),
    },
  })
}

export type DeskCompanyRow = EmployerRow & {
  is_suspended: boolean
  /** Whether the employer took over a company. */
  has_claimed: boolean
}

/** Lists all companies for admins, except imported companies that an employer took over. */
export function listAllEmployers(
  reader: Reader,
  query: ListQuery<'search', 'created_at' | 'name'>,
  now: Date,
): Promise<Page<DeskCompanyRow>> {
  return listPage(reader, query, {
    table: 'employer',
    columns: sql`employer.*, ${openPositions(now)} as open_positions, ${isSuspended('employer.account_id')} as is_suspended,
      exists (select from employer as company where company.claimed_by = employer.id) as has_claimed`,
    where: [sql<boolean>`employer.claimed_by is null`],
    filters: {
      search: (_operator, value) => sql`(employer.id = ${String(value).trim()} or ${nameBegins(String(value))})`,
    },
    sorts: { created_at: sortKey.time('employer.created_at'), name: sortKey.text('employer.name_sort') },
  })
}

/** Joins the employer. `id` is the column that contains the employer's ID. */
export function joinEmployer(id: string): RawBuilder<unknown> {
  return sql`join employer on employer.id = ${sql.raw(id)}`
}

/** Returns the ID of an employer's account, or null if the employer has no account. */
export async function findEmployerAccountId(reader: Reader, id: string): Promise<string | null> {
  const row = await reader.selectFrom('employer').select('account_id').where('id', '=', id).executeTakeFirst()
  return row?.account_id ?? null
}

export const isEmployerAccount = (reader: Reader, accountId: string): Promise<boolean> =>
  statement`select from employer where account_id = ${accountId}`.exists(reader)

/** Turns off emails to an employer's account about applications and messages from candidates. */
export async function stopApplicationMails(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx
    .updateTable('employer')
    .set({ mail_on_application: false, updated_at: now })
    .where('account_id', '=', accountId)
    .where('mail_on_application', '=', true)
    .execute()
}

export type PictureKind = 'logo' | 'cover'

/** Replaces an employer's uploaded picture, or removes it if `picture` is undefined. */
export async function replacePicture(
  tx: Tx,
  id: string,
  kind: PictureKind,
  picture: { file: string; bytes: Buffer } | undefined,
): Promise<void> {
  const table = `employer_${kind}` as const
  await tx.deleteFrom(table).where('employer_id', '=', id).execute()
  if (picture)
    await tx
      .insertInto(table)
      .values({ employer_id: id, ...picture })
      .execute()
}

/** Returns the bytes of an uploaded picture, if its employer is public. */
export async function findPicture(reader: Reader, file: string): Promise<Buffer | undefined> {
  const bytes = await statement<{ bytes: Buffer }>`
    select bytes from (
      select employer_id, bytes from employer_logo where file = ${file}
      union all select employer_id, bytes from employer_cover where file = ${file}
    ) as picture join employer on employer.id = picture.employer_id
    where ${isShown()} limit 1`.firstValue(reader)
  return bytes && Buffer.from(bytes)
}
