/** A worker is killed while it sends deliveries. Nothing is lost, and only deliveries in flight are repeated. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeLoopbackCertificate } from '../../src/commands/certificate.ts'
import type { Database } from '../../src/db/database.ts'
import { ADMIN_KEY, jobBody } from '../support/board.ts'
import { isOnPostgres, openTestDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'
import { type Received, Receivers } from '../support/receivers.ts'

const EVENTS = 20

// Two processes cannot share the embedded database.
describe.runIf(isOnPostgres)('a worker killed with SIGKILL', () => {
  const receivers = new Receivers()
  const running: ServiceProcess[] = []
  let folder: string
  let database: Database & { url?: string }
  let environment: Record<string, string>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'job-marketplace-kill-'))
    database = await openTestDatabase()
    receivers.certificate = makeLoopbackCertificate(new Date())
    const ca = join(folder, 'ca.pem')
    await writeFile(ca, receivers.certificate.cert)
    environment = {
      DATABASE_URL: database.url!,
      DATA_DIR: folder,
      PORT: String(await freePort()),
      METRICS_PORT: String(await freePort()),
      ADMIN_API_KEY: ADMIN_KEY,
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: ca,
    }
  })
  afterAll(async () => {
    for (const service of running) await service.signal('SIGKILL')
    await receivers.close()
    await database.close()
    await rm(folder, { recursive: true })
  })

  const start = (part: 'http' | 'work') => {
    const service = new ServiceProcess(['serve', '--only', part], environment)
    running.push(service)
    return service
  }
  const post = async (path: string, key: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${environment.PORT}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(201)
    // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
    return ((await response.json()) as any).data
  }
  const stateOf = async (received: Received) => {
    const id = received.headers['x-service-delivery-id'] as string
    const rows = database.read((db) =>
      db
        .selectFrom('webhook_attempt')
        .select(['number', 'error_class'])
        .where('delivery_id', '=', id)
        .orderBy('number')
        .execute(),
    )
    return (await rows).map(({ number, error_class }) => [number, error_class])
  }

  test('loses no delivery, and causes only deliveries in flight to be repeated', { timeout: 180_000 }, async () => {
    let isHolding = true
    const receiver = await receivers.https((response) => {
      if (!isHolding) response.end()
    })
    const http = start('http')
    await http.printed(/"msg":"listening"/)
    const url = `https://127.0.0.1:${receiver.port}/in`
    await post('/webhooks', ADMIN_KEY, { url, events: ['job.created'] })
    const { api_key } = await post('/employers', ADMIN_KEY, { name: 'Kills', email: 'kills@mail.example' })
    for (let n = 0; n < EVENTS; n++) await post('/jobs', api_key, jobBody())

    const victim = start('work')
    const idsReceived = () => receiver.received.map(({ headers }) => headers['x-service-delivery-id'] as string)
    const leased = async () => {
      const rows = await database.read((db) =>
        db.selectFrom('webhook_delivery').select('id').where('lease_until', 'is not', null).execute(),
      )
      return rows.map(({ id }) => id)
    }
    /** Returns whether all claimed deliveries have arrived and are waiting for a response. */
    const hasArrived = async () => receiver.received.length > 0 && receiver.received.length === (await leased()).length
    await expect.poll(hasArrived, { timeout: 60_000 }).toBe(true)
    expect((await victim.signal('SIGKILL')).code).toBeNull()
    isHolding = false
    const underWay = await leased()

    // Expires their leases now instead of in half a minute.
    await database.inTx((tx) =>
      sql`update webhook_delivery set lease_until = now() where lease_until is not null`.execute(tx),
    )
    const worker = start('work')
    const pending = async () =>
      (await database.read((db) => db.selectFrom('webhook_delivery').select('id').execute())).length
    await expect.poll(pending, { timeout: 90_000 }).toBe(0)

    const ids = idsReceived()
    expect(new Set(ids).size).toBe(EVENTS)
    expect(ids).toHaveLength(EVENTS + underWay.length)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index).toSorted()).toEqual(underWay.toSorted())
    expect(await stateOf(receiver.received[0]!)).toEqual([
      [1, 'internal'],
      [2, null],
    ])
    expect(await stateOf(receiver.received.at(-1)!)).toContainEqual([expect.any(Number), null])
    // The worker serves only health checks and metrics.
    const monitor = (path: string) =>
      fetch(`http://127.0.0.1:${environment.METRICS_PORT}${path}`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      })
    expect(await (await monitor('/metrics')).text()).toContain(`webhook_leases_expired_total ${underWay.length}\n`)
    const statuses = ['/healthz', '/readyz', '/v1/jobs'].map(async (path) => (await monitor(path)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 404])
    expect((await worker.signal('SIGTERM')).code).toBe(0)
    expect((await http.signal('SIGTERM')).code).toBe(0)
  })
})
