/** Types and helpers that attacks share. All other files in this folder export their `attacks`. */

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** The service under attack, with fresh accounts for each attack. */
export interface Target {
  /** Origin without `/v1`. */
  baseUrl: string
  keys: { admin: string; employer: string; candidate: string }
  /** The `DATA_DIR` of the service, with the emails that it sends. */
  dataDir: string
  /** The process ID of the service. */
  pid: number
  /** Whether an attack should send fewer, larger requests. */
  isShort: boolean
  /** Whether honest clients measure the service. If so, the attack does not measure it with another account. */
  isBeside: boolean
  /** Aborts when the attack reaches its time limit. */
  signal: AbortSignal
}

/** The properties that requests need. */
export type Origin = Pick<Target, 'baseUrl' | 'signal'>

export interface Outcome {
  /** Whether the service withstood the attack. */
  held: boolean
  /** The measurements in one short line. */
  figures: string
}

export interface Attack {
  name: string
  /** The group of the attack: A for cost, B for proxies and shared addresses, C for authorization, D for data. */
  finding: string
  /** Runs after all other attacks, because it leaves the shared IP address rate-limited. */
  isLast?: true
  /** Attacks once, with a limited number of requests, a time limit, and a target on loopback. */
  run(target: Target): Promise<Outcome>
}

export interface Answer {
  status: number
  headers: Headers
  /** The response body. */
  text: string
  ms: number
}

/** Sends one request and reads the whole response. The status is 0 if the connection broke or timed out. */
export async function send(
  { baseUrl, signal }: Origin,
  method: string,
  path: string,
  { key, body, headers }: { key?: string; body?: object | string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const begun = performance.now()
  try {
    const response = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const ms = performance.now() - begun
    return { status: response.status, headers: response.headers, text, ms }
  } catch {
    return { status: 0, headers: new Headers(), text: '', ms: performance.now() - begun }
  }
}

/** Returns the `data` of a JSON response. */
export const dataOf = <T = Record<string, string>>({ text }: Answer): T => (JSON.parse(text) as { data: T }).data

/**
 * Sends a request that prepares an attack, and returns the `data` of its response. Throws if the request fails.
 */
export async function call<T = Record<string, string>>(
  target: Origin,
  method: string,
  path: string,
  key: string | undefined,
  body?: object,
): Promise<T> {
  const answer = await send(target, method, path, { ...(key && { key }), ...(body && { body }) })
  if (answer.status < 200 || answer.status > 299) throw new Error(`${method} ${path}: ${answer.status}`)
  return answer.status === 204 ? ({} as T) : dataOf<T>(answer)
}

export interface Account {
  id: string
  key: string
  email: string
}

const run = Date.now().toString(36)
let accounts = 0

/** Returns an unused email address. */
export const newAddress = (): string => `hostile-${run}-${++accounts}@mail.example`

/** Registers an account with the admin's key, or without a key through open registration. */
export async function register(
  target: Origin,
  kind: 'employer' | 'candidate',
  admin: string | undefined,
  name = 'Hostile Client',
): Promise<Account> {
  const email = newAddress()
  const [first_name, ...rest] = name.split(' ')
  const names = kind === 'employer' ? { name } : { first_name, last_name: rest.join(' ') }
  const { id, api_key } = await call(target, 'POST', `/v1/${kind}s`, admin, { ...names, email })
  return { id: id!, key: api_key!, email }
}

export const jobBody = {
  title: 'Engineer',
  description: 'Design battery packs for electric vans.',
  location: 'Berlin, Germany',
  category: 'software-engineering',
  type: 'full-time',
}

/** Creates an active job, as PAYMENTS=free allows, and returns its ID. */
export async function newJob(target: Origin, key: string, members: object = {}): Promise<string> {
  const { id } = await call(target, 'POST', '/v1/jobs', key, { ...jobBody, ...members })
  await call(target, 'POST', `/v1/jobs/${id}/activate`, key, {})
  return id!
}

/** Custom questions of 870 KB in total, which no index contains. */
export const longQuestions = Array.from({ length: 45 }, (_, n) => ({
  ...{ id: `q${n}`, label: 'Which of these?', type: 'multi_select', required: false },
  options: Array.from({ length: 100 }, (_, m) => `${m} `.padEnd(190, 'x')),
}))

/** Waits until a condition holds. Returns the wait in milliseconds, or undefined after `mostMs`. */
export async function waitFor(holds: () => Promise<boolean>, mostMs: number): Promise<number | undefined> {
  for (const begun = performance.now(); ; await pause(50)) {
    const isReached = await holds()
    const ms = performance.now() - begun
    if (isReached || ms > mostMs) return ms > mostMs ? undefined : ms
  }
}

/** Keeps cookies and submits forms like a browser without JavaScript. */
export class Browser {
  readonly #target: Origin
  readonly #cookies = new Map<string, string>()

  constructor(target: Origin) {
    this.#target = target
  }

  get cookie(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ')
  }

  async #send(method: string, path: string, form?: URLSearchParams): Promise<Answer> {
    const answer = await send(this.#target, method, path, {
      headers: {
        accept: 'text/html',
        cookie: this.cookie,
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: form.toString() }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return answer
  }

  /** Requests a page without following redirects. */
  get = (path: string): Promise<Answer> => this.#send('GET', path)

  /**
   * Returns the CSRF token in this browser's forms. Retries for up to 90 seconds, because earlier attacks may have used
   * up the quota of this IP address or closed a connection that is reused.
   */
  async token(): Promise<string> {
    for (const begun = performance.now(); ; ) {
      const { status, headers, text } = await this.get('/sign-in')
      const token = /name="_csrf" value="([^"]+)"/.exec(text)?.[1]
      if (token !== undefined) return token
      if (performance.now() - begun > 90_000) throw new Error(`The sign-in page has no form: ${status}`)
      await pause(1_000 * Number(headers.get('retry-after') ?? 0.05))
    }
  }

  async post(path: string, fields: Record<string, string>, token?: string): Promise<Answer> {
    return this.#send('POST', path, new URLSearchParams({ ...fields, _csrf: token ?? (await this.token()) }))
  }

  /** Signs in with an API key. */
  async signIn(key: string): Promise<this> {
    const { status } = await this.post('/sign-in/key', { api_key: key })
    if (status !== 303) throw new Error(`Not signed in: ${status}`)
    return this
  }
}

/** Counts responses by status, for `figures`: `201 × 40, 429 × 2`. */
export function countStatuses(answers: readonly Answer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${status} × ${count}`).join(', ')
}

/** Returns the value at this quantile. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

/** The only non-public address that webhooks may use. */
export const RECEIVER_ADDRESS = '127.0.0.2'

/** Returns a process's resident memory, in bytes. */
export const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024
