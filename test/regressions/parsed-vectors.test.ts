/**
 * The memory for the parsed search vectors of the board's last 4,000 changes. Before the fix, the vectors took 160 MB.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { parseVector } from '../../src/search/text/operands.ts'
import { searchGroups, searchVector } from '../../src/search/text/words.ts'

const VECTORS = 200
const LEXEMES = 170

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a lexeme with one position takes less than 150 bytes', () => {
  const description = Array.from({ length: LEXEMES }, (_, n) => `word${n}`).join(' ')
  const vector = searchVector({ title: '', skills: [], company: '', description, language: null })
  parseVector(vector)
  const before = heapInUse()
  const parsed = Array.from({ length: VECTORS }, () => parseVector(vector))
  const bytes = (heapInUse() - before) / VECTORS / LEXEMES
  expect(parsed.every((lexemes) => lexemes.has(`word${LEXEMES - 1}`))).toBe(true)
  expect(bytes).toBeLessThan(150)
})

test('matching a text against 2,000 prefixes keeps less than 5,000 bytes in memory', () => {
  const description = Array.from({ length: LEXEMES }, (_, n) => `word${n}`).join(' ')
  const vector = searchVector({ title: '', skills: [], company: '', description, language: null })
  const conditions = Array.from({ length: 2_000 }, (_, n) => searchGroups(`pre${n}`)).flat()
  const parsed = Array.from({ length: VECTORS }, () => parseVector(vector))
  const judge = () => parsed.every((lexemes) => conditions.every((condition) => condition.fit(lexemes) === 0))
  // The first search by prefix sorts the lexemes.
  expect(parsed.some((lexemes) => searchGroups('first').some((condition) => condition.fit(lexemes) > 0))).toBe(false)
  const before = heapInUse()
  expect(judge()).toBe(true)
  expect((heapInUse() - before) / VECTORS).toBeLessThan(5_000)
})
