import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { AccountTable, PasskeyTable } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { joinAccount } from '../accounts/index.ts'
import { joinMember } from '../teams/teams.sql.ts'

/** A person who signs in: an account, or one of its members. */
export interface Person {
  accountId: string
  memberId: string | null
}

/** Maximum number of expired challenges to delete when a new one is stored. */
const EXPIRED_MAX = 100

/** Stores the hash of a challenge, and deletes expired challenges. */
export async function insertChallenge(tx: Tx, hash: string, { now, expiresAt }: { now: Date; expiresAt: Date }) {
  await sql`
    with expired as (
      delete from passkey_challenge where hash in (
        select hash from passkey_challenge where expires_at <= ${now} limit ${EXPIRED_MAX} for update skip locked))
    insert into passkey_challenge (hash, expires_at) values (${hash}, ${expiresAt})`.execute(tx)
}

/** Consumes a challenge. Returns false if it does not exist or has expired. */
export async function takeChallenge(tx: Tx, hash: string, now: Date): Promise<boolean> {
  const query = tx.deleteFrom('passkey_challenge').where('hash', '=', hash).where('expires_at', '>', now)
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

const ofPerson = ({ accountId, memberId }: Person) =>
  sql<boolean>`account_id = ${accountId} and member_id is not distinct from ${memberId}`

/** Returns a person's passkeys, oldest first. */
export function listPasskeys(reader: Reader, person: Person): Promise<PasskeyTable[]> {
  return reader.selectFrom('passkey').selectAll().where(ofPerson(person)).orderBy('created_at').orderBy('id').execute()
}

/** Inserts a passkey. Returns false if the board already has it. */
export async function insertPasskey(tx: Tx, passkey: PasskeyTable): Promise<boolean> {
  const query = tx
    .insertInto('passkey')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
  return (await query.executeTakeFirst()).numInsertedOrUpdatedRows === 1n
}

/**
 * Deletes one of a person's passkeys, and the sessions that began with it. Returns false if the person has no passkey
 * with this ID.
 */
export async function deletePasskey(tx: Tx, person: Person, id: string): Promise<boolean> {
  const query = tx.deleteFrom('passkey').where('id', '=', id).where(ofPerson(person))
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

/** A passkey whose person may sign in. */
export type StandingPasskey = PasskeyTable &
  Pick<AccountTable, 'kind'> & {
    /** The person's current email address, in canonical form. */
    present_key: string | null
  }

/** Returns the passkey with this credential ID, unless its account is suspended or its member is not active. */
export function findStandingPasskey(reader: Reader, credentialId: string): Promise<StandingPasskey | undefined> {
  return statement<StandingPasskey>`
    select passkey.*, account.kind,
      case when passkey.member_id is null then account.email_key else member.email_key end as present_key
    from passkey ${joinAccount('passkey.account_id')} ${joinMember('passkey.member_id')}
    where passkey.credential_id = ${credentialId} and account.suspended_at is null
      and (passkey.member_id is null or member.joined_at is not null)`.first(reader)
}

/**
 * Records a use of a passkey. Returns false if the authenticator's counter did not increase, which means that the
 * passkey was copied, or that another request was faster. Authenticators without a counter always report 0.
 */
export function noteUse(tx: Tx, id: string, { counter, now }: { counter: number; now: Date }): Promise<boolean> {
  return statement`
    update passkey set counter = ${counter}, last_used_at = ${now}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0))`.changed(tx)
}
