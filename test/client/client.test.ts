/** The client as developers use it: on bad networks, in the published package, and with webhooks. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import vectors from '../../docs/webhook-vectors.json' with { type: 'json' }
import clientPackage from '../../packages/client/package.json' with { type: 'json' }
import {
  type CreateJobBody,
  JobMarketplace,
  JobMarketplaceError,
  verifyWebhook,
} from '../../packages/client/src/index.ts'
import { operations } from '../../packages/client/src/operations.ts'
import {
  createJob,
  forwardEvents,
  listApplications,
  listJobs,
  login,
  type Remote,
  showJob,
  tailEvents,
} from '../../src/commands/remote.ts'
import { apply } from '../support/applications.ts'
import { jobBody, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { upload } from '../support/resumes.ts'

const board = useBoard()

/**
 * How the proxy handles a request. `forget`: breaks the connection without forwarding. `cut`: forwards, and breaks
 * the connection instead of responding. `half`: breaks the connection in the middle of the response. `delay`: forwards,
 * and never responds. `repeat`: forwards the request three times, as some proxies do after an error. A number: responds
 * with this status. `slow down`: responds with 429 and a long Retry-After.
 */
type Fault = 'forget' | 'cut' | 'half' | 'delay' | 'repeat' | 429 | 502 | 503 | 'slow down'

/** Faults for the next requests. Without a fault, the proxy forwards a request unchanged. */
let faults: Fault[] = []
/** Every request that reached the proxy. */
let asked: { method: string; key: string | undefined }[] = []

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', headers, url } = request
  asked.push({ method, key: headers['idempotency-key'] as string | undefined })
  const fault = faults.shift()
  if (fault === 'forget') return void request.socket.resetAndDestroy()
  if (fault === 'slow down') return void response.writeHead(429, { 'retry-after': '120' }).end()
  if (typeof fault === 'number') return void response.writeHead(fault, { 'retry-after': '0' }).end('<html>')
  const { connection: _, host: __, 'content-length': ___, ...sent } = headers as Record<string, string>
  const forward = () =>
    fetch(board.address + url, { method, headers: sent, ...(chunks.length > 0 && { body: Buffer.concat(chunks) }) })
  if (fault === 'repeat') await Promise.all([forward(), forward()])
  const answer = await forward()
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (fault === 'cut') return void request.socket.resetAndDestroy()
  if (fault === 'delay') return
  const type = answer.headers.get('content-type')
  response.writeHead(answer.status, { ...(type && { 'content-type': type, 'content-length': bytes.length }) })
  if (fault !== 'half') return void response.end(bytes)
  response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.resetAndDestroy())
}

const proxy = createServer((request, response) => {
  take(request, response).catch(() => response.destroy())
})
beforeAll(async () => {
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
})
beforeEach(() => {
  faults = []
  asked = []
})
afterAll(() => {
  proxy.close()
  proxy.closeAllConnections()
})

