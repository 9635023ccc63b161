/** What webhooks are judged, sealed and sent by. */
import type { Database } from '../db/database.ts'
import { createWebhookClient, type WebhookClient } from '../delivery/client.ts'
import { createGuard } from '../delivery/guard.ts'
import { type Guard, opensSecrets, type Schedule, type Sealer, standardSchedule } from '../features/webhooks/index.ts'
import { SecretBox } from '../lib/secret-box.ts'
import type { Clock } from '../lib/time.ts'
import type { Config } from './config.ts'
import { encryptionKeysOf, presentKeysOf } from './encryption-key.ts'

export interface WebhookParts {
  guard: Guard
  client: WebhookClient
  secrets: Sealer
  /** The longest that the client takes for an attempt. */
  timeoutMs: number
  schedule: Schedule
}

/** The parts that the configuration asks for; throws a `ConfigError` where the key of the secrets is missing. */
export async function createWebhookParts(config: Config, clock: Clock): Promise<WebhookParts> {
  const guard = createGuard({ allowCidrs: config.webhookAllowCidrs, allowPorts: config.webhookAllowPorts })
  const timeoutMs = config.webhookTimeoutMs
  return {
    guard,
    client: createWebhookClient({ guard, clock, timeoutMs, ca: config.webhookCa }),
    secrets: new SecretBox(...(await encryptionKeysOf(config))),
    timeoutMs,
    schedule: config.webhookRetrySchedule ? scheduleOf(config.webhookRetrySchedule) : standardSchedule,
  }
}

/** Returns whether the present keys open the secrets in the database, without making one; true where there are none. */
export async function opensStoredSecrets(config: Config, database: Database): Promise<boolean> {
  const secrets = new SecretBox(...(await presentKeysOf(config)))
  return database.read((db) => opensSecrets(db, secrets))
}

/** The first attempt is made at once; what is configured begins with its pause of none. */
function scheduleOf(seconds: readonly number[]): Schedule {
  return { pausesMs: seconds.slice(1).map((pause) => pause * 1_000), isCustom: true }
}
