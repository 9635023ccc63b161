/** The command line: `node src/main/cli.ts <command>`. Reads the configuration from the environment. */
import { resolve } from 'node:path'
import { checkRuntime } from './runtime.ts'

checkRuntime()

const { Command, Option } = await import('commander')
const { readConfig, ConfigError, originOf } = await import('./config.ts')
const { createKeyByOperator } = await import('../features/accounts/index.ts')
const { DatabaseClock } = await import('../db/clock.ts')
const { openDatabase } = await import('../db/database.ts')
const { migrate, MigrationBlocked } = await import('../db/migrate.ts')
const { AppError } = await import('../lib/errors.ts')
const { systemClock } = await import('../lib/time.ts')
const { openConfiguredDatabase } = await import('./databases.ts')
const { eventTypes } = await import('../events/catalogue.ts')
const { backUp, findBackup, nameBackup, noteBackup, removeOldBackups, restore, verifyBackup } = await import(
  '../commands/backup.ts'
)
const { LoadError } = await import('../db/dump.ts')
const { keyPlaceOf } = await import('./encryption-key.ts')
const { opensStoredSecrets } = await import('./webhook-parts.ts')
const { examine } = await import('../commands/doctor.ts')
const { exportTo } = await import('../commands/export.ts')
const { createS3 } = await import('../files/s3.ts')
const { importJobsFile } = await import('../commands/import-jobs.ts')
const { listen } = await import('../commands/listen.ts')
const { rotateSecrets } = await import('../commands/rotate-secrets.ts')
const { isEmpty, seedDemo } = await import('../commands/seed-demo.ts')
const { serve } = await import('./serve.ts')
const { describeTasks, runTaskNow } = await import('../commands/tasks.ts')
const { printTrial } = await import('../commands/trial.ts')

type Config = import('./config.ts').Config
type Clock = import('../lib/time.ts').Clock
type Database = import('../db/database.ts').Database

/** EX_CONFIG of sysexits.h. */
const EXIT_CONFIG = 78
/** EX_TEMPFAIL of sysexits.h. */
const EXIT_TRY_AGAIN = 75

const settingsOf = (config: Config) => ({ origin: originOf(config), defaultCurrency: config.defaultCurrency })

const reportMigration = { onBlocked: console.error, onProgress: console.error }

/** Runs work on the database without migrating it. */
async function withBareDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const database = await openConfiguredDatabase(config)
  try {
    return await work(database, config)
  } finally {
    await database.close()
  }
}

function withDatabase<T>(work: (database: Database, config: Config, clock: Clock) => Promise<T>): Promise<T> {
  return withBareDatabase(async (database, config) => {
    await migrate(database, { onBlocked: console.error })
    return work(database, config, await DatabaseClock.open(database))
  })
}

async function printPlan(database: Database): Promise<void> {
  const { planMigrations, describePlan } = await import('../db/migration-plan.ts')
  const scratch = await openDatabase({ dataDir: undefined })
  try {
    const planned = await planMigrations(database, scratch)
    for (const line of describePlan(planned)) console.log(line)
    if (planned.length === 0) console.log('No migrations to apply')
  } finally {
    await scratch.close()
  }
}

const program = new Command('job-marketplace')
  .description('The service behind a job board. Settings come from the environment: see docs/operations.md.')
  .showHelpAfterError()

program
  .command('trial')
  .description('serve with test payments, and with a fictional demo board if the database is empty')
  .action(async () => {
    const config = readConfig({ PAYMENTS: 'test', LOG_LEVEL: 'warn', STOP_DELAY_S: '0', ...process.env })
    process.exitCode = await serve(config, {
      onListening: async (database) => {
        const keys = (await isEmpty(database)) ? await seedDemo(database, settingsOf(config), systemClock) : undefined
        printTrial(config, keys)
      },
    })
  })

program
  .command('serve')
  .description('run the HTTP server and the workers')
  .addOption(new Option('--only <part>', 'run only the HTTP server or only the workers').choices(['http', 'work']))
  .action(async ({ only }: { only?: 'http' | 'work' }) => {
    process.exitCode = await serve(readConfig(process.env), { only })
  })

program
  .command('migrate')
  .description('apply the migrations of this release')
  .option('--plan', 'change nothing; show the locks, rows and duration of each missing migration')
  .action(async ({ plan = false }: { plan?: boolean }) => {
    if (plan) return withBareDatabase(printPlan)
    const applied = await withBareDatabase((database) => migrate(database, reportMigration))
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'No migrations to apply')
  })

program
  .command('keys')
  .description('API keys')
  .command('create')
  .description('create an API key and print it once')
  .addOption(new Option('--kind <kind>', 'create an account of this kind for the key').choices(['admin', 'integrator']))
  .option('--account <id>', 'create the key for this account')
  .requiredOption('--name <name>', 'name of the key, such as its purpose')
  .action(async ({ kind, account, name }: { kind?: 'admin' | 'integrator'; account?: string; name: string }) => {
    if ((kind === undefined) === (account === undefined)) program.error('Use either --kind or --account.')
    const wanted = account === undefined ? { kind: kind! } : { accountId: account }
    await withDatabase(async (database, _config, clock) => {
      const made = await database.inTx((tx) => createKeyByOperator(tx, wanted, name, clock.now()))
      console.error(`Account ${made.accountId}. This is the only time the key is shown:`)
      console.log(made.key)
    })
  })