const origin = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`

const through = (apiKey: string, options = {}) =>
  new JobMarketplace({
    ...{ baseUrl: `${origin()}/`, apiKey, retryDelayMs: 1, timeoutMs: 2_000 },
    ...options,
  })

const job = (title: string) => jobBody({ title }) as unknown as CreateJobBody

test('a proxy that cuts, delays and repeats requests never causes a second job or application', async () => {
  const employer = await board.employer()
  const candidate = await board.candidate()
  await upload(board, candidate, pdf('Ada King'), 'cv.pdf')
  const jobs = through(employer.key).jobs
  const cases: Fault[][] = [
    ['cut'],
    ['half'],
    ['forget'],
    ['delay'],
    ['repeat'],
    [503, 'cut', 429],
    [502, 'half', 'cut'],
  ]
  for (const [n, sequence] of cases.entries()) {
    faults = [...sequence]
    const { id, title } = await jobs.create(job(`Job ${n}`))
    expect(title).toBe(`Job ${n}`)
    await board.pay(employer, id)
    faults = [...sequence]
    expect((await jobs.activate(id)).is_active).toBe(true)
    faults = [...sequence]
    expect((await through(candidate.key).jobs.apply(id, { cover_letter: `Letter ${n}` })).job.id).toBe(id)
  }
  const names = []
  for await (const { title } of jobs.listAllOwn({ limit: 3, sort: 'title' })) names.push(title)
  expect(names).toEqual(cases.map((_, n) => `Job ${n}`))
  const received = []
  for await (const one of through(employer.key).applications.listAllReceived({ limit: 2 }))
    received.push(one.cover_letter)
  expect(received.sort()).toEqual(cases.map((_, n) => `Letter ${n}`))
  expect(await board.events('job.created')).toHaveLength(cases.length)
  expect(await board.events('application.submitted')).toHaveLength(cases.length)
  // All attempts of a call share one idempotency key, and each call has its own.
  const keys = new Set(asked.flatMap(({ method, key }) => (method === 'POST' ? [key] : [])))
  expect(keys.size).toBe(cases.length * 3)
})

test('a delete whose response was lost succeeds, and a second delete gets 404', async () => {
  const employer = await board.employer()
  const { jobs } = through(employer.key)
  const { id } = await jobs.create(job('Deleted'))
  faults = ['cut']
  await jobs.delete(id)
  await expect(jobs.delete(id)).rejects.toMatchObject({ status: 404, code: 'not_found', requestId: undefined })
})

test('errors contain the problem document, and only requests with temporary errors are retried', async () => {
  const employer = await board.employer()
  const direct = new JobMarketplace({ baseUrl: board.address, apiKey: employer.key })
  const error = await direct.jobs.create({ ...job(''), location: '' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(JobMarketplaceError)
  const { status, code, errors, requestId, message } = error as JobMarketplaceError
  expect([status, code, errors.map(({ pointer }) => pointer).sort()]).toEqual([
    ...[422, 'validation_failed', ['#/location', '#/title']],
  ])
  expect(requestId).toMatch(/^[\w-]{10,}$/)
  expect(message).not.toBe('')

  const { me, jobs } = through(employer.key, { retries: 2 })
  await expect(jobs.get('job_1')).rejects.toMatchObject({ status: 404 })
  expect(asked).toHaveLength(1)
  faults = [503, 503, 503]
  await expect(me.get()).rejects.toMatchObject({ status: 503, code: 'unexpected_response', errors: [] })
  expect(asked).toHaveLength(4)
  faults = ['forget', 'forget', 'forget']
  await expect(me.get()).rejects.toMatchObject({
    ...{ status: undefined, code: 'connection_failed', message: `No response to GET ${origin()}/v1/me.` },
  })
  expect(asked).toHaveLength(7)
  // The client reports a long wait instead of waiting.
  faults = ['slow down']
  await expect(me.get()).rejects.toMatchObject({ status: 429, retryAfterMs: 120_000 })
  expect(asked).toHaveLength(8)
  // An ID cannot change the path of a request.
  for (const id of ['', '.', '..']) await expect(jobs.get(id)).rejects.toThrow('Invalid id')
  await expect(jobs.get('a/../b')).rejects.toMatchObject({ status: 404 })
})

test('a call ends when it is aborted, during an attempt and during a wait, and an attempt times out', async () => {
  const { key } = await board.employer()
  const { me } = through(key, { timeoutMs: 50, retries: 1 })
  faults = ['delay', 'delay']
  await expect(me.get()).rejects.toMatchObject({ code: 'timeout', status: undefined })
  expect(asked).toHaveLength(2)

  const slow = through(key, { retryDelayMs: 30_000 }).me
  const reason = new Error('The user left')
  const aborting = new AbortController()
  faults = ['delay']
  const waiting = slow.get({ signal: aborting.signal })
  await expect.poll(() => asked.length).toBe(3)
  aborting.abort(reason)
  await expect(waiting).rejects.toBe(reason)

  faults = [503]
  const again = new AbortController()
  const retrying = slow.get({ signal: again.signal })
  await expect.poll(() => asked.length).toBe(4)
  again.abort(reason)
  await expect(retrying).rejects.toBe(reason)
  await expect(slow.get({ signal: again.signal })).rejects.toBe(reason)
})

test('the client uploads and downloads files, sends entity tags and makes raw requests', async () => {
  const candidate = await board.candidate()
  const client = new JobMarketplace({ baseUrl: board.address, apiKey: candidate.key })
  const bytes = new Uint8Array(pdf('Ada King'))
  const { id, filename } = await client.uploadResume(new File([bytes], 'Ada.pdf'))
  expect(filename).toBe('Ada.pdf')
  const file = await client.resumes.download(id)
  expect([file.type, new Uint8Array(await file.arrayBuffer())]).toEqual(['application/pdf', bytes])
  const { headers, body } = await client.request('GET', '/candidates/profile')
  expect(body).toEqual({ data: await client.candidates.getProfile() })
  const stale = { headers: { 'If-Match': headers.get('etag')! } }
  await client.candidates.updateProfile({ headline: 'Engineer' }, stale)
  const refused = client.candidates.updateProfile({ headline: 'Other' }, stale)
  await expect(refused).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
})

/** Runs an endless command until it prints a matching line. */
async function until(remote: Remote, expected: RegExp, run: (remote: Remote) => Promise<void>): Promise<void> {
  class Enough extends Error {}
  const print = (line: string) => {
    remote.print(line)
    if (expected.test(line)) throw new Enough()
  }
  await expect(run({ ...remote, print })).rejects.toBeInstanceOf(Enough)
}

test('the commands sign in, create, list and show jobs, list applications, and follow and forward events', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-login-'))
  const printed: string[] = []
  const remote = { folder: join(folder, 'config'), print: (line: string) => printed.push(line) }
  const lines = () => printed.splice(0).map((line) => JSON.parse(line))
  try {
    await expect(listJobs(remote, [])).rejects.toThrow('Run login <board> first.')
    const employer = await board.employer({ name: 'Torque Ltd' })
    const wrong = login(remote, { baseUrl: board.address, apiKey: 'jm_emp_wrong' })
    await expect(wrong).rejects.toMatchObject({ status: 401 })
    await expect(listJobs(remote, [])).rejects.toThrow('Run login <board> first.')
    await login(remote, { baseUrl: board.address, apiKey: employer.key })
    expect(printed.splice(0)).toEqual([`Signed in to ${board.address} as Torque Ltd (employer).`])
    expect((await stat(join(remote.folder, 'login.json'))).mode & 0o777).toBe(0o600)

    await createJob(remote, JSON.stringify(job('Torque engineer')))
    const [{ id }] = [JSON.parse(printed.splice(0).join('\n'))]
    await expect(createJob(remote, '{')).rejects.toThrow('The job is not valid JSON')
    await board.pay(employer, id)
    await board.post(`/v1/jobs/${id}/activate`, employer.key)
    await listJobs(remote, ['search="torque engineer"', 'sort=title'])
    expect(lines()).toMatchObject([{ id, title: 'Torque engineer' }])
    await expect(listJobs(remote, ['remote'])).rejects.toThrow('Write each filter as name=value, not "remote".')
    await showJob(remote, id)
    expect(JSON.parse(printed.splice(0).join('\n'))).toMatchObject({ id, company: 'Torque Ltd' })

    const candidate = await board.candidate()
    await upload(board, candidate, pdf('Ada King'), 'cv.pdf')
    await expect(tailEvents(remote, { types: ['job.made'] })).rejects.toThrow('job.made is not an event type.')
    await until(remote, /"type":"job.created"/, (following) => tailEvents(following, { after: '' }))
    expect(lines()[0]).toMatchObject({ iterator: expect.any(String), type: 'employer.registered' })
    const received: unknown[] = []
    const receiver = createServer(async (request, response) => {
      const body = await buffer(request)
      received.push(
        (await verifyWebhook(body, request.headers, 'whsec_local')).type,
        request.headers['x-service-attempt'],
      )
      // Like the service, the command does not follow redirects.
      response.writeHead(307, { location: '/again' }).end('Moved')
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    const forwarding = { url: `http://127.0.0.1:${port}/`, secret: 'whsec_local', after: '', types: ['job.updated'] }
    await until(remote, /^job\.updated evt_\w+ {2}307$/, (following) => forwardEvents(following, forwarding))
    expect(received.slice(0, 2)).toEqual(['job.updated', '1'])
    receiver.closeAllConnections()
    receiver.close()
    await once(receiver, 'close')
    await until(remote, /^job\.updated evt_\w+ {2}not delivered \(.*ECONNREFUSED/, (following) =>
      forwardEvents(following, forwarding),
    )
    printed.length = 0
    await apply(board, candidate, id)
    await listApplications(remote, ['status=pending'])
    expect(lines()).toMatchObject([{ job: { id }, candidate: { id: candidate.id } }])
    await login(remote, { baseUrl: board.address, apiKey: candidate.key })
    printed.length = 0
    await listApplications(remote, ['status=hired'])
    await listApplications(remote, [])
    expect(lines()).toMatchObject([{ job: { id }, status: 'pending' }])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('the client verifies the published webhook vectors', async () => {
  const headersOf = (vector: { 'X-Service-Signature': string }) => ({
    'X-Service-Signature': vector['X-Service-Signature'],
  })
  for (const { body, secrets, timestamp, ...vector } of vectors.signed) {
    const now = new Date(timestamp * 1_000)
    for (const secret of secrets) {
      const event = await verifyWebhook(new TextEncoder().encode(body), headersOf(vector), secret, { now })
      expect(event).toEqual(JSON.parse(body))
    }
    expect(await verifyWebhook(body, new Headers(headersOf(vector)), ['', 'other', ...secrets], { now })).toBeDefined()
    await expect(verifyWebhook(body, headersOf(vector), ['', 'other'], { now })).rejects.toThrow('signature')
  }
  for (const [list, isValid] of [
    [vectors.accepted, true],
    [vectors.refused, false],
  ] as const) {
    for (const { body, secrets, now, ...vector } of list) {
      const verified = verifyWebhook(body, headersOf(vector as never), secrets, { now: new Date(now * 1_000) })
      expect(await verified.then(Boolean, ({ code }) => code)).toBe(isValid || 'invalid_signature')
    }
  }
  expect(vectors.refused.length).toBeGreaterThan(3)
})

describe('the published package', () => {
  const run = promisify(execFile)
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const compile = (project: string) =>
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', project]).catch((error) => error)
  let folder: string
  let readme: string

  // Installs the package into an empty folder.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'job-marketplace-client-'))
    readme = await readFile(join(root, 'packages/client/README.md'), 'utf8')
    const [pack] = /^npm pack .+$/m.exec(readme)!
    await run('sh', ['-c', pack.replace('/tmp', folder)], { cwd: root })
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await run('npm', ['install', '--offline', `./job-marketplace-client-${clientPackage.version}.tgz`], { cwd: folder })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('has a working example of ten lines in its README', async () => {
    const example = /```js\n([\s\S]*?)```/.exec(readme)![1]!
    expect(example.trimEnd().split('\n')).toHaveLength(10)
    expect(example).toContain("'http://127.0.0.1:3000'")
    const employer = await board.employer()
    await board.activeJob(employer, { title: 'Brake engineer', remote: true, skills: ['TypeScript'] })
    const source = example.replace('http://127.0.0.1:3000', board.address)
    await Promise.all(['first.mjs', 'first.ts'].map((name) => writeFile(join(folder, name), source)))
    const env = { ...process.env, API_KEY: employer.key }
    const { stdout } = await run(process.execPath, ['first.mjs'], { cwd: folder, env })
    const { body } = await board.get('/v1/jobs?search=engineer&limit=3', employer.key)
    const lines = body.data.map((one: Record<string, string>) => `- ${one.title} at ${one.company}, ${one.location}`)
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${body.meta.pagination.total} jobs for engineers, such as:`,
      ...lines,
      '1 remote jobs ask for TypeScript',
    ])
  })

  test('lists every method in its README', () => {
    for (const [resource, methods] of Object.entries(operations)) {
      const names = Object.keys(methods).map((name) => `\`${name}\``)
      expect(readme).toContain(`| \`${resource}\` | ${names.join(', ')} |`)
    }
  })

  test('is strictly typed', async () => {
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ target: 'es2022', module: 'nodenext', types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
      ...{ lib: ['es2022'], skipLibCheck: true },
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    await writeFile(
      join(folder, 'consumer.ts'),
      `import { JobMarketplace, JobMarketplaceError, verifyWebhook, type Job } from '@job-marketplace/client'
const board = new JobMarketplace({ baseUrl: 'https://board.example' })
export async function check(file: File): Promise<(string | number | null | undefined)[]> {
  const { data, meta } = await board.jobs.list({ experience_level: 'senior', posted_after: new Date(), skills: ['CAN'] })
  const job: Job = await board.jobs.get('job_1', { signal: AbortSignal.timeout(1_000) })
  const changes = await board.jobs.listChanges({ updated_since: '2026-01-01', include_deleted: true })
  const gone = changes.data.map((change) => ('deleted_at' in change ? change.deleted_at : change.title))
  const { size } = await board.resumes.download((await board.uploadResume(file)).id)
  // @ts-expect-error A job needs more than a title.
  await board.jobs.create({ title: 'Battery engineer' })
  // @ts-expect-error Only listChanges returns deleted jobs.
  await board.jobs.list({ include_deleted: true })
  // @ts-expect-error The salary may be missing.
  const { min } = job.salary
  const event = await verifyWebhook('{}', {}, 'secret')
  // @ts-expect-error Only some events are about a job.
  event.data.job
  if (event.type === 'application.submitted') gone.push(event.data.application.candidate.name)
  try {
    await board.jobs.activate(job.id)
  } catch (error) {
    if (error instanceof JobMarketplaceError && error.code === 'payment_required') gone.push(error.requestId ?? '')
  }
  for await (const { title } of board.jobs.listAll()) gone.push(title)
  return [...gone, data[0]?.title, meta.pagination.total, job.salary?.max, size, min]
}
`,
    )
    expect((await compile(join(folder, 'tsconfig.json'))).stdout).toBe('')
  })

  test('is at most 20 KB, minified and compressed', async () => {
    const bundle = await rolldown({ input: join(folder, 'node_modules/@job-marketplace/client/dist/index.js') })
    const { output } = await bundle.generate({ minify: true })
    await bundle.close()
    expect(output).toHaveLength(1)
    expect(output[0].imports).toEqual([])
    const size = gzipSync(output[0].code).length
    expect(size).toBeGreaterThan(1_000)
    expect(size).toBeLessThanOrEqual(20_000)
  })
})
