/** Files that are written once, and are either complete or absent. */
import { hash, randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a text to a file in a folder, syncs both, and returns its path. The file name contains the start of the
 * text's digest, so writing the same text twice, for example after an interruption, creates only one file.
 */
export async function archiveText(folder: string, name: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}-${hash('sha256', text).slice(0, 12)}.ndjson`)
  const partial = `${file}.${randomUUID()}.part`
  try {
    await writeFile(partial, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  // The folder contains the new name, so the folder must be synced as well.
  const parent = await open(folder)
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
  return file
}
