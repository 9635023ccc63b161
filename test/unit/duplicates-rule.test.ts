import { describe, expect, test } from 'vitest'
import {
  bareCompany,
  bareTitle,
  blockOf,
  type ComparedJob,
  compare,
  type Decision,
  fingerprintOf,
  foldMembers,
  isCovered,
  titleKey,
} from '../../src/features/duplicates/duplicates.rule.ts'

const wordsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, n) => `word${start + n}`).join(' ')

/** 100 different words: longer than the minimum length of texts that can be near copies. */
const TEXT = wordsFrom(100, 100)

const job = (overrides: Partial<ComparedJob> = {}): ComparedJob => ({
  ...{ company: 'Voltaire GmbH', title: 'Battery Engineer', type: 'full-time', location: 'Leipzig', description: TEXT },
  ...{ requirements: [], benefits: [] },
  ...overrides,
})

const kindOf = (first: Partial<ComparedJob>, second: Partial<ComparedJob>) => {
  const [a, b] = [fingerprintOf(job(first)), fingerprintOf(job(second))]
  expect(compare(a, b)).toEqual(compare(b, a))
  return compare(a, b).kind
}

describe('names without additions such as (m/w/d)', () => {
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
    ['募集：エンジニア', '募集 エンジニア'],
    // These additions distinguish jobs.
    ['Internship 2026', 'internship 2026'],
    ['Engineer II', 'engineer ii'],
    ['C++ Developer', 'c++ developer'],
    ['A/B Testing Lead', 'a b testing lead'],
    ['Sales/International', 'sales international'],
    ['Monteur Schicht 4', 'monteur schicht 4'],
    // Without the additions, nothing would be left.
    ['(m/w/d)', 'm w d'],
    ['12345', '12345'],
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

  test.each([
    ['Sr. Front-End Dev', 'developer frontend senior'],
    ['Senior Developers, Frontend (full-time)', 'developer frontend senior'],
    ['Full Stack Engineer', 'engineer fullstack'],
    ['Boss of Sales', 'boss sale'],
    ['The On', 'on'],
    ['At', 'at'],
  ])('the key of the title %s', (title, key) => {
    expect(titleKey(title)).toBe(key)
  })

  test('are in the same block if and only if they are similar', () => {
    expect(blockOf({ company: 'VOLTAIRE', title: 'Battery Engineer (m/f/d)' })).toBe(blockOf(job()))
    expect(blockOf({ company: 'Voltaire Energy', title: 'Engineers, battery' })).toBe(blockOf(job()))
    expect(blockOf({ company: 'Voltaire', title: 'Senior Battery Engineer' })).not.toBe(blockOf(job()))
    expect(blockOf({ company: 'Volta', title: 'Battery Engineer' })).not.toBe(blockOf(job()))
  })
})

describe('copies', () => {
  test.each<[string, Partial<ComparedJob>, string | undefined]>([
    ['nothing', {}, 'same'],
    [
      'additions to the title and case',
      { company: 'voltaire', title: 'Battery engineer (w/m/d)', location: ' LEIPZIG ' },
      'same',
    ],
    ['punctuation and white space of the text', { description: ` ${TEXT.replaceAll(' ', ',\n')}.` }, 'same'],
    ['the location', { location: 'Halle' }, 'near'],
    // The words are numbered, so the texts share 83 of 117 words.
    ['17 of a hundred words', { description: wordsFrom(117, 100) }, 'near'],
    ['the last 40 of a hundred words', { description: wordsFrom(100, 60) }, 'near'],
    ['the last 50 of a hundred words', { description: wordsFrom(100, 50) }, undefined],
    ['20 of a hundred words', { description: wordsFrom(120, 100) }, undefined],
    ['the order of fewer words', { description: wordsFrom(100, 60).split(' ').toReversed().join(' ') }, undefined],
    [
      'URLs and email addresses',
      {
        description: `${TEXT} https://voltaire.example/${wordsFrom(1, 50).replaceAll(' ', '-')} jobs@voltaire.example`,
      },
      'near',
    ],
    ['the spelling of the title', { title: 'Engineers, Battery (full-time)' }, 'near'],
    ['additional words of the company', { company: 'Voltaire Energy' }, 'near'],
    ['an unspecified type', { type: 'other' }, 'same'],
    ['the type', { type: 'internship' }, undefined],
    ['where the last words are', { description: wordsFrom(100, 90), benefits: [wordsFrom(190, 10)] }, 'same'],
    ['the title', { title: 'Senior Battery Engineer' }, undefined],
    ['the company', { company: 'Volta' }, undefined],
  ])('jobs that differ in %s', (_difference, overrides, kind) => {
    expect(kindOf({}, overrides)).toBe(kind)
  })

  test('jobs with short texts can be identical copies, but not near copies', () => {
    const short = wordsFrom(100, 50)
    expect(kindOf({ description: short }, { description: short, location: 'Halle' })).toBeUndefined()
    expect(kindOf({ description: short }, { description: short })).toBe('same')
  })

  test('jobs without a text are not copies', () => {
    expect(kindOf({ description: '' }, { description: '' })).toBeUndefined()
  })

  const [leipzig, halle, munich] = [
    [51.34, 12.37],
    [51.48, 11.97],
    [48.14, 11.58],
  ] as const
  test.each<[string, readonly number[] | null, readonly number[] | null, boolean]>([
    ['the same location', leipzig, leipzig, true],
    ['neighboring towns', leipzig, halle, true],
    ['another location', leipzig, munich, false],
    ['an additional location', leipzig, [...leipzig, ...munich], false],
    ['one of the locations', [...leipzig, ...munich], leipzig, true],
    ['no location', leipzig, null, true],
    ['a location that the shown job lacks', [], leipzig, false],
  ])('a copy at %s', (_name, shown, places, are) => {
    expect(isCovered(shown, places)).toBe(are)
  })
})

