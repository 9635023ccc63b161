import { describe, expect, test } from 'vitest'
import {
  bareCompany,
  bareTitle,
  blockOf,
  type ComparedJob,
  compare,
  fingerprintOf,
} from '../../src/features/duplicates/duplicates.rule.ts'

const wordsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, n) => `word${start + n}`).join(' ')

/** 100 different words, longer than the shortest text of near copies. */
const TEXT = wordsFrom(100, 100)

const job = (overrides: Partial<ComparedJob> = {}): ComparedJob => ({
  ...{ company: 'Voltaire GmbH', title: 'Battery Engineer', location: 'Leipzig', description: TEXT },
  ...{ requirements: [], benefits: [] },
  ...overrides,
})

const kindOf = (first: Partial<ComparedJob>, second: Partial<ComparedJob>) => {
  const [a, b] = [fingerprintOf(job(first)), fingerprintOf(job(second))]
  expect(compare(a, b)).toEqual(compare(b, a))
  return compare(a, b).kind
}

describe('names without ornaments', () => {
  test.each([
    ['Battery Engineer (m/w/d)', 'battery engineer'],
    ['Battery Engineer | f/m/x |', 'battery engineer'],
    ['BATTERY ENGINEER (all genders)!!!', 'battery engineer'],
    ['Battery Engineer (Ref. 48213)', 'battery engineer'],
    ['Battery Engineer - JR10023', 'battery engineer'],
    ['Battery Engineer [P-5152]', 'battery engineer'],
    ['Entwickler:in', 'entwickler'],
    ['Entwickler/in (gn) (m/w/divers)', 'entwickler'],
    ['Kaufmann/-frau', 'kaufmann'],
    ['Vendeur(se) H/F', 'vendeur'],
    // These distinguish jobs.
    ['Internship 2026', 'internship 2026'],
    ['Engineer II', 'engineer ii'],
    ['C++ Developer', 'c++ developer'],
    ['A/B Testing Lead', 'a b testing lead'],
    ['Sales/International', 'sales international'],
    ['Monteur Schicht 4', 'monteur schicht 4'],
    // Nothing else is left.
    ['(m/w/d)', 'm w d'],
    ['12345', '12345'],
    ['募集：エンジニア', '募集 エンジニア'],
  ])('the title %s', (title, bare) => {
    expect(bareTitle(title)).toBe(bare)
  })

  test.each([
    ['Voltaire GmbH & Co. KG', 'voltaire'],
    ['Voltaire, Inc.', 'voltaire'],
    ['Voltaire S.A.', 'voltaire'],
    ['株式会社メルカリ', 'メルカリ'],
    ['Co', 'co'],
  ])('the company %s', (company, bare) => {
    expect(bareCompany(company)).toBe(bare)
  })

  test('are equal in one block', () => {
    expect(blockOf({ company: 'VOLTAIRE', title: 'Battery Engineer (m/f/d)' })).toBe(blockOf(job()))
    expect(blockOf({ company: 'Voltaire', title: 'Battery Engineers' })).not.toBe(blockOf(job()))
  })
})

describe('copies', () => {
  test.each<[string, Partial<ComparedJob>, string | undefined]>([
    ['nothing', {}, 'same'],
    ['ornaments', { company: 'voltaire', title: 'Battery engineer (w/m/d)', location: ' LEIPZIG ' }, 'same'],
    ['punctuation and white space of the text', { description: ` ${TEXT.replaceAll(' ', ',\n')}.` }, 'same'],
    ['the location', { location: 'Halle' }, 'near'],
    // 95 of 105 words are common.
    ['five of a hundred words', { description: wordsFrom(105, 100) }, 'near'],
    ['ten of a hundred words', { description: wordsFrom(110, 100) }, undefined],
    ['where the last words are', { description: wordsFrom(100, 90), benefits: [wordsFrom(190, 10)] }, 'same'],
    ['the title', { title: 'Senior Battery Engineer' }, undefined],
    ['the company', { company: 'Volta' }, undefined],
  ])('jobs that differ in %s', (_difference, overrides, kind) => {
    expect(kindOf({}, overrides)).toBe(kind)
  })

  test('near copies have long texts', () => {
    const short = wordsFrom(100, 50)
    expect(kindOf({ description: short }, { description: short, location: 'Halle' })).toBeUndefined()
    expect(kindOf({ description: short }, { description: short })).toBe('same')
  })
})
