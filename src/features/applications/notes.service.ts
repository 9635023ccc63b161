import type { Tx } from '../../db/database.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, found } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { type Actor, type Author, authorColumns, presentAuthor } from '../../lib/scopes.ts'
import { lockEmployerApplication } from './applications.queries.ts'
import { invalidTransition } from './applications.service.ts'
import { countNotes, deleteNoteRow, insertNote, type NoteRow, type OwnedApplication } from './notes.queries.ts'
import { NOTES_MAX, type Note } from './notes.schemas.ts'

export const presentNote = ({ id, text, created_at, ...by }: NoteRow): Note => ({
  ...{ id, text, by: presentAuthor(by) },
  created_at: created_at.toISOString(),
})

/** Adds a note. Locks the application first, so that no note is written about a candidate who is being erased. */
export async function addNote(
  tx: Tx,
  owned: OwnedApplication & { author: Author },
  text: string,
  now: Date,
): Promise<Note> {
  const { employerId, applicationId, author } = owned
  const application = found(await lockEmployerApplication(tx, employerId, applicationId))
  if (application.erased_at !== null) throw invalidTransition('erased', [])
  if ((await countNotes(tx, owned)) >= NOTES_MAX) {
    const detail = `An application can have at most ${NOTES_MAX} notes. Delete one first.`
    throw new AppError('limit_reached', { detail, extra: { limit: NOTES_MAX } })
  }
  const note = { id: newId('note'), application_id: applicationId, text, created_at: now, ...authorColumns(author) }
  await insertNote(tx, note)
  return presentNote(note)
}

/** Deletes a note. Members who are not owners can delete only their own notes. */
export async function deleteNote(
  tx: Tx,
  owned: OwnedApplication,
  { id, precondition, member }: { id: string; precondition: Precondition; member: Actor['member'] },
): Promise<void> {
  const { by_member_id } = found(await deleteNoteRow(tx, owned, id))
  if (member && member.role !== 'owner' && member.id !== by_member_id) {
    const detail = 'Only owners can delete the notes of other members.'
    throw new AppError('insufficient_role', {
      ...{ detail, extra: { required_role: 'owner' } },
      words: { key: 'problem.role', values: { role: 'owner' } },
    })
  }
  precondition(undefined)
}
