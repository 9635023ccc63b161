import { expect, test } from 'vitest'
import { reasonOf } from '../../src/commands/run.ts'
import { unavailable } from '../../src/lib/errors.ts'

test.each([
  ['the message of its cause', unavailable(new Error('Connection refused')), 'Connection refused'],
  ['the code of a cause without a message', unavailable({ message: '', code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  ['a cause that is a text', unavailable('too many queries wait'), 'too many queries wait'],
  ['its own message if it has no cause', unavailable(), unavailable().message],
  ['the name of an error without a message', new TypeError(), 'TypeError'],
])('the reason for an error is %s', (_what, error, reason) => {
  expect(reasonOf(error)).toBe(reason)
})
