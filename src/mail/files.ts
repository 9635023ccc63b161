/** Deletes email files, which the service writes if no mail server is configured. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Task, Wake } from '../background/loop.ts'
import type { Database } from '../db/database.ts'

/** Also matches partial files of processes that died while writing. */
const FILE = /^\.?(mail_\w+)\.(?:eml|\d+\.part)$/
const BATCH = 1_000

/**
 * Deletes the files of emails that are no longer in the database. Each process cleans its own folder, regardless of
 * which process deleted the rows.
 */
export function mailFileRemover(database: Database, folder: string): Task {
  const wake = new Wake()
  database.listen('forgotten-mails', () => wake.signal())
  return {
    name: 'mail-files',
    everyMs: 60_000,
    wake,
    async once() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      const files = names.flatMap((name) => {
        const id = FILE.exec(name)?.[1]
        return id === undefined ? [] : [{ name, id }]
      })
      for (let from = 0; from < files.length; from += BATCH) {
        const batch = files.slice(from, from + BATCH)
        const ids = batch.map(({ id }) => id)
        const rows = await database.read((db) => db.selectFrom('mail').select('id').where('id', 'in', ids).execute())
        const isKept = new Set(rows.map(({ id }) => id))
        for (const { name, id } of batch) if (!isKept.has(id)) await rm(join(folder, name), { force: true })
      }
      return 'done'
    },
  }
}
