import { describe, expect, test } from 'vitest'
import { KeyRing } from '../../src/features/accounts/index.ts'
import { markCandidatesActive } from '../../src/features/candidates/index.ts'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { useMonotonic } from '../support/monotonic.ts'

const board = useBoard()

describe('last_active', () => {
  const monotonic = useMonotonic()
  const flush = () => board.service.tasks.find(({ name }) => name === 'key-uses')!.once()
  const lastActive = async ({ id }: Account) => {
    await flush()
    return (await board.get(`/v1/candidates/${id}`, ADMIN_KEY)).body.data.last_active
  }
  /** Uses a key after advancing the clocks, so that the key is no longer cached. */
  const use = async (key: string, afterMs: number) => {
    monotonic.advance(2_000)
    board.clock.advance(afterMs)
    await board.get('/v1/me', key)
    return board.clock.now().toISOString()
  }

  test('is the time of the latest key use, and is updated at most once a minute', async () => {
    const candidate = await board.candidate()
    const other = await board.candidate()
    const registered = board.clock.now().toISOString()
    expect(await lastActive(candidate)).toBe(registered)
    await use(candidate.key, 59_000)
    expect(await lastActive(candidate)).toBe(registered)
    const first = await use(candidate.key, 61_000)
    // The write is delayed but records the time of use.
    board.clock.advance(25_000)
    expect(await lastActive(candidate)).toBe(first)
    const second = await use(candidate.key, 35_000)
    expect(await lastActive(candidate)).toBe(second)
    expect(await lastActive(other)).toBe(registered)
  })

  test('is updated at most once a minute with two keys in use', async () => {
    const candidate = await board.candidate()
    const further = await board.keyWith(candidate, ['profile:read'])
    const first = await use(candidate.key, 120_000)
    expect(await lastActive(candidate)).toBe(first)
    await use(further, 30_000)
    expect(await lastActive(candidate)).toBe(first)
  })

  test('does not change updated_at', async () => {
    const candidate = await board.candidate()
    const { updated_at } = (await board.get('/v1/candidates/profile', candidate.key)).body.data
    await use(candidate.key, 120_000)
    await flush()
    expect((await board.get('/v1/candidates/profile', candidate.key)).body.data.updated_at).toBe(updated_at)
  })

  test('is the time of the latest of several uses', async () => {
    const candidate = await board.candidate()
    const at = (ms: number) => new Date(board.clock.time + ms)
    const uses = [at(90_000), at(120_000), at(60_000)].map((time) => ({ accountId: candidate.id, at: time }))
    await board.database.inTx((tx) => markCandidatesActive(tx, [...uses, { accountId: 'emp_x', at: at(0) }]))
    expect(await lastActive(candidate)).toBe(at(120_000).toISOString())
  })

  test('catches up with the next write after a failed write', async () => {
    const candidate = await board.candidate()
    let failures = 0
    const ring = new KeyRing(
      {
        ...board.database,
        async inStatement(work) {
          if (failures > 0) throw new Error(`failure ${failures--}`)
          return board.database.inStatement(work)
        },
      },
      board.clock,
      [],
      markCandidatesActive,
    )
    board.clock.advance(120_000)
    await ring.findActor(candidate.key)
    const used = board.clock.now()
    failures = 1
    await expect(ring.flushUses()).rejects.toThrow('failure 1')
    board.clock.advance(30_000)
    await ring.flushUses()
    expect(await lastActive(candidate)).toBe(used.toISOString())
    const [key] = (await board.get('/v1/api-keys', candidate.key)).body.data
    expect(key.last_used_at).toBe(used.toISOString())
  })
})
