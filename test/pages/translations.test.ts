/** The pages in every language except English: no message remains in English, and no page fails. */
import { readFileSync } from 'node:fs'
import { NodeType } from 'node-html-parser'
import { beforeAll, describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { type PageWorld, pageWorld, readers } from '../support/page-world.ts'
import type { Page } from '../support/pages.ts'

const board = useBoard()
let world: PageWorld

beforeAll(async () => {
  world = await pageWorld(board)
})

const catalogOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../locales/${language}.json`, import.meta.url), 'utf8'))

/** Returns a page's texts, and the attributes that browsers show or screen readers read. */
function textsOf({ document }: Page): Set<string> {
  const texts = new Set<string>()
  const visit = (node: typeof document): void => {
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) texts.add((node.getAttribute(name) ?? '').trim())
    for (const child of node.childNodes) {
      if (child.nodeType === NodeType.TEXT_NODE) texts.add(child.text.replace(/\s+/g, ' ').trim())
      // Text areas contain stored text.
      else if (child.nodeType === NodeType.ELEMENT_NODE && child.rawTagName !== 'textarea')
        visit(child as typeof document)
    }
  }
  visit(document)
  return texts
}

/** Titles of legal pages and names of products, which are stored and not translated. */
const stored = new Set(['Imprint', 'Privacy notice', 'Highlighted'])

describe.each(['de', 'fr', 'es', 'ja'])('in %s', (language) => {
  const [english, own] = [catalogOf('en'), catalogOf(language)]
  const translated = new Set(Object.values(own))
  /** English messages whose translation differs. Excludes lowercase messages, because they are also API values. */
  const foreign = new Set(
    Object.values(english).filter((text) => /^\p{Lu}/u.test(text) && !translated.has(text) && !stored.has(text)),
  )

  test.each(readers)('the pages for %s are completely translated', async (kind) => {
    const visitor = await world.arrive(kind)
    const left: string[] = []
    // The developer documentation is in English, and the admin catalog shows stored names.
    for (const path of world.paths[kind].filter((path) => !/^\/(?:docs|desk\/catalogue)/.test(path))) {
      const page = await visitor.get(path === '/' ? `/${language}` : `/${language}${path}`)
      expect(page.status, path).toBeLessThan(500)
      expect(page.document.querySelector('html')!.getAttribute('lang'), path).toBe(language)
      for (const text of textsOf(page)) if (foreign.has(text)) left.push(`${path}: ${text}`)
    }
    expect(left).toEqual([])
  })
})
