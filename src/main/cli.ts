/** The command line: `node src/main/cli.ts <command>`. Loads only the module of the requested command. */
import type { Remote } from '../commands/remote.ts'
import { formatNames } from '../features/feeds/formats/names.ts'
import { checkRuntime } from './runtime.ts'

checkRuntime()

const { Argument, Command, Option } = await import('commander')

type RemoteCommands = typeof import('../commands/remote.ts')

/** Runs a command that calls the API of a board. */
async function remotely(run: (commands: RemoteCommands, remote: Remote) => Promise<void>): Promise<void> {
  const commands = await import('../commands/remote.ts')
  await commands.runRemote((remote) => run(commands, remote))
}

const program = new Command('job-marketplace')
  .description('The service behind a job board. Settings come from the environment: see docs/operations.md.')
  .showHelpAfterError()

program
  .command('trial')
  .description('serve with test payments, and with a fictional demo board if the database is empty')
  .action(async () => (await import('../commands/trial.ts')).runTrial())

program
  .command('serve')
  .description('run the HTTP server and the workers')
  .addOption(new Option('--only <part>', 'run only the HTTP server or only the workers').choices(['http', 'work']))
  .action(async ({ only }) => {
    const [{ serve }, { readConfig }] = await Promise.all([import('./serve.ts'), import('./config.ts')])
    process.exitCode = await serve(readConfig(process.env), { only })
  })

program
  .command('migrate')
  .description('apply the migrations of this release')
  .option('--plan', 'change nothing; show the locks, rows and duration of each pending migration')
  .action(async (options) => (await import('../commands/migrate.ts')).runMigrate(options))

program
  .command('keys')
  .description('manage API keys')
  .command('create')
  .description('create an API key and print it once')
  .addOption(new Option('--kind <kind>', 'create an account of this kind for the key').choices(['admin', 'integrator']))
  .option('--account <id>', 'create the key for this account')
  .requiredOption('--name <name>', 'name of the key, such as its purpose')
  .action(async (options) => (await import('../commands/create-key.ts')).runCreateKey(options))

const importing = program.command('import').description('import data')

importing
  .command('jobs <file>')
  .description('import jobs from NDJSON (or .ndjson.gz), one job per line; safe to rerun')
  .option('--inactive', 'import the jobs without publishing them')
  .action(async (file, options) => (await import('../commands/import-jobs.ts')).runImportJobs(file, options))

for (const format of formatNames) {
  importing
    .command(`${format} <source>`)
    .description(
      `import a document in the format ${format} from a file (.gz too) or an https URL; rerun to update the jobs`,
    )
    .option('--dry-run', 'change nothing; report what the import would do')
    .option('--company <name>', 'company for postings that do not name one')
    .option('--close-after <hours>', 'how long a posting must be missing before its job closes', '48')
    .action(async (source, options) => (await import('../commands/feeds.ts')).runImportFeed(format, source, options))
}

const feeds = program.command('feeds').description('list, create and run feeds of jobs')

feeds
  .command('list')
  .description('print the feeds, one JSON object per line')
  .action(async () => (await import('../commands/feeds.ts')).runFeedList())

feeds
  .command('add')
  .addArgument(new Argument('<format>').choices(formatNames))
  .description('create a feed, and print it')
  .requiredOption('--name <name>', 'name of the feed')
  .option('--url <url>', 'https URL of the document')
  .option('--board <name>', "name of the company's board, for formats with a public job board")
  .option('--employer <id>', 'employer of all jobs (default: the companies that the postings name)')
  .option('--company <name>', 'company for postings that do not name one')
  .option('--every <minutes>', 'interval between runs (default: 60)')
  .option('--close-after <hours>', 'how long a posting must be missing before its job closes (default: 48)')
  .option('--prepaid', 'with --employer, the jobs need no payment')
  .action(async (format, options) => (await import('../commands/feeds.ts')).runFeedAdd(format, options))