program
  .command('import')
  .description('import data')
  .command('jobs <file>')
  .description('import jobs from NDJSON (or .ndjson.gz), one job per line; safe to rerun')
  .option('--inactive', 'import the jobs without publishing them')
  .action(async (file: string, { inactive = false }: { inactive?: boolean }) => {
    await withDatabase(async (database, config, clock) => {
      const { isTTY } = process.stderr
      const report = await importJobsFile({ database, settings: settingsOf(config), clock }, file, {
        isActive: !inactive,
        onRefused: (line, reason) => console.error(`${isTTY ? '\r' : ''}line ${line} refused: ${reason}`),
        ...(isTTY && { onProgress: (lines: number) => process.stderr.write(`\r${lines} lines`) }),
      })
      if (isTTY) process.stderr.write('\r')
      const rate = Math.round(report.lines / report.seconds)
      console.log(`${report.lines} lines read in ${report.seconds.toFixed(1)} s (${rate} per second)`)
      console.log(`${report.imported} imported, ${report.alreadyThere} already existed, ${report.refused} refused`)
      for (const [note, count] of Object.entries(report.notes)) console.log(`${count} × ${note}`)
    })
  })

program
  .command('doctor')
  .description('check the configuration and the services that the board uses; exit code 1 if a check fails')
  .action(async () => {
    for await (const { level, about, text } of examine(readConfig(process.env))) {
      console.log(`${(level === 'fail' ? 'FAIL' : level).padEnd(5)} ${`${about}:`.padEnd(16)}${text}`)
      if (level === 'fail') process.exitCode = 1
    }
  })

const exporting = program.command('export').description('export public data, one JSON object per line')
for (const [what, description] of [
  ['jobs', 'export the jobs on the board in the format of `import jobs`'],
  ['employers', 'export the employers as GET /v1/employers/:id returns them'],
] as const) {
  exporting
    .command(`${what} <file>`)
    .description(`${description}; compressed if the name ends in .gz`)
    .action(async (file: string) => {
      await withDatabase(async (database, _config, clock) => {
        const count = await exportTo(file, what, { database, now: clock.now() })
        console.log(`${count} ${what} written to ${file}`)
      })
    })
}

const tasks = program.command('tasks').description('list and run background tasks')

tasks
  .command('list')
  .description('list the background tasks with their last rounds and the last requested run')
  .action(async () => {
    await withDatabase(async (database) => {
      for (const line of await describeTasks(database)) console.log(line)
    })
  })

tasks
  .command('run <name>')
  .description('run a background task now, in a worker process; exit code 1 if it fails')
  .option('--wait <seconds>', 'maximum time to wait for the task to end', '60')
  .action(async (name: string, { wait }: { wait: string }) => {
    if (!/^\d{1,6}$/.test(wait)) program.error('--wait must be a whole number of seconds.')
    await withDatabase(async (database, _config, clock) => {
      const { text, isDone } = await runTaskNow(database, clock, name, Number(wait))
      console.log(text)
      if (!isDone) process.exitCode = 1
    })
  })

program
  .command('secrets')
  .description('manage the secrets in the database')
  .command('rotate')
  .description('re-encrypt all secrets with the first key in ENCRYPTION_KEY, so that the other keys can be removed')
  .action(async () => {
    await withBareDatabase(async (database, config) => {
      const { isTTY } = process.stderr
      const { keyId, resealed, counts } = await rotateSecrets(config, database, (done, total) => {
        if (isTTY) process.stderr.write(`\r${done} of ${total} values`)
      })
      if (isTTY) process.stderr.write('\r')
      console.log(`Re-encrypted ${resealed} values; key ${keyId} now encrypts ${counts.byKey.get(keyId)}`)
      const others = [...counts.byKey].filter(([id]) => id !== keyId)
      for (const [id, count] of others) {
        if (count > 0)
          console.error(
            `Key ${id} encrypted ${count} values meanwhile: give all processes the new list, then run this again`,
          )
        else console.log(`Key ${id} is unused: remove it from ${keyPlaceOf(config)}`)
      }
      for (const [id, count] of counts.lost)
        console.error(`No key decrypts ${count} values (key ${id}): they were not changed`)
      if (counts.lost.size > 0 || others.some(([, count]) => count > 0)) process.exitCode = 1
    })
  })

const objectsOf = (config: Config) => config.files && createS3(config.files)

