/** `secrets rotate`: re-encrypts all secrets in the database with the first key. The other keys can then be removed. */
import type { Database } from '../db/database.ts'
import { sealedAnswers } from '../db/idempotent-answers.ts'
import { countSealed, resealAll, type SealedColumn, type SealedCounts } from '../db/sealed.ts'
import { sealedWebhookSecrets } from '../features/webhooks/index.ts'
import { counted } from '../lib/counted.ts'
import { SecretBox } from '../lib/secret-box.ts'
import { type Config, ConfigError } from '../main/config.ts'
import { encryptionKeysOf, keyPlaceOf } from '../main/encryption-key.ts'
import { showProgress, withBareDatabase } from './run.ts'

/** Every column with encrypted values. */
export const sealedColumns: readonly SealedColumn[] = [...sealedWebhookSecrets, sealedAnswers]

export interface Rotation {
  keyId: string
  resealed: number
  /** The counts after the rotation. */
  counts: SealedCounts
}

/**
 * Re-encrypts the values that were encrypted with a key other than the first. `onProgress` receives the number of
 * completed values and the total.
 */
export async function rotateSecrets(
  config: Config,
  database: Database,
  onProgress?: (resealed: number, total: number) => void,
): Promise<Rotation> {
  const box = new SecretBox(...(await encryptionKeysOf(config)))
  const [keyId] = box.keyIds
  if (box.keyIds.length === 1) {
    const place = keyPlaceOf(config)
    throw new ConfigError(
      `${place} contains one key. Add the new key before it, comma-separated, then run this command again`,
    )
  }
  const count = () => database.read((db) => countSealed(db, box, sealedColumns))
  const { byKey, unopened } = await count()
  const total = box.keyIds.slice(1).reduce((sum, id) => sum + byKey.get(id)!, unopened)
  const resealed = await resealAll(database, box, sealedColumns, (done) => onProgress?.(done, Math.max(done, total)))
  return { keyId, resealed, counts: await count() }
}

export const runRotateSecrets = (): Promise<void> =>
  withBareDatabase(async (database, config) => {
    const { keyId, resealed, counts } = await rotateSecrets(config, database, (done, total) =>
      showProgress(`${done} of ${counted(total, 'value')}`),
    )
    showProgress('')
    const current = counted(counts.byKey.get(keyId)!, 'value')
    console.log(`Re-encrypted ${counted(resealed, 'value')}; key ${keyId} now encrypts ${current}`)
    const others = [...counts.byKey].filter(([id]) => id !== keyId)
    for (const [id, count] of others) {
      if (count === 0) console.log(`Key ${id} is unused: remove it from ${keyPlaceOf(config)}`)
      else {
        console.error(
          `Key ${id} encrypted ${counted(count, 'value')} during the rotation: configure the new keys for all processes, then run this command again`,
        )
      }
    }
    for (const [id, count] of counts.lost) {
      console.error(`${keyPlaceOf(config)} lacks the key for ${counted(count, 'value')} (key ${id}): left unchanged`)
    }
    if (counts.lost.size > 0 || others.some(([, count]) => count > 0)) process.exitCode = 1
  })
