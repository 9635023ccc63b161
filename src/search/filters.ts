/**
 * Job filters. Each record provides the list parameter and the SQL condition. Most records also provide the in-memory
 * test, the search engine's clause and the anchor.
 */
import { type RawBuilder, sql } from 'kysely'
import { distanceMiles } from '../lib/distance.ts'
import { CONVERTED_MAX, type Conversion, type Exchange } from '../lib/exchange.ts'
import { workplaceOf, workplaces } from '../lib/workplaces.ts'
import { distanceUnit, type Parameter, parameter } from '../lists/parameters.ts'
import type { AppliedFilter, FilterValue, NamedLocation, Operator, Radius } from '../lists/query.ts'
import { withinRadius } from '../lists/radius.ts'
import { type Condition, comparing, type FilterSql, foldedList, foldedText, searchOf } from '../lists/sql-page.ts'
import {
  type Anchor,
  type AnchoredJob,
  eachTerm,
  longest,
  queryAnchors,
  squaresAround,
  squaresOf,
  termsOfLexeme,
} from './anchors.ts'
import {
  allOf,
  anyOf,
  type Clause,
  convertedClause,
  exists,
  NOTHING,
  noneOf,
  numberClause,
  term,
  terms,
  textClause,
} from './engine/clauses.ts'
import { flagOf } from './engine/documents.ts'
import { languageCode } from './language-code.ts'
import { type Columns, type Dictionary, fromSortable, type Location } from './memory/columns.ts'
import {
  byCode,
  type CodePredicate,
  computedPredicate,
  numberPredicate,
  type Predicate,
  predicateOf,
  type RangePredicate,
  skillPredicate,
  textPredicate,
} from './memory/predicates.ts'
import { fold } from './text/fold.ts'
import { searchQuery, words } from './text/words.ts'

export interface JobFilter {
  parameter: Parameter
  /** The condition on the `job` table. If `isUnspecifiedIncluded` is set, jobs without a salary pass salary filters. */
  sql(operator: Operator, value: FilterValue, terms: SalaryTerms): Condition
  /** The same condition on slots. Absent if the board evaluates the filter differently. */
  test?(
    columns: Columns,
    wanted: Pick<AppliedFilter, 'operator' | 'value'>,
    terms: SalaryTerms,
  ): Predicate | CodePredicate | RangePredicate
  /** The same condition on documents of the search engine. */
  clause?(operator: Operator, value: FilterValue, terms: SalaryTerms): Clause
  anchor?: Anchor
}

/** The parameters that determine how a query's salary filters compare amounts. */
export interface SalaryTerms {
  /** Whether jobs without a salary pass. */
  isUnspecifiedIncluded: boolean
  /** The conversion to the currency of the query's amounts. Undefined: amounts are compared without conversion. */
  conversion: Conversion | undefined
}

export function salaryTermsOf(filters: readonly AppliedFilter[], exchange: Exchange): SalaryTerms {
  return {
    isUnspecifiedIncluded: filters.some(({ filter }) => filter === 'salary_unspecified'),
    conversion: requestedConversion(filters, exchange),
  }
}

/** Returns the conversion that `salary_in` requests, or undefined without this filter. */
export function requestedConversion(filters: readonly AppliedFilter[], exchange: Exchange): Conversion | undefined {
  const currency = filters.find(({ filter }) => filter === 'salary_in')?.value
  return currency === undefined ? undefined : exchange.conversionTo(upper(currency))
}

/** Returns the SQL of an annual amount in another currency; null without a rate. Must match `convert`. */
export function convertedSql(column: string, { factors }: Conversion): RawBuilder<unknown> {
  const position = sql`array_position(${[...factors.keys()]}::text[], job.salary_currency)`
  const amount = sql`floor(${sql.ref(column)}::float8 * (${[...factors.values()]}::float8[])[${position}] + 0.5)`
  // Uses -1 for null, because `least` ignores nulls.
  return sql`nullif(least(coalesce(${amount}, -1), ${sql.lit(CONVERTED_MAX)}), -1)::bigint`
}

type Tested = Required<Pick<JobFilter, 'sql' | 'test' | 'clause'>>

export const experienceLevels = ['entry', 'junior', 'mid', 'senior', 'lead', 'executive'] as const

/** Returns the anchor of a filter for which each job has one term. */
const oneTerm = (
  rank: number,
  prefix: string,
  of: (job: AnchoredJob) => unknown,
  convert?: (text: string) => string,
): Anchor => ({ rank, terms: (job) => [`${prefix} ${of(job)}`], wanted: eachTerm(prefix, convert) })

