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
