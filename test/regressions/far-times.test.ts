import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'

const board = useBoard()

// Found in an attack test: an offset moved the time to the year 10000. The response contained `+010000-…`. In a list
// sorted by that time, the next page was a 500, because no database can read that time in a cursor.
test('a key cannot expire in a year that RFC 3339 cannot represent', async () => {
  const { key } = await board.candidate()
  const refused = await board.post('/v1/api-keys', key, { name: 'Far', expires_at: '9999-12-31T23:59:59.5-23:59' })
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '#/expires_at'])
  for (const name of ['One', 'Two']) {
    const made = await board.post('/v1/api-keys', key, { name, expires_at: '9999-12-31T23:59:59.999Z' })
    expect(made.body.data.expires_at).toBe('9999-12-31T23:59:59.999Z')
  }
  for (const sort of ['expires_at', 'expires_at:desc']) {
    const names: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof board.get>> = await board.get(
        `/v1/api-keys?sort=${sort}&limit=1&cursor=${cursor}`,
        key,
      )
      expect(page.status).toBe(200)
      names.push(page.body.data[0].name)
      cursor = page.body.meta.pagination.next_cursor
    }
    expect(names.toSorted()).toEqual(['First key', 'One', 'Two'])
  }
})
