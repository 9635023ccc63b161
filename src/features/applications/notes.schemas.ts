import { type Static, Type } from 'typebox'
import { Nullable, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { type ListDeclaration, parameter } from '../../lists/query.ts'

/** Maximum number of notes on one application, so that its page can show all of them. */
export const NOTES_MAX = 100

export const NoteBody = Strict({ text: Text(1, 5_000) })

/** The team member of the employer who wrote a text. */
export const Author = Nullable(
  Type.Object(
    { member_id: Type.String(), name: Type.String() },
    { additionalProperties: false, description: 'Null if an account key wrote it.' },
  ),
)

export const NoteSchema = Type.Object(
  { id: Type.String(), text: Type.String(), by: Author, created_at: Timestamp() },
  { $id: 'ApplicationNote', additionalProperties: false },
)
export type Note = Static<typeof NoteSchema>

export const noteList = {
  name: 'employers/applications/notes',
  filters: { created_at: parameter.time('When the note was written.') },
  sorts: { created_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
