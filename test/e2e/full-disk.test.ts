/** If an embedded database has no disk space for its log, the process exits with a message instead of hanging. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyMigratedDatabase, isOnPostgres } from '../support/database.ts'
import { runCli } from '../support/process.ts'

/**
 * The maximum file size, in blocks of 512 bytes. Log files are 16 MiB, so the process cannot write another one. All
 * other files are below this limit.
 */
const TOO_SMALL_FOR_LOG = '-f 31000'

test.runIf(!isOnPostgres)(
  'a process that cannot write its log exits with a message, and the same import succeeds later',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-full-'))
    const environment = { DATA_DIR: join(folder, 'data') }
    const jobs = Array.from({ length: 200 }, (_, id) => ({
      ...{ id: String(id), title: `Fitter ${id}`, company: 'Acme', location: 'Leipzig' },
      // Random words cannot be compressed. Long words keep their number low, because indexing each takes time.
      description: randomBytes(15_000)
        .toString('hex')
        .replaceAll(/(.{40})/g, '$1 '),
    }))
    const file = join(folder, 'jobs.ndjson')
    await writeFile(file, jobs.map((job) => `${JSON.stringify(job)}\n`).join(''))
    try {
      copyMigratedDatabase(environment.DATA_DIR)
      const full = await runCli(['import', 'jobs', file], environment, { limits: TOO_SMALL_FOR_LOG })
      expect(full.stderr).toContain('The embedded database stopped, probably because its disk is full.')
      expect(full.code).toBe(1)

      const again = await runCli(['import', 'jobs', file], environment)
      expect(again.stderr).toBe('')
      expect(again.code).toBe(0)
      const [, imported, there] = /^(\d+) imported, (\d+) already existed/m.exec(again.stdout)!
      expect(Number(imported) + Number(there)).toBe(200)
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  300_000,
)
