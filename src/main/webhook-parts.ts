/** Creates the objects that validate webhook URLs, encrypt secrets and send deliveries. */
import type { Database } from '../db/database.ts'
import {
  CONNECT_MS,
  Connections,
  createGuard,
  createWebhookClient,
  dnsTexts,
  opensSecrets,
  type Schedule,
  standardSchedule,
  type WebhookParts,
} from '../features/webhooks/index.ts'
import { SecretBox } from '../lib/secret-box.ts'
import type { Clock } from '../lib/time.ts'
import type { Config } from './config.ts'
import { encryptionKeysOf, presentKeysOf } from './encryption-key.ts'

/** Creates the objects from the configuration. Throws a `ConfigError` if the encryption key is missing. */
export async function createWebhookParts(config: Config, clock: Clock): Promise<WebhookParts> {
  const guard = createGuard({ allowCidrs: config.webhookAllowCidrs, allowPorts: config.webhookAllowPorts })
  const timeoutMs = config.webhookTimeoutMs
  return {
    guard,
    client: createWebhookClient({ guard, clock, timeoutMs, ca: config.webhookCa }),
    connections: new Connections({ guard, ca: config.webhookCa, connectMs: CONNECT_MS }),
    texts: dnsTexts(),
    secrets: new SecretBox(...(await encryptionKeysOf(config))),
    timeoutMs,
    schedule: config.webhookRetrySchedule ? scheduleOf(config.webhookRetrySchedule) : standardSchedule,
  }
}

/**
 * Returns whether the existing keys can decrypt the secrets in the database, or true if it contains no secrets. Does
 * not create a key.
 */
export async function opensStoredSecrets(config: Config, database: Database): Promise<boolean> {
  const secrets = new SecretBox(...(await presentKeysOf(config)))
  return database.read((db) => opensSecrets(db, secrets))
}

/** Returns a schedule with these pauses. The first pause is ignored, because the first attempt is immediate. */
function scheduleOf(seconds: readonly number[]): Schedule {
  return { pausesMs: seconds.slice(1).map((pause) => pause * 1_000), isCustom: true }
}
