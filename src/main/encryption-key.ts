/**
 * The keys that encrypt secrets at rest. They come from the configuration, or from a file next to the embedded
 * database.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ConfigError, type EncryptionKeys, parseEncryptionKeys } from './config.ts'

const KEY_BYTES = 32

type KeyConfig = Pick<Config, 'encryptionKeys' | 'databaseUrl' | 'dataDir'>

const keyFile = (config: KeyConfig) => join(config.dataDir, 'encryption.key')

/** Returns the name of the variable, or the path of the file, that should contain the keys. */
export const keyPlaceOf = (config: KeyConfig): string =>
  config.encryptionKeys || config.databaseUrl !== undefined ? 'ENCRYPTION_KEY' : keyFile(config)

/** Returns the existing keys, or undefined if there are none. */
async function findEncryptionKeys(config: KeyConfig): Promise<EncryptionKeys | undefined> {
  if (config.encryptionKeys || config.databaseUrl !== undefined) return config.encryptionKeys
  const file = keyFile(config)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (text === undefined) return undefined
  // The file may separate keys by newlines or commas.
  const keys = parseEncryptionKeys(text.trim().replaceAll('\n', ','))
  if (keys instanceof ConfigError) throw new ConfigError(`${file} ${keys.message}`)
  return keys
}

/** Returns the existing keys. If there are none, returns a random key that decrypts nothing. */
export async function presentKeysOf(config: KeyConfig): Promise<EncryptionKeys> {
  return (await findEncryptionKeys(config)) ?? [randomBytes(KEY_BYTES)]
}

/**
 * Returns the configured keys, or the keys in the file, which is created at the first start. With PostgreSQL, the keys
 * must be configured.
 */
export async function encryptionKeysOf(config: KeyConfig): Promise<EncryptionKeys> {
  const found = await findEncryptionKeys(config)
  if (found) return found
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      'ENCRYPTION_KEY is required with DATABASE_URL and must be the same for all processes. Create a key with openssl rand -base64 32, and protect it like the database',
    )
  }
  const file = keyFile(config)
  await mkdir(config.dataDir, { recursive: true })
  const partial = `${file}.${randomUUID()}.part`
  await writeFile(partial, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 })
  // Creates the file atomically, and never replaces an existing file, because the data encrypted with its key would be lost.
  await link(partial, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(partial)
  return (await findEncryptionKeys(config))!
}
