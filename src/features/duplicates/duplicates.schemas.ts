import { type Static, Type } from 'typebox'
import { Choice, Id, Nullable, Resource, Strict, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

export const DuplicateSchema = Resource('Duplicate', {
  job_id: Type.String(),
  kind: Choice(
    ['same', 'near'],
    'same: company, title, location and text are equal, or an operator decided that the jobs are the same. near: company, title and text are similar.',
  ),
  similarity: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      'Number of distinct words that both texts contain, divided by the number of distinct words in the two texts together.',
  }),
})

const decisions = ['same', 'different'] as const

export const DuplicateDecisionBody = Strict({
  job_ids: Type.Array(Id('job'), { minItems: 2, maxItems: 10, uniqueItems: true }),
  decision: Choice(
    [...decisions, 'undecided'],
    'undecided: deletes earlier decisions about pairs of these jobs, so that the service compares their texts again.',
  ),
})
export type DuplicateDecisionBody = Static<typeof DuplicateDecisionBody>

export const PairParams = Strict({ id: Id('job'), other_id: Id('job') })

export const DecisionBody = Strict({ decision: DuplicateDecisionBody.properties.decision })

export const DuplicateDecisionSchema = Resource('DuplicateDecision', {
  job_ids: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
  decision: Choice(decisions),
  decided_at: Timestamp(),
  decided_by: Nullable(
    Type.String({
      description:
        'Name of the staff member or the key that decided. Null if the activity log no longer contains the decision.',
    }),
  ),
})
export type DuplicateDecision = Static<typeof DuplicateDecisionSchema>

export const decisionList = {
  name: 'duplicate-decisions',
  filters: {
    decision: parameter.choice('Decision about the pair.', decisions),
    decided_at: parameter.time('When the decision was made.'),
  },
  sorts: { decided_at: {} },
  defaultSort: [{ field: 'decided_at', direction: 'desc' }],
} as const satisfies ListDeclaration

/** Parameters of the admin page that lists suspected copies. */
export const suspectList = {
  name: 'desk/duplicates',
  filters: { is_folded: parameter.boolean('Whether lists omit the job.') },
  sorts: { found_at: {} },
  defaultSort: [{ field: 'found_at', direction: 'desc' }],
} as const satisfies ListDeclaration
