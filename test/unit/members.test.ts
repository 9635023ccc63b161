import { expect, test } from 'vitest'
import { namesOf, pickMembers } from '../../src/lib/members.ts'

test('picks members in the order of the given names, with times in RFC 3339 format', () => {
  const row = { secret: 'x', at: new Date(0), gone: null, id: 'job_1' }
  const picked = pickMembers(row, ['id', 'at', 'gone'])
  expect(JSON.stringify(picked)).toBe('{"id":"job_1","at":"1970-01-01T00:00:00.000Z","gone":null}')
  expect(namesOf(picked)).toEqual(['id', 'at', 'gone'])
})
