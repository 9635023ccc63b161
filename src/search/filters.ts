/**
 * The filters of jobs. The record of each filter provides the list parameter, the SQL condition, the in-memory test,
 * and the anchors of alerts.
 */
import { sql } from 'kysely'
import { distanceMiles } from '../lib/distance.ts'
import { withinRadius } from '../lists/places.ts'
import { type AppliedFilter, type Operator, type Parameter, parameter, type Radius } from '../lists/query.ts'
import {
  type Condition,
  comparing,
  type FilterSql,
  foldedList,
  foldedText,
  searchOf,
  wordsOf,
} from '../lists/sql-page.ts'
import { type Anchor, eachTerm, longest, queryAnchors, squaresAround, squaresOf, termsOfLexeme } from './anchors.ts'
import { type Columns, type Dictionary, fromSortable } from './memory/columns.ts'
import {
  byCode,
  type CodePredicate,
  numberPredicate,
  type Predicate,
  skillPredicate,
  testByCode,
  textPredicate,
} from './memory/predicates.ts'
import { fold } from './text/fold.ts'
import { searchQuery, words } from './text/words.ts'

type Wanted = Pick<AppliedFilter, 'operator' | 'value'>

export interface JobFilter {
  parameter: Parameter
  /**
   * Returns the SQL condition on the table `job`. With `isUnspecifiedIncluded`, jobs without a salary pass salary
   * filters.
   */
  sql(wanted: Wanted, isUnspecifiedIncluded: boolean): Condition
  /**
   * Returns the same condition as a predicate on slots. Absent: the board evaluates the filter in another way, or not
   * at all.
   */
  test?(columns: Columns, wanted: Wanted, isUnspecifiedIncluded: boolean): Predicate | CodePredicate
  anchor?: Anchor
}

export const experienceLevels = ['entry', 'junior', 'mid', 'senior', 'lead', 'executive'] as const

/** Returns the codes of a column and their dictionary. */
type Codes<T> = (columns: Columns) => { codes: () => Uint32Array; names: Dictionary<T> }

const always: Pick<JobFilter, 'sql' | 'test'> = { sql: () => sql`true`, test: () => () => true }

/** Converts a filter of the list module to the `sql` member of a record. */
const as =
  (filter: FilterSql): JobFilter['sql'] =>
  ({ operator, value }) =>
    filter(operator, value)

/** Returns the filter of a column with few distinct values. Jobs without a value pass only `_not`. */
const coded = (column: string, codesOf: Codes<string>, anchor?: Anchor): Omit<JobFilter, 'parameter'> => ({
  sql: as(comparing(sql.ref(`job.${column}`))),
  test(columns, { operator, value }) {
    const { codes, names } = codesOf(columns)
    return byCode(codes, names, textPredicate(operator, value), operator === 'not')
  },
  ...(anchor && { anchor }),
})

/** Returns the filter of a flag, which is stored as a byte. */
const flag = (column: string, bytesOf: (columns: Columns) => ArrayLike<number>): Omit<JobFilter, 'parameter'> => ({
  sql: as(comparing(sql.ref(`job.${column}`))),
  test(columns, { value }) {
    const wanted = Number(value)
    return (slot) => bytesOf(columns)[slot] === wanted
  },
})

/** Returns the filter of a time. `fixed` replaces the parameter's operator. */
const time = (
  column: string,
  timesOf: (columns: Columns) => ArrayLike<number>,
  fixed?: Operator,
): Omit<JobFilter, 'parameter'> => ({
  sql: ({ operator, value }) => comparing(sql.ref(`job.${column}`))(fixed ?? operator, value),
  test(columns, { operator, value }) {
    const passes = numberPredicate(fixed ?? operator, value)
    return (slot) => passes(timesOf(columns)[slot]!)
  },
})

/** Makes a salary filter also accept jobs without a salary if the query includes them. */
function ofSalary({ sql: condition, test }: Required<Pick<JobFilter, 'sql' | 'test'>>): Omit<JobFilter, 'parameter'> {
  return {
    sql: (wanted, isUnspecifiedIncluded) =>
      isUnspecifiedIncluded
        ? sql`(${condition(wanted, true)} or job.salary_annual_high is null)`
        : condition(wanted, false),
    test(columns, wanted, isUnspecifiedIncluded) {
      const found = test(columns, wanted, isUnspecifiedIncluded)
      const passes = typeof found === 'function' ? found : testByCode(found)
      return isUnspecifiedIncluded ? (slot) => passes(slot) || Number.isNaN(columns.annualHigh[slot]!) : passes
    },
  }
}

