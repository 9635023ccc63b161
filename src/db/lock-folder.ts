import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

function isRunning(pid: number): boolean {
  // In a container, a restarted process often has the same ID as the crashed one.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Locks the folder with a file that contains this process's ID, and returns a function that unlocks it. Throws if
 * another running process holds the lock.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'process.pid')
  for (;;) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' })
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const pid = Number(await readFile(file, 'utf8').catch(() => '0'))
    if (pid > 0 && isRunning(pid)) {
      throw Object.assign(
        new Error(`The embedded database in ${folder} is in use by process ${pid}: stop it first, or use PostgreSQL.`),
        { code: 'EMBEDDED_IN_USE' },
      )
    }
    await rm(file, { force: true })
  }
}
