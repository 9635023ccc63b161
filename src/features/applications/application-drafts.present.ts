import type { DraftRow } from './application-drafts.queries.ts'

export function presentDraft(row: DraftRow, origin: string) {
  return {
    job: { id: row.job_id, title: row.title, company: row.company },
    ...{ cover_letter: row.cover_letter, resume_id: row.resume_id, custom_questions: row.answers },
    url: `${origin}/jobs/${row.job_id}/apply`,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}
