/** Tests which of two simulated servers responds to a read. */
import fc from 'fast-check'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { Replica } from '../../src/db/replica.ts'
import type { Schema } from '../../src/db/schema.ts'
import { AppError } from '../../src/lib/errors.ts'

const SAME = { system: '7', timeline: 1, database: 'board' }

/** Simulates a primary with numbered commits, a replica that has replayed some of them, and a manual clock. */
class Servers {
  /** The number of commits on the primary, and the number that the replica has replayed. */
  committed = 0
  replayed = 0
  standing: Record<string, unknown> = { ...SAME, is_standby: true }
  time = 0
  /** Delays each query before its evaluation, and each result before its return. */
  gate: (what: 'position' | 'standing' | 'primary' | 'replica') => Promise<unknown> = async () => {}
  back: () => Promise<unknown> = async () => {}
  asked = { position: 0, standing: 0, primary: 0, replica: 0 }
  timers: { ms: number; end: () => void }[] = []
  readonly logged: string[] = []
  readonly replica: Replica

  constructor(after?: (ms: number) => Promise<unknown>, sessions = 100) {
    const primary = this.#connect(async (text) => {
      if (text.includes('pg_current_wal_flush_lsn')) {
        await this.#ask('position')
        return { ...SAME, lsn: String(this.committed) }
      }
      await this.#ask('primary')
      return { server: 'primary', value: this.committed }
    })
    const standby = this.#connect(async (text, [lsn]) => {
      if (text.includes('pg_last_wal_replay_lsn')) {
        await this.#ask('standing')
        return { ...this.standing, lag_bytes: Number(lsn) - this.replayed }
      }
      await this.#ask('replica')
      return { server: 'replica', value: this.replayed }
    })
    const logger = {
      info: (text: string) => void this.logged.push(text),
      warn: (_context: object, text: string) => void this.logged.push(text),
    }
    this.replica = new Replica(
      { read: (question) => question(primary) },
      { readInSession: (question) => question(standby), connections: { open: 0, idle: 0, waiting: 0, most: sessions } },
      logger as never,
      { now: () => this.time, after: after ?? ((ms) => new Promise<void>((end) => this.timers.push({ ms, end }))) },
    )
  }

  async #ask(what: keyof typeof this.asked): Promise<void> {
    this.asked[what]++
    await this.gate(what)
  }

  #connect(answer: (text: string, values: readonly unknown[]) => Promise<object>): Db {
    const query = async (text: string, values: readonly unknown[]) => {
      const row = await answer(text, values)
      await this.back()
      return { rows: [row] }
    }
    const pool = { connect: async () => ({ query, release() {} }), end: async () => {} }
    return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as never }) })
  }

  read = () => this.replica.read(async (db) => (await sql<Answer>`select`.execute(db)).rows[0]!)
  readFrom = async () => (await this.read()).server

  /** Advances the clock, and fires all timers of at most this duration. */
  async pass(ms: number): Promise<void> {
    await settled()
    this.time += ms
    const due = this.timers.filter((timer) => timer.ms <= ms)
    this.timers = this.timers.filter((timer) => timer.ms > ms)
    for (const { end } of due) end()
    await settled()
  }
}

interface Answer {
  server: 'primary' | 'replica'
  value: number
}

