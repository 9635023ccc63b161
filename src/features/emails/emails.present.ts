import type { EmailRow } from './emails.queries.ts'
import type { Email } from './emails.schemas.ts'

export function presentEmail({ recipient, last_error, ...row }: EmailRow): Email {
  const { id, kind, account_id, subject_id, state, attempts, repeats } = row
  return {
    ...{ id, kind, account_id, to: recipient, subject_id, state, attempts, error: last_error },
    created_at: row.created_at.toISOString(),
    due_at: row.due_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
    repeats,
  }
}