/** Shows the progress in rows, but only on a terminal. */
function showRows(table: string, done: number, rows: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[K${table}: ${done} of ${rows} rows${done === rows ? '\r\x1b[K' : ''}`)
}

interface BackupOptions {
  keep?: string
  verify?: boolean
}

program
  .command('backup <path>')
  .description('back up the board and its files to a file (compressed if its name ends in .gz) or into a folder')
  .option('--keep <count>', 'keep only this many of the newest backups in the folder')
  .option(
    '--verify',
    'instead, restore a backup, or the newest one of a folder, into a temporary database and compare all rows',
  )
  .action(async (path: string, { keep, verify = false }: BackupOptions) => {
    if (keep !== undefined && !/^[1-9]\d*$/.test(keep)) program.error('--keep must be a whole number, at least 1')
    if (verify) return verifyAndNote(path)
    await withBareDatabase(async (database, config) => {
      const file = await nameBackup(path, systemClock.now())
      if (keep !== undefined && file === path) program.error('--keep requires a folder')
      const { missing } = await backUp({ database, objects: objectsOf(config), now: systemClock.now() }, file, showRows)
      console.log(`Backup written to ${file}. Protect it like the database.`)
      console.log(`It does not contain the encryption key: keep ${keyPlaceOf(config)} as well, in another place.`)
      for (const { resumeId, reason } of missing) console.error(`The file of ${resumeId} is missing: ${reason}`)
      if (missing.length > 0) {
        process.exitCode = 1
        return
      }
      await noteBackup(database, 'written', (await DatabaseClock.open(database)).now())
      const removed = keep === undefined ? [] : await removeOldBackups(path, Number(keep))
      if (removed.length > 0) console.log(`Removed ${removed.join(', ')}`)
    })
  })

/** Verifies a backup, which needs no database. If PostgreSQL is configured, records the success there. */
async function verifyAndNote(path: string): Promise<void> {
  const config = readConfig(process.env)
  const file = await findBackup(path)
  const { rows, tables, files, madeAt } = await verifyBackup(file, showRows)
  console.log(`${file} can be restored: created ${madeAt}, ${rows} rows in ${tables} tables, ${files} separate files`)
  if (config.databaseUrl === undefined) return
  await withBareDatabase(async (database) =>
    noteBackup(database, 'verified', (await DatabaseClock.open(database)).now()),
  )
}

program
  .command('restore <file>')
  .description('restore a backup into an empty database, embedded or PostgreSQL')
  .action(async (file: string) => {
    await withBareDatabase(async (database, config) => {
      const { madeAt, rows, files } = await restore({ database, objects: objectsOf(config) }, file, showRows)
      console.log(`Restored the backup of ${madeAt}: ${rows} rows and ${files} separate files`)
      if (await opensStoredSecrets(config, database)) return
      console.error(`The service cannot start yet: ${keyPlaceOf(config)} is not the key of the secrets in the backup.`)
      process.exitCode = EXIT_CONFIG
    })
  })

program
  .command('seed')
  .description('create demo data')
  .command('demo')
  .description('create a fictional automotive and technology board; requires an empty database')
  .action(async () => {
    await withDatabase(async (database, config, clock) => {
      if (!(await isEmpty(database))) program.error('The database is not empty. The demo board requires an empty one.')
      printTrial(config, await seedDemo(database, settingsOf(config), clock))
    })
  })

program
  .command('webhooks')
  .description('tools for developing webhook receivers')
  .command('listen')
  .description(
    'receive webhooks on this machine: creates a webhook, verifies and prints deliveries, then deletes the webhook',
  )
  .requiredOption('--key <key>', 'API key of the account whose events to receive')
  .option('--api <origin>', 'origin of the service (default: the configured one)')
  .option('--events <types>', 'comma-separated event types (default: all)')
  .option('--port <port>', 'port to listen on (0: any free port)', '0')
  .action(async ({ key, api, events, port }: { key: string; api?: string; events?: string; port: string }) => {
    const config = readConfig(process.env)
    const ending = new AbortController()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort())
    process.exitCode = await listen({
      api: (api ?? originOf(config)).replace(/\/$/, ''),
      key,
      events: events?.split(',') ?? eventTypes,
      port: Number(port),
      folder: resolve(config.dataDir),
      print: console.log,
      signal: ending.signal,
    })
  })

/** Returns one line for errors that an operator can fix, and the whole error for our bugs. */
function explain(error: unknown): unknown {
  const { code, message, cause } = error as Error & { code?: unknown }
  if (error instanceof AppError && error.code === 'unavailable') {
    return `The database is unavailable: ${(cause as Error).message || (cause as { code?: string }).code}`
  }
  if (error instanceof LoadError) return `The backup cannot be restored. ${message}`
  return typeof code === 'string' ? message : error
}

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof ConfigError) {
    console.error(`Configuration:\n${error.message}`)
    process.exitCode = EXIT_CONFIG
  } else if (error instanceof MigrationBlocked) {
    console.error(error.message)
    process.exitCode = EXIT_TRY_AGAIN
  } else {
    console.error(explain(error))
    process.exitCode = 1
  }
}
