/** Words with equal hashes in one employer's jobs made adding words to the index quadratic. */
import { expect, test } from 'vitest'
import { Postings } from '../../src/search/memory/postings.ts'

const [BASIS, PRIME, INVERSE] = [0x811c9dc5, 0x01000193, 0x359c449b]
const LETTERS = [...'0123456789abcdefghijklmnopqrstuvwxyz']

const texts = (length: number): string[] =>
  length === 0 ? [''] : texts(length - 1).flatMap((text) => LETTERS.map((letter) => text + letter))

/** Returns words of nine characters with the same FNV-1a hash, from beginnings and endings that meet in the middle. */
function collidingWords(): string[] {
  const mask = 2 ** 23 - 1
  const beginnings = texts(4)
  const table = new Uint32Array(mask + 1)
  const states = Int32Array.from(beginnings, (text) => {
    let state = BASIS
    for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), PRIME)
    return state
  })
  for (const [n, state] of states.entries()) {
    let at = (state ^ (state >>> 9)) & mask
    while (table[at] !== 0) at = (at + 1) & mask
    table[at] = n + 1
  }
  const codes = LETTERS.map((letter) => letter.charCodeAt(0))
  const words: string[] = []
  const extend = (state: number, ending: string) => {
    if (ending.length < 5) {
      for (const [n, code] of codes.entries()) extend(Math.imul(state, INVERSE) ^ code, LETTERS[n] + ending)
      return
    }
    for (let at = (state ^ (state >>> 9)) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const n = table[at]! - 1
      if (states[n] === state) words.push(beginnings[n] + ending)
    }
  }
  extend(0x12345678, '')
  return words
}

test('words with equal hashes are added as fast as other words', () => {
  const words = collidingWords()
  expect(words.length).toBeGreaterThan(20_000)
  const msToAdd = (added: readonly string[]) => {
    const postings = new Postings(32)
    const start = performance.now()
    postings.add(0, added.map((word) => `'${word}':1`).join(' '))
    return performance.now() - start
  }
  const others = words.map((_, n) => n.toString(36).padStart(9, 'x'))
  expect(msToAdd(words)).toBeLessThan(10 * msToAdd(others) + 50)
})
