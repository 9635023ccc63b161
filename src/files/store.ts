/**
 * Stores files in the database or in an object store. `stage` uploads a file outside any transaction. The transaction
 * that writes the file's row then calls `keep`.
 */
import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { ByteRange } from '../lib/byte-range.ts'
import { AppError } from '../lib/errors.ts'
import { noteWritten } from '../lib/written.ts'

export type StoreName = 'database' | 's3'

export interface StoredFile {
  id: string
  store: StoreName
  size_bytes: number
}

export interface StagedFile {
  store: StoreName
  /** Call this method in the transaction that writes the file's row. A task later deletes files that are not kept. */
  keep(tx: Tx): Promise<void>
}

export interface Files {
  stage(id: string, bytes: Buffer, now: Date): Promise<StagedFile>
  /**
   * Returns the bytes of a file or range. Throws `not_found` if the database no longer contains the file, or
   * `unavailable` if the object store does not return it.
   */
  get(file: StoredFile, range?: ByteRange): Promise<Buffer>
}

/** An object store; each method throws if it fails. */
export interface ObjectStore {
  put(key: string, bytes: Buffer): Promise<void>
  /** Returns exactly the bytes of the range; throws if the object is shorter. */
  get(key: string, range: ByteRange): Promise<Buffer>
  /** Succeeds even if the object does not exist. */
  delete(key: string): Promise<void>
}

/** Time limit of an upload, in milliseconds. A task deletes files that are not kept by then. */
const STAGED_MS = 3_600_000

/** How long a worker may take to delete its claimed objects before another worker takes over, in milliseconds. */
const REMOVAL_LEASE_MS = 600_000
const REMOVAL_BATCH = 20

export function createFiles(database: Database, objects: ObjectStore | undefined): Files {
  return {
    async stage(id, bytes, now) {
      return objects ? stageObject(database, { objects, id, bytes, now }) : stageInDatabase(id, bytes)
    },
    async get(file, range = { first: 0, last: file.size_bytes - 1 }) {
      if (file.store === 'database') return readFromDatabase(database, file.id, range)
      if (!objects) throw unavailable(new Error(`${file.id} is in an object store, but FILES_URL is not set`))
      return objects.get(file.id, range).catch((error) => {
        throw unavailable(error)
      })
    },
  }
}

function stageInDatabase(id: string, bytes: Buffer): StagedFile {
  return {
    store: 'database',
    async keep(tx) {
      await tx.insertInto('resume_content').values({ resume_id: id, bytes }).execute()
    },
  }
}

async function readFromDatabase(database: Database, id: string, { first, last }: ByteRange): Promise<Buffer> {
  const row = await database.read((db) =>
    db
      .selectFrom('resume_content')
      .select(sql<Buffer>`substring(bytes from ${first + 1}::integer for ${last - first + 1}::integer)`.as('bytes'))
      .where('resume_id', '=', id)
      .executeTakeFirst(),
  )
  // The file was deleted after its row was read.
  if (!row) throw new AppError('not_found')
  return row.bytes
}

async function stageObject(
  database: Database,
  { objects, id, bytes, now }: { objects: ObjectStore; id: string; bytes: Buffer; now: Date },
): Promise<StagedFile> {
  const due_at = new Date(now.getTime() + STAGED_MS)
  await database.inStatement((tx) => tx.insertInto('stored_object_to_delete').values({ key: id, due_at }).execute())
  noteWritten(bytes.length)
  await objects.put(id, bytes).catch((error) => {
    throw unavailable(error)
  })
  return {
    store: 's3',
    async keep(tx) {
      // If the removal task has claimed the object, its `due_at` differs.
      const { numDeletedRows } = await tx
        .deleteFrom('stored_object_to_delete')
        .where('key', '=', id)
        .where('due_at', '=', due_at)
        .executeTakeFirst()
      if (numDeletedRows !== 1n) throw unavailable(new Error(`${id} was staged too long ago`))
    },
  }
}

/** Schedules the deletion of stored objects. Files in the database are deleted with their rows. */
export async function discardFiles(tx: Tx, files: readonly StoredFile[], now: Date): Promise<void> {
  const rows = files.filter(({ store }) => store === 's3').map(({ id }) => ({ key: id, due_at: now }))
  if (rows.length > 0) await tx.insertInto('stored_object_to_delete').values(rows).execute()
}

/**
 * Moves due times earlier after the clock has been set back. No deletion then waits longer than that of a file staged
 * now.
 */
export async function bringRemovalsBack(tx: Tx, now: Date): Promise<void> {
  const latest = new Date(now.getTime() + Math.max(STAGED_MS, REMOVAL_LEASE_MS))
  await tx.updateTable('stored_object_to_delete').set({ due_at: latest }).where('due_at', '>', latest).execute()
}

/** Deletes a batch of unreferenced objects. Returns `more` if further objects may be due. */
export async function removeDiscarded(database: Database, objects: ObjectStore, now: Date): Promise<'more' | 'done'> {
  const claimed = await database.inStatement((tx) =>
    tx
      .updateTable('stored_object_to_delete')
      .set({ due_at: new Date(now.getTime() + REMOVAL_LEASE_MS) })
      .where('key', 'in', (from) =>
        from
          .selectFrom('stored_object_to_delete')
          .select('key')
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .orderBy('key')
          .limit(REMOVAL_BATCH)
          .forUpdate()
          .skipLocked(),
      )
      .returning('key')
      .execute(),
  )
  for (const { key } of claimed) {
    await objects.delete(key)
    await database.inStatement((tx) => tx.deleteFrom('stored_object_to_delete').where('key', '=', key).execute())
  }
  return claimed.length === REMOVAL_BATCH ? 'more' : 'done'
}

function unavailable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause
  const detail = 'The file store is temporarily unavailable.'
  return new AppError('unavailable', { detail, cause, headers: { 'retry-after': '5' } })
}
