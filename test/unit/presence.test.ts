import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { PresenceWatch } from '../../src/db/presence.ts'

test('a watch that is closed during a check opens no further connection, which would keep the process alive', async () => {
  const [secondCheck, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let opened = 0
  let asked = 0
  const open = () => {
    opened++
    return {
      ask: async () => {
        if (++asked === 1) return
        secondCheck.resolve()
        await answer.promise
      },
      close: () => answer.reject(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' })),
    }
  }
  const watch = new PresenceWatch(open, () => {})
  watch.begin()
  await secondCheck.promise
  watch.close()
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  expect(opened).toBe(1)
})
