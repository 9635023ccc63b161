import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

test('prose in documents is wrapped at 120 columns', () => {
  const documents = globSync(['docs/**/*.md', 'packages/client/README.md'], { cwd: root })
  const tooLong = documents.flatMap((path) => {
    const prose = readFileSync(new URL(path, root), 'utf8').replace(/^ *```.*?^ *```$/gms, '')
    const lines = prose.split('\n').filter((line) => line.length > 120 && !line.trimStart().startsWith('|'))
    return lines.map((line) => `${path}: ${line}`)
  })
  expect(tooLong).toEqual([])
})

test('each decision has at most 60 lines', () => {
  const decisions = globSync('docs/decisions/0*.md', { cwd: root })
  expect(decisions.length).toBeGreaterThan(100)
  const linesOf = (path: string) => readFileSync(new URL(path, root), 'utf8').split('\n').length - 1
  expect(decisions.filter((path) => linesOf(path) > 60)).toEqual([])
})