describe('the shown job of a group', () => {
  /** Folds jobs, each given by its feed and its locations. The feed `-` stands for a job that people maintain. */
  const foldedUnder = async (
    jobs: readonly string[],
    decided: readonly [string, string, Decision][] = [],
    apart = '',
  ) => {
    const members = jobs.map((job, index) => {
      const [feed, places = ''] = job.split(' ')
      return { id: `job${index}`, block: 1, feed_id: feed === '-' ? null : feed!, places }
    })
    const decisions = new Map<string, Map<string, Decision>>()
    for (const [a, b, decision] of decided) {
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const)
        decisions.set(one, (decisions.get(one) ?? new Map()).set(other, decision))
    }
    const placesOf = ({ id }: { id: string }) => members.find((member) => member.id === id)!.places
    const folded = await foldMembers(members, decisions, {
      covers: (shown, job) => [...placesOf(job)].every((place) => placesOf(shown).includes(place)),
      areCopies: ({ id }, job) => !apart.includes(id + job.id) && !apart.includes(job.id + id),
    })
    return Object.fromEntries(folded)
  }

  test('is the earliest', async () => {
    expect(await foldedUnder(['a L', 'b L', 'a L'])).toEqual({ job1: 'job0', job2: 'job0' })
  })

  test('is a job that people maintain, and such jobs are never folded', async () => {
    expect(await foldedUnder(['a L', '- L', '- L'])).toEqual({ job0: 'job1' })
    expect(await foldedUnder(['- L', 'b LM'])).toEqual({})
  })

  test('is a later job if its locations include those of all other jobs', async () => {
    expect(await foldedUnder(['a L', 'b L', 'a LM', 'b M'])).toEqual({ job0: 'job2', job1: 'job2', job3: 'job2' })
    expect(await foldedUnder(['a L', 'b M', 'a LM'])).toEqual({ job0: 'job2', job1: 'job2' })
    expect(await foldedUnder(['a L', 'b LM', 'a LMN'])).toEqual({ job0: 'job2', job1: 'job2' })
    expect(await foldedUnder(['a KL', 'b LM'])).toEqual({})
  })

  test('is not a later job that differs from another copy in the group', async () => {
    expect(await foldedUnder(['a L', 'b L', 'a LM'], [], 'job1job2')).toEqual({ job1: 'job0' })
    expect(await foldedUnder(['a L', 'b L', 'a LM'], [['job1', 'job2', 'different']])).toEqual({ job1: 'job0' })
  })

  test('follows decisions, whatever the locations are', async () => {
    expect(await foldedUnder(['a L', 'b LM'], [['job0', 'job1', 'same']])).toEqual({ job1: 'job0' })
    expect(await foldedUnder(['a L', 'b LM'], [['job0', 'job1', 'different']])).toEqual({})
  })

  test('is found with pauses for other work', async () => {
    let turns = 0
    const count = () => {
      turns++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const members = Array.from({ length: 5 }, (_, index) => ({ id: `job${index}`, block: 1, feed_id: 'a' }))
    const areCopies = () => {
      const end = performance.now() + 6
      while (performance.now() < end);
      return false
    }
    await foldMembers(members, new Map(), { covers: () => true, areCopies })
    clearImmediate(counting)
    expect(turns).toBeGreaterThan(5)
  })
})
