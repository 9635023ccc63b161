/** Tests the limits of what documents and hosts of feeds can make the service do. */
import { expect, test } from 'vitest'
import { Pace } from '../../src/features/feeds/feeds.fetch.ts'

test('a robots.txt with many agents and delays is read within a second', async () => {
  const robots = `${'User-agent: a\n'.repeat(18_000)}User-agent: *\n${'Crawl-delay: 9\n'.repeat(17_000)}`
  const waits: number[] = []
  const start = performance.now()
  await new Pace(async (ms) => waits.push(ms)).turn('a.example', async () => robots)
  expect(performance.now() - start).toBeLessThan(1_000)
  expect(waits.map((ms) => Math.ceil(ms / 1_000))).toEqual([9])
})
