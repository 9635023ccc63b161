import { createHash } from 'node:crypto'
import type { Reader, Tx } from '../../db/database.ts'
import { cleanFilename, detectKind, mediaTypes } from '../../files/kinds.ts'
import { discardFiles, type Files } from '../../files/store.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, accountGone, found } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { ActorAccount } from '../../lib/scopes.ts'
import { lockCandidate, refreshCandidateSearch } from '../candidates/index.ts'
import {
  countResumes,
  findDefaultResume,
  findReadableResume,
  insertResume,
  isCarriedByApplication,
  lockOwnResume,
  lockUncarriedResumes,
  markResumeDeleted,
  type ResumeRow,
  removeResumes,
} from './resumes.queries.ts'
import { RESUMES_MAX } from './resumes.schemas.ts'

/** Returns whether the file is a PDF, which browsers can show. */
export const isPdf = ({ content_type }: Pick<ResumeRow, 'content_type'>) => content_type === mediaTypes.pdf

export const fileTag = ({ sha256 }: { sha256: string }) => `"${sha256}"`

/** A file that has been checked and stored, but not yet added to the candidate's resumes. */
interface StagedResume {
  row: ResumeRow
  keep(tx: Tx): Promise<void>
}

interface ResumeFile {
  files: Files
  candidateId: string
  upload: { filename: string | undefined; bytes: Buffer }
  now: Date
}

/**
 * Checks a file and stores its bytes, outside any transaction. Throws `unsupported_media_type` for a file in an
 * unsupported format, or `limit_reached` if the candidate already has the maximum number of resumes.
 */
export async function stageResume(
  reader: Reader,
  { files, candidateId, upload, now }: ResumeFile,
): Promise<StagedResume> {
  const { bytes } = upload
  const kind = detectKind(bytes)
  if (!kind) {
    throw new AppError('unsupported_media_type', {
      detail: 'The file must be a PDF, DOC, ODT, RTF or plain text file, or a DOCX file without a password.',
      words: { key: 'fault.resume_type' },
    })
  }
  assertRoom(await countResumes(reader, candidateId))
  const id = newId('resume')
  const { store, keep } = await files.stage(id, bytes, now)
  const row = {
    id,
    candidate_id: candidateId,
    filename: cleanFilename(upload.filename, kind),
    content_type: mediaTypes[kind],
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    store,
    created_at: now,
    deleted_at: null,
  }
  return { row, keep }
}

function assertRoom(count: number): void {
  if (count < RESUMES_MAX) return
  throw new AppError('limit_reached', {
    detail: `You can have at most ${RESUMES_MAX} resumes. Delete one first.`,
    words: { key: 'problem.resumes_max', values: { limit: RESUMES_MAX } },
  })
}

/**
 * Adds a staged file to the candidate's resumes, as the default resume. Throws `limit_reached` if the candidate already
 * has the maximum number of resumes.
 */
export async function addResume(tx: Tx, { row, keep }: StagedResume): Promise<ResumeRow> {
  // The lock serializes concurrent uploads, which keeps the count correct.
  if (!(await lockCandidate(tx, row.candidate_id))) throw accountGone()
  assertRoom(await countResumes(tx, row.candidate_id))
  // The new resume must have the latest creation time, even if the clocks of the processes differ.
  const present = await findDefaultResume(tx, row.candidate_id)
  const created_at = present && present.created_at > row.created_at ? present.created_at : row.created_at
  await insertResume(tx, { ...row, created_at })
  await keep(tx)
  await refreshCandidateSearch(tx, row.candidate_id)
  return { ...row, created_at }
}

export const getReadableResume = async (reader: Reader, id: string, actor: ActorAccount) =>
  found(await findReadableResume(reader, id, actor))

interface ResumeDeletion {
  candidateId: string
  id: string
  precondition: Precondition
  now: Date
}

/**
 * Deletes a resume for its candidate. Employers who received it with an application keep access until the candidate is
 * erased (decision 0014).
 */
export async function deleteResume(tx: Tx, { candidateId, id, precondition, now }: ResumeDeletion): Promise<void> {
  await lockCandidate(tx, candidateId)
  const row = found(await lockOwnResume(tx, candidateId, id))
  precondition(fileTag(row))
  if (await isCarriedByApplication(tx, id)) await markResumeDeleted(tx, id, now)
  else {
    await removeResumes(tx, [row])
    await discardFiles(tx, [row], now)
  }
  await refreshCandidateSearch(tx, candidateId)
}

/** Removes the given resumes that the candidate has deleted and that no application contains. */
export async function removeUncarriedResumes(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  const rows = await lockUncarriedResumes(tx, ids)
  if (rows.length === 0) return
  await removeResumes(tx, rows)
  await discardFiles(tx, rows, now)
}
