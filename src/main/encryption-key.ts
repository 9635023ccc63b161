/** The key that secrets are encrypted with at rest: given, or kept in a file beside the embedded database. */
import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ConfigError } from './config.ts'

const KEY_BYTES = 32

/** The configured key, or that of the file, which the first start makes. Processes on PostgreSQL must be given theirs. */
export async function encryptionKeyOf(
  config: Pick<Config, 'encryptionKey' | 'databaseUrl' | 'dataDir'>,
): Promise<Uint8Array> {
  if (config.encryptionKey) return config.encryptionKey
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      'ENCRYPTION_KEY is needed with DATABASE_URL, the same for all processes: make one with openssl rand -base64 32 and keep it as safe as the database',
    )
  }
  const file = join(config.dataDir, 'encryption.key')
  await mkdir(config.dataDir, { recursive: true })
  const partial = `${file}.${randomUUID()}.part`
  await writeFile(partial, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 })
  // Whole or not at all, and never over one that is there: what it sealed could not be opened again.
  await link(partial, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(partial)
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64')
  if (key.length !== KEY_BYTES) throw new ConfigError(`${file} is no key of ${KEY_BYTES} bytes in base64`)
  return new Uint8Array(key)
}
