import type { Tx } from '../../db/database.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, found } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { lockEmployerApplication } from './applications.queries.ts'
import { invalidTransition } from './applications.service.ts'
import { countNotes, deleteNoteRow, insertNote, type NoteRow, type OwnedApplication } from './notes.queries.ts'
import { NOTES_MAX, type Note } from './notes.schemas.ts'

export const presentNote = ({ id, text, created_at }: NoteRow): Note => ({
  ...{ id, text, by: null },
  created_at: created_at.toISOString(),
})

/** Adds a note. Locks the application first, so that no note is written about a candidate who is being erased. */
export async function addNote(tx: Tx, owned: OwnedApplication, text: string, now: Date): Promise<Note> {
  const { employerId, applicationId } = owned
  const application = found(await lockEmployerApplication(tx, employerId, applicationId))
  if (application.erased_at !== null) throw invalidTransition('erased', [])
  if ((await countNotes(tx, owned)) >= NOTES_MAX) {
    const detail = `An application can have at most ${NOTES_MAX} notes.`
    throw new AppError('limit_reached', { detail, extra: { limit: NOTES_MAX } })
  }
  const note = { id: newId('note'), application_id: applicationId, text, created_at: now }
  await insertNote(tx, note)
  return presentNote(note)
}

export async function deleteNote(
  tx: Tx,
  owned: OwnedApplication,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<void> {
  found(await deleteNoteRow(tx, owned, id))
  precondition(undefined)
}
