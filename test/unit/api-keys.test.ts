import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountKinds, hashApiKey, isWellFormedApiKey, keyKindPrefixes, newApiKey } from '../../src/lib/api-keys.ts'

describe('newApiKey', () => {
  test.each(accountKinds)('creates well-formed keys whose prefix names the kind: %s', (kind) => {
    const key = newApiKey(kind)
    expect(key).toMatch(new RegExp(`^jm_${keyKindPrefixes[kind]}_[0-9A-Za-z]{38}$`))
    expect(isWellFormedApiKey(key)).toBe(true)
  })

  test('never creates the same key twice, and uses the whole alphabet', () => {
    const keys = Array.from({ length: 2_000 }, () => newApiKey('employer'))
    expect(new Set(keys).size).toBe(2_000)
    expect(new Set(keys.flatMap((key) => [...key.slice(7, -6)])).size).toBe(62)
  })
})

describe('isWellFormedApiKey', () => {
  const key = newApiKey('candidate')

  test('detects a mistyped character at any position', () => {
    for (let i = 0; i < key.length; i++) {
      for (const other of ['0', 'z', 'A']) {
        if (key[i] === other) continue
        expect(isWellFormedApiKey(key.slice(0, i) + other + key.slice(i + 1)), `${other} at ${i}`).toBe(false)
      }
    }
  })

  test('detects swapped neighbors, truncation, additions and upper case', () => {
    for (let i = 8; i < key.length - 1; i++) {
      if (key[i] === key[i + 1]) continue
      const swapped = key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2)
      expect(isWellFormedApiKey(swapped), `at ${i}`).toBe(false)
    }
    for (const text of [key.slice(1), key.slice(0, -1), `${key}0`, `${key}\n`, ` ${key}`, key.toUpperCase()]) {
      expect(isWellFormedApiKey(text)).toBe(false)
    }
  })

  test('rejects a key whose kind was changed', () => {
    expect(isWellFormedApiKey(key.replace('jm_cand_', 'jm_adm_'))).toBe(false)
    expect(isWellFormedApiKey(key.replace('jm_cand_', 'jm_root_'))).toBe(false)
  })

  test('rejects any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedApiKey(text)))
    fc.assert(fc.property(fc.stringMatching(/^jm_emp_[0-9A-Za-z]{32}$/), (text) => !isWellFormedApiKey(text)))
  })
})

describe('hashApiKey', () => {
  test('returns the SHA-256 of the whole key, in hexadecimal', () => {
    const key = newApiKey('integrator')
    expect(hashApiKey(key)).toBe(createHash('sha256').update(key).digest('hex'))
    expect(hashApiKey('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })
})
