import type { DecisionRow } from './duplicates.queries.ts'
import type { DuplicateDecision } from './duplicates.schemas.ts'

export function presentDecision(row: DecisionRow & { decided_by: string | null }): DuplicateDecision {
  const { first_job_id, second_job_id, decision, decided_at, decided_by } = row
  return { job_ids: [first_job_id, second_job_id], decision, decided_at: decided_at.toISOString(), decided_by }
}
