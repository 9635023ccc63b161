import { type Static, Type } from 'typebox'
import { Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'
import { Author } from '../accounts/index.ts'

/** Maximum number of notes on one application, so that its page can show all of them. */
export const NOTES_MAX = 100

export const NoteBody = Strict({ text: Text(1, 5_000) })

export const NoteSchema = Resource('ApplicationNote', {
  id: Type.String(),
  text: Type.String(),
  by: Author,
  created_at: Timestamp(),
})
export type Note = Static<typeof NoteSchema>

export const noteList = {
  name: 'employers/applications/notes',
  filters: { created_at: parameter.time('When the note was written.') },
  sorts: { created_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