feeds
  .command('run <id>')
  .description('run a feed now, and print the report; exit code 1 if the run fails or is held')
  .option('--dry-run', 'change nothing; report what the run would do')
  .action(async (id, options) => (await import('../commands/feeds.ts')).runFeedRun(id, options))

feeds
  .command('approve <id> <run>')
  .description('approve a held run, which then makes its changes')
  .action(async (id, run) => (await import('../commands/feeds.ts')).runFeedApprove(id, run))

program
  .command('doctor')
  .description('check the configuration and the services that the board depends on; exit code 1 if a check fails')
  .action(async () => (await import('../commands/doctor.ts')).runDoctor())

const exporting = program.command('export').description('export public data, one JSON object per line')
for (const [what, description] of [
  ['jobs', 'export the jobs on the board in the format of `import jobs`'],
  ['employers', 'export the employers as GET /v1/employers/:id returns them'],
] as const) {
  exporting
    .command(`${what} <file>`)
    .description(`${description}; compressed if the name ends in .gz`)
    .action(async (file) => (await import('../commands/export.ts')).runExport(what)(file))
}

const board = program.command('board').description('show or change the settings of the board')

board
  .command('show')
  .description('show the settings and legal pages')
  .action(async () => (await import('../commands/board.ts')).runBoardShow())

board
  .command('set <settings...>')
  .description('change settings, each as name=value, such as name, tagline, description, accent_color or contact_email')
  .action(async (settings) => (await import('../commands/board.ts')).runBoardSet(settings))

const tasks = program.command('tasks').description('list and run background tasks')

tasks
  .command('list')
  .description('list the background tasks with the times of their last round, failure and requested run')
  .action(async () => (await import('../commands/tasks.ts')).runTaskList())

tasks
  .command('run <name>')
  .description('run a background task now, in a worker process; exit code 1 unless it succeeds in time')
  .option('--wait <seconds>', 'maximum number of seconds to wait for the task to end', '60')
  .action(async (name, options) => (await import('../commands/tasks.ts')).runTask(name, options))

const search = program.command('search').description('manage the indexes of the search engine')

search
  .command('reindex')
  .description('fill a new index, or resume filling an unfinished one, and switch lists to it')
  .option('--pace <jobs>', 'maximum number of jobs per second (default: no limit)')
  .action(async (options) => (await import('../commands/search.ts')).runReindex(options))

search
  .command('verify')
  .description('compare the index with the database; exit code 1 if they differ')
  .option('--sample <jobs>', 'number of random jobs to compare field by field', '1000')
  .option('--repair', 'write the differing documents again')
  .action(async (options) => (await import('../commands/search.ts')).runVerify(options))

search
  .command('status')
  .description('show the indexes with their documents, lag, fill progress and refused documents')
  .action(async () => (await import('../commands/search.ts')).runSearchStatus())

program
  .command('secrets')
  .description('manage the secrets in the database')
  .command('rotate')
  .description('re-encrypt all secrets with the first key in ENCRYPTION_KEY, after which the other keys can be removed')
  .action(async () => (await import('../commands/rotate-secrets.ts')).runRotateSecrets())

program
  .command('backup <path>')
  .description('back up the board and its files to a file (compressed if its name ends in .gz) or into a folder')
  .option('--keep <count>', 'keep only this many of the newest backups in the folder')
  .option(
    '--verify',
    'instead of backing up, restore this backup, or the newest one in this folder, into a temporary database and compare all rows',
  )
  .action(async (path, options) => (await import('../commands/backup.ts')).runBackup(path, options))

program
  .command('restore <file>')
  .description('restore a backup into an empty database, embedded or PostgreSQL')
  .action(async (file) => (await import('../commands/backup.ts')).runRestore(file))

program
  .command('seed')
  .description('create demo data')
  .command('demo')
  .description('create a fictional automotive and technology board; requires an empty database')
  .action(async () => (await import('../commands/seed.ts')).runSeedDemo())