/** Returns the SQL that compares a salary column. `_not` matches only jobs that have a value in this column. */
function stored(column: string, { operator, value }: Wanted): Condition {
  return operator === 'not'
    ? sql`${sql.ref(column)} <> ${value as number}`
    : comparing(sql.ref(column))(operator, value)
}

/**
 * Returns the filter of a salary bound: the annual amount or, if the parameter has a suffix, the stored amount in its
 * own period.
 */
const salary = (
  bound: 'min' | 'max',
  annual: 'salary_annual_high' | 'salary_annual_low',
): Omit<JobFilter, 'parameter'> => {
  const comparison = bound === 'min' ? 'gte' : 'lte'
  return ofSalary({
    sql: ({ operator, value }) =>
      operator === 'is'
        ? stored(`job.${annual}`, { operator: comparison, value })
        : stored(`job.salary_${bound}`, { operator, value }),
    test(columns, { operator, value }) {
      const passes = numberPredicate(operator === 'is' ? comparison : operator, value)
      if (operator === 'is') {
        return bound === 'min'
          ? (slot) => passes(columns.annualHigh[slot]!)
          : (slot) => passes(columns.annualLow[slot]!)
      }
      return bound === 'min' ? (slot) => passes(columns.salaryMin[slot]!) : (slot) => passes(columns.salaryMax[slot]!)
    },
  })
}

const upper = (code: unknown) => String(code).toUpperCase()

