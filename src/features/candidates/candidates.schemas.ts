import { type Static, Type } from 'typebox'
import { Email, Nullable, Strict, Text, Timestamp } from '../../lib/schema.ts'

const Experience = Strict({
  title: Type.String(),
  company: Type.String(),
  location: Nullable(Type.String()),
  start_date: Type.String(),
  end_date: Nullable(Type.String()),
  current: Type.Boolean(),
  description: Nullable(Type.String()),
})

const Education = Strict({
  institution: Type.String(),
  degree: Nullable(Type.String()),
  field: Nullable(Type.String()),
  start_date: Nullable(Type.String()),
  end_date: Nullable(Type.String()),
  description: Nullable(Type.String()),
})

const profileMembers = {
  id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  email: Type.String(),
  phone: Nullable(Type.String()),
  location: Nullable(Type.String()),
  headline: Nullable(Type.String()),
  summary: Nullable(Type.String()),
  experience: Type.Array(Experience),
  education: Type.Array(Education),
  skills: Type.Array(Type.String()),
  resume_url: Nullable(Type.String()),
  website: Nullable(Type.String()),
  github: Nullable(Type.String()),
  linkedin: Nullable(Type.String()),
  is_searchable: Type.Boolean({ description: 'Whether employers find the candidate.' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
}

export const CandidateSchema = Type.Object(profileMembers, { $id: 'Candidate', additionalProperties: false })
export type Candidate = Static<typeof CandidateSchema>

export const CandidateRegisteredSchema = Type.Object(
  { ...profileMembers, api_key: Type.String({ description: "The account's first key: shown here and never again." }) },
  { $id: 'CandidateRegistered', additionalProperties: false },
)

export const CandidateRegistrationBody = Strict({ first_name: Text(1, 100), last_name: Text(1, 100), email: Email() })
export type CandidateRegistrationBody = Static<typeof CandidateRegistrationBody>
