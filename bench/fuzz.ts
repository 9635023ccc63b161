/**
 * `node bench/fuzz.ts [--requests 500000] [--seed 1] [--embedded]`: sends random requests as candidates, employers, a
 * visitor and an admin. Builds the requests from the OpenAPI document and distorts some of them. Scans every response
 * for IDs, email addresses, texts and keys of other accounts (the victims). Exits with code 1 if a response has a 5xx
 * status other than 503, if the service exits, or if private data leaks.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { randomFrom } from './make-jobs.ts'
import { killServers, runCli, SERVE, startPostgres, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '500000' },
    seed: { type: 'string', default: '1' },
    embedded: { type: 'boolean', default: false },
    /** Number of concurrent requests. */
    clients: { type: 'string', default: '32' },
  },
})

const ADMIN_API_KEY = 'fuzz-operator-key-0123456789'
const random = randomFrom(Number(options.seed))
const { pick, below, next } = random
const chance = (share: number) => next() < share

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  format?: string
  pattern?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  examples?: unknown[]
  example?: unknown
}
interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema?: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
interface Call {
  method: string
  path: string
  operation: Operation
}

const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202eevil',
  '﷽'.repeat(40),
  '👩‍👩‍👧‍👦',
  "'; drop table job; --",
  '<script>alert(1)</script>',
  '%00',
  '../../etc/passwd',
  '{{7*7}}',
  '=1+1',
  '__proto__',
  'constructor',
  '-1',
  '1e309',
  'NaN',
  '9223372036854775808',
  '2026-02-30T25:61:61Z',
  '0000-01-01',
  '+010000-01-01T00:00:00Z',
  'http://127.0.0.1/',
  'javascript:alert(1)',
  'a'.repeat(300),
  'ä'.repeat(6_000),
  '((((((((((',
  '"unclosed',
  '-',
  'or or or',
  '-a -b -c',
]
const nastyValues: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  2 ** 53,
  -(2 ** 63),
  [],
  {},
  [[]],
  { __proto__: null },
  [null],
  ...nastyTexts,
]
const words = ['battery', 'engineer', 'Stuttgart', 'Leeds', 'software', 'full-time', 'EUR', 'remote', 'senior']

/** Private strings of the victims. If a response to another account contains such a string, private data leaked. */
const secrets = new Set<string>()
type Ids = Map<string, string[]>
/** IDs of the victims and IDs from all responses, by prefix. */
const ids: Ids = new Map()
const learn = (id: string, into = ids) => {
  const prefix = id.slice(0, id.indexOf('_'))
  const known = into.get(prefix) ?? []
  if (known.length < 200) known.push(id)
  else known[below(200)] = id
  into.set(prefix, known)
}

const agent = new Agent({ connections: Number(options.clients), headersTimeout: 60_000, bodyTimeout: 60_000 })

