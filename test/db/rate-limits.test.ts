/** Quotas across processes: several counters on one database. */
import { beforeEach, describe, expect, test } from 'vitest'
import { forgetPastWindows, shareQuotas } from '../../src/db/rate-limits.ts'
import { Quota } from '../../src/lib/quota.ts'
import { Board, START, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { taskOf } from '../support/tasks.ts'

const board = useBoard()
const now = START.getTime()
const make = (quota = 100) => new Quota({ name: 'test', quota, windowS: 60 })
const use = (quota: Quota, times: number, subject = 'a', at = now) => {
  let taken = 0
  for (let n = 0; n < times; n++) if (quota.take(subject, at) >= 0) taken++
  return taken
}
const share = (quota: Quota, at = now) => shareQuotas(board.database, [quota], new Date(at))
const rows = () => board.database.read((db) => db.selectFrom('rate_limit').selectAll().orderBy('subject').execute())
beforeEach(() => board.database.inTx((tx) => tx.deleteFrom('rate_limit').execute()))

describe('quotas across processes', () => {
  test('act as one quota once the processes have shared their counts', async () => {
    const [one, two] = [make(), make()]
    expect([use(one, 60), use(two, 40)]).toEqual([60, 40])
    for (const quota of [one, two, one]) {
      await share(quota)
      use(quota, 2)
    }
    expect([use(one, 1), use(two, 1)]).toEqual([0, 0])
    expect(await rows()).toMatchObject([{ policy: 'test', subject: 'a', used: 102 }])
  })

  test('exceed the limit by at most the requests between two exchanges', async () => {
    const processes = Array.from({ length: 4 }, () => make())
    const each = 7
    let taken = 0
    for (let round = 0; round < 30; round++) {
      for (const quota of processes) taken += use(quota, each)
      for (const quota of processes) await share(quota)
    }
    expect(taken).toBeGreaterThanOrEqual(100)
    expect(taken).toBeLessThanOrEqual(100 + processes.length * each)
  })

  test('are not written while they have changed little or not at all', async () => {
    const quota = make()
    expect(await share(quota)).toBe(0)
    use(quota, 1)
    expect(await share(quota)).toBe(0)
    use(quota, 1)
    expect([await share(quota), await share(quota)]).toEqual([1, 0])
  })

  test('keep all counts during a database outage', async () => {
    const quota = make()
    use(quota, 10)
    const away = { inStatement: async () => Promise.reject(new Error('away')) } as unknown as typeof board.database
    await expect(shareQuotas(away, [quota], START)).rejects.toThrow('away')
    use(quota, 5)
    await share(quota)
    expect(await rows()).toMatchObject([{ used: 15 }])
  })

  test('are shared for many subjects simultaneously without deadlocks', async () => {
    const processes = Array.from({ length: 8 }, () => make(1_000))
    const subjects = Array.from({ length: 300 }, (_, n) => `subject ${n}`)
    for (const [n, quota] of processes.entries()) {
      for (const subject of n % 2 ? subjects : subjects.toReversed()) use(quota, 20, subject)
    }
    await Promise.all(processes.map((quota) => share(quota)))
    const all = await rows()
    expect(all).toHaveLength(300)
    expect(all.every(({ used }) => used === 160)).toBe(true)
  })

  test('lose their stored counts a minute after their window ends', async () => {
    const quota = make()
    use(quota, 10)
    await share(quota)
    await forgetPastWindows(board.database, new Date(now + 60_000))
    expect(await rows()).toHaveLength(1)
    await forgetPastWindows(board.database, new Date(now + 121_000))
    expect(await rows()).toEqual([])
    expect(use(quota, 101, 'a', now + 60_000)).toBe(100)
  })

  test('do not trigger list refreshes', async () => {
    let writes = 0
    board.database.follow(async () => void writes++)
    const quota = make()
    use(quota, 10)
    await share(quota)
    await forgetPastWindows(board.database, START)
    expect(writes).toBe(0)
  })
})

test.skipIf(!isOnPostgres)(
  'two processes on one PostgreSQL server share one quota',
  async () => {
    const processes = [new Board(), new Board()]
    for (const one of processes) {
      one.database = board.database
      await one.start({ RATE_LIMIT: 'on' })
    }
    const settle = async () => {
      for (const one of processes) await taskOf(one, 'quotas').once()
    }
    const ask = async (one: Board) => {
      const { status, headers } = await one.get('/v1')
      // Omits the budgets, which the header lists after the quotas.
      return [status, headers.get('ratelimit')?.split(', "responses"')[0]]
    }
    const [first, second] = processes as [Board, Board]
    /** Raises the usage to `count`. The first board of a test worker has already served the OpenAPI document. */
    const fill = ({ service, clock }: Board, count: number) => {
      const quota = service.quotas!.address
      use(quota, count - quota.usedBy('127.0.0.1', clock.now().getTime()), '127.0.0.1')
    }
    fill(first, 300)
    fill(second, 250)
    expect([await ask(first), await ask(second)]).toEqual([
      [200, '"address";r=299;t=60'],
      [200, '"address";r=349;t=60'],
    ])
    await settle()
    // The second process shared its counts last, so it has all counts.
    expect(await ask(second)).toEqual([200, '"address";r=47;t=60'])
    use(first.service.quotas!.address, 60, '127.0.0.1')
    await settle()
    expect(await ask(first)).toEqual([429, '"address";r=0;t=60'])
    use(second.service.quotas!.address, 7, '127.0.0.1')
    await settle()
    expect(await ask(second)).toEqual([429, '"address";r=0;t=60'])
    for (const one of processes) await one.service.app.close()
  },
  120_000,
)
