import { type Static, Type } from 'typebox'
import { idPattern } from '../../lib/ids.ts'
import { Choice, Strict } from '../../lib/schema.ts'

export const DuplicateSchema = Type.Object(
  {
    job_id: Type.String(),
    kind: Choice(
      ['same', 'near'],
      'same: company, title, location and text are equal, or an operator has decided so. near: company, title and text are similar.',
    ),
    similarity: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The number of words that both texts contain, relative to the number of words in either.',
    }),
  },
  { $id: 'Duplicate', additionalProperties: false },
)

export const DuplicateDecisionBody = Strict({
  job_ids: Type.Array(Type.String({ pattern: idPattern('job') }), { minItems: 2, maxItems: 10, uniqueItems: true }),
  decision: Choice(['same', 'different']),
})
export type DuplicateDecisionBody = Static<typeof DuplicateDecisionBody>
