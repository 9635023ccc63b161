import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder } from '../../src/db/lock-folder.ts'

let folder: string
const lockFile = () => join(folder, 'process.pid')

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-lock-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('locking a folder writes the process ID to a file, and unlocking removes the file', async () => {
  const unlock = await lockFolder(folder)
  expect(await readFile(lockFile(), 'utf8')).toBe(String(process.pid))
  await unlock()
  await expect(readFile(lockFile())).rejects.toThrow('ENOENT')
})

test('locking refuses a folder that a running process uses', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  await writeFile(lockFile(), String(child.pid))
  await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${child.pid}`)
  child.kill('SIGKILL')
  await once(child, 'close')
  const unlock = await lockFolder(folder)
  await unlock()
})

test.each(['', 'garbage', '0'])('locking replaces a file that does not name a process: %j', async (content) => {
  await writeFile(lockFile(), content)
  const unlock = await lockFolder(folder)
  expect(await readFile(lockFile(), 'utf8')).toBe(String(process.pid))
  await unlock()
})
