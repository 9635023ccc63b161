import { type Static, Type } from 'typebox'
import { idPattern } from '../../lib/ids.ts'
import { Choice, Strict } from '../../lib/schema.ts'
import { type ListDeclaration, parameter } from '../../lists/query.ts'

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

const jobId = Type.String({ pattern: idPattern('job') })

export const PairParams = Strict({ id: jobId, other_id: jobId })

export const DecisionBody = Strict({ decision: DuplicateDecisionBody.properties.decision })

/** The list of suspected copies, a page of the admin area. */
export const suspectList = {
  name: 'desk/duplicates',
  filters: { is_folded: parameter.boolean('Whether lists omit the job.') },
  sorts: { found_at: {} },
  defaultSort: [{ field: 'found_at', direction: 'desc' }],
} as const satisfies ListDeclaration
