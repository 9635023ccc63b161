/**
 * `node bench/pages.ts [--jobs 20000] [--url postgres://…] [--seconds 5]`: measures the list as an HTML page and from
 * the API, in the same minute. Imports generated jobs, or uses a loaded database (`--url`).
 */
import { parseArgs } from 'node:util'
import { withLoadedBoard } from './loaded-board.ts'
import { askOnce, type Figure, figureOf, hasWrk, load, loadByWrk, meanOf, type Sample } from './measure.ts'
import { SERVE, startServer } from './processes.ts'
import { filteredLists } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    url: { type: 'string' },
  },
})
const seconds = Number(options.seconds)
const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const VARIED = 2_400
/** Number of restarts. The benchmark measures the first page after each of them. */
const STARTS = 5

const pageOf = (path: string) => path.replace('/v1', '')

async function bench(url: string): Promise<void> {
  const environment = { DATABASE_URL: url, ADMIN_API_KEY, RATE_LIMIT: 'off', PAYMENTS: 'free' }
  const start = () => startServer([...SERVE, '--only', 'http'], environment, '/readyz')

  const firsts: number[] = []
  for (let n = 0; n < STARTS; n++) {
    const { origin, stop } = await start()
    const begun = performance.now()
    const response = await fetch(`${origin}/jobs`)
    if (!response.ok || !(await response.text()).includes('job-title'))
      throw new Error('The first page does not show a list')
    firsts.push(performance.now() - begun)
    await stop()
  }
  const shown = firsts.map((ms) => ms.toFixed(0)).join(', ')
  console.log(`First list page after each of ${STARTS} starts: ${shown} ms\n`)

  const service = await start()
  const target = (paths: readonly string[], isPage: boolean) => ({
    origin: service.origin,
    headers: isPage ? {} : { authorization: `Bearer ${ADMIN_API_KEY}` },
    method: 'GET' as const,
    paths: isPage ? paths.map(pageOf) : paths,
    bodies: [],
  })
  console.log('| case | API, requests/s | page, requests/s | ratio | page, p99 ms |\n|---|---:|---:|---:|---:|')
  const row = (name: string, lists: { perSecond: number }, pages: { perSecond: number; p99: number }) => {
    const whole = [lists, pages].map(({ perSecond }) => Math.round(perSecond).toLocaleString('en'))
    console.log(
      `| ${[name, ...whole, (pages.perSecond / lists.perSecond).toFixed(2), pages.p99.toFixed(1)].join(' | ')} |`,
    )
  }

  // Uses new URLs, to measure uncached responses. The first round loads the jobs and does not count.
  // Pages redirect a location without a distance.
  const rounds = filteredLists(18 * VARIED)
    .filter((url) => !/[?&]location=/.test(url))
    .slice(0, 9 * VARIED)
  const once: Record<'lists' | 'pages', Sample[]> = { lists: [], pages: [] }
  for (const [n, isPage] of [true, false, true, true, false, false, true, true, false].entries()) {
    const sample = await askOnce(target(rounds.slice(n * VARIED, (n + 1) * VARIED), isPage))
    if (n > 0) once[isPage ? 'pages' : 'lists'].push(sample)
  }
  row(`${VARIED.toLocaleString('en')} URLs, each for the first time`, figureOf(once.lists), figureOf(once.pages))

  const again = rounds.slice(0, VARIED)
  const samples: Record<'lists' | 'pages', Sample[]> = { lists: [], pages: [] }
  await load(target(again, false), seconds)
  await load(target(again, true), seconds)
  for (const isPage of [false, true, true, false]) {
    samples[isPage ? 'pages' : 'lists'].push(await load(target(again, isPage), seconds / 2))
  }
  row(`${VARIED.toLocaleString('en')} URLs in random order`, figureOf(samples.lists), figureOf(samples.pages))

  const hot: typeof samples = { lists: [], pages: [] }
  for (const isPage of [false, true, true, false]) {
    hot[isPage ? 'pages' : 'lists'].push(await load(target(['/v1/jobs'], isPage), seconds / 2))
  }
  row('page 1, repeated', figureOf(hot.lists), figureOf(hot.pages))
  if (hasWrk) {
    const lists: Figure[] = []
    const pages: Figure[] = []
    for (const isPage of [false, true, true, false]) {
      ;(isPage ? pages : lists).push(await loadByWrk(target(['/v1/jobs'], isPage), seconds / 2))
    }
    row('page 1, repeated, with wrk', meanOf(lists), meanOf(pages))
  }
  await service.stop()
}

await withLoadedBoard(Number(options.jobs), options.url, bench)
