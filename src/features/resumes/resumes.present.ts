import type { ResumeRow } from './resumes.queries.ts'
import type { Resume, ResumeBrief } from './resumes.schemas.ts'

/** Returns the URL of a resume's file. */
function resumeUrl(id: string, origin: string): string {
  return `${origin}/v1/candidates/resume/${id}`
}

export function presentResume(row: ResumeRow & { is_default: boolean }, origin: string): Resume {
  return {
    id: row.id,
    filename: row.filename,
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    is_default: row.is_default,
    url: resumeUrl(row.id, origin),
    created_at: row.created_at.toISOString(),
  }
}

export function presentResumeBrief(
  row: Pick<ResumeRow, 'id' | 'filename' | 'content_type' | 'size_bytes'>,
  origin: string,
): ResumeBrief {
  const { id, filename, content_type, size_bytes } = row
  return { id, filename, content_type, size_bytes, url: resumeUrl(id, origin) }
}
