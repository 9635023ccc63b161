import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { statement } from '../../src/db/statement.ts'
import { openTestDatabase } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const numbers = (from: number) => statement<{ number: number; word: string }>`
  select number, word from (values (1, 'one'), (2, 'two')) as known (number, word)
  where number >= ${from} order by number`

test('a statement returns all rows, the first row, or the only row', async () => {
  await database.read(async (db) => {
    expect(await numbers(1).all(db)).toEqual([
      { number: 1, word: 'one' },
      { number: 2, word: 'two' },
    ])
    expect(await numbers(1).first(db)).toEqual({ number: 1, word: 'one' })
    expect(await numbers(3).first(db)).toBeUndefined()
    expect(await numbers(2).one(db)).toEqual({ number: 2, word: 'two' })
    expect([await numbers(2).exists(db), await numbers(3).exists(db)]).toEqual([true, false])
  })
})

test('a statement returns the values of its only column, or a map of two columns', async () => {
  const letters = (to: string) => statement<{ letter: string | null }>`
    select letter from (values ('a'), (null)) as known (letter) where ${to} = 'z'`
  await database.read(async (db) => {
    expect(await letters('z').allValues(db)).toEqual(['a', null])
    expect(await letters('z').firstValue(db)).toBe('a')
    expect(await letters('a').firstValue(db)).toBeUndefined()
    expect(await statement<{ count: number }>`select count(*) from stripe_event`.oneValue(db)).toBe(0)
    expect(await numbers(1).toMap(db, 'word', 'number')).toEqual(
      new Map([
        ['one', 1],
        ['two', 2],
      ]),
    )
  })
})

test('a write returns the number of rows that it affected, or whether it affected any', async () => {
  await database.inTx(async (tx) => {
    const insert = (ids: readonly string[]) => statement`
      insert into stripe_event (id, received_at) select id, now() from unnest(${ids}::text[]) as sent (id)
      on conflict do nothing`
    expect(await insert(['a', 'b']).affected(tx)).toBe(2)
    expect(await insert(['b', 'c']).changed(tx)).toBe(true)
    expect(await insert(['b', 'c']).changed(tx)).toBe(false)
  })
})
