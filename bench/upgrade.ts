/**
 * `node bench/upgrade.ts --previous FOLDER [--embedded]`: fills a database with the release in FOLDER, which needs its
 * packages installed, and then starts this release on it. API keys, cursors, sessions, ETags, stored responses and
 * webhook secrets must stay valid. Exits with code 1 if one is no longer valid.
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { serviceFlags } from '../bin/launch.js'
import { makeLoopbackCertificate } from '../src/commands/certificate.ts'
import { freePort, killServers, runCli, SERVE, startPostgres, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: { previous: { type: 'string' }, embedded: { type: 'boolean', default: false } },
})
if (options.previous === undefined) throw new Error('Usage: node bench/upgrade.ts --previous FOLDER [--embedded]')
const previous = join(resolve(options.previous), 'src/main/cli.ts')

const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const SECRET = 'bench-secret-0123456789'
const DELIVERED_WITHIN_MS = 20_000
const folder = mkdtempSync(join(tmpdir(), 'job-upgrade-'))
const deliveries: { body: string; signature: string }[] = []

/** Sends a request and returns the status, the headers and the parsed body. */
async function call(url: string, key: string, { method = 'GET', body, headers = {} }: Call = {}) {
  const json = body !== undefined && { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

interface Call {
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Signs in with an API key, like the form at /sign-in, and returns the session cookie. */
async function signIn(origin: string, key: string): Promise<string> {
  const form = await fetch(`${origin}/sign-in`)
  const cookies = (response: Response) => response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]!)
  const [, csrf] = /name="_csrf" value="([^"]+)"/.exec(await form.text())!
  const response = await fetch(`${origin}/sign-in/key`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies(form).join('; '), origin },
    body: new URLSearchParams({ _csrf: csrf!, api_key: key }),
  })
  if (response.status !== 303) throw new Error(`The sign-in returned ${response.status}.`)
  return cookies(response).join('; ')
}

async function isDelivered(id: string): Promise<boolean> {
  for (const deadline = Date.now() + DELIVERED_WITHIN_MS; Date.now() < deadline; await pause(50)) {
    const found = deliveries.find(({ body }) => body.includes(id))
    if (!found) continue
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(found.signature) ?? []
    return createHmac('sha256', SECRET).update(`${time}.${found.body}`).digest('hex') === signature
  }
  return false
}

const job = { title: 'Fitter', description: 'Fits.', location: 'Leeds', category: 'rail', type: 'full-time' }

async function run(environment: NodeJS.ProcessEnv, port: number, hook: string): Promise<string[]> {
  const serve = (args: readonly string[]) => startServer(args, environment, '/readyz', port)
  runCli(['migrate'], environment, previous)
  const before = await serve([...serviceFlags, previous, 'serve'])
  const api = `${before.origin}/v1`
  const registered = await call(`${api}/employers`, ADMIN_API_KEY, {
    method: 'POST',
    body: { name: 'Upgraded', email: 'jobs@upgraded.example' },
  })
  const key: string = registered.body.data.api_key
  const created = []
  for (let n = 0; n < 3; n++) created.push(await call(`${api}/jobs`, key, { method: 'POST', body: job }))
  const once = { method: 'POST', body: { ...job, title: 'Welder' }, headers: { 'idempotency-key': 'upgrade-1' } }
  const stored = await call(`${api}/jobs`, key, once)
  const webhook = { url: hook, events: ['job.updated'], secret: SECRET }
  await call(`${api}/webhooks`, key, { method: 'POST', body: webhook })
  const page = await call(`${api}/employers/jobs?limit=2&cursor=`, key)
  const one = `${api}/jobs/${created[0]!.body.data.id}`
  const etag = (await call(one, key)).headers.get('etag')!
  const cookie = await signIn(before.origin, key)
  await before.stop()

  const now = await serve(SERVE)
  const me = await call(`${api}/me`, key)
  const next = await call(`${api}/employers/jobs?limit=2&cursor=${page.body.meta.pagination.next_cursor}`, key)
  const again = await call(`${api}/jobs`, key, once)
  const account = await fetch(`${now.origin}/account/access`, { headers: { cookie }, redirect: 'manual' })
  const known = await fetch(one, { headers: { authorization: `Bearer ${key}`, 'if-none-match': etag } })
  const changed = await call(one, key, { method: 'PUT', body: { title: 'Senior fitter' } })
  const checks: Record<string, boolean> = {
    'API key': me.status === 200,
    cursor: next.status === 200 && next.body.data.length === 2,
    'stored response': again.status === 201 && again.body.data.id === stored.body.data.id,
    session: account.status === 200,
    ETag: known.status === 304,
    update: changed.status === 200,
    'webhook secret': await isDelivered(created[0]!.body.data.id),
  }
  await now.stop()
  for (const [name, isValid] of Object.entries(checks)) console.log(`${isValid ? 'valid ' : 'BROKEN'}  ${name}`)
  return Object.keys(checks).filter((name) => !checks[name])
}

let stopPostgres = () => {}
try {
  const certificate = makeLoopbackCertificate(new Date())
  writeFileSync(join(folder, 'ca.pem'), certificate.cert)
  const receiver = createServer(certificate, async (request, response) => {
    const body = (await request.toArray()).join('')
    deliveries.push({ body, signature: String(request.headers['x-service-signature']) })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const environment: NodeJS.ProcessEnv = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_API_KEY,
    LOG_LEVEL: 'warn',
    PAYMENTS: 'free',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
  }
  if (!options.embedded) {
    const postgres = await startPostgres(join(folder, 'postgres'))
    if ('missing' in postgres) throw new Error(postgres.missing)
    stopPostgres = postgres.stop
    environment.DATABASE_URL = postgres.url
  }
  const { port } = receiver.address() as AddressInfo
  const broken = await run(environment, await freePort(), `https://127.0.0.1:${port}/hook`)
  receiver.close()
  if (broken.length > 0) process.exitCode = 1
} finally {
  killServers()
  stopPostgres()
  rmSync(folder, { recursive: true })
}
