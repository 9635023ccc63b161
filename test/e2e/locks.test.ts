/**
 * While an operator holds a table lock, requests that need the table are refused within a bounded time. They succeed
 * again once the lock is released.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { isOnPostgres, openTestDatabase, poolMode } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'

test.runIf(isOnPostgres && poolMode === 'session')('job posts and /readyz get 503 during a table lock', async () => {
  const database = await openTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-locks-'))
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const environment = { DATABASE_URL: database.url!, DATABASE_POOL_SIZE: '2', DATA_DIR: folder, PORT: port }
  const service = new ServiceProcess(['serve'], environment)
  const holder = new pg.Client({ connectionString: database.url! })
  try {
    await service.printed(/"msg":"working"/)
    const call = async (method: string, path: string, key?: string, body?: object) => {
      const response = await fetch(origin + path, {
        method,
        // A request waits up to ten seconds for a connection and five for the lock.
        signal: AbortSignal.timeout(20_000),
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() }
    }
    const employer = { name: 'Acme', email: 'locks@acme.example' }
    const { data } = (await call('POST', '/v1/employers', undefined, employer)).body as { data: { api_key: string } }
    const job = { title: 'Fitter', description: 'x', location: 'Leipzig', category: 'software', type: 'full-time' }
    const post = () => call('POST', '/v1/jobs', data.api_key, job)
    expect((await post()).status).toBe(201)

    await holder.connect()
    await holder.query('begin; lock table job in access exclusive mode')
    // More requests than connections: some wait for the lock, the others for a connection.
    const asked = Promise.all(Array.from({ length: 4 }, post))
    expect((await call('GET', '/readyz')).status).toBe(503)
    expect((await call('GET', '/healthz')).status).toBe(200)
    const posts = await asked
    expect(posts.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(posts.map(() => [503, '2']))

    await holder.query('rollback')
    expect((await post()).status).toBe(201)
    expect((await call('GET', '/readyz')).status).toBe(200)
    const { body } = await call('GET', '/v1/employers/jobs', data.api_key)
    expect(body).toMatchObject({ meta: { pagination: { total: 2 } } })
  } finally {
    await holder.end()
    await service.signal('SIGTERM')
    await database.close()
    await rm(folder, { recursive: true })
  }
})
