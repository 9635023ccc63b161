import { type Static, Type } from 'typebox'
import { Resource, Strict, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

export const RESUME_BYTES_MAX = 5 * 1_048_576
export const RESUMES_MAX = 10

const briefMembers = {
  id: Type.String(),
  filename: Type.String(),
  content_type: Type.String(),
  size_bytes: Type.Integer({ minimum: 1 }),
  url: Type.String({ format: 'uri', description: 'URL of the file; requires an API key.' }),
}

export const ResumeSchema = Resource('Resume', {
  ...briefMembers,
  sha256: Type.String({ description: 'SHA-256 of the file, in hexadecimal.' }),
  is_default: Type.Boolean({ description: 'True for the newest resume, which applications without resume_id use.' }),
  created_at: Timestamp(),
})
export type Resume = Static<typeof ResumeSchema>

export const ResumeBriefSchema = Strict(briefMembers)
export type ResumeBrief = Static<typeof ResumeBriefSchema>

export const resumeList = {
  name: 'resumes',
  filters: { created_at: parameter.time('When the resume was uploaded.') },
  sorts: { created_at: {}, size_bytes: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
