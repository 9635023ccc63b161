import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

test('prose in documents is wrapped at 120 columns', () => {
  for (const path of globSync(['docs/**/*.md', 'packages/client/README.md'], { cwd: root })) {
    const prose = readFileSync(new URL(path, root), 'utf8').replace(/^ *```.*?^ *```$/gms, '')
    const tooLong = prose.split('\n').filter((line) => line.length > 120 && !line.trimStart().startsWith('|'))
    expect(tooLong, path).toEqual([])
  }
})
