import { expect, test } from 'vitest'
import { describeError } from '../../src/main/log.ts'

test('logs database errors without row values', () => {
  const error = Object.assign(new Error('duplicate key value violates unique constraint "account_kind_email_key"'), {
    code: '23505',
    detail: 'Key (kind, email_key)=(candidate, ada@candidate.example) already exists.',
    where: 'COPY account, line 1: "ada@candidate.example"',
  })
  const logged = describeError(error)
  expect(logged).toMatchObject({ message: error.message, code: '23505' })
  expect(JSON.stringify({ ...logged, ...{ raw: undefined } })).not.toContain('ada@')
})
