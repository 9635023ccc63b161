/** Deprecated operations announce their removal. */
import Fastify from 'fastify'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineFeature } from '../../src/features/feature.ts'
import { announceRemovals } from '../../src/http/deprecation.ts'
import { features } from '../../src/main/features.ts'
import { ADMIN_KEY, Board } from '../support/board.ts'

const old = defineFeature({
  name: 'old',
  open: () => ({
    api: (v1) => {
      v1.get('/old', {
        config: {
          access: {},
          deprecated: { since: '2026-03-01', sunset: '2027-03-01' },
          ready: () => ({ body: Buffer.from('{"data":null}') }),
        },
        schema: {
          operationId: 'getOld',
          summary: 'Get something old',
          response: { 200: Type.Object({ data: Type.Null() }) },
        },
        handler: () => ({ data: null }),
      })
    },
  }),
})

const board = new Board()
beforeAll(async () => {
  board.features = [...features, old]
  await board.start()
})
afterAll(() => board.stop())

test('a deprecated operation sends Deprecation and Sunset, even in cached responses, and OpenAPI marks it as deprecated', async () => {
  const headers = ['@1772323200', 'Mon, 01 Mar 2027 00:00:00 GMT']
  // The second response comes from the cache, if the board has a fast path.
  for (let n = 0; n < 2; n++) {
    const answer = await board.get('/v1/old', ADMIN_KEY)
    expect([answer.headers.get('deprecation'), answer.headers.get('sunset')]).toEqual(headers)
  }
  expect((await board.get('/v1/me', ADMIN_KEY)).headers.has('deprecation')).toBe(false)
  const { paths } = (await board.get('/v1/openapi.json')).body
  expect([paths['/old'].get.deprecated, paths['/me'].get.deprecated]).toEqual([true, undefined])
})

test('the sunset must be at least 365 days after the deprecation', () => {
  const app = Fastify()
  announceRemovals(app)
  const config = { access: {}, deprecated: { since: '2026-03-01', sunset: '2026-12-01' } }
  const register = () => app.get('/old', { config }, () => null)
  expect(register).toThrow('/old: the sunset must be at least 365 days after the deprecation')
})
