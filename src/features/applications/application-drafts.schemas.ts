import { Type } from 'typebox'
import { Nullable, Resource, Strict, Timestamp } from '../../lib/schema.ts'

export const ApplicationDraftSchema = Resource('ApplicationDraft', {
  job: Strict({ id: Type.String(), title: Type.String(), company: Type.String() }),
  cover_letter: Type.String(),
  resume_id: Nullable(Type.String()),
  custom_questions: Type.Record(Type.String(), Type.Unknown()),
  url: Type.String({ description: 'The page on which the candidate checks, completes and sends the draft.' }),
  created_at: Timestamp(),
  expires_at: Timestamp('24 hours after the draft was created or last replaced.'),
})
