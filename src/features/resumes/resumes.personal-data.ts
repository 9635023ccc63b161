/** Personal data of resumes: file details and extracted text. */
import { discardFiles } from '../../files/store.ts'
import { pickMembers } from '../../lib/members.ts'
import type { PersonalData } from '../feature.ts'
import { listAllResumes, removeResumes } from './resumes.queries.ts'

const exported = [
  'id',
  'filename',
  'content_type',
  'size_bytes',
  'sha256',
  'created_at',
  'deleted_at',
  'extracted_text',
] as const

export const resumesPersonalData: PersonalData = {
  name: 'resumes',

  async export(reader, candidateId) {
    return (await listAllResumes(reader, candidateId)).map((row) => pickMembers(row, exported))
  },

  async erase(tx, candidateId, now) {
    const rows = await listAllResumes(tx, candidateId)
    if (rows.length === 0) return
    await removeResumes(tx, rows)
    await discardFiles(tx, rows, now)
  },
}
