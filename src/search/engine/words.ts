/** Clauses for the words of a search. */
import type { Search } from '../job-index.ts'
import type { Alternative, Question, Term } from '../text/operands.ts'
import { groupValue, VALUES } from '../text/relevance.ts'
import { FIT, type SearchCondition, type SearchGroup } from '../text/words.ts'
import { allOf, anyOf, type Clause, NOTHING, noneOf, terms } from './clauses.ts'
import { GAP } from './documents.ts'
import { rankOf, SCORE } from './overlay.ts'

/** Maximum number of words to which a prefix at the end of a phrase expands. */
const EXPANSIONS_MAX = 10_000

/** Matches the words or the phrase of a question. */
function questionClause({ alternatives, weight }: Question): Clause {
  const field = weight === 'A' ? 'title_words' : weight === 'B' ? 'company_words' : 'words'
  const single = alternatives.filter((steps) => steps.length === 1).flatMap(([step]) => step!.terms)
  const words = single.filter(({ isPrefix }) => !isPrefix).map(({ text }) => text)
  const clauses = [
    ...(words.length > 0 ? [terms(field, words)] : []),
    ...single.filter(({ isPrefix }) => isPrefix).map(({ text }) => ({ prefix: { [field]: text } })),
    ...alternatives.filter((steps) => steps.length > 1).flatMap((steps) => phraseClauses(field, steps)),
  ]
  return clauses.length === 1 ? clauses[0]! : anyOf(clauses)
}

const exact = (terms: readonly Term[]) => terms.filter(({ isPrefix }) => !isPrefix)
const prefixes = (terms: readonly Term[]) => terms.filter(({ isPrefix }) => isPrefix)

/** Matches words at fixed distances from each other. */
function phraseClauses(field: string, steps: Alternative): Clause[] {
  if (steps.slice(0, -1).some(({ terms }) => prefixes(terms).length > 0)) return [spanClause(field, steps)]
  const before = steps.slice(0, -1).map(({ distance, terms }) => stepText(distance, terms))
  const { distance, terms } = steps.at(-1)!
  const ending = (kind: string, last: readonly Term[], more = {}) =>
    last.length === 0
      ? []
      : [
          {
            [kind]: {
              [field]: { query: [...before, stepText(distance, last)].join(' '), analyzer: 'forms', slop: 0, ...more },
            },
          },
        ]
  return [
    ...ending('match_phrase', exact(terms)),
    ...ending('match_phrase_prefix', prefixes(terms), { max_expansions: EXPANSIONS_MAX }),
  ]
}

/** Returns the forms at one position, preceded by gaps for the skipped positions. */
const stepText = (distance: number, terms: readonly Term[]) =>
  [...Array<string>(Math.max(0, distance - 1)).fill(GAP), terms.map(({ text }) => text).join('|')].join(' ')

/** Matches a phrase with a prefix that is not at its end, such as a single character of a script without spaces. */
function spanClause(field: string, steps: Alternative): Clause {
  const spanOf = ({ text, isPrefix }: Term) =>
    isPrefix
      ? { span_multi: { match: { prefix: { [field]: { value: text, rewrite: 'top_terms_1000' } } } } }
      : { span_term: { [field]: text } }
  const slop = steps.slice(1).reduce((sum, { distance }) => sum + distance - 1, 0)
  const clauses = steps.map(({ terms }) => ({ span_or: { clauses: terms.map(spanOf) } }))
  return { span_near: { clauses, slop, in_order: true } }
}

/** Matches documents that meet a condition. */
export function conditionClause({ questions, either }: SearchCondition): Clause {
  if (questions) return questionClause(questions[0]!)
  return anyOf(
    either!.map(({ question, excluded }) => (excluded ? noneOf([questionClause(question)]) : questionClause(question))),
  )
}

/** Matches documents that meet all conditions of a search, except the conditions that its ranking scores. */
export function requirementClauses({ wanted, mixed, unwanted }: Search, isRanked: boolean): Clause[] {
  // A search without any words matches nothing.
  if (wanted.length + mixed.length + unwanted.length === 0) return [NOTHING]
  return [
    ...(isRanked ? mixed : [...wanted, ...mixed]).map(conditionClause),
    ...(unwanted.length > 0 ? [noneOf(unwanted.map(conditionClause))] : []),
  ]
}

