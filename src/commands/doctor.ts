/** `doctor`: checks the configuration and the services that the board depends on. Makes no permanent changes. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { listAppliedMigrations } from '../db/migrate.ts'
import { listMigrations } from '../db/migration-file.ts'
import { findPosition, findStanding, isReplicaOf, type Position, type Standing } from '../db/replica.ts'
import { countSealed, type SealedColumn } from '../db/sealed.ts'
import { countAdminKeys } from '../features/accounts/index.ts'
import { findRates, RATES_AGE_MAX_DAYS } from '../features/currency-rates/index.ts'
import { getFeedHealth } from '../features/feeds/index.ts'
import { isTestKey, openStripe, type StripeApi } from '../features/stripe/index.ts'
import { createS3 } from '../files/s3.ts'
import { UNNAMED_PROXY_METRIC } from '../http/unnamed-proxies.ts'
import { counted } from '../lib/counted.ts'
import { SecretBox } from '../lib/secret-box.ts'
import { DAY_MS } from '../lib/time.ts'
import { tryMailServer } from '../mail/transport.ts'
import { type Config, originOf, readConfig } from '../main/config.ts'
import { openConfiguredDatabase, openConfiguredReplica } from '../main/databases.ts'
import { keyPlaceOf, presentKeysOf } from '../main/encryption-key.ts'
import type { EngineSettings } from '../search/engine/engine.ts'
import { listIndexes } from '../search/engine/queries.ts'
import { sealedColumns } from './rotate-secrets.ts'
import { reasonOf } from './run.ts'

export interface Finding {
  /** `fail`: the board, or a part of it, does not work. `warn`: the board works, but an operator should act. */
  level: 'ok' | 'warn' | 'fail'
  about: string
  text: string
}

type Verdict = Pick<Finding, 'level' | 'text'>
const ok = (text: string): Verdict => ({ level: 'ok', text })
const warn = (text: string): Verdict => ({ level: 'warn', text })
const fail = (text: string): Verdict => ({ level: 'fail', text })
const warnIf = (isTrue: boolean, text: string): Verdict[] => (isTrue ? [warn(text)] : [])
const failIf = (isTrue: boolean, text: string): Verdict[] => (isTrue ? [fail(text)] : [])

const POSTGRES_MIN = 150_000
const IS_PLANNED = `current_setting('enable_seqscan') = 'off'
  and current_setting('plan_cache_mode') = 'force_generic_plan' as is_planned`
const UNPLANNED = 'The planner settings from docs/operations.md, "Several processes", are missing: searches are slow'
/**
 * Limits for clock differences between machines, in milliseconds. Above the first limit, features that depend on exact
 * times (revoked keys, leases) become unreliable. Above the second limit, they fail.
 */
const SKEW_WARN_MS = 1_000
const SKEW_FAIL_MS = 30_000
const GIB = 1_073_741_824
const FREE_WARN_BYTES = GIB
const FREE_FAIL_BYTES = GIB / 16
const ANSWER_MS = 5_000
/**
 * Number of requests for metrics to send through the public origin, because a load balancer may distribute them among
 * several processes.
 */
const PROCESSES_ASKED = 4
const UNNAMED_PROXY_COUNT = new RegExp(`^${UNNAMED_PROXY_METRIC} (\\d+)$`, 'gm')
const UNNAMED_PROXY =
  'Requests arrive through a proxy that TRUST_PROXY does not list (see the log): all clients share the limits of one address'
/** Maximum lag of a replica, in milliseconds. Beyond this lag, a replica serves hardly any reads. */
const BEHIND_MS = 1_000
/** Maximum lag of the search engine's index, in milliseconds. */
const INDEX_BEHIND_MS = 60_000

/**
 * Runs all checks in sequence. If the database cannot be opened, skips the checks that need it. Tests pass their own
 * `stripe`.
 */
