/** The key that secrets are encrypted with at rest: given, or kept in a file beside the embedded database. */
import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ConfigError } from './config.ts'

const KEY_BYTES = 32

type KeyConfig = Pick<Config, 'encryptionKey' | 'databaseUrl' | 'dataDir'>

const keyFile = (config: KeyConfig) => join(config.dataDir, 'encryption.key')

/** Where the key is, or would be looked for. */
export const keyPlaceOf = (config: KeyConfig): string =>
  config.encryptionKey || config.databaseUrl !== undefined ? 'ENCRYPTION_KEY' : keyFile(config)

/** The key that there is, without making one. */
export async function findEncryptionKey(config: KeyConfig): Promise<Uint8Array | undefined> {
  if (config.encryptionKey || config.databaseUrl !== undefined) return config.encryptionKey
  const file = keyFile(config)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (text === undefined) return undefined
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES) throw new ConfigError(`${file} is no key of ${KEY_BYTES} bytes in base64`)
  return new Uint8Array(key)
}

/** The configured key, or that of the file, which the first start makes. Processes on PostgreSQL must be given theirs. */
export async function encryptionKeyOf(config: KeyConfig): Promise<Uint8Array> {
  const found = await findEncryptionKey(config)
  if (found) return found
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      'ENCRYPTION_KEY is needed with DATABASE_URL, the same for all processes: make one with openssl rand -base64 32 and keep it as safe as the database',
    )
  }
  const file = keyFile(config)
  await mkdir(config.dataDir, { recursive: true })
  const partial = `${file}.${randomUUID()}.part`
  await writeFile(partial, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 })
  // Whole or not at all, and never over one that is there: what it sealed could not be opened again.
  await link(partial, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(partial)
  return (await findEncryptionKey(config))!
}