/** Matches documents that miss at most this many groups. */
export const groupsClause = (groups: readonly SearchGroup[], missed: number): Clause =>
  missed === 0
    ? allOf(groups.map(conditionClause))
    : { bool: { should: groups.map(conditionClause), minimum_should_match: groups.length - missed } }

const constant = (filter: Clause, boost: number): Clause => ({ constant_score: { filter, boost } })

/** Added to the score for each group that a document meets, to count the groups. Exceeds every sum of scores. */
const COUNTED = 4_096

/**
 * Computes the score of a group. The score of the inner query is the fit, as the bits of `FIT`. Constants are part of
 * the scripts, because reading a parameter takes as long as the rest of the computation.
 */
const GROUP_SCRIPT = `int fit = (int) _score; int lengths = (int) doc['lengths'].value;
  double value = ${VALUES.text} / (1 + ${VALUES.textLength} * (lengths & 15));
  if ((fit & 2) != 0) value += ${VALUES.title} / (1 + ${VALUES.titleLength} * (lengths >> 4));
  if ((fit & 4) != 0) value += ${VALUES.company};
  if ((fit & 8) != 0) value *= ${VALUES.typed};
  double score = params.idf * (float) value;`
const ALL_GROUPS_SCRIPT = `${GROUP_SCRIPT} return score;`
const SOME_GROUPS_SCRIPT = `${GROUP_SCRIPT} return ${COUNTED} + score;`
const PAIR_SCRIPT = `int lengths = (int) doc['lengths'].value;
  double value = (int) _score == 1 ? ${VALUES.pair} : ${VALUES.typedPair};
  return (float) (value / (1 + ${VALUES.titleLength} * (lengths >> 4)));`
/** Computes the sort value of `rankOverlay` from a score, and from the number of groups that a document meets. */
const rankScript = (score: string, met: string) =>
  `return ${met} * ${SCORE.highest + 1} + Math.min(${SCORE.highest}, Math.round(${score} * ${SCORE.steps}));`
const ONE_GROUP_RANK_SCRIPT = `${GROUP_SCRIPT} ${rankScript('(float) score', '1')}`
const ALL_GROUPS_RANK_SCRIPT = rankScript('_score', 'params.groups')
const SOME_GROUPS_RANK_SCRIPT = `int met = (int) (_score / ${COUNTED});
  double score = _score - met * ${COUNTED}; ${rankScript('score', 'met')}`

/** Some of the documents of a ranked search, and an upper bound for the ranks of all others. */
interface BestDocuments {
  clause: Clause
  restRankMax: number
}

/** A subset of the documents that meet a group, by their fit and their lengths. */
interface Subset {
  has: (fit: number, lengths: number) => boolean
  clauseOf: (group: SearchGroup) => Clause
}

const SHORT_MIN = 5.1
const allLengths = Array.from({ length: 256 }, (_, lengths) => lengths)
/** The text lengths at which an exact match in the title has at least the value `SHORT_MIN`. */
const shortLengths = allLengths.filter((lengths) => groupValue(1 | FIT.title | FIT.written, lengths) >= SHORT_MIN)

/** From the smallest subset to the largest. Each contains all documents with a pair. */
const subsets: readonly Subset[] = [
  {
    has: (fit, lengths) =>
      (fit & FIT.title) !== 0 &&
      ((fit & FIT.company) !== 0 || ((fit & FIT.written) !== 0 && shortLengths.includes(lengths))),
    clauseOf: ({ questions, pair }) => {
      const [, title, company, written] = questions!.map(questionClause)
      const short = allOf([title!, written!, terms('lengths', shortLengths)])
      return anyOf([short, allOf([title!, company!]), ...(pair ? [questionClause(pair.questions![0]!)] : [])])
    },
  },
  {
    has: (fit) => (fit & (FIT.title | FIT.company)) !== 0,
    clauseOf: ({ questions }) => anyOf(questions!.slice(1, 3).map(questionClause)),
  },
]

/** For each subset, the highest value of a group in a document outside the subset. */
const restMax = subsets.map(({ has }) => {
  const fits = Array.from({ length: 8 }, (_, n) => 2 * n + 1)
  const rest = fits.flatMap((fit) => allLengths.map((lengths) => (has(fit, lengths) ? 0 : groupValue(fit, lengths))))
  return Math.max(...rest)
})

