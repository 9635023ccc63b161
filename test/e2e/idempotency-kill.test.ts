/** After a kill, stored responses are replayed, and uncommitted requests have no effect. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { replayOf } from '../support/posts.ts'
import { freePort, ServiceProcess } from '../support/process.ts'

describe('a service killed with SIGKILL', () => {
  const running: ServiceProcess[] = []
  let folder: string
  let database: (Database & { url?: string }) | undefined
  let environment: Record<string, string>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'job-marketplace-kill-'))
    // Only one process can open the embedded database, so the test must not open it.
    database = isOnPostgres ? await openTestDatabase() : undefined
    environment = { DATA_DIR: folder, PORT: String(await freePort()), ...(database && { DATABASE_URL: database.url! }) }
    copyMigratedDatabase(folder)
  })
  afterAll(async () => {
    for (const service of running) await service.signal('SIGKILL')
    await database?.close()
    await rm(folder, { recursive: true })
  })

  const start = async () => {
    const service = new ServiceProcess(['serve'], environment)
    running.push(service)
    await service.printed(/"msg":"listening"/)
    return service
  }
  const register = async (key: string, email: string) => {
    const response = await fetch(`http://127.0.0.1:${environment.PORT}/v1/candidates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ first_name: 'Ada', last_name: 'Once', email }),
    })
    return {
      status: response.status,
      text: await response.text(),
      replayed: response.headers.get('idempotency-replayed'),
    }
  }

  test('replays its response after a restart', { timeout: 120_000 }, async () => {
    const service = await start()
    const key = randomUUID()
    const first = await register(key, 'answered@mail.example')
    expect([first.status, first.replayed]).toEqual([201, null])
    await service.signal('SIGKILL')
    const next = await start()
    expect(await register(key, 'answered@mail.example')).toEqual({
      ...first,
      text: replayOf(first.text),
      replayed: 'true',
    })
    expect((await next.signal('SIGTERM')).code).toBe(0)
  })

  test.runIf(isOnPostgres)(
    'leaves no effect if it is killed after a write and before the commit',
    { timeout: 60_000 },
    async () => {
      const victim = await start()
      const key = randomUUID()
      const waiting = (tx: Parameters<Parameters<Database['inTx']>[0]>[0]) => async () => {
        const { rows } = await sql<{ count: number }>`
        select count(*) as count from pg_locks where relation = 'idempotent_answer'::regclass and not granted`.execute(
          tx,
        )
        return rows[0]!.count
      }
      await database!.inTx(async (tx) => {
        // The lock permits reads but blocks writes. By the time the request waits for the lock, it has already inserted
        // the candidate.
        await sql`lock table idempotent_answer in share mode`.execute(tx)
        const lost = register(key, 'killed@mail.example').catch(() => 'no answer')
        await expect.poll(waiting(tx), { timeout: 20_000 }).toBe(1)
        await victim.signal('SIGKILL')
        expect(await lost).toBe('no answer')
      })
      await start()
      // The idempotency key can be reused once PostgreSQL has noticed the dead connection.
      let done = await register(key, 'killed@mail.example')
      const isFree = async () => {
        if (done.status === 409) done = await register(key, 'killed@mail.example')
        return done.status !== 409
      }
      await expect.poll(isFree, { timeout: 20_000 }).toBe(true)
      expect([done.status, done.replayed]).toEqual([201, null])
      expect(await register(key, 'killed@mail.example')).toEqual({
        ...done,
        text: replayOf(done.text),
        replayed: 'true',
      })
      const accounts = await database!.read((db) =>
        db.selectFrom('account').select('id').where('email', '=', 'killed@mail.example').execute(),
      )
      expect(accounts).toHaveLength(1)
    },
  )
})
