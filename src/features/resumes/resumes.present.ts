import type { ResumeRow } from './resumes.queries.ts'
import type { Resume, ResumeBrief } from './resumes.schemas.ts'

const urlOf = (id: string, origin: string) => `${origin}/v1/candidates/resume/${id}`

export function presentResume(row: ResumeRow & { is_default: boolean }, origin: string): Resume {
  const { id, filename, content_type, size_bytes, sha256, is_default } = row
  const created_at = row.created_at.toISOString()
  return { id, filename, content_type, size_bytes, sha256, is_default, url: urlOf(id, origin), created_at }
}

export function presentResumeBrief(row: Omit<ResumeBrief, 'url'>, origin: string): ResumeBrief {
  const { id, filename, content_type, size_bytes } = row
  return { id, filename, content_type, size_bytes, url: urlOf(id, origin) }
}
