import type { AlertRow } from './job-alerts.queries.ts'
import type { JobAlert } from './job-alerts.schemas.ts'

export function presentAlert(row: AlertRow): JobAlert {
  return {
    id: row.id,
    name: row.name,
    criteria: row.criteria,
    frequency: row.frequency,
    is_active: row.is_active,
    last_run_at: row.last_run_at?.toISOString() ?? null,
    next_run_at: row.next_run_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
