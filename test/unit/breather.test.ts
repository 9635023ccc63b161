import { expect, test } from 'vitest'
import { breather } from '../../src/lib/breather.ts'

test('lets other work run after a slow step', async () => {
  let hasRun = false
  setImmediate(() => (hasRun = true))
  const breathe = breather()
  const end = performance.now() + 6
  while (performance.now() < end);
  await breathe()
  expect(hasRun).toBe(true)
})
