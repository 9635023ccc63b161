/**
 * `node bench/pages.ts [--jobs 20000] [--url postgres://…] [--seconds 5]`: measures the list as an HTML page and from
 * the API, in the same minute. CPU is the service's processor time per response. Imports generated jobs, or uses a
 * loaded database (`--url`).
 */
import { parseArgs } from 'node:util'
import { withLoadedBoard } from './loaded-board.ts'
import { askOnce, type Figure, figureOf, hasWrk, load, loadByWrk, meanOf, type Sample } from './measure.ts'
import { processorMs, SERVE, startServer } from './processes.ts'
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
  console.log('| case | API, requests/s | page, requests/s | ratio | page, p99 ms | API, CPU ms | page, CPU ms |')
  console.log('|---|---:|---:|---:|---:|---:|---:|')
  type Kind = 'lists' | 'pages'
  /**
   * Measures lists and pages in turns. Also records the service's processor time, which excludes the load generator's.
   */
  const compare = async (
    name: string,
    order: readonly Kind[],
    measure: (kind: Kind, turn: number) => Promise<Sample>,
  ): Promise<void> => {
    const samples: Record<Kind, Sample[]> = { lists: [], pages: [] }
    const spent = { lists: 0, pages: 0 }
    for (const [turn, kind] of order.entries()) {
      const before = processorMs(service.pid)
      samples[kind].push(await measure(kind, turn))
      spent[kind] += processorMs(service.pid) - before
    }
    const cost = (kind: Kind) => spent[kind] / samples[kind].reduce((sum, { responses }) => sum + responses, 0)
    row(name, figureOf(samples.lists), figureOf(samples.pages), [cost('lists'), cost('pages')])
  }
  const row = (name: string, lists: Figure, pages: Figure, costs: readonly number[] = []) => {
    const whole = [lists, pages].map(({ perSecond }) => Math.round(perSecond).toLocaleString('en'))
    const ratio = (pages.perSecond / lists.perSecond).toFixed(2)
    const figures = [...whole, ratio, pages.p99.toFixed(1), ...costs.map((ms) => ms.toFixed(3))]
    console.log(`| ${[name, ...figures].join(' | ')} |`)
  }

  // Uses new URLs, to measure uncached responses. The first round loads the jobs and does not count.
  // Pages redirect a location without a distance.
  const rounds = filteredLists(18 * VARIED)
    .filter((url) => !/[?&]location=/.test(url))
    .slice(0, 9 * VARIED)
  const urls = VARIED.toLocaleString('en')
  await askOnce(target(rounds.slice(0, VARIED), true))
  await compare(
    `${urls} URLs, each for the first time`,
    ['lists', 'pages', 'pages', 'lists', 'lists', 'pages', 'pages', 'lists'],
    (kind, turn) => askOnce(target(rounds.slice((turn + 1) * VARIED, (turn + 2) * VARIED), kind === 'pages')),
  )

  const again = rounds.slice(0, VARIED)
  await load(target(again, false), seconds)
  await load(target(again, true), seconds)
  const turns: Kind[] = ['lists', 'pages', 'pages', 'lists']
  const half = seconds / 2
  await compare(`${urls} URLs in random order`, turns, (kind) => load(target(again, kind === 'pages'), half))
  await compare('page 1, repeated', turns, (kind) => load(target(['/v1/jobs'], kind === 'pages'), half))
  if (hasWrk) {
    const figures: Record<Kind, Figure[]> = { lists: [], pages: [] }
    for (const kind of turns) figures[kind].push(await loadByWrk(target(['/v1/jobs'], kind === 'pages'), half))
    row('page 1, repeated, with wrk', meanOf(figures.lists), meanOf(figures.pages))
  }
  await service.stop()
}

await withLoadedBoard(Number(options.jobs), options.url, bench)
