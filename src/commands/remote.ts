/** Commands that call the API of any board, with the API key that `login` stored. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import {
  type CreateJobBody,
  JobMarketplace,
  JobMarketplaceError,
  type ListEmployerApplicationsQuery,
  type ListJobsQuery,
} from '../../packages/client/src/index.ts'
import { eventTypes } from '../events/catalogue.ts'
import { attemptHeaders, newWebhookSecret } from '../features/webhooks/index.ts'
import { newId } from '../lib/ids.ts'
import { UsageError } from './run.ts'

interface Login {
  baseUrl: string
  apiKey: string
}

/** The context in which a command runs. */
export interface Remote {
  /** The folder that stores the login. */
  folder: string
  print: (line: string) => void
}

const FILE = 'login.json'
/** Timeout of a request that forwards an event, in milliseconds. */
const FORWARD_MS = 10_000

/** Stores the URL of a board and an API key, if the board accepts the key. */
export async function login({ folder, print }: Remote, { baseUrl, apiKey }: Login): Promise<void> {
  if (!URL.canParse(baseUrl)) throw new UsageError(`${baseUrl} is not a URL.`)
  const { name, kind } = await new JobMarketplace({ baseUrl, apiKey }).me.get()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, FILE)
  await writeFile(file, `${JSON.stringify({ baseUrl, apiKey })}\n`, { mode: 0o600 })
  // `writeFile` does not change the mode of an existing file.
  await chmod(file, 0o600)
  print(`Signed in to ${baseUrl} as ${name} (${kind}).`)
}

async function clientOf({ folder }: Remote): Promise<JobMarketplace> {
  const stored = await readFile(join(folder, FILE), 'utf8').catch(() => undefined)
  if (stored === undefined) throw new UsageError('Run login <board> first.')
  return new JobMarketplace(JSON.parse(stored) as Login)
}

/** Returns a query for filters such as `search=battery`. */
function queryOf(filters: readonly string[]): Record<string, string> {
  const wrong = filters.find((filter) => filter.indexOf('=') < 1)
  if (wrong !== undefined) throw new UsageError(`Write each filter as name=value, not ${JSON.stringify(wrong)}.`)
  return Object.fromEntries(filters.map((filter) => filter.split(/=(.*)/s, 2)))
}

/** Prints every job on the board that matches the filters, one JSON object per line. */
export async function listJobs(remote: Remote, filters: readonly string[]): Promise<void> {
  const { jobs } = await clientOf(remote)
  for await (const job of jobs.listAll(queryOf(filters) as ListJobsQuery)) remote.print(JSON.stringify(job))
}

export async function showJob(remote: Remote, id: string): Promise<void> {
  remote.print(JSON.stringify(await (await clientOf(remote)).jobs.get(id), null, 2))
}

/** Creates a job from JSON, and prints it. */
export async function createJob(remote: Remote, json: string): Promise<void> {
  const { jobs } = await clientOf(remote)
  let body: CreateJobBody
  try {
    body = JSON.parse(json) as CreateJobBody
  } catch (error) {
    throw new UsageError(`The job is not valid JSON: ${(error as Error).message}`)
  }
  remote.print(JSON.stringify(await jobs.create(body), null, 2))
}

/** Prints the applications (sent or received) that match the filters, one JSON object per line. */
export async function listApplications(remote: Remote, filters: readonly string[]): Promise<void> {
  const { me, applications } = await clientOf(remote)
  const query = queryOf(filters) as ListEmployerApplicationsQuery
  const { kind } = await me.get()
  const found = kind === 'candidate' ? applications.listAll(query) : applications.listAllReceived(query)
  for await (const application of found) remote.print(JSON.stringify(application))
}

/** Options of the commands that follow an account's events. */
interface Following {
  /**
   * Where to begin: after the event with this iterator, with new events (`now`), or with the oldest event (empty).
   * Default: `now`.
   */
  after?: string
  /** Undefined: all types. */
  types?: readonly string[] | undefined
  signal?: AbortSignal
}

async function* followEvents(remote: Remote, { after = 'now', types, signal }: Following) {
  const wrong = types?.find((type) => !eventTypes.some((known) => known === type))
  if (wrong !== undefined) throw new UsageError(`${wrong} is not an event type. Use ${eventTypes.join(', ')}.`)
  const { events } = await clientOf(remote)
  for await (const message of events.stream({ after }, signal && { signal })) {
    if (types?.includes(message.event.type) ?? true) yield message
  }
}

/**
 * Prints events as they happen, one JSON object per line. `--after` with an event's iterator continues after that
 * event.
 */
export async function tailEvents(remote: Remote, following: Following): Promise<void> {
  for await (const { iterator, event } of followEvents(remote, following)) {
    remote.print(JSON.stringify({ iterator, ...event }))
  }
}

interface Forwarding extends Following {
  url: string
  secret?: string | undefined
}

/** Sends events to a URL as the service sends webhooks, signed with the secret. Sends each event once. */
export async function forwardEvents(
  remote: Remote,
  { url, secret = newWebhookSecret(), ...following }: Forwarding,
): Promise<void> {
  if (!URL.canParse(url)) throw new UsageError(`${url} is not a URL.`)
  remote.print(`Forwarding new events to ${url}, signed with the secret ${secret} (stop with Ctrl-C).`)
  for await (const { event } of followEvents(remote, following)) {
    const { id: eventId, type: eventType } = event
    const body = JSON.stringify(event)
    const attempt = {
      url,
      eventId,
      eventType,
      deliveryId: newId('webhookDelivery'),
      number: 1,
      body,
      secrets: [secret],
    }
    const request = { method: 'POST', body, headers: attemptHeaders(attempt, new Date()), redirect: 'manual' as const }
    const outcome = await fetch(url, { ...request, signal: AbortSignal.timeout(FORWARD_MS) }).then(
      async ({ status, body: unread }) => {
        // An unread body would keep its connection busy.
        await unread?.cancel()
        return String(status)
      },
      ({ message, cause }: Error) => `not delivered (${(cause as Error | undefined)?.message ?? message})`,
    )
    remote.print(`${eventType} ${eventId}  ${outcome}`)
  }
}

/** Runs a command. If an API call fails, prints the message and one line per fault, and sets the exit code to 1. */
export async function runRemote(command: (remote: Remote) => Promise<void>): Promise<void> {
  const folder = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'job-marketplace')
  try {
    await command({ folder, print: console.log })
  } catch (error) {
    if (!(error instanceof JobMarketplaceError)) throw error
    console.error(error.message)
    for (const { detail } of error.errors) console.error(`  ${detail}`)
    process.exitCode = 1
  }
}

/** Runs `login`. Reads the API key from standard input, because other users can see the arguments of a process. */
export async function runLogin(baseUrl: string): Promise<void> {
  let apiKey: string
  if (process.stdin.isTTY) {
    process.stderr.write('API key (not shown): ')
    // Without an output stream, `readline` does not echo the input.
    const lines = createInterface({ input: process.stdin, terminal: true })
    apiKey = await lines.question('')
    lines.close()
    process.stderr.write('\n')
  } else apiKey = await text(process.stdin)
  await runRemote((remote) => login(remote, { baseUrl, apiKey: apiKey.trim() }))
}

/** Runs `jobs create`. Reads standard input if the file is `-`. */
export const runCreateJob = (file: string): Promise<void> =>
  runRemote(async (remote) => createJob(remote, await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'))))
