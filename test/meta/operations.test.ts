/** Every documented operation has a test file, and every documented status a block in it. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'

const folder = new URL('../api/', import.meta.url)
const board = useBoard()
const operations = () => board.contract.operations

/** Statuses that every operation shares, which test/http/ tests for all operations at once. */
const common = ['304', '406', '414', '429', '431', '503']

describe('the tests of operations', () => {
  test('have a file named after each operation', () => {
    expect(operations().length).toBeGreaterThan(20)
    const missing = operations().filter(({ operationId }) => !existsSync(new URL(`${operationId}.test.ts`, folder)))
    expect(missing.map(({ operationId }) => operationId)).toEqual([])
  })

  test('have a block for each declared status, and for no other status', () => {
    const differences = operations().flatMap(({ operationId, responses }) => {
      const file = new URL(`${operationId}.test.ts`, folder)
      const source = existsSync(file) ? readFileSync(file, 'utf8') : ''
      const tested = [...source.matchAll(/^ +status\((\d{3}),/gm)].map(([, status]) => status!)
      const declared = Object.keys(responses)
      return [
        ...(new RegExp(`^describeOperation\\(\\s*'${operationId}',`, 'm').test(source)
          ? []
          : [`${operationId} is not described in its file`]),
        ...declared
          .filter((status) => !tested.includes(status) && !common.includes(status))
          .map((status) => `${operationId} lacks ${status}`),
        ...tested
          .filter((status) => !declared.includes(status))
          .map((status) => `${operationId} has ${status} too many`),
        ...(new Set(tested).size < tested.length ? [`${operationId} has a status twice`] : []),
      ]
    })
    expect(differences).toEqual([])
  })

  test.each([
    ['414 to an address of more than 8 KiB', 414, '?'.padEnd(8_192, 'x'), {}],
    ['431 to headers of more than 16 KiB', 431, '', { 'x-long': 'x'.repeat(16_384) }],
  ])('need no block for a status that all operations share: %s', async (_what, status, query, headers) => {
    for (const [path, item] of Object.entries(board.contract.document.paths)) {
      for (const method of Object.keys(item)) {
        const target = `/v1${path.replace(/\{\w+\}/g, 'x')}${query}`
        const answer = await board.call(method.toUpperCase(), target, { headers })
        expect(answer.status, `${method} ${path}`).toBe(status)
      }
    }
  })
})
