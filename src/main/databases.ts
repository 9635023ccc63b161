/** Opens the configured databases. */
import { join } from 'node:path'
import { type Database, openDatabase } from '../db/database.ts'
import type { Config } from './config.ts'

/** Opens the configured database. See `DatabaseOptions`. */
export function openConfiguredDatabase(
  { databaseUrl, databasePoolSize, databasePoolMode, dataDir, isTraced }: Config,
  options: { lockWaitMaxMs?: number; onPresence?: (isAway: boolean, cause: unknown) => void } = {},
): Promise<Database> {
  return openDatabase(
    databaseUrl === undefined
      ? { dataDir: join(dataDir, 'db'), onGivenUp: endWithoutDatabase, isTraced }
      : { url: databaseUrl, poolSize: databasePoolSize, poolMode: databasePoolMode, isTraced, ...options },
  )
}

/**
 * Maximum duration of a statement on the replica, in milliseconds. After that, the primary runs the statement, because
 * the replica may be dead.
 */
const REPLICA_ANSWER_MAX_MS = 10_000

/** Opens the configured replica, if any. Only the first read shows whether the replica is available. */
export async function openConfiguredReplica(config: Config): Promise<Database | undefined> {
  const { databaseReplicaUrl: url, databasePoolSize: poolSize, databasePoolMode: poolMode, isTraced } = config
  return url === undefined
    ? undefined
    : openDatabase({ url, poolSize, poolMode, isTraced, answerMaxMs: REPLICA_ANSWER_MAX_MS })
}

function endWithoutDatabase(): never {
  console.error('The embedded database stopped, probably because its disk is full. Acknowledged writes are safe.')
  process.exit(1)
}