export const jobFilters = {
  search: {
    parameter: parameter.search(
      'Words in title, company, description or skills. Supports "phrases", -exclusions and or.',
    ),
    sql: as(searchOf('job.search')),
    anchor: {
      rank: 5,
      terms: ({ lexemes }) => lexemes.flatMap(termsOfLexeme),
      wanted({ value }) {
        const query = searchQuery(String(value))
        return query === null ? [] : queryAnchors(query)
      },
    },
  },
  location: {
    parameter: parameter.text('Whole words of the location. With distance: the center of the search.'),
    sql: as(wordsOf('job.location_words', 'job.location_sort')),
    test(columns, { operator, value }) {
      const codes = () => columns.place
      if (operator !== 'is') {
        const passes = textPredicate(operator, value, fold)
        return byCode(codes, columns.places, ({ sort }) => passes(fromSortable(sort)))
      }
      const wanted = words(String(value))
      // A filter value without any word matches no location.
      return byCode(
        codes,
        columns.places,
        (place) => wanted.length > 0 && wanted.every((word) => place.words.has(word)),
      )
    },
    anchor: {
      rank: 3,
      terms: ({ location_sort, location_words }) => [
        `place ${location_sort}`,
        ...location_words.map((word) => `in ${word}`),
      ],
      wanted(applied) {
        if (applied.operator !== 'is') return eachTerm('place', fold)(applied)
        const wanted = words(String(applied.value))
        return wanted.length === 0 ? [] : [`in ${longest(wanted)}`]
      },
    },
  },
  distance: {
    parameter: parameter.distance('Within this many miles of `location`.'),
    sql: as(withinRadius('job.places')),
    test(columns, { value }) {
      const { lat, lon, miles } = value as Radius
      return byCode(
        () => columns.place,
        columns.places,
        ({ points }) => distanceMiles(points, lat, lon) <= miles,
      )
    },
    anchor: {
      rank: 4,
      terms: ({ places }) => squaresOf(places ?? []),
      wanted: ({ value }) => squaresAround(value as Radius),
    },
  },
  category: {
    parameter: parameter.slug('Category.'),
    ...coded('category', (columns) => ({ codes: () => columns.category, names: columns.categories }), {
      rank: 6,
      terms: ({ category }) => [`category ${category}`],
      wanted: eachTerm('category'),
    }),
  },
  job_type: {
    parameter: parameter.slug('Job type.'),
    ...coded('type', (columns) => ({ codes: () => columns.type, names: columns.types }), {
      rank: 8,
      terms: ({ type }) => [`type ${type}`],
      wanted: eachTerm('type'),
    }),
  },
  company: {
    parameter: parameter.text('Company, ignoring case and accents.'),
    sql: as(foldedText('job.company_sort')),
    test(columns, { operator, value }) {
      const passes = textPredicate(operator, value, fold)
      return byCode(
        () => columns.company,
        columns.companies,
        ({ sort }) => passes(fromSortable(sort)),
      )
    },
    anchor: { rank: 1, terms: ({ company_sort }) => [`company ${company_sort}`], wanted: eachTerm('company', fold) },
  },
  remote: {
    parameter: parameter.boolean('Whether the job is remote.'),
    ...flag('remote', (columns) => columns.remote),
    anchor: { rank: 9, terms: ({ remote }) => [`remote ${remote}`], wanted: ({ value }) => [`remote ${value}`] },
  },
  is_featured: {
    parameter: parameter.boolean('Whether the job is featured.'),
    ...flag('is_featured', (columns) => columns.featured),
  },
  salary_min: {
    parameter: parameter.integer('Annual salaries that reach at least this. With a suffix: the stored minimum.'),
    ...salary('min', 'salary_annual_high'),
  },
  salary_max: {
    parameter: parameter.integer('Annual salaries that start at or below this. With a suffix: the stored maximum.'),
    ...salary('max', 'salary_annual_low'),
  },
  salary_currency: {
    parameter: parameter.currency('ISO 4217 code.'),
    ...ofSalary({
      sql: ({ operator, value }) =>
        stored('job.salary_currency', { operator, value: Array.isArray(value) ? value.map(upper) : upper(value) }),
      test: (columns, { operator, value }) =>
        byCode(() => columns.currency, columns.currencies, textPredicate(operator, value, upper)),
    }),
  },
  salary_unspecified: {
    parameter: {
      ...parameter.choice('include: jobs without a salary pass the salary filters.', ['include']),
      suffixes: [],
    },
    ...always,
  },
  posted_at: {
    parameter: parameter.time('When the job was posted.'),
    ...time('posted_at', (columns) => columns.postedAt),
  },
  posted_after: {
    parameter: parameter.time('Posted after this time.', { suffixes: [] }),
    ...time('posted_at', (columns) => columns.postedAt, 'gt'),
  },
  posted_before: {
    parameter: parameter.time('Posted before this time.', { suffixes: [] }),
    ...time('posted_at', (columns) => columns.postedAt, 'lt'),
  },
  expires_at: {
    parameter: parameter.time('When the job expires.'),
    ...time('expires_at', (columns) => columns.expiresAt),
  },
  skills: {
    parameter: parameter.textList('All of these skills. With _in: any of them. With _not: none of them.'),
    sql: as(foldedList('job.skills_folded')),
    test: (columns, { operator, value }) => skillPredicate(columns, operator, (value as string[]).map(fold)),
    anchor: {
      rank: 2,
      terms: ({ skills_folded }) => skills_folded.map((skill) => `skill ${skill}`),
      // A job must have all skills, so one skill is sufficient as an anchor. The longest skill is likely the rarest.
      wanted: (applied) =>
        applied.operator === 'is'
          ? [`skill ${longest((applied.value as string[]).map(fold))}`]
          : eachTerm('skill', fold)(applied),
    },
  },
  experience_level: {
    parameter: parameter.choice('Experience level.', experienceLevels),
    ...coded('experience_level', (columns) => ({ codes: () => columns.level, names: columns.levels }), {
      rank: 7,
      terms: ({ experience_level }) => [`level ${experience_level}`],
      wanted: eachTerm('level'),
    }),
  },
} satisfies Record<string, JobFilter>

export type JobFilterName = keyof typeof jobFilters

/** The records of all filters, typed with their optional members. */
export const jobFilter: Readonly<Record<JobFilterName, JobFilter>> = jobFilters

/** The list parameters of all filters. */
export const jobParameters = Object.fromEntries(
  Object.entries(jobFilters).map(([name, filter]) => [name, filter.parameter]),
) as { [Name in JobFilterName]: Parameter }

const includesUnspecified = (filters: readonly AppliedFilter[]) =>
  filters.some(({ filter }) => filter === 'salary_unspecified')

/** Returns the SQL conditions of all filters, for a query that uses these filters. */
export function jobFilterSql(filters: readonly AppliedFilter[]): Record<JobFilterName, FilterSql> {
  const isUnspecifiedIncluded = includesUnspecified(filters)
  return Object.fromEntries(
    Object.entries(jobFilter).map(([name, filter]): [string, FilterSql] => [
      name,
      (operator, value) => filter.sql({ operator, value }, isUnspecifiedIncluded),
    ]),
  ) as Record<JobFilterName, FilterSql>
}
