/** The compressed size of each page, including its style sheets, scripts and icons. */
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { type PageWorld, pageWorld, readers } from '../support/page-world.ts'
import type { Page, Visitor } from '../support/pages.ts'

const BYTES_MAX = 60_000
/** Routes that are not viewable pages. */
const OTHERS =
  /\.(?:atom|rss|json|jsonl|md|xml|txt|svg|png|webmanifest)$|^\/sitemaps\/|^\/share\/|\/stream$|\/suggestions$|\/places$|\/export$|\/invoice$|\/message$|\/resumes\/:id(?:\/view)?$/

const board = useBoard()
let world: PageWorld

beforeAll(async () => {
  world = await pageWorld(board, true)
})

async function bytesOf(who: Visitor, page: Page): Promise<number> {
  const files = page.document.querySelectorAll('link[rel="stylesheet"], link[rel="icon"], script[src]')
  const sizes = files.map(async (file) => {
    const path = file.getAttribute('href') ?? file.getAttribute('src')!
    return gzipSync((await who.send('GET', path)).text).length
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, gzipSync(page.text).length)
}

/** Paths whose pages explain a problem, so their status is not 200. */
const PROBLEMS = ['/nowhere', '/sign-in/link', '/invitation']

test.each(readers)('no page, including its files, exceeds 60 KB when compressed: %s', async (kind) => {
  const who = await world.arrive(kind)
  const heavy: string[] = []
  for (const path of world.paths[kind]) {
    const page = await who.get(path)
    expect([path, page.status === 200 || PROBLEMS.includes(path)]).toEqual([path, true])
    const bytes = await bytesOf(who, page)
    if (bytes > BYTES_MAX) heavy.push(`${path}: ${bytes}`)
  }
  expect(heavy).toEqual([])
})

test('every page was measured', () => {
  const weighed = Object.values(world.paths)
    .flat()
    .map((path) => path.split('?')[0]!)
  const pages = [...board.service.pages].filter((page) => page.startsWith('GET ')).map((page) => page.slice(4))
  const patternOf = (page: string) => new RegExp(`^${page.replace(/:\w+/g, '[^/]+')}$`)
  const left = pages.filter((page) => !OTHERS.test(page) && !weighed.some((path) => patternOf(page).test(path)))
  expect(left).toEqual([])
})
