/** Shared tests of conditional requests: tags, 304 and 412. */
import { expect, test } from 'vitest'
import type { AccountKind } from '../../src/lib/api-keys.ts'
import { type Board, expectStatus } from './board.ts'
import type { RequestOf } from './operation.ts'

const STRONG = /^"[\w-]{22,}"$/

/** Registers tests in the 304 block of an operation that reads one resource. */
export function answersNotModified(board: Board, kind: AccountKind, request: RequestOf): void {
  test('returns 304 without a body while the tag is current', async () => {
    const { path, key = (await board.account(kind)).key } = await request()
    const ask = (method: string, known?: string) =>
      board.call(method, path, { key, ...(known !== undefined && { headers: { 'if-none-match': known } }) })
    const whole = await ask('GET')
    const tag = whole.headers.get('etag')!
    expect([whole.status, tag]).toEqual([200, expect.stringMatching(STRONG)])
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(method, known)
        expect([method, known, answer.status, answer.text]).toEqual([method, known, 304, ''])
        expect(answer.headers.get('etag')).toBe(tag)
        if (method === 'GET') expect(answer.headers.get('content-type')).toBeNull()
      }
    }
    for (const known of ['"other"', 'W/"other"', tag.slice(1, -1), '']) {
      expect([known, (await ask('GET', known)).text]).toEqual([known, whole.text])
    }
  })
}

/** Registers tests in the 412 block of an operation that changes or deletes a resource with a GET at the same path. */
export function changesOnlyWhatMatches(board: Board, kind: AccountKind, request: RequestOf): void {
  const make = async () => {
    const { method, path, body, key = (await board.account(kind)).key } = await request()
    const tag = async () => expectStatus(await board.get(path, key), 200).headers.get('etag')!
    const send = (headers: Record<string, string>) =>
      board.call(method, path, { key, headers, ...(body !== undefined && { body }) })
    return { method, tag, send }
  }

  test('changes nothing if If-Match lacks the strong current tag, or if If-None-Match matches it', async () => {
    const { tag, send } = await make()
    const present = await tag()
    for (const wanted of ['"other"', `W/${present}`, present.slice(1, -1), `"other", W/${present}`, '']) {
      const answer = await send({ 'if-match': wanted })
      expect([wanted, answer.status, answer.body.code]).toEqual([wanted, 412, 'precondition_failed'])
    }
    for (const unwanted of ['*', present, `W/${present}`]) {
      const answer = await send({ 'if-none-match': unwanted })
      expect([unwanted, answer.status]).toEqual([unwanted, 412])
    }
    expect(await tag()).toBe(present)
  })

  test.each([
    ['the current tag', (tag: string) => tag],
    ['a list with the current tag', (tag: string) => `"other" , ${tag},W/"x,y"`],
    ['an asterisk', () => '*'],
  ])('makes the change if If-Match contains %s', async (_by, wanted) => {
    const { method, tag, send } = await make()
    const answer = await send({ 'if-match': wanted(await tag()) })
    expect(answer.status).toBe(method === 'PUT' ? 200 : 204)
    // The response has the new tag, so the client can change the resource again without reading it.
    if (method === 'PUT') expect(answer.headers.get('etag')).toBe(await tag())
  })
}

/**
 * Registers tests in the 412 block of an operation that deletes a resource. The resource has no GET at the same path,
 * and therefore no tag.
 */
export function hasNoTag(board: Board, kind: AccountKind, request: RequestOf): void {
  test('refuses every tag in If-Match, but accepts an asterisk', async () => {
    const { method, path, key = (await board.account(kind)).key } = await request()
    const answer = await board.call(method, path, { key, headers: { 'if-match': '"any"' } })
    expect([answer.status, answer.body.code]).toEqual([412, 'precondition_failed'])
    expect((await board.call(method, path, { key, headers: { 'if-match': '*' } })).status).toBe(204)
  })
}
