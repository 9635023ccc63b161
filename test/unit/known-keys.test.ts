import { expect, test } from 'vitest'
import { KnownKeys } from '../../src/http/fast-path/known-keys.ts'
import { hashApiKey, newApiKey } from '../../src/lib/api-keys.ts'
import type { Actor } from '../../src/lib/scopes.ts'

const actor = { accountId: 'cand_1' } as Actor

test('a known key is recognized by its whole digest, and its actor is looked up each time', () => {
  const [key, other] = [newApiKey('candidate'), newApiKey('candidate')]
  const asked: string[] = []
  let isValid = true
  const keys = new KnownKeys((hash) => {
    asked.push(hash)
    return isValid && hash === hashApiKey(key) ? actor : undefined
  })
  for (let n = 0; n < 3; n++) expect([keys.recall(key), keys.recall(other)]).toEqual([actor, undefined])
  expect(keys.recall(`${key} `)).toBeUndefined()
  expect(keys.recall('')).toBeUndefined()
  isValid = false
  expect(keys.recall(key)).toBeUndefined()
  expect(asked).toEqual(expect.arrayContaining([hashApiKey(key), hashApiKey(other)]))
})
