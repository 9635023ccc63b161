import { namesOf, pickMembers } from '../../lib/members.ts'
import { presentDistance } from '../../lib/schema.ts'
import type { CandidateRow, FoundCandidateDetailRow, FoundCandidateRow } from './candidates.queries.ts'
import {
  type Candidate,
  CandidateSchema,
  type Education,
  type EducationBody,
  Education as EducationSchema,
  type Experience,
  type ExperienceBody,
  Experience as ExperienceSchema,
  type FoundCandidate,
  type FoundCandidateDetail,
  FoundCandidateDetailSchema,
  foundMembers,
} from './candidates.schemas.ts'

const experienceNames = namesOf(ExperienceSchema.properties)
const educationNames = namesOf(EducationSchema.properties)
const candidateNames = namesOf(CandidateSchema.properties)
const foundNames = namesOf(foundMembers)
const detailNames = namesOf(FoundCandidateDetailSchema.properties)

/** Returns a complete entry in schema order. Bodies may omit members, and stored JSON has a different order. */
export function presentExperience(entry: ExperienceBody): Experience {
  const { location = null, end_date = null, description = null } = entry
  return pickMembers({ ...entry, location, end_date, current: end_date === null, description }, experienceNames)
}

export function presentEducation(entry: EducationBody): Education {
  const absent = { degree: null, field: null, start_date: null, end_date: null, description: null }
  return pickMembers({ ...absent, ...entry }, educationNames)
}

const presentCareer = ({ experience, education }: Pick<CandidateRow, 'experience' | 'education'>) => ({
  experience: (experience as ExperienceBody[]).map(presentExperience),
  education: (education as EducationBody[]).map(presentEducation),
})

export function presentCandidate(row: CandidateRow, origin: string): Candidate {
  const resume_url = row.resume_id === null ? null : `${origin}/v1/candidates/resume/${row.resume_id}`
  return pickMembers({ ...row, email: row.email ?? '', ...presentCareer(row), resume_url }, candidateNames)
}

export function presentFoundCandidate(row: FoundCandidateRow): FoundCandidate {
  return { ...pickMembers({ ...row, last_active: row.last_active_at }, foundNames), ...presentDistance(row) }
}

export const presentFoundCandidateDetail = (row: FoundCandidateDetailRow): FoundCandidateDetail =>
  pickMembers({ ...row, ...presentCareer(row), last_active: row.last_active_at }, detailNames)
