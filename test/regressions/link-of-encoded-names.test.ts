import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'

const board = useBoard()

// Found in an attack test: links kept `pa%67e=2` or a bare `cursor` next to their own paging parameters, so following
// them returned 400.
test('links of a list work however the paging parameters were encoded', async () => {
  const { key } = await board.candidate()
  for (const name of ['One', 'Two', 'Three']) await board.employer({ name })
  for (const query of ['limit=1&pa%67e=2', 'limit=1&page', 'limit=1&%63ursor=', 'limit=1&cursor']) {
    const answer = await board.get(`/v1/employers?${query}`, key)
    expect(answer.status, query).toBe(200)
    const targets = [...answer.headers.get('link')!.matchAll(/<([^>]*)>/g)].map(([, target]) => target!)
    expect(targets.length, query).toBeGreaterThan(1)
    for (const target of targets) expect((await board.get(target, key)).status, target).toBe(200)
  }
})
