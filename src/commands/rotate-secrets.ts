/** `secrets rotate`: reencrypts all secrets in the database with the first key, so that the others can be removed. */
import type { Database } from '../db/database.ts'
import { sealedAnswers } from '../db/idempotent-answers.ts'
import { countSealed, resealAll, type SealedColumn, type SealedCounts } from '../db/sealed.ts'
import { sealedWebhookSecrets } from '../features/webhooks/index.ts'
import { SecretBox } from '../lib/secret-box.ts'
import { type Config, ConfigError } from '../main/config.ts'
import { encryptionKeysOf, keyPlaceOf } from '../main/encryption-key.ts'

/** Every column with encrypted values. */
export const sealedColumns: readonly SealedColumn[] = [...sealedWebhookSecrets, sealedAnswers]

export interface Rotation {
  keyId: string
  resealed: number
  /** After the rotation. */
  counts: SealedCounts
}

/** Reencrypts values that the first key did not encrypt. `onProgress` receives the finished and the total number. */
export async function rotateSecrets(
  config: Config,
  database: Database,
  onProgress?: (resealed: number, total: number) => void,
): Promise<Rotation> {
  const box = new SecretBox(...(await encryptionKeysOf(config)))
  const [keyId] = box.keyIds
  if (box.keyIds.length === 1) {
    const place = keyPlaceOf(config)
    throw new ConfigError(`${place} contains one key. Add the new key before it, comma-separated, then run this again`)
  }
  const count = () => database.read((db) => countSealed(db, box, sealedColumns))
  const { byKey, unopened } = await count()
  const total = box.keyIds.slice(1).reduce((sum, id) => sum + byKey.get(id)!, unopened)
  const resealed = await resealAll(database, box, sealedColumns, (done) => onProgress?.(done, Math.max(done, total)))
  return { keyId, resealed, counts: await count() }
}