/** Waits until no more work is pending. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('in any order of writes, replays, reads and pauses, a read sees all earlier acknowledged writes', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant('read' as const) },
    fc.constantFrom('write' as const, 'replay' as const, 'pause' as const),
  )
  const seen = { primary: 0, replica: 0 }
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { minLength: 1, maxLength: 30 }), async (scheduler, steps) => {
      const inTurn = () => scheduler.schedule(Promise.resolve())
      // As in production, the timeout of 50 ms ends after most other steps, but before some.
      const servers = new Servers(async (ms) => {
        for (let turn = 0; turn < ms / 5; turn++) await inTurn()
      })
      servers.gate = servers.back = inTurn
      const reads: Promise<void>[] = []
      const act = async (step: 'read' | 'write' | 'replay' | 'pause') => {
        await inTurn()
        if (step === 'write') servers.committed++
        else if (step === 'replay') servers.replayed = servers.committed
        else if (step === 'pause') servers.time += 1_000
        else {
          const acknowledged = servers.committed
          const { server, value } = await servers.read()
          seen[server]++
          expect(value).toBeGreaterThanOrEqual(acknowledged)
        }
      }
      for (const step of steps) reads.push(act(step))
      await scheduler.waitFor(Promise.all(reads))
    }),
    { numRuns: 500 },
  )
  // Both servers must have responded often.
  expect(Math.min(seen.primary, seen.replica)).toBeGreaterThan(100)
})

describe('a read', () => {
  test('goes to a replica that has replayed everything', async () => {
    const servers = new Servers()
    servers.committed = servers.replayed = 5
    expect(await servers.read()).toEqual({ server: 'replica', value: 5 })
    expect(servers.asked).toEqual({ position: 1, standing: 1, primary: 0, replica: 1 })
    expect(servers.replica.reads).toEqual({ served: 1, busy: 0, behind: 0, failed: 0, paused: 0, unasked: 0 })
  })

  test('waits for a replica that is slightly behind', async () => {
    const servers = new Servers()
    servers.committed = 5
    const read = servers.read()
    await settled()
    expect(servers.replica.lagBytes).toBe(5)
    servers.replayed = 5
    await servers.pass(2)
    expect(await read).toEqual({ server: 'replica', value: 5 })
    expect(servers.asked.standing).toBe(2)
    expect(servers.replica.lagBytes).toBe(0)
  })

  test('uses the primary if the replica is behind for 50 ms, and then only one read per second retries the replica', async () => {
    const servers = new Servers()
    servers.committed = 5
    const read = servers.readFrom()
    await servers.pass(50)
    expect(await read).toBe('primary')
    expect(await servers.readFrom()).toBe('primary')
    expect(servers.replica.reads).toEqual({ served: 0, busy: 0, behind: 1, failed: 0, paused: 1, unasked: 0 })
    expect(servers.replica.isUsed).toBe(false)

    servers.time += 1_000
    const trying = servers.readFrom()
    await settled()
    // The retry is still in progress.
    expect(await servers.readFrom()).toBe('primary')
    servers.replayed = 5
    await servers.pass(2)
    expect(await trying).toBe('replica')
    expect(await servers.readFrom()).toBe('replica')
    expect(servers.replica.isUsed).toBe(true)
    // Such timeouts are too frequent to be logged.
    expect(servers.logged).toEqual([])
  })

  test('is not sent to the replica after its timeout, even once the replica has caught up', async () => {
    const servers = new Servers()
    servers.committed = 5
    const read = servers.readFrom()
    await servers.pass(50)
    servers.replayed = 5
    await servers.pass(50)
    expect(await read).toBe('primary')
    expect(servers.asked.replica).toBe(0)
  })

  test('waits at most 50 ms for a replica that does not respond', async () => {
    const servers = new Servers()
    servers.gate = (what) => (what === 'standing' ? new Promise(() => {}) : Promise.resolve())
    const read = servers.readFrom()
    await servers.pass(50)
    expect(await read).toBe('primary')
  })

  test('may take longer than 50 ms once the replica has started to execute it', async () => {
    const servers = new Servers()
    const answering = Promise.withResolvers<void>()
    servers.gate = (what) => (what === 'replica' ? answering.promise : Promise.resolve())
    const read = servers.readFrom()
    await servers.pass(50)
    answering.resolve()
    expect(await read).toBe('replica')
  })

  test.each([
    ['is promoted', { is_standby: false }],
    ['follows another primary', { timeline: 2 }],
    ['belongs to another system', { system: '8' }],
    ['shows another database', { database: 'postgres' }],
  ])('uses the primary if the replica %s, however far it has replayed', async (_what, standing) => {
    const servers = new Servers()
    servers.replayed = 100
    Object.assign(servers.standing, standing)
    expect(await servers.readFrom()).toBe('primary')
    expect(await servers.readFrom()).toBe('primary')
    expect(servers.asked).toEqual({ position: 1, standing: 1, primary: 2, replica: 0 })
    expect(servers.replica.reads).toEqual({ served: 0, busy: 0, behind: 0, failed: 1, paused: 1, unasked: 0 })
    expect(servers.logged).toEqual(['the replica is not in use'])
    Object.assign(servers.standing, SAME, { is_standby: true })
    servers.time += 1_000
    expect(await servers.readFrom()).toBe('replica')
    expect(servers.logged).toEqual(['the replica is not in use', 'the replica is in use again'])
  })

  test('uses the primary while all replica connections are busy, and the replica again afterward', async () => {
    const servers = new Servers(undefined, 2)
    const answering = Promise.withResolvers<void>()
    servers.gate = (what) => (what === 'replica' ? answering.promise : Promise.resolve())
    const reads = [servers.readFrom(), servers.readFrom()]
    expect(await servers.readFrom()).toBe('primary')
    answering.resolve()
    expect(await Promise.all(reads)).toEqual(['replica', 'replica'])
    expect(await servers.readFrom()).toBe('replica')
    expect(servers.replica.reads).toEqual({ served: 3, busy: 1, behind: 0, failed: 0, paused: 0, unasked: 0 })
  })

  test('is repeated on the primary if the replica cancels it', async () => {
    const servers = new Servers()
    const conflict = Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' })
    servers.gate = (what) => (what === 'replica' ? Promise.reject(conflict) : Promise.resolve())
    expect(await servers.readFrom()).toBe('primary')
    expect(servers.replica.reads).toMatchObject({ served: 0, failed: 1 })
  })

  test('fails if the primary is down, as it would without a replica', async () => {
    const servers = new Servers()
    const away = new AppError('unavailable')
    servers.gate = (what) => (what === 'replica' || what === 'standing' ? Promise.resolve() : Promise.reject(away))
    await expect(servers.read()).rejects.toBe(away)
    expect(servers.asked.replica).toBe(0)
  })

  test("uses the primary while the primary's log position is unknown, and the replica again afterward", async () => {
    const servers = new Servers()
    let trouble: Error = new AppError('unavailable')
    servers.gate = (what) => (what === 'position' ? Promise.reject(trouble) : Promise.resolve())
    expect(await servers.readFrom()).toBe('primary')
    trouble = Object.assign(new Error('permission denied for function pg_control_system'), { code: '42501' })
    expect(await servers.readFrom()).toBe('primary')
    expect([servers.replica.reads.unasked, servers.replica.isUsed]).toEqual([2, true])
    servers.gate = async () => {}
    expect(await servers.readFrom()).toBe('replica')
    // A read that retries the replica after a failure also uses the primary.
    servers.standing.is_standby = false
    expect(await servers.readFrom()).toBe('primary')
    servers.standing.is_standby = true
    servers.time += 1_000
    servers.gate = (what) => (what === 'position' ? Promise.reject(trouble) : Promise.resolve())
    expect(await servers.readFrom()).toBe('primary')
    servers.gate = async () => {}
    expect(await servers.readFrom()).toBe('replica')
    expect(servers.logged).toEqual(['the replica is not in use', 'the replica is in use again'])
  })

  test('fails if it causes an error itself, and the next read uses the replica', async () => {
    const servers = new Servers()
    const mistake = servers.replica.read(async () => {
      throw new TypeError('row is undefined')
    })
    await expect(mistake).rejects.toThrow('row is undefined')
    const invalid = Object.assign(new Error('invalid input syntax for type integer'), { code: '22P02' })
    servers.gate = (what) => (what === 'replica' || what === 'primary' ? Promise.reject(invalid) : Promise.resolve())
    await expect(servers.read()).rejects.toBe(invalid)
    servers.gate = async () => {}
    expect(await servers.readFrom()).toBe('replica')
    expect(servers.logged).toEqual([])
  })

  test('is repeated on the primary if it fails only on the replica, and the next reads use the primary', async () => {
    const servers = new Servers()
    const broken = Object.assign(new Error('could not open file "base/5/16385"'), { code: '58P01' })
    servers.gate = (what) => (what === 'replica' ? Promise.reject(broken) : Promise.resolve())
    expect(await servers.readFrom()).toBe('primary')
    expect([servers.replica.reads.failed, servers.replica.isUsed]).toEqual([1, false])
    expect(await servers.readFrom()).toBe('primary')
    expect(servers.asked.replica).toBe(1)
  })

  test('is not repeated on the primary if it finds nothing', async () => {
    const servers = new Servers()
    let times = 0
    const missing = servers.replica.read(async () => {
      times++
      throw new AppError('not_found')
    })
    await expect(missing).rejects.toMatchObject({ code: 'not_found' })
    expect([times, servers.replica.reads.served, servers.replica.isUsed]).toEqual([1, 1, true])
  })
})

test('reads during a position query share the next such query, never an earlier one', async () => {
  const servers = new Servers()
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  servers.gate = async (what) => {
    if (what === 'position') await gates[servers.asked.position - 1]!.promise
  }
  const first = servers.read()
  await settled()
  // The first query has already been sent, so its result may be outdated.
  servers.committed = 1
  const later = [servers.read(), servers.read(), servers.read()]
  await settled()
  expect(servers.asked.position).toBe(1)
  servers.replayed = 1
  for (const gate of gates) gate.resolve()
  expect(await Promise.all([first, ...later])).toEqual(Array(4).fill({ server: 'replica', value: 1 }))
  expect(servers.asked.position).toBe(2)
})
