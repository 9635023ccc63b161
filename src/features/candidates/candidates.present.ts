import { presentDistance } from '../../lib/schema.ts'
import type { CandidateRow, FoundCandidateDetailRow, FoundCandidateRow } from './candidates.queries.ts'
import type {
  Candidate,
  Education,
  EducationBody,
  Experience,
  ExperienceBody,
  FoundCandidate,
  FoundCandidateDetail,
} from './candidates.schemas.ts'

/**
 * Returns a work experience entry with every member, in the specification's order. The stored JSON omits absent members
 * and does not keep their order.
 */
export function presentExperience(entry: ExperienceBody): Experience {
  const end_date = entry.end_date ?? null
  return {
    title: entry.title,
    company: entry.company,
    location: entry.location ?? null,
    start_date: entry.start_date,
    end_date,
    current: end_date === null,
    description: entry.description ?? null,
  }
}

/** Returns an education entry with every member, in the specification's order. */
export function presentEducation(entry: EducationBody): Education {
  return {
    institution: entry.institution,
    degree: entry.degree ?? null,
    field: entry.field ?? null,
    start_date: entry.start_date ?? null,
    end_date: entry.end_date ?? null,
    description: entry.description ?? null,
  }
}

/** Returns the candidate's own profile. `origin` is the public origin. */
export function presentCandidate(row: CandidateRow, origin: string): Candidate {
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email ?? '',
    phone: row.phone,
    location: row.location,
    headline: row.headline,
    summary: row.summary,
    experience: (row.experience as ExperienceBody[]).map(presentExperience),
    education: (row.education as EducationBody[]).map(presentEducation),
    skills: row.skills,
    resume_url: row.resume_id === null ? null : `${origin}/v1/candidates/resume/${row.resume_id}`,
    website: row.website,
    github: row.github,
    linkedin: row.linkedin,
    is_searchable: row.is_searchable,
    mail_on_status_change: row.mail_on_status_change,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Returns a candidate in search results. */
export function presentFoundCandidate(row: FoundCandidateRow): FoundCandidate {
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    headline: row.headline,
    location: row.location,
    skills: row.skills,
    last_active: row.last_active_at.toISOString(),
    created_at: row.created_at.toISOString(),
    email: row.email,
    phone: row.phone,
    ...presentDistance(row),
  }
}

/** Returns a candidate for employers, with details. */
export function presentFoundCandidateDetail(row: FoundCandidateDetailRow): FoundCandidateDetail {
  return {
    ...presentFoundCandidate(row),
    summary: row.summary,
    experience: (row.experience as ExperienceBody[]).map(presentExperience),
    education: (row.education as EducationBody[]).map(presentEducation),
    website: row.website,
    github: row.github,
    linkedin: row.linkedin,
  }
}