/** Returns the filter on a column with few distinct values. Jobs without a value pass only `_not`. */
const coded = (
  column: string,
  of: (columns: Columns) => readonly [codes: () => Uint32Array, dictionary: Dictionary<string>],
): Tested => ({
  sql: comparing(sql.ref(`job.${column}`)),
  test: (columns, { operator, value }) => byCode(...of(columns), textPredicate(operator, value), operator === 'not'),
  clause: (operator, value) => textClause(column, operator, value),
})

/** Returns the filter on a flag. The board stores flags as bytes. */
const flag = (column: string, bytesOf: (columns: Columns) => ArrayLike<number>): Tested => ({
  sql: comparing(sql.ref(`job.${column}`)),
  test(columns, { value }) {
    const wanted = Number(value)
    return (slot) => bytesOf(columns)[slot] === wanted
  },
  clause: (_operator, value) => term(column, flagOf(value as boolean)),
})

/** Returns the filter on a time. `fixed` replaces the parameter's operator. */
const time = (column: string, timesOf: (columns: Columns) => ArrayLike<number>, fixed?: Operator): Tested => ({
  sql: (operator, value) => comparing(sql.ref(`job.${column}`))(fixed ?? operator, value),
  test(columns, { operator, value }) {
    return numberPredicate(() => timesOf(columns), fixed ?? operator, value)
  },
  clause: (operator, value) => numberClause(column, fixed ?? operator, value),
})

/** Extends a salary filter to jobs without a salary if the query includes them. */
const ofSalary = ({ sql: condition, test, clause }: Tested): Tested => ({
  sql(operator, value, terms) {
    const passes = condition(operator, value, terms)
    return terms.isUnspecifiedIncluded ? sql`(${passes} or job.salary_annual_high is null)` : passes
  },
  test(columns, wanted, terms) {
    const tested = test(columns, wanted, terms)
    if (!terms.isUnspecifiedIncluded) return tested
    const passes = predicateOf(tested)
    return (slot) => passes(slot) || Number.isNaN(columns.annualHigh[slot]!)
  },
  clause(operator, value, terms) {
    const passes = clause(operator, value, terms)
    return terms.isUnspecifiedIncluded ? anyOf([passes, noneOf([exists('salary_annual_high')])]) : passes
  },
})

/** Returns the SQL that compares a salary column. `_not` matches only jobs that have a value in this column. */
const stored =
  (column: string): FilterSql =>
  (operator, value) =>
    operator === 'not' ? sql`${sql.ref(column)} <> ${value as number}` : comparing(sql.ref(column))(operator, value)

/** Returns the record of a parameter that only modifies the query and excludes no jobs itself. */
const option = (declared: Parameter) => ({ parameter: declared, sql: () => sql<boolean>`true` })

interface SalaryColumn {
  column: string
  amountsOf: (columns: Columns) => Float64Array
}

/**
 * Returns the filter on a salary bound. A parameter with a suffix compares the stored amount, not the annual amount.
 */
function salary(comparison: 'gte' | 'lte', annual: SalaryColumn, own: SalaryColumn): Tested {
  return ofSalary({
    sql(operator, value, { conversion }) {
      if (operator !== 'is') return stored(`job.${own.column}`)(operator, value)
      return conversion
        ? comparing(convertedSql(`job.${annual.column}`, conversion))(comparison, value)
        : stored(`job.${annual.column}`)(comparison, value)
    },
    test(columns, { operator, value }, { conversion }) {
      if (operator !== 'is') return numberPredicate(() => own.amountsOf(columns), operator, value)
      const amounts = () => annual.amountsOf(columns)
      if (!conversion) return numberPredicate(amounts, comparison, value)
      return computedPredicate((slot) => columns.converted(amounts()[slot]!, slot, conversion), comparison, value)
    },
    clause(operator, value, { conversion }) {
      if (operator !== 'is') return numberClause(own.column, operator, value)
      return conversion
        ? convertedClause(annual.column, comparison, value, conversion)
        : numberClause(annual.column, comparison, value)
    },
  })
}

function upper(code: unknown): string {
  return String(code).toUpperCase()
}

