/**
 * Deletes email files, which are written if no mail server is configured. A file is deleted together with its row, for
 * example when a person's data is erased.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Task, Wake } from '../background/loop.ts'
import type { Database } from '../db/database.ts'

/** Also matches partial files, which remain if a process dies during a write. */
const FILE = /^\.?(mail_\w+)\.(?:eml|\d+\.part)$/
const BATCH = 1_000

/**
 * Returns the task that deletes the files of emails that are no longer in the database, because a person was erased or
 * because the retention of the emails has ended. Each process that sends emails cleans its own folder, regardless of
 * which process erased the data.
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
