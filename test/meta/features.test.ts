/** The board works if any single optional feature is missing. */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Feature } from '../../src/features/feature.ts'
import { accountKinds } from '../../src/lib/api-keys.ts'
import { splitLanguage } from '../../src/locale/languages.ts'
import { features } from '../../src/main/features.ts'
import { Board, useBoard } from '../support/board.ts'
import { type PageWorld, pageWorld } from '../support/page-world.ts'
import { type Page, Visitor } from '../support/pages.ts'

const optional = features.filter(({ isOptional }) => isOptional)
const whole = useBoard()
let world: PageWorld
beforeAll(async () => {
  world = await pageWorld(whole)
})

/** Starts another instance of the service on the same database with these features. */
async function startWith(listed: readonly Feature[]): Promise<Board> {
  const board = new Board()
  board.database = whole.database
  board.features = listed
  await board.start()
  return board
}

const operationsOf = (board: Board) => board.contract.operations.map(({ operationId }) => operationId)

/** Returns a pattern of all pages, where a parameter such as `:id` matches any path segment. */
function patternOf({ service }: Board): RegExp {
  const pages = [...service.pages].map((page) => page.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+'))
  return new RegExp(`^(?:${pages.join('|')})$`)
}

/** Returns a page's links and forms as `METHOD /path`. Searches the text, because parsing takes too long. */
const targetsOf = ({ text }: Page) =>
  [...text.matchAll(/<(?:a|form) [^>]*?(?:href|action)="(\/[^"]*)[^>]*>/g)].map(([tag, path]) => {
    const isPost = tag.startsWith('<form') && tag.includes('method="post"')
    return `${isPost ? 'POST' : 'GET'} ${path}`
  })

describe('the list of features', () => {
  test('contains each feature once, and at least half of them are optional', () => {
    const names = features.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(optional.length).toBeGreaterThanOrEqual(names.length / 2)
  })

  test('contains only features whose personal data, if any, is declared in the file named after them', () => {
    for (const file of globSync('src/features/*/*.feature.ts')) {
      const source = readFileSync(file, 'utf8')
      const declared = /^ +personalData: (\w+),$/m.exec(source)?.[1]
      const own = `./${basename(file, '.feature.ts')}.personal-data.ts`
      if (declared) expect(source, file).toContain(`import { ${declared} } from '${own}'`)
    }
  })

  test.each(optional.map(({ name }) => name))('still produces a working board without %s', async (name) => {
    const board = await startWith(features.filter((feature) => feature.name !== name))
    try {
      expect((await board.get('/readyz')).status).toBe(200)
      const [before, after] = [operationsOf(whole), operationsOf(board)]
      expect(before).toEqual(expect.arrayContaining(after))
      const [pagesBefore, pagesAfter] = [whole.service.pages, board.service.pages]
      expect([...pagesAfter].filter((page) => !pagesBefore.has(page))).toEqual([])
      for (const task of board.service.tasks) await task.once()
      const pattern = patternOf(board)
      // Each page has a URL in every language.
      const isServed = (target: string) => {
        const [method, path] = target.replace(/[?#].*/, '').split(' ') as [string, string]
        return pattern.test(`${method} ${splitLanguage(path).rest}`)
      }
      const isElsewhere = (target: string) => /^GET \/(?:v1|assets|healthz|metrics)\b/.test(target)
      /** The first page that contains each link or form. */
      const targets = new Map<string, string>()
      for (const kind of ['visitor', ...accountKinds] as const) {
        const visitor = new Visitor(board)
        if (kind !== 'visitor') await visitor.signIn(world.accounts[kind])
        for (const path of world.paths[kind].filter((path) => isServed(`GET ${path}`))) {
          const page = await visitor.send('GET', path)
          expect(page.status, path).toBeLessThan(500)
          for (const target of targetsOf(page)) if (!targets.has(target)) targets.set(target, path)
        }
      }
      const dead = [...targets].filter(([target]) => !isElsewhere(target) && !isServed(target))
      expect(dead).toEqual([])
    } finally {
      await board.service.app.close()
    }
  })
})
