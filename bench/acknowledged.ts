/** Clients that create jobs during a failure, and a check that every acknowledged job exists afterward. */
import { setTimeout as pause } from 'node:timers/promises'
import { JobMarketplace } from '../packages/client/src/index.ts'

const CLIENTS = 8
/** Request timeout of the clients, in milliseconds. No request may hang. */
export const PATIENCE_MS = 30_000

export const breaches: string[] = []
export const row = (name: string, value: string | number) =>
  console.log(`  ${name.padEnd(62)}${String(value).padStart(24)}`)
export function bounded(name: string, value: number, most: number, unit = ''): void {
  row(name, `${value}${unit}`)
  if (value > most) breaches.push(`${name}: ${value}${unit} exceeds the limit of ${most}${unit}`)
}

interface Call {
  status: number
  data: Record<string, string>
}

/** Sends one request and returns its outcome. Unlike the client, does not throw if the service refuses the request. */
export async function call(
  origin: string,
  method: string,
  path: string,
  key?: string,
  body?: object,
  idempotencyKey?: string,
): Promise<Call> {
  const response = await fetch(`${origin}/v1${path}`, {
    method,
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data } = (await response.json()) as { data: Record<string, string> }
  return { status: response.status, data }
}

/** Clients that each create one job at a time and record every outcome. */
export class Load {
  readonly acknowledged = new Set<string>()
  readonly sent = new Set<string>()
  /** Number of outcomes by status; `none` means no response. */
  readonly outcomes = new Map<string, number>()
  lastGoodAt = 0
  slowestMs = 0
  #isOver = false
  #clients: Promise<void>[] = []

  /** Starts the clients. With `isPersistent`, the clients resend unacknowledged jobs with the same idempotency key. */
  start(origin: () => string, key: string, tag: string, isPersistent = false): void {
    const client = async (name: string) => {
      for (let n = 0, isAgain = false; isAgain || !this.#isOver; n += isAgain ? 0 : 1) {
        const title = `${tag} ${name} ${n}`
        this.sent.add(title)
        const job = { title, description: 'x', location: 'Leipzig', category: 'software', type: 'full-time' }
        const start = performance.now()
        const outcome = await call(
          origin(),
          'POST',
          '/jobs',
          key,
          job,
          isPersistent ? title.replaceAll(' ', '-') : undefined,
        ).then(
          ({ status }) => String(status),
          () => 'none',
        )
        this.slowestMs = Math.max(this.slowestMs, performance.now() - start)
        this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
        isAgain = isPersistent && outcome !== '201'
        if (outcome === '201') {
          this.acknowledged.add(title)
          this.lastGoodAt = performance.now()
        } else await pause(50)
      }
    }
    this.#clients = Array.from({ length: CLIENTS }, (_, name) => client(String(name)))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  /** Reports the outcomes, and checks the guarantees that apply to every fault. */
  report(there: ReadonlySet<string>, longestMs = PATIENCE_MS - 1_000): void {
    row('requests', [...this.outcomes].map(([outcome, count]) => `${count} × ${outcome}`).join(', '))
    bounded('acknowledged but missing', this.acknowledged.difference(there).size, 0)
    row('present but not acknowledged', there.intersection(this.sent.difference(this.acknowledged)).size)
    bounded('responses with status 500', this.outcomes.get('500') ?? 0, 0)
    bounded('longest request', Math.round(this.slowestMs), longestMs, ' ms')
  }
}

export async function employer(origin: string): Promise<string> {
  const { employers } = new JobMarketplace({ baseUrl: origin })
  const { api_key } = await employers.register({ name: 'Bench', email: `bench-${Math.random()}@mail.example` })
  return api_key!
}

/** Returns the titles of all the employer's jobs. Records a breach if a title occurs more than once. */
export async function titles(origin: string, key: string): Promise<Set<string>> {
  const found = new Set<string>()
  let twice = 0
  for await (const { title } of new JobMarketplace({ baseUrl: origin, apiKey: key }).jobs.listAllOwn()) {
    if (found.has(title)) twice += 1
    found.add(title)
  }
  bounded('created twice', twice, 0)
  return found
}
