import type { CandidateRow } from './candidates.queries.ts'
import type { Candidate } from './candidates.schemas.ts'

export function presentCandidate(row: CandidateRow): Candidate {
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email ?? '',
    phone: row.phone,
    location: row.location,
    headline: row.headline,
    summary: row.summary,
    experience: row.experience as Candidate['experience'],
    education: row.education as Candidate['education'],
    skills: row.skills,
    resume_url: null,
    website: row.website,
    github: row.github,
    linkedin: row.linkedin,
    is_searchable: row.is_searchable,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
