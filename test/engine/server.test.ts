/** The OpenSearch server that the other tests in this folder use. */
import { expect, inject, test } from 'vitest'

const searchUrl = inject('searchUrl')

test.skipIf(!searchUrl)('the engine creates and deletes an index', async () => {
  const index = `${searchUrl}/server-test`
  expect((await fetch(index, { method: 'PUT' })).status).toBe(200)
  expect((await fetch(index, { method: 'DELETE' })).status).toBe(200)
})
