import { describe, expect, test } from 'vitest'
import { Places } from '../../src/lib/places.ts'

const make = (atOnce: number, ofAccount = 2, ofNetwork = 3) =>
  new Places({ atOnce, ofAccount, ofNetwork, refusal: 'Too many' })

describe('slots', () => {
  test('are limited per account, per network and in total, until they are released', () => {
    const places = make(4)
    const leave = [places.take('a', 'n'), places.take('a', 'n')]
    expect(() => places.take('a', 'm')).toThrow('Too many')
    places.take('b', 'n')
    expect(() => places.take('c', 'n')).toThrow('Too many')
    places.take('c', 'm')
    expect(() => places.take('d', 'o')).toThrow('Too many')
    leave[0]!()
    places.take('d', 'o')
    // A second release has no effect.
    leave[0]!()
    expect(() => places.take('e', 'p')).toThrow('Too many')
  })

  test('move, oldest first, from an account with several slots to an account with none, but never from an account with one', () => {
    const places = make(3)
    const ended: string[] = []
    const take = (account: string, name: string) => places.take(account, name, () => ended.push(name))
    take('a', 'a1')
    take('b', 'b1')
    take('b', 'b2')
    expect(() => take('a', 'a2')).toThrow('Too many')
    take('c', 'c1')
    expect(ended).toEqual(['b1'])
    expect(() => take('d', 'd1')).toThrow('Too many')
  })

  test('are kept if they cannot be revoked', () => {
    const places = make(2)
    places.take('a', 'n')
    places.take('a', 'n')
    expect(() => places.take('b', 'm')).toThrow('Too many')
  })
})