const jobFilters = {
  search: {
    parameter: parameter.search(
      'Words in title, company, description or skills. Supports "phrases", -exclusions and or.',
    ),
    sql: searchOf('job.search'),
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
    parameter: parameter.text(
      "Whole words of the job's locations, or the name of the city, region or country of any of them, in any language. With distance: the center of the search.",
    ),
    sql(operator, value) {
      if (operator !== 'is') {
        const first = foldedText('job.location_sort')(operator, value)
        const others = sql`job.locations_folded && ${([value].flat() as string[]).map(fold)}::text[]`
        return operator === 'not' ? sql`(${first} and not ${others})` : sql`(${first} or ${others})`
      }
      const { text, areas } = value as NamedLocation
      const wanted = words(text)
      // Text without words names no location.
      const hasWords = wanted.length === 0 ? sql<boolean>`false` : sql<boolean>`job.location_words @> ${wanted}::text[]`
      return areas.length === 0 ? hasWords : sql`(${hasWords} or coalesce(job.areas, '{}') && ${areas}::text[])`
    },
    test(columns, { operator, value }) {
      const codes = () => columns.location
      if (operator !== 'is') {
        const passes = textPredicate(operator, value, fold)
        return byCode(codes, columns.locations, ({ sort, names }) => {
          const first = passes(fromSortable(sort))
          return operator === 'not' ? first && names.every(passes) : first || names.some(passes)
        })
      }
      const { text, areas } = value as NamedLocation
      const wanted = words(text)
      const hasWords = (location: Location) => wanted.length > 0 && wanted.every((word) => location.words.has(word))
      return byCode(
        codes,
        columns.locations,
        (location) => hasWords(location) || areas.some((area) => location.areas.has(area)),
      )
    },
    clause(operator, value) {
      if (operator !== 'is') {
        const eachName = ['location_sort', 'locations_folded'].map((field) => textClause(field, operator, value, fold))
        return operator === 'not' ? allOf(eachName) : anyOf(eachName)
      }
      const { text, areas } = value as NamedLocation
      const wanted = words(text)
      const hasWords = wanted.length === 0 ? NOTHING : allOf(wanted.map((word) => term('location_words', word)))
      return areas.length === 0 ? hasWords : anyOf([hasWords, terms('areas', areas)])
    },
    anchor: {
      rank: 3,
      terms: ({ location_sort, locations_folded, location_words, areas }) => [
        ...[location_sort, ...locations_folded].map((name) => `place ${name}`),
        ...location_words.map((word) => `in ${word}`),
        ...(areas ?? []).map((area) => `area ${area}`),
      ],
      wanted(applied) {
        if (applied.operator !== 'is') return eachTerm('place', fold)(applied)
        const { text, areas } = applied.value as NamedLocation
        const wanted = words(text)
        return [...(wanted.length === 0 ? [] : [`in ${longest(wanted)}`]), ...areas.map((area) => `area ${area}`)]
      },
    },
  },
  distance: {
    parameter: parameter.distance('Maximum distance from `location`, in `distance_unit` (default: miles).'),
    sql: withinRadius('job.places'),
    test(columns, { value }) {
      const { lat, lon, miles } = value as Radius
      return byCode(
        () => columns.location,
        columns.locations,
        ({ points }) => distanceMiles(points, lat, lon) <= miles,
      )
    },
    clause(_operator, value) {
      const { lat, lon, miles } = value as Radius
      return { geo_distance: { distance: `${miles}mi`, places: { lat, lon } } }
    },
    anchor: {
      rank: 4,
      terms: ({ places }) => squaresOf(places ?? []),
      wanted: ({ value }) => squaresAround(value as Radius),
    },
  },
  distance_unit: option(distanceUnit),
  category: {
    parameter: parameter.slug('Category.'),
    ...coded('category', (columns) => [() => columns.category, columns.categories]),
    anchor: oneTerm(6, 'category', ({ category }) => category),
  },
  job_type: {
    parameter: parameter.slug('Job type.'),
    ...coded('type', (columns) => [() => columns.type, columns.types]),
    anchor: oneTerm(8, 'type', ({ type }) => type),
  },
  company: {
    parameter: parameter.text('Company, ignoring case and accents.'),
    sql: foldedText('job.company_sort'),
    test(columns, { operator, value }) {
      const passes = textPredicate(operator, value, fold)
      return byCode(
        () => columns.company,
        columns.companies,
        ({ sort }) => passes(fromSortable(sort)),
      )
    },
    clause: (operator, value) => textClause('company_sort', operator, value, fold),
    anchor: oneTerm(1, 'company', ({ company_sort }) => company_sort, fold),
  },
  employer_id: {
    parameter: parameter.text("Employer's ID."),
    ...coded('employer_id', (columns) => [() => columns.employer, columns.employers]),
  },
  include_duplicates: option(parameter.boolean('Includes copies of other jobs on the board.')),
  remote: {
    parameter: parameter.boolean('Whether the job is remote.'),
    ...flag('remote', (columns) => columns.remote),
    anchor: { rank: 9, terms: ({ remote }) => [`remote ${remote}`], wanted: ({ value }) => [`remote ${value}`] },
  },
  workplace: {
    parameter: parameter.choice('Where people work.', workplaces),
    sql: comparing(sql`(case when job.remote then 'remote' when job.is_hybrid then 'hybrid' else 'on_site' end)`),
    test(columns, { operator, value }) {
      const passes = workplaces.map(textPredicate(operator, value))
      return (slot) => passes[columns.workplace[slot]!]!
    },
    clause: (operator, value) => textClause('workplace', operator, value),
    anchor: oneTerm(11, 'workplace', workplaceOf),
  },
  is_featured: {
    parameter: parameter.boolean('Whether the job is featured.'),
    ...flag('is_featured', (columns) => columns.featured),
  },
  salary_min: {
    parameter: parameter.integer(
      'Jobs whose annual salary can reach this amount. With a suffix: compares the stored minimum.',
    ),
    ...salary(
      'gte',
      { column: 'salary_annual_high', amountsOf: (columns) => columns.annualHigh },
      { column: 'salary_min', amountsOf: (columns) => columns.salaryMin },
    ),
  },
  salary_max: {
    parameter: parameter.integer(
      'Jobs whose annual salary can be this amount or less. With a suffix: compares the stored maximum.',
    ),
    ...salary(
      'lte',
      { column: 'salary_annual_low', amountsOf: (columns) => columns.annualLow },
      { column: 'salary_max', amountsOf: (columns) => columns.salaryMax },
    ),
  },
  salary_currency: {
    parameter: parameter.currency('ISO 4217 code.'),
    ...ofSalary({
      sql: (operator, value) =>
        stored('job.salary_currency')(operator, Array.isArray(value) ? value.map(upper) : upper(value)),
      test: (columns, { operator, value }) =>
        byCode(() => columns.currency, columns.currencies, textPredicate(operator, value, upper)),
      clause(operator, value) {
        const passes = textClause('salary_currency', operator, value, upper)
        return operator === 'not' ? allOf([exists('salary_currency'), passes]) : passes
      },
    }),
  },
  salary_in: option(
    parameter.currency(
      "Converts salaries to this currency at the board's rates, for salary_min, salary_max and sort=salary.",
      { suffixes: [] },
    ),
  ),
  salary_unspecified: option(
    parameter.choice('include: jobs without a salary pass the salary filters.', ['include'], { suffixes: [] }),
  ),
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
    sql: foldedList('job.skills_folded'),
    test: (columns, { operator, value }) => skillPredicate(columns, operator, (value as string[]).map(fold)),
    clause: (operator, value) =>
      operator === 'is'
        ? allOf((value as string[]).map((skill) => term('skills', fold(skill))))
        : textClause('skills', operator, value, fold),
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
    ...coded('experience_level', (columns) => [() => columns.level, columns.levels]),
    anchor: oneTerm(7, 'level', ({ experience_level }) => experience_level),
  },
  language: {
    parameter: parameter.language('Language of the text, without a region: de also matches de-AT.'),
    sql: comparing(languageCode),
    test: (columns, { operator, value }) =>
      byCode(() => columns.language, columns.languages, textPredicate(operator, value), operator === 'not'),
    clause: (operator, value) => textClause('language', operator, value),
    anchor: oneTerm(10, 'language', ({ language }) => language),
  },
} satisfies Record<string, JobFilter>

export type JobFilterName = keyof typeof jobFilters

/** Returns whether a query includes the copies that lists hide by default. */
export const includesDuplicates = (filters: readonly Pick<AppliedFilter, 'filter' | 'value'>[]): boolean =>
  filters.some(({ filter, value }) => filter === 'include_duplicates' && value === true)

/** The records of all filters, typed with their optional members. */
export const jobFilter: Readonly<Record<JobFilterName, JobFilter>> = jobFilters

/** The list parameters of all filters. */
export const jobParameters = mapFilters(({ parameter }) => parameter)

/** Returns the SQL conditions of all filters, for a query with the given filters. */
export function jobFilterSql(filters: readonly AppliedFilter[], exchange: Exchange): Record<JobFilterName, FilterSql> {
  const terms = salaryTermsOf(filters, exchange)
  return mapFilters((filter) => (operator, value) => filter.sql(operator, value, terms))
}

function mapFilters<T>(convert: (filter: JobFilter) => T): Record<JobFilterName, T> {
  const converted = Object.entries(jobFilter).map(([name, filter]) => [name, convert(filter)])
  return Object.fromEntries(converted) as Record<JobFilterName, T>
}
