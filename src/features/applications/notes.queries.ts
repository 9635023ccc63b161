/** SQL for employers' notes on applications. */
import { sql } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { ListQuery } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'

export type NoteRow = Row<'application_note'>

/** Identifies an application that an employer received. */
export interface OwnedApplication {
  employerId: string
  applicationId: string
}

const isOwned = ({ employerId, applicationId }: OwnedApplication) => sql<boolean>`
  application_note.application_id = ${applicationId}
    and exists (select from application where application.id = ${applicationId} and application.employer_id = ${employerId})`

export function listNotes(
  reader: Reader,
  owned: OwnedApplication,
  query: ListQuery<'created_at', 'created_at'>,
): Promise<Page<NoteRow>> {
  return listPage(reader, query, {
    table: 'application_note',
    where: [isOwned(owned)],
    filters: { created_at: comparing('application_note.created_at') },
    sorts: { created_at: sortKey.time('application_note.created_at') },
  })
}

/** Returns all notes on an application, newest first. */
export function listAllNotes(reader: Reader, owned: OwnedApplication): Promise<NoteRow[]> {
  return statement<NoteRow>`
    select * from application_note where ${isOwned(owned)} order by created_at desc, id desc`.all(reader)
}

export function findNote(reader: Reader, owned: OwnedApplication, id: string): Promise<NoteRow | undefined> {
  return statement<NoteRow>`
    select * from application_note where id = ${id} and ${isOwned(owned)}`.first(reader)
}

export const countNotes = (reader: Reader, owned: OwnedApplication): Promise<number> =>
  countRows(reader, sql`application_note where ${isOwned(owned)}`)

export async function insertNote(tx: Tx, note: NoteRow): Promise<void> {
  await tx.insertInto('application_note').values(note).execute()
}

/** Deletes a note and returns it, or undefined if the employer has no such note. */
export function deleteNoteRow(tx: Tx, owned: OwnedApplication, id: string): Promise<NoteRow | undefined> {
  return statement<NoteRow>`
    delete from application_note where id = ${id} and ${isOwned(owned)} returning *`.first(tx)
}

/** Returns the employers' notes on a candidate's applications, oldest first. */
export function listNotesAbout(reader: Reader, candidateId: string): Promise<NoteRow[]> {
  return statement<NoteRow>`
    select application_note.* from application
    join application_note on application_note.application_id = application.id
    where application.candidate_id = ${candidateId}
    order by application_note.created_at, application_note.id`.all(reader)
}

export async function deleteNotesOn(tx: Tx, applicationIds: readonly string[]): Promise<void> {
  await sql`delete from application_note where application_id = any(${applicationIds}::text[])`.execute(tx)
}
