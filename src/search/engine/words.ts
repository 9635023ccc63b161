/** Clauses for the words of a search. */
import type { Search } from '../job-index.ts'
import type { Alternative, Question, Term } from '../text/operands.ts'
import { VALUES } from '../text/relevance.ts'
import type { SearchCondition, SearchGroup } from '../text/words.ts'
import { allOf, anyOf, type Clause, NOTHING, noneOf, terms } from './clauses.ts'
import { GAP } from './documents.ts'
import { rankOf, SCORE } from './overlay.ts'

/** Maximum number of words that a prefix at the end of a phrase stands for. */
const EXPANSIONS_MAX = 10_000

/** Matches what a question asks for. */
export function questionClause({ alternatives, weight }: Question): Clause {
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

/** Matches words at fixed distances after each other. */
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

/** Returns the forms at one position, after the positions before it that do not count. */
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

/** Matches documents that meet all conditions of a search but those that its ranking scores. */
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

/** Added to the score of each group that a document meets, to count them. Exceeds every sum of scores. */
const COUNTED = 4_096

/** Computes the score of a group or a pair. The score of the inner query is the fit, as the bits of `FIT`. */
const GROUP_SCRIPT = `int fit = (int) _score; int lengths = (int) doc['lengths'].value;
  double value = params.text / (1 + params.textLength * (lengths & 15));
  if ((fit & 2) != 0) value += params.title / (1 + params.titleLength * (lengths >> 4));
  if ((fit & 4) != 0) value += params.company;
  if ((fit & 8) != 0) value *= params.typed;
  return params.counted + params.idf * (float) value;`
const PAIR_SCRIPT = `int lengths = (int) doc['lengths'].value;
  double value = (int) _score == 1 ? params.pair : params.typedPair;
  return (float) (value / (1 + params.titleLength * (lengths >> 4)));`
/** Computes the sort value of `rankOverlay` from the sum of the scores. */
const RANK_SCRIPT = `int met = params.counted == 0 ? params.groups : (int) (_score / params.counted);
  double score = _score - met * params.counted;
  return met * (params.highest + 1) + Math.min(params.highest, Math.round(score * params.steps));`

/**
 * Matches the best documents of a ranked search: those that meet a group in the title, the skills or the company and, if
 * documents may miss groups, those that meet all. The rank of all others is at most `restRankMax`.
 */
export const bestClause = (groups: readonly SearchGroup[], missed: number): Clause =>
  anyOf([
    ...groups.flatMap(({ questions }) => questions!.slice(1, 3).map(questionClause)),
    ...(missed === 0 ? [] : [groupsClause(groups, 0)]),
  ])

/** Returns the highest rank of the documents that `bestClause` leaves out. */
export function restRankMax(idfOf: readonly number[], missed: number): number {
  const met = idfOf.length - (missed === 0 ? 0 : 1)
  const highestIdfs = [...idfOf].sort((a, b) => b - a).slice(0, met)
  const score = highestIdfs.reduce((sum, idf) => sum + idf * VALUES.text * VALUES.typed, 0)
  // The engine's sum can round up.
  return rankOf(met, score) + 1
}

const scored = (query: Clause, source: string, params: object): Clause => ({
  script_score: { query, script: { source, params } },
})

/** Scores documents like `rankOverlay`. `missed` is the highest number of groups that a document may miss. */
export function rankedClause(
  groups: readonly SearchGroup[],
  idfOf: readonly number[],
  missed: number,
  filter: Readonly<Record<string, readonly Clause[]>>,
): Clause {
  const counted = missed === 0 ? 0 : COUNTED
  const groupClauses = groups.map(({ questions }, n) => {
    const [any, ...closer] = questions!.map(questionClause)
    const should = closer.map((clause, bit) => constant(clause, 2 << bit))
    return scored({ bool: { must: [constant(any!, 1)], should } }, GROUP_SCRIPT, { ...VALUES, counted, idf: idfOf[n] })
  })
  const pairClauses = groups.flatMap(({ pair }) => {
    if (!pair) return []
    const [any, typed] = pair.questions!.map(questionClause)
    return [scored({ bool: { must: [constant(any!, 1)], should: [constant(typed!, 2)] } }, PAIR_SCRIPT, VALUES)]
  })
  const inner =
    missed === 0
      ? { must: groupClauses, should: pairClauses }
      : {
          must: [{ bool: { should: groupClauses, minimum_should_match: groups.length - missed } }],
          should: pairClauses,
        }
  return scored({ bool: { ...filter, ...inner } }, RANK_SCRIPT, { ...SCORE, counted, groups: groups.length })
}
