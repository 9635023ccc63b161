import { describe, expect, test } from 'vitest'
import { Budgets } from '../../src/lib/budgets.ts'

const clockAt = (time: number) => ({ now: () => new Date(time) })
const NOON = Date.UTC(2026, 2, 2, 12)

describe('budgets', () => {
  test('refuse an account for the rest of the window once it has spent a budget, and name that budget', () => {
    let time = NOON
    const budgets = new Budgets({ now: () => new Date(time) })
    budgets.charge('search-time', 'emp_a', 9_999.2)
    expect(budgets.refusalOf('search-time', 'emp_a')).toMatchObject({
      code: 'rate_limited',
      options: {
        headers: {
          'retry-after': '60',
          'ratelimit-policy': '"search-time";q=10000;w=60',
          ratelimit: '"search-time";r=0;t=60',
        },
      },
    })
    const detail = 'The budget "search-time" is used up. Try again in 60 s.'
    expect(() => budgets.check('search-time', 'emp_a')).toThrow(detail)
    expect(budgets.refusalOf('search-time', 'emp_b')).toBeUndefined()
    expect(budgets.refusalOf('emails', 'emp_a')).toBeUndefined()
    time += 60_000
    expect(budgets.refusalOf('search-time', 'emp_a')).toBeUndefined()
    expect(budgets.totals['search-time']).toEqual({ charged: 10_000, refused: 2 })
  })

  test('charge work whose cost is known only afterward, even if the cost exceeds the rest of the budget', () => {
    const budgets = new Budgets(clockAt(NOON))
    budgets.charge('extraction-time', 'cand_a', 100_000)
    expect(budgets.refusalOf('extraction-time', 'cand_a')).toBeUndefined()
    budgets.charge('extraction-time', 'cand_a', 100_000)
    expect(budgets.usesOf('cand_a')).toContainEqual({
      name: 'extraction-time',
      used: 200_000,
      quota: 120_000,
      windowS: 3_600,
      resetsAt: new Date(NOON + 3_600_000),
    })
    expect(budgets.refusalOf('extraction-time', 'cand_a')).toBeDefined()
  })

  test('count charges but refuse nothing if limits are off', () => {
    const budgets = new Budgets(clockAt(NOON), { isLimited: false })
    budgets.charge('emails', 'emp_a', 1_000_000)
    expect(budgets.refusalOf('emails', 'emp_a')).toBeUndefined()
    expect(budgets.totals.emails).toEqual({ charged: 1_000_000, refused: 0 })
  })
})