export async function* examine(config: Config, { stripe }: { stripe?: StripeApi } = {}): AsyncGenerator<Finding> {
  const look = async (about: string, question: () => Promise<Verdict[]>): Promise<Finding[]> => {
    const verdicts = await question().catch((error: unknown) => [fail(reasonOf(error))])
    return verdicts.map((verdict) => ({ ...verdict, about }))
  }
  yield* await look('addresses', async () => judgeOrigin(config))
  yield* await look('proxy', () => judgeProxy(config))
  yield* await look('data folder', () => judgeFolder(config))
  let database: Database | undefined
  yield* await look('database', async () => {
    if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'db'))) {
      return [warn('No database exists yet. The first start creates an embedded database, which is only for trials')]
    }
    const opened = await openConfiguredDatabase(config)
    try {
      const verdicts = await judgeDatabase(config, opened)
      database = opened
      return verdicts
    } finally {
      if (!database) await opened.close()
    }
  })
  if (database) {
    const opened = database
    try {
      yield* await look('migrations', () => judgeMigrations(opened))
      if (config.databaseReplicaUrl !== undefined) yield* await look('replica', () => judgeReplica(config, opened))
      const applied = await opened.withClient(listAppliedMigrations)
      if (applied.length > 0) {
        yield* await look('encryption key', () => judgeKey(config, opened))
        yield* await look('operator', () => judgeOperator(config, opened))
      }
      // The tables of these checks may not exist until the next start applies all migrations.
      if ((await listMigrations()).every((name) => applied.includes(name))) {
        yield* await look('currency rates', () => judgeRates(opened))
        yield* await look('feeds', () => judgeFeeds(opened))
        if (config.engine) yield* await look('search engine', () => judgeEngine(config.engine!, opened))
      }
    } finally {
      await opened.close()
    }
  }
  yield* await look('email', () => judgeMails(config))
  yield* await look('files', () => judgeFiles(config))
  yield* await look('payments', () => judgePayments(config, stripe))
}

async function judgeOrigin(config: Config): Promise<Verdict[]> {
  const origin = originOf(config)
  const { protocol, hostname } = new URL(origin)
  const isHere = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
  const answer = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' })
    .then(async (response) => (response.ok ? JSON.stringify(await response.json()) : `status ${response.status}`))
    .catch(reasonOf)
  return [
    ...warnIf(
      config.publicOrigin === undefined && !isHere,
      `PUBLIC_BASE_URL is not set: links in responses and emails begin with ${origin}`,
    ),
    ...warnIf(isHere, `Links in responses and emails begin with ${origin}, which only this machine can open`),
    ...warnIf(protocol === 'http:' && !isHere, `${origin} is not https: keys are sent unencrypted`),
    answer === '{"status":"ok"}'
      ? ok(`${origin} responds`)
      : warn(`${origin}/healthz does not respond as expected to this machine: ${answer}`),
  ]
}

/**
 * Sends requests through the public origin to check whether the board detects a proxy that TRUST_PROXY does not list.
 */