program
  .command('webhooks')
  .description('tools for developing webhook receivers')
  .command('listen')
  .description(
    'receive webhooks on this machine: create a webhook, verify and print deliveries, then delete the webhook; ' +
      'with --forward, send the events of any board to a local receiver (see login)',
  )
  .option('--forward <url>', 'send signed events to this URL, such as http://localhost:8080/webhooks')
  .option('--secret <secret>', 'with --forward, the secret to sign with (default: a new one)')
  .option('--key <key>', 'without --forward, API key of the account whose events to receive')
  .option('--api <origin>', 'origin of the service (default: the configured one)')
  .option('--events <types>', 'comma-separated event types (default: all)')
  .option('--port <port>', 'port to listen on (0: any free port)', '0')
  .action(async (options) => {
    if (options.forward === undefined) return (await import('../commands/listen.ts')).runListen(options)
    const { forward: url, secret, events } = options
    return remotely(({ forwardEvents }, remote) => forwardEvents(remote, { url, secret, types: events?.split(',') }))
  })

program
  .command('login <board>')
  .description('store an API key, read from standard input, for the commands that call a board')
  .action(async (board) => (await import('../commands/remote.ts')).runLogin(board))

const jobs = program.command('jobs').description('list, show and create jobs through the API of a board; see login')

jobs
  .command('list [filters...]')
  .description('print the jobs on the board, one JSON object per line; example of filters: search=battery remote=true')
  .action((filters) => remotely(({ listJobs }, remote) => listJobs(remote, filters)))

jobs
  .command('get <id>')
  .description('print a job')
  .action((id) => remotely(({ showJob }, remote) => showJob(remote, id)))

jobs
  .command('create <file>')
  .description('create a job from a JSON file, or from standard input if the file is -')
  .action(async (file) => (await import('../commands/remote.ts')).runCreateJob(file))

program
  .command('applications')
  .description('list applications through the API of a board; see login')
  .command('list [filters...]')
  .description(
    'print the applications that you sent or received, one JSON object per line; example of a filter: status=pending',
  )
  .action((filters) => remotely(({ listApplications }, remote) => listApplications(remote, filters)))

program
  .command('events')
  .description('follow events through the API of a board; see login')
  .command('tail')
  .description('print your events as they happen, one JSON object per line')
  .option('--after <iterator>', 'begin after this iterator (empty: begin with the oldest event)', 'now')
  .option('--events <types>', 'comma-separated event types (default: all)')
  .action(({ after, events }) =>
    remotely(({ tailEvents }, remote) => tailEvents(remote, { after, types: events?.split(',') })),
  )

try {
  await program.parseAsync()
} catch (error) {
  await explain(error)
}

/** Prints an error and sets the exit code. Omits the stack trace of errors that an operator can fix. */
async function explain(error: unknown): Promise<void> {
  const [
    { EXIT_CONFIG, EXIT_TRY_AGAIN, reasonOf, UsageError },
    { ConfigError },
    { AppError },
    { LoadError },
    { MigrationBlocked },
  ] = await Promise.all([
    import('../commands/run.ts'),
    import('./config.ts'),
    import('../lib/errors.ts'),
    import('../db/dump.ts'),
    import('../db/migrate.ts'),
  ])
  const { code, message } = error as Error & { code?: unknown }
  if (error instanceof UsageError) program.error(message)
  process.exitCode = 1
  if (error instanceof ConfigError) {
    console.error(`Invalid configuration:\n${message}`)
    process.exitCode = EXIT_CONFIG
  } else if (error instanceof MigrationBlocked) {
    console.error(message)
    process.exitCode = EXIT_TRY_AGAIN
  } else if (error instanceof AppError && error.code === 'unavailable') {
    console.error(`The database is unavailable: ${reasonOf(error)}`)
  } else if (error instanceof LoadError) console.error(`The backup cannot be restored. ${message}`)
  else console.error(typeof code === 'string' ? message : error)
}