/**
 * Returns subsets of the documents of a ranked search, from the smallest to the largest. A page is complete if each of
 * its documents ranks higher than all documents outside the subset.
 */
export function bestDocuments(
  groups: readonly SearchGroup[],
  idfOf: readonly number[],
  missed: number,
): BestDocuments[] {
  // If documents may miss groups, the subsets contain all documents that miss none, so all others miss at least one.
  const met = groups.length - (missed === 0 ? 0 : 1)
  const whole = missed === 0 ? [] : [groupsClause(groups, 0)]
  const idf = [...idfOf].sort((a, b) => b - a).slice(0, met)
  return subsets.map(({ clauseOf }, n) => ({
    clause: anyOf([...groups.map(clauseOf), ...whole]),
    // The engine's sum can be rounded up.
    restRankMax:
      rankOf(
        met,
        idf.reduce((sum, each) => sum + each * restMax[n]!, 0),
      ) + 1,
  }))
}

/** Documents that have the same rank in a search for one group. */
export interface Tier {
  rank: number
  clause: Clause
}

/**
 * Returns the tiers of the documents that meet a group neither in the title nor in the company, highest rank first.
 * `lengths` contains the lengths of documents to consider.
 */
export function tiersOf({ questions }: SearchGroup, idf: number, lengths: readonly number[]): Tier[] {
  const [any, title, company, written] = questions!.map(questionClause)
  const kinds = [
    { fit: FIT.any | FIT.written, clause: allOf([any!, written!]) },
    { fit: FIT.any, clause: { bool: { filter: [any!], must_not: [written!] } } },
  ]
  const all = kinds.flatMap(({ fit, clause }) =>
    lengths.map((length) => ({ clause, length, rank: rankOf(1, groupScore(fit, length, idf)) })),
  )
  const tiers = [...Map.groupBy(all, ({ rank }) => rank)].map(([rank, same]): Tier => {
    const clauses = [...Map.groupBy(same, ({ clause }) => clause)].map(([clause, those]) =>
      allOf([clause, terms('lengths', lengthsOf(those))]),
    )
    return { rank, clause: { bool: { filter: [anyOf(clauses)], must_not: [title!, company!] } } }
  })
  return tiers.sort((a, b) => b.rank - a.rank)
}

const lengthsOf = (items: readonly { length: number }[]): number[] => items.map(({ length }) => length)

/**
 * Returns the score of a group, identical to the last bit to the score that `scores` and the engine's scripts compute.
 */
const groupScore = (fit: number, lengths: number, idf: number): number =>
  Math.fround(idf * Math.fround(groupValue(fit, lengths)))

const scored = (query: Clause, source: string, params: object = {}): Clause => ({
  script_score: { query, script: { source, params } },
})

/** Matches the first of a condition's questions. The score is the fit. */
function fitClause({ questions }: SearchCondition): Clause {
  const [any, ...closer] = questions!.map(questionClause)
  return { bool: { must: [constant(any!, 1)], should: closer.map((clause, bit) => constant(clause, 2 << bit)) } }
}

/** Scores documents like `rankOverlay`. `missed` is the highest number of groups that a document may miss. */
export function rankedClause(
  groups: readonly SearchGroup[],
  idfOf: readonly number[],
  missed: number,
  filter: Readonly<Record<string, readonly Clause[]>>,
): Clause {
  // Avoids a second script per document.
  if (groups.length === 1) {
    return scored({ bool: { ...filter, must: [fitClause(groups[0]!)] } }, ONE_GROUP_RANK_SCRIPT, { idf: idfOf[0] })
  }
  const [groupScript, rank] =
    missed === 0 ? [ALL_GROUPS_SCRIPT, ALL_GROUPS_RANK_SCRIPT] : [SOME_GROUPS_SCRIPT, SOME_GROUPS_RANK_SCRIPT]
  const groupClauses = groups.map((group, n) => scored(fitClause(group), groupScript, { idf: idfOf[n] }))
  const should = groups.flatMap(({ pair }) => (pair ? [scored(fitClause(pair), PAIR_SCRIPT)] : []))
  const must =
    missed === 0 ? groupClauses : [{ bool: { should: groupClauses, minimum_should_match: groups.length - missed } }]
  return scored({ bool: { ...filter, must, should } }, rank, { groups: groups.length })
}