async function judgeProxy(config: Config): Promise<Verdict[]> {
  const ask = (path: string, headers = {}) =>
    fetch(originOf(config) + path, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual', headers })
  const first = await ask('/v1').catch(() => undefined)
  // `judgeOrigin` has already reported the failure.
  if (!first?.ok) return []
  const { trustedProxies } = config
  const [adminApiKey] = config.adminApiKeys
  const counts: string[] = []
  // Each process keeps its own count, so a single request would read only one count.
  for (let n = 0; n < PROCESSES_ASKED && adminApiKey !== undefined; n++) {
    await (await ask('/v1')).text()
    const metrics = await (await ask('/metrics', { authorization: `Bearer ${adminApiKey}` })).text()
    counts.push(...[...metrics.matchAll(UNNAMED_PROXY_COUNT)].map(([, count]) => count!))
  }
  if (counts.some((count) => count !== '0')) return [warn(UNNAMED_PROXY)]
  if (counts.length > 0) return [ok('TRUST_PROXY lists all proxies that the board detects')]
  const by = first.headers.get('via') ?? first.headers.get('server')
  if (by === null || trustedProxies !== undefined) return []
  return [warn(`A proxy responds (${by}), but TRUST_PROXY is not set: all clients may share the limits of one address`)]
}

async function judgeFolder({ dataDir }: Config): Promise<Verdict[]> {
  const folder = resolve(dataDir)
  // Checks the folder or its nearest existing parent, because the first start creates missing folders.
  let there = folder
  while (!existsSync(there)) there = resolve(there, '..')
  if (!(await stat(there)).isDirectory()) return [fail(`${there} is not a folder`)]
  await access(there, constants.W_OK)
  const { bavail, bsize } = await statfs(there)
  const free = bavail * bsize
  const text = `${folder} is writable and has ${(free / GIB).toFixed(1)} GiB free`
  return [free < FREE_FAIL_BYTES ? fail(text) : free < FREE_WARN_BYTES ? warn(text) : ok(text)]
}

async function judgeDatabase(config: Config, database: Database): Promise<Verdict[]> {
  const before = Date.now()
  const { rows } = await database.withClient((client) =>
    client.query(`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
        pg_encoding_to_char(encoding) as encoding, clock_timestamp() as at,
        current_setting('max_connections')::int as connections,
        has_schema_privilege(current_schema(), 'create') as may_create, pg_is_in_recovery() as is_standby,
        current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on'
          and current_setting('synchronous_commit') <> 'off' as is_durable,
        ${IS_PLANNED},
        current_setting('lock_timeout') <> '0' as is_bounded
      from pg_database where datname = current_database()`),
  )
  const after = Date.now()
  const [found] = rows
  if (database.isEmbedded) {
    return [warn(`Embedded (PostgreSQL ${found.version}): only for trials, because a power failure can destroy it`)]
  }
  // The server read its clock between `before` and `after`.
  const skewMs = Math.max(before - found.at.getTime(), found.at.getTime() - after, 0)
  const skew = `The clocks of the server and this machine differ by ${(skewMs / 1_000).toFixed(1)} s`
  const { databasePoolMode, databasePoolSize } = config
  return [
    found.number < POSTGRES_MIN
      ? fail(`PostgreSQL ${found.version} is too old: 15 or newer is required`)
      : ok(`PostgreSQL ${found.version}, responded in ${after - before} ms`),
    ...failIf(found.encoding !== 'UTF8', `The encoding is ${found.encoding} instead of UTF8`),
    ...failIf(!found.may_create, 'The role lacks the privilege to create tables, which migrations need'),
    ...failIf(found.is_standby, 'The server is a standby, which does not accept writes'),
    ...warnIf(
      !found.is_durable,
      'fsync, full_page_writes or synchronous_commit is off: a crash can lose acknowledged writes',
    ),
    ...warnIf(!found.is_planned, UNPLANNED),
    // In session mode, the service itself sets the limits of its sessions.
    ...warnIf(
      databasePoolMode === 'transaction' && !found.is_bounded,
      'lock_timeout is not set: a manually held lock blocks requests. See docs/operations.md, "Several processes"',
    ),
    ...warnIf(
      databasePoolSize * 2 > found.connections,
      `DATABASE_POOL_SIZE ${databasePoolSize}: two processes would use all ${found.connections} connections`,
    ),
    skewMs > SKEW_FAIL_MS ? fail(skew) : skewMs > SKEW_WARN_MS ? warn(skew) : ok(skew),
  ]
}

async function judgeMigrations(database: Database): Promise<Verdict[]> {
  const applied = await database.withClient(listAppliedMigrations)
  const known = await listMigrations()
  const missing = known.filter((name) => !applied.includes(name))
  const unknown = applied.filter((name) => !known.includes(name))
  return [
    missing.length > 0 ? warn(`The next start applies ${missing.join(', ')}`) : ok('All migrations are applied'),
    ...warnIf(unknown.length > 0, `A newer release applied ${unknown.join(', ')}`),
  ]
}

/** Checks the replica. Problems with the replica are only warnings: the board works, and reads use the primary. */
async function judgeReplica(config: Config, database: Database): Promise<Verdict[]> {
  const replica = (await openConfiguredReplica(config))!
  try {
    const position = await database.read(findPosition)
    const startedAt = performance.now()
    const ask = () => replica.read((db) => findStanding(db, position))
    let standing = await ask()
    if (!isReplicaOf(position, standing)) return [warn(`Reads go to the primary: ${differenceOf(position, standing)}`)]
    while (standing.lag_bytes > 0 && performance.now() - startedAt < BEHIND_MS) {
      await after(10)
      standing = await ask()
    }
    const tookMs = Math.round(performance.now() - startedAt)
    const applied = await replica.withClient(listAppliedMigrations)
    const missing = (await database.withClient(listAppliedMigrations)).filter((name) => !applied.includes(name))
    const { rows } = await replica.withClient((client) =>
      client.query(`select current_setting('hot_standby_feedback') = 'on' as tells, ${IS_PLANNED}`),
    )
    const [{ tells, is_planned }] = rows
    return [
      standing.lag_bytes > 0
        ? warn(`The replica was still ${standing.lag_bytes} bytes behind after ${tookMs} ms: reads go to the primary`)
        : ok(`The replica caught up in ${tookMs} ms`),
      ...warnIf(missing.length > 0, `The replica lacks migrations: ${missing.join(', ')}`),
      ...warnIf(!is_planned, UNPLANNED),
      ...warnIf(!tells, 'hot_standby_feedback is off: VACUUM can cancel long reads, which then go to the primary'),
    ]
  } catch (error) {
    return [warn(`Reads go to the primary: ${reasonOf(error)}`)]
  } finally {
    await replica.close()
  }
}

function differenceOf(position: Position, standing: Standing): string {
  if (!standing.is_standby) return 'the replica is not a standby'
  if (standing.system !== position.system) return 'the replica is a standby of another PostgreSQL server'
  if (standing.database !== position.database) return `DATABASE_REPLICA_URL names the database ${standing.database}`
  return `the replica is on timeline ${standing.timeline}, the primary on ${position.timeline}`
}

async function judgeRates(database: Database): Promise<Verdict[]> {
  const { as_of } = await database.read(findRates)
  const isOld = Date.now() - Date.parse(as_of) > RATES_AGE_MAX_DAYS * DAY_MS
  const text = `The exchange rates are from ${as_of}`
  return [
    isOld
      ? warn(`${text}, more than ${RATES_AGE_MAX_DAYS} days old. Update them with PUT /v1/admin/currency-rates`)
      : ok(text),
  ]
}

export async function judgeEngine(settings: EngineSettings, database: Database): Promise<Verdict[]> {
  const { Engine } = await import('../search/engine/engine.ts')
  const engine = new Engine(settings)
  try {
    const { version } = await engine.read<{ version: { number: string } }>({ method: 'GET', path: '/' })
    const { status, number_of_nodes: nodes } = await engine.read<{ status: string; number_of_nodes: number }>({
      method: 'GET',
      path: `/_cluster/health/${settings.index}-*`,
    })
    const health = `OpenSearch ${version.number}, nodes: ${nodes}, indexes: ${status}`
    const current = (await database.read(listIndexes)).find(({ is_current }) => is_current)
    if (!current) return [ok(health), fail('No index is complete yet: start a worker, or run search reindex')]
    const behindMs = Date.now() - current.followed_at.getTime()
    const behind = `${current.name} is ${(behindMs / 1_000).toFixed(0)} s behind`
    return [
      status === 'red'
        ? fail(`${health}: primary shards are missing`)
        : status === 'yellow'
          ? warn(`${health}: replica shards are missing`)
          : ok(health),
      behindMs > INDEX_BEHIND_MS ? warn(`${behind}: check that a worker is running`) : ok(behind),
    ]
  } finally {
    await engine.close()
  }
}

async function judgeFeeds(database: Database): Promise<Verdict[]> {
  const { idle, failing, held } = await database.read(getFeedHealth)
  return [
    ...warnIf(failing > 0, `Failing feeds: ${failing}. \`feeds list\` shows their last runs`),
    ...warnIf(held > 0, `Feeds with a run that waits for approval: ${held}`),
    ok(`Feeds that run as planned: ${idle}`),
  ]
}

async function judgeKey(config: Config, database: Database): Promise<Verdict[]> {
  const place = keyPlaceOf(config)
  if (config.databaseUrl !== undefined && !config.encryptionKeys) {
    return [fail('ENCRYPTION_KEY is required with DATABASE_URL and must be the same for all processes')]
  }
  const box = new SecretBox(...(await presentKeysOf(config)))
  const countOf = (columns: readonly SealedColumn[]) => database.read((db) => countSealed(db, box, columns))
  const secrets = await countOf(sealedColumns.filter(({ isVital }) => isVital))
  const answers = await countOf(sealedColumns.filter(({ isVital }) => !isVital))
  const verdicts = box.keyIds.map((id, n) => {
    const count = secrets.byKey.get(id)! + answers.byKey.get(id)!
    if (n === 0) return ok(`${place}: key ${id}, which encrypts new values, encrypts ${counted(count, 'value')}`)
    const isLeft = count === 0 && secrets.unopened + answers.unopened === 0
    return isLeft
      ? ok(`Key ${id} is unused: remove it`)
      : warn(`Key ${id} still encrypts ${counted(count, 'value')}: run secrets rotate`)
  })
  const unopened = secrets.unopened + answers.unopened
  if (unopened > 0) verdicts.push(ok(`Not checked: ${counted(unopened, 'value')} without a key ID`))
  for (const [id, count] of secrets.lost) {
    verdicts.push(fail(`${place} lacks the key for ${counted(count, 'webhook secret')} (key ${id})`))
  }
  for (const [id, count] of answers.lost) {
    verdicts.push(
      warn(`${place} lacks the key for ${counted(count, 'response')} stored for idempotency keys (key ${id})`),
    )
  }
  return verdicts
}

async function judgeOperator(config: Config, database: Database): Promise<Verdict[]> {
  const { adminApiKeys } = config
  if (adminApiKeys.length === 1) return [ok('ADMIN_API_KEY is set')]
  if (adminApiKeys.length > 1) {
    return [warn('ADMIN_API_KEY contains two keys: remove the previous one once it is unused')]
  }
  const count = await database.read((db) => countAdminKeys(db, new Date()))
  return [count > 0 ? ok(`Admin keys: ${count}`) : warn('No admin key: set ADMIN_API_KEY, or run keys create')]
}

async function judgeMails(config: Config): Promise<Verdict[]> {
  if (config.mailUrl === undefined) {
    return [warn(`MAIL_URL is not set: emails are written to files in ${join(config.dataDir, 'mail')}`)]
  }
  await tryMailServer(config.mailUrl)
  return [ok(`${new URL(config.mailUrl).host} accepts the login. Sending as ${config.mailFrom} was not tested`)]
}

async function judgePayments({ payments, stripe }: Config, given: StripeApi | undefined): Promise<Verdict[]> {
  if (payments === 'test') return [warn('PAYMENTS=test: jobs are activated without payment')]
  if (!stripe) return [ok(payments)]
  await (given ?? (await openStripe(stripe))).tryKey()
  const unseen = 'STRIPE_WEBHOOK_SECRET is checked when the first event arrives'
  return [
    ok(`The Stripe key can read sessions and events; ${unseen}`),
    ...warnIf(isTestKey(stripe.secretKey), 'STRIPE_SECRET_KEY is a test-mode key: jobs are activated without payment'),
  ]
}

async function judgeFiles(config: Config): Promise<Verdict[]> {
  if (!config.files) return [ok('Stored in the database')]
  const objects = createS3(config.files)
  const key = `doctor-${randomUUID()}`
  const bytes = Buffer.from(key)
  await objects.put(key, bytes)
  const read = await objects.get(key, { first: 0, last: bytes.length - 1 })
  await objects.delete(key)
  return [read.equals(bytes) ? ok(`${config.files.url} works`) : fail('The bucket returned wrong bytes')]
}

export async function runDoctor(): Promise<void> {
  for await (const { level, about, text } of examine(readConfig(process.env))) {
    console.log(`${(level === 'fail' ? 'FAIL' : level).padEnd(5)} ${`${about}:`.padEnd(16)}${text}`)
    if (level === 'fail') process.exitCode = 1
  }
}