async function ask(
  origin: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<{ status: number; text: string }> {
  const answer = await request(origin + path, {
    ...{ dispatcher: agent, method: method as 'GET', headers },
    body: body ?? null,
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}

async function json(origin: string, method: string, path: string, key: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  let { status, text } = await ask(origin, method, path, headers, body && JSON.stringify(body))
  // An overloaded service asks clients to retry (decision 0040).
  for (let tries = 0; status === 503 && tries < 60; tries++) {
    await pause(1_000)
    ;({ status, text } = await ask(origin, method, path, headers, body && JSON.stringify(body)))
  }
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return text === '' ? {} : JSON.parse(text).data
}

/** Creates accounts with every kind of resource. These accounts send no further requests. */
async function makeVictims(origin: string): Promise<void> {
  const keep = (...values: string[]) => {
    for (const value of values) {
      secrets.add(value)
      if (/^[a-z]+_[0-9a-z]{26}$/.test(value)) learn(value)
    }
  }
  for (let n = 0; n < 3; n++) {
    const email = `victim-${n}@private.example`
    const employer = await json(origin, 'POST', '/v1/employers', ADMIN_API_KEY, { name: `Victim ${n}`, email })
    keep(email, employer.api_key)
    const draft = { title: `Secret draft ${n}`, description: `Unpublished text ${n}.`, location: 'Leeds' }
    const kinds = { category: 'software', type: 'full-time' }
    const hidden = await json(origin, 'POST', '/v1/jobs', employer.api_key, { ...draft, ...kinds })
    keep(hidden.id, draft.title, draft.description)
    const open = await json(origin, 'POST', '/v1/jobs', employer.api_key, {
      ...draft,
      ...kinds,
      title: 'Open',
      description: 'x',
    })
    await json(origin, 'POST', `/v1/jobs/${open.id}/activate`, employer.api_key)
    learn(open.id)
    const contact = `hidden-${n}@private.example`
    const person = { first_name: 'Quiet', last_name: `Hidden${n}`, email: contact }
    const candidate = await json(origin, 'POST', '/v1/candidates', ADMIN_API_KEY, person)
    keep(contact, candidate.api_key, candidate.id, `Hidden${n}`)
    const own = candidate.api_key
    await json(origin, 'PUT', '/v1/candidates/profile', own, {
      phone: `+44 20 7946 09${n}${n}`,
      summary: `Private summary ${n}`,
    })
    keep(`+44 20 7946 09${n}${n}`, `Private summary ${n}`)
    const headers = { authorization: `Bearer ${own}`, 'content-type': 'text/plain' }
    const upload = await ask(origin, 'POST', '/v1/candidates/resume', headers, `Private resume ${n}`)
    keep(JSON.parse(upload.text).data.id, `Private resume ${n}`)
    const letter = `Private letter ${n}`
    const application = await json(origin, 'POST', `/v1/candidates/jobs/${open.id}/apply`, own, {
      cover_letter: letter,
    })
    keep(application.id, letter)
    const alert = await json(origin, 'POST', '/v1/candidates/job-alerts', own, {
      ...{ name: `Private alert ${n}`, criteria: { search: 'van' }, frequency: 'daily' },
    })
    keep(alert.id, `Private alert ${n}`)
    for (const key of [employer.api_key, own]) {
      const hook = { url: `https://8.8.8.8/private-${n}`, events: ['job.updated'] }
      const webhook = await json(origin, 'POST', '/v1/webhooks', key, hook)
      keep(webhook.id, webhook.secret, hook.url)
      const made = await json(origin, 'POST', '/v1/api-keys', key, { name: `Private key ${n}` })
      keep(made.id, made.key, `Private key ${n}`)
    }
  }
}

/** A client that sends requests with its own account. Registers again if its account or key no longer exists. */
class Sender {
  readonly kind: string
  /** IDs from the responses to this account. */
  readonly ids: Ids = new Map()
  #key: string | undefined
  static #count = 0
  readonly #origin: string

  constructor(origin: string, kind: string, key?: string) {
    this.#origin = origin
    this.kind = kind
    this.#key = key
  }

  async key(): Promise<string | undefined> {
    if (this.#key !== undefined || this.kind === 'visitor') return this.#key
    const email = `sender-${++Sender.#count}@mail.example`
    const [path, body] =
      this.kind === 'employer'
        ? ['/v1/employers', { name: 'Fuzz', email }]
        : ['/v1/candidates', { first_name: 'Fuzz', last_name: 'Fuzz', email }]
    this.#key = (await json(this.#origin, 'POST', path, ADMIN_API_KEY, body)).api_key
    return this.#key
  }

  forget(): void {
    if (this.kind === 'employer' || this.kind === 'candidate') this.#key = undefined
  }
}

interface Made {
  operationId: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** Returns the ID prefix in a path parameter's pattern. */
function prefixOf({ parameters = [] }: Operation, name: string): string {
  const { schema } = parameters.find((parameter) => parameter.name === name) ?? {}
  return /\^([a-z]+)_/.exec(schema?.pattern ?? '')?.[1] ?? ''
}

class Requests {
  readonly #document: ApiDocument
  readonly #calls: Call[]
  readonly #refused = new Set<string>()

  constructor(document: ApiDocument) {
    this.#document = document
    this.#calls = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { operationId }]) => operationId !== undefined)
        .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
  }

  #resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema
    return this.#document.components.schemas[schema.$ref.split('/').at(-1)!] ?? {}
  }

  #value(given: Schema, depth: number, name = ''): unknown {
    if (chance(0.06)) return pick(nastyValues)
    const schema = this.#resolve(given)
    const examples = schema.examples ?? (schema.example === undefined ? [] : [schema.example])
    if (examples.length > 0 && chance(0.5)) return pick(examples)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return pick(schema.enum)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return this.#value(pick(choices), depth)
    const type = pick([schema.type ?? 'string'].flat())
    if (type === 'object') return this.#object(schema, depth)
    if (type === 'array') {
      const length = depth > 4 ? 0 : below(4)
      return Array.from({ length }, () => this.#value(schema.items ?? {}, depth + 1))
    }
    if (type === 'boolean') return chance(0.5)
    if (type === 'null') return null
    if (type === 'integer' || type === 'number')
      return chance(0.8) ? below(200) : pick([-1, 0, 101, 1e6, 2 ** 31, 2 ** 53, 0.5])
    return this.#text(schema, name.endsWith('_id'))
  }

  #text({ format }: Schema, isId = false): string {
    if (chance(0.1)) return pick(nastyTexts)
    if (format === 'email') return `fuzz-${below(50)}@mail.example`
    if (format === 'uri') return 'https://example.com/x'
    if (format === 'date-time') return new Date(Date.UTC(2026, below(24), below(28))).toISOString()
    if (chance(0.2)) {
      const id = pick(ids.get(pick([...ids.keys()])) ?? ['x'])
      // Never stores a secret as text, because the sender's own resources would then contain it and look like a leak.
      if (isId || !secrets.has(id)) return id
    }
    return `${pick(words)} ${pick(words)}`.slice(0, 1 + below(40))
  }

  #object({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const value: Record<string, unknown> = {}
    if (depth > 5) return value
    for (const [name, schema] of Object.entries(properties)) {
      if (required.includes(name) ? chance(0.95) : chance(0.4)) value[name] = this.#value(schema, depth + 1, name)
    }
    if (chance(0.05)) value[pick(nastyTexts) || 'x'] = pick(nastyValues)
    return value
  }

  /** Records that this account kind may not use the operation. Later requests avoid it. */
  refuse(kind: string, operationId: string): void {
    this.#refused.add(`${kind} ${operationId}`)
  }

  /** Creates a request for a random operation and sometimes distorts it. */
  make({ kind, ids: own }: Sender): Made {
    const isRefused = ({ operation }: Call) => this.#refused.has(`${kind} ${operation.operationId}`)
    let call = pick(this.#calls)
    for (let tries = 0; tries < 20 && isRefused(call) && chance(0.95); tries++) call = pick(this.#calls)
    const { method, path, operation } = call
    const { operationId } = operation
    let filled = `/v1${path}`.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const prefix = prefixOf(operation, name)
      const known = (chance(0.6) && own.get(prefix)) || (chance(0.9) && ids.get(prefix)) || pick([...ids.values()])
      return chance(0.9) ? pick(known) : encodeURIComponent(pick(nastyTexts).slice(0, 60).toWellFormed()) || 'x'
    })
    const query = new URLSearchParams()
    for (const { name, in: where, schema } of operation.parameters ?? []) {
      if (where !== 'query' || !chance(0.12)) continue
      const value = this.#value(schema ?? {}, 0)
      query.append(
        chance(0.03) ? `${name}_gte` : name,
        String(typeof value === 'object' ? JSON.stringify(value) : value).slice(0, 500),
      )
    }
    if (chance(0.03)) query.append(pick(['x', 'page', 'cursor', 'sort', 'limit']), pick(nastyTexts).slice(0, 200))
    if (query.size > 0) filled += `?${query}`
    const headers: Record<string, string> = {}
    if (chance(0.1)) headers['if-none-match'] = pick(['*', '"x"', 'W/"x"', '""', ','])
    if (chance(0.1)) headers['if-match'] = pick(['*', '"x"', '""', 'x'])
    if (chance(0.1)) headers.accept = pick(['*/*', 'text/html', 'text/csv', 'application/json;q=0', 'x'])
    if (chance(0.05)) headers.range = pick(['bytes=0-1', 'bytes=-1', 'bytes=9-1', 'x'])
    if (chance(0.05)) headers['accept-encoding'] = pick(['gzip', 'br', 'identity;q=0', 'x'])
    if (method === 'POST' && chance(0.3)) headers['idempotency-key'] = `"fuzz-${below(300)}"`
    const sent = chance(0.02) ? pick(['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']) : method
    if (sent === 'GET' || sent === 'HEAD' || (sent === 'DELETE' && chance(0.9)))
      return { operationId, method: sent, path: filled, headers }
    const schema = operation.requestBody?.content['application/json']?.schema
    headers['content-type'] = chance(0.97)
      ? 'application/json'
      : pick(['text/plain', 'x', 'multipart/form-data', 'application/pdf'])
    if (!schema && chance(0.8)) return { operationId, method: sent, path: filled, headers }
    const body = JSON.stringify(schema ? this.#value(schema, 0) : pick(nastyValues)) ?? ''
    const bent = chance(0.02) ? body.slice(0, below(body.length + 1)) : body
    return { operationId, method: sent, path: filled, headers, body: bent }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'job-fuzz-'))
const postgres = options.embedded ? undefined : await startPostgres(join(folder, 'postgres'))
if (postgres && 'missing' in postgres) throw new Error(postgres.missing)
const faults: string[] = []
const fault = (text: string) => {
  if (faults.length < 50) faults.push(text.slice(0, 2_000))
}
try {
  const environment = {
    ...(postgres && { DATABASE_URL: postgres.url }),
    ...{ DATA_DIR: folder, ADMIN_API_KEY, PAYMENTS: 'free', RATE_LIMIT: 'off', LOG_LEVEL: 'fatal' },
    ...{ WEBHOOK_TIMEOUT_MS: '1000', REGISTRATION: 'open' },
  }
  runCli(['migrate'], environment)
  const server = await startServer(SERVE, environment, '/readyz')
  let hasEnded = false
  void server.ended.then(() => {
    hasEnded = true
  })
  await makeVictims(server.origin)
  const { text } = await ask(server.origin, 'GET', '/v1/openapi.json', {})
  const requests = new Requests(JSON.parse(text))
  const senders = [
    ...Array.from({ length: 6 }, () => new Sender(server.origin, 'candidate')),
    ...Array.from({ length: 6 }, () => new Sender(server.origin, 'employer')),
    new Sender(server.origin, 'visitor'),
    new Sender(server.origin, 'admin', ADMIN_API_KEY),
  ]
  const total = Number(options.requests)
  const statuses = new Map<number, number>()
  let sent = 0
  const begun = performance.now()
  const client = async () => {
    while (sent < total && !hasEnded && faults.length < 50) {
      sent++
      const sender = pick(senders)
      const made = requests.make(sender)
      // The admin's writes could delete the victims, so the admin only reads.
      if (sender.kind === 'admin' && made.method !== 'GET') continue
      const what = `${sender.kind} ${made.method} ${made.path} ${JSON.stringify(made.headers)} ${made.body ?? ''}`
      try {
        const key = await sender.key()
        const headers = { ...made.headers, ...(key && { authorization: `Bearer ${key}` }) }
        const { status, text } = await ask(server.origin, made.method, made.path, headers, made.body)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 500 && status !== 503) fault(`${status} for ${what}\n    ${text}`)
        if (status === 401) sender.forget()
        if (status === 403 && text.includes('_account_required')) requests.refuse(sender.kind, made.operationId)
        if (sender.kind !== 'admin') {
          for (const secret of secrets)
            if (text.includes(secret) && !what.includes(secret)) fault(`leak of ${secret} to ${what}`)
        } else if (/"(?:api_key|key|secret)":"(?:jm_|whsec_)/.test(text)) fault(`leak of a key to ${what}`)
        for (const [id] of text.matchAll(/\b[a-z]{2,6}_[0-9a-z]{26}\b/g)) {
          if (chance(0.05)) learn(id)
          if (chance(0.5)) learn(id, sender.ids)
        }
      } catch (error) {
        if (hasEnded) return
        fault(`${error} for ${what}`)
      }
    }
  }
  await Promise.all(Array.from({ length: Number(options.clients) }, client))
  if (hasEnded) fault('The service exited.')
  const seconds = (performance.now() - begun) / 1_000
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`)
  console.log(
    `${postgres ? 'PostgreSQL' : 'embedded'}: ${sent} requests in ${seconds.toFixed(0)} s: ${counts.join(', ')}`,
  )
  await server.stop()
} finally {
  killServers()
  postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const text of faults) console.error(`FAULT ${text}`)
if (faults.length > 0) process.exitCode = 1
