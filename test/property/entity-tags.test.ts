import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entityTag, matchesNone, matchesSome } from '../../src/lib/entity-tags.ts'

const character = fc
  .constantFrom('a', 'b', ',', ' W', '/', '*', '\\', '!', '~', '\x80', '\xff')
  .map((text) => text.trim())
const opaque = fc.array(character, { maxLength: 3 }).map((parts) => `"${parts.join('')}"`)
const strong = opaque
const anyTag = fc.tuple(fc.boolean(), opaque).map(([isWeak, tag]) => (isWeak ? `W/${tag}` : tag))
const space = fc.constantFrom('', ' ', '\t', ' \t ')
/** A list in any spelling that RFC 9110 allows, with white space and empty elements. */
const list = fc
  .array(fc.tuple(space, fc.option(anyTag, { nil: '' }), space), { minLength: 1, maxLength: 6 })
  .map((members) => ({
    header: members.map((member) => member.join('')).join(','),
    tags: members.map(([, tag]) => tag).filter((tag) => tag !== ''),
  }))
const opaqueOf = (tag: string) => tag.replace(/^W\//, '')

describe('a list of entity tags', () => {
  test('in If-None-Match matches a tag by weak comparison', () => {
    fc.assert(
      fc.property(list, anyTag, ({ header, tags }, tag) => {
        expect(matchesNone(header, tag)).toBe(!tags.some((other) => opaqueOf(other) === opaqueOf(tag)))
      }),
      { numRuns: 2_000 },
    )
  })

  test('in If-Match matches a tag by strong comparison', () => {
    fc.assert(
      fc.property(list, anyTag, ({ header, tags }, tag) => {
        expect(matchesSome(header, tag)).toBe(!tag.startsWith('W/') && tags.includes(tag))
      }),
      { numRuns: 2_000 },
    )
  })

  test('matches nothing if any element is invalid', () => {
    const junk = fc.constantFrom(
      'a',
      '"',
      'w/"a"',
      'W/ "a"',
      'W/',
      '""a',
      '"a" "b"',
      "'a'",
      '"a";',
      '"a\x7f"',
      '*',
      'W/*',
    )
    fc.assert(
      fc.property(fc.array(strong, { maxLength: 3 }), junk, fc.nat(3), (tags, text, at) => {
        const header = tags.toSpliced(at, 0, text, '"b"').join(', ')
        for (const tag of [...tags, '"a"', '"b"', '""']) {
          expect([header, matchesSome(header, tag), matchesNone(header, tag)]).toEqual([header, false, true])
        }
      }),
    )
  })

  test('matches only tags that occur in it, for any text, even of 600,000 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 40 }), strong, (header, tag) => {
        if (matchesSome(header, tag) && header.trim() !== '*') expect(header).toContain(tag)
        if (!matchesNone(header, tag) && header.trim() !== '*') expect(header).toContain(tag)
      }),
      { numRuns: 2_000 },
    )
    const long = `${'W/"a",'.repeat(100_000)}x`
    expect(matchesNone(long, '"b"')).toBe(true)
  })
})

test('an asterisk matches any existing resource', () => {
  for (const header of ['*', ' * ', '\t*']) {
    expect([matchesSome(header, '"a"'), matchesNone(header, '"a"')]).toEqual([true, false])
    // The resource exists but has no tag.
    expect([matchesSome(header, undefined), matchesNone(header, undefined)]).toEqual([true, false])
  }
  expect([matchesSome('"a"', undefined), matchesNone('"a"', undefined)]).toEqual([false, true])
})

test('a resource that does not exist matches neither a tag nor an asterisk', () => {
  for (const header of ['*', '"a"'])
    expect([matchesSome(header, null), matchesNone(header, null)]).toEqual([false, true])
})

test('a request without the header always passes', () => {
  expect([matchesSome(undefined, '"a"'), matchesNone(undefined, '"a"')]).toEqual([true, true])
})

test('entityTag returns a strong tag that is unique to the bytes', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const tag = entityTag(one)
      expect(tag).toMatch(/^"[\w-]{22}"$/)
      expect([entityTag(Buffer.from(one)), entityTag(other) === tag]).toEqual([tag, one === other])
      expect([matchesSome(tag, tag), matchesNone(tag, tag)]).toEqual([true, false])
    }),
  )
})
