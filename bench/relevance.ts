/**
 * `node bench/relevance.ts POSTINGS QUERIES [--typos] [--url http://… --key …]`: measures the ranking of searches by
 * relevance, with postings (in the format of bench/postings.ts) and queries with graded judgments
 * (`{qid, kind, query, rel: {id: grade}}`).
 *
 * With --url, queries a running service whose board contains only these postings. A job matches the posting with the
 * same title, location and posted_at. Does not compare companies, because the board may spell them differently. Without
 * --url, calls the service's ranking functions on the same search vectors.
 *
 * For known-item queries (one correct result), prints MRR@10, the mean of 1 / rank. For other queries, prints nDCG@10
 * with the gain 2^grade − 1 and the usual discount log2(rank + 1). Also prints nDCG@10 with the grade as the gain.
 *
 * With --typos, each query contains one typo in a word of at least five letters. Omits queries without such a word.
 */
import { parseArgs } from 'node:util'
import { JobMarketplace } from '../packages/client/src/index.ts'
import { readLines } from '../src/commands/lines.ts'
import { parseVector } from '../src/search/text/operands.ts'
import {
  idf,
  lengthByte,
  nearestMatches,
  pageOf,
  ranks,
  scoredGroup,
  scoredPair,
  scores,
} from '../src/search/text/relevance.ts'
import { correctSearch, Vocabulary } from '../src/search/text/spelling.ts'
import { type SearchCondition, searchGroups, searchVector, words } from '../src/search/text/words.ts'
import { randomFrom } from './make-jobs.ts'

interface Posting {
  id: string
  title: string
  company: string
  location: string
  description: string | null
  skills: string[] | null
  posted_at: string
}

interface Query {
  kind: string
  query: string
  rel: Record<string, number>
}

/** Returns the IDs of the matching postings, best first. */
type Search = (query: string) => Promise<string[]>

/** Below this number of results, a search also returns jobs that match only some of its terms. */
const ENOUGH = 20
const LIMIT = 10

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, key: { type: 'string' }, typos: { type: 'boolean' } },
})
const [postingsFile, queriesFile] = positionals
if (postingsFile === undefined || queriesFile === undefined) {
  console.error(
    'Usage: node bench/relevance.ts POSTINGS.ndjson[.gz] QUERIES.ndjson[.gz] [--typos] [--url URL --key KEY]',
  )
  process.exit(2)
}

async function read<Item>(file: string): Promise<Item[]> {
  const items: Item[] = []
  for await (const line of readLines(file)) {
    if ('refusal' in line) throw new Error(line.refusal)
    if (line.text.trim() !== '') items.push(JSON.parse(line.text))
  }
  return items
}

/** Ranks in this process, with the service's functions. */
function searchHere(postings: readonly Posting[]): Search {
  const vectors = postings.map(({ title, skills, company, description }) =>
    parseVector(searchVector({ title, skills: skills ?? [], company, description: description ?? '', language: null })),
  )
  const lengths = Uint8Array.from(postings, ({ title, description }) =>
    lengthByte(title.length, Buffer.byteLength(description ?? '')),
  )
  const newestFirst = Uint32Array.from(postings, (_, slot) => slot).sort(
    (a, b) => Date.parse(postings[b]!.posted_at) - Date.parse(postings[a]!.posted_at),
  )
  const vocabulary = new Vocabulary()
  for (const { title, company, skills } of postings) {
    for (const text of [title, company, ...(skills ?? [])]) for (const word of words(text)) vocabulary.add(word)
  }
  const fitsOf = (condition: SearchCondition) => Uint8Array.from(vectors, (vector) => condition.fit(vector))
  const count = (fits: Uint8Array) => fits.reduce((sum, fit) => sum + (fit > 0 ? 1 : 0), 0)

  return async (typed) => {
    const isMet = (group: SearchCondition) => vectors.some((vector) => group.matches(vector))
    const groups = searchGroups(correctSearch(typed, searchGroups(typed), isMet, vocabulary) ?? typed)
    const required = groups.filter(({ excluded }) => excluded).map(fitsOf)
    const wanted = groups.filter(({ excluded }) => !excluded).map(fitsOf)
    const pairs = groups.flatMap(({ pair }) => (pair ? [fitsOf(pair)] : []))
    const allowed = newestFirst.filter((slot) => required.every((fits) => fits[slot]! > 0))
    const matches = nearestMatches(allowed, wanted, ENOUGH)
    const found = scores(matches.slots, lengths, [
      ...wanted.map((fits) => scoredGroup(fits, idf(postings.length, count(fits)))),
      ...pairs.map((fits) => scoredPair(fits)),
    ])
    const page = pageOf(ranks(matches.missing, found), 0, LIMIT)
    return page.map((index) => postings[matches.slots[index]!]!.id)
  }
}

/** Queries a running service. */
function searchThere(postings: readonly Posting[], url: string, key: string | undefined): Search {
  const nameOf = ({ title, location, posted_at }: Pick<Posting, 'title' | 'location' | 'posted_at'>) =>
    JSON.stringify([title.trim(), location.trim(), Date.parse(posted_at)])
  const ids = new Map(postings.map((posting) => [nameOf(posting), posting.id]))
  const { jobs } = new JobMarketplace({ baseUrl: url, ...(key && { apiKey: key }) })
  return async (query) => {
    const { data } = await jobs.list({ search: query, sort: 'relevance', limit: LIMIT })
    return data.map((job) => {
      const id = ids.get(nameOf(job))
      if (id === undefined)
        throw new Error(`${query}: no posting matches ${job.title}, ${job.location}, ${job.posted_at}`)
      return id
    })
  }
}

function discountedGain(gains: readonly number[]): number {
  return gains.slice(0, LIMIT).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
}

function ndcg(found: readonly number[], judged: readonly number[], gain: (grade: number) => number): number {
  const ideal = judged.toSorted((a, b) => b - a)
  return discountedGain(found.map(gain)) / discountedGain(ideal.map(gain))
}

function reciprocalRank(found: readonly number[]): number {
  const at = found.findIndex((grade) => grade > 0)
  return at < 0 ? 0 : 1 / (at + 1)
}

const postings = (await read<Posting>(postingsFile)).filter(
  ({ title, company, location }) => title && company && location,
)
const queries = await read<Query>(queriesFile)
const search = options.url ? searchThere(postings, options.url, options.key) : searchHere(postings)

/** Adds, removes or replaces one letter of a query, or swaps two letters. */
function mistyped(query: string): string | undefined {
  const found = [...query.matchAll(/[a-z]{5,}/gi)]
  if (found.length === 0) return undefined
  const { 0: word, index } = random.pick(found)
  const at = 1 + random.below(word.length - 1)
  const [head, tail, letter] = [word.slice(0, at), word.slice(at), random.pick([...'abcdefghijklmnopqrstuvwxyz'])]
  const wrong = random.pick([
    head + letter + tail,
    head + tail.slice(1),
    head + letter + tail.slice(1),
    head.slice(0, -1) + tail[0] + head.at(-1) + tail.slice(1),
  ])
  return query.slice(0, index) + wrong + query.slice(index + word.length)
}

const random = randomFrom(7)
const measured = new Map<string, number[]>()
const note = (name: string, value: number) => measured.set(name, [...(measured.get(name) ?? []), value])
for (const { kind, query: right, rel } of queries) {
  const query = options.typos ? mistyped(right) : right
  if (query === undefined) continue
  const grades = (await search(query)).map((id) => rel[id] ?? 0)
  if (kind.startsWith('known-item')) note(`${kind}: MRR@10`, reciprocalRank(grades))
  else {
    note(
      `${kind}: nDCG@10`,
      ndcg(grades, Object.values(rel), (grade) => 2 ** grade - 1),
    )
    note(
      `${kind}: nDCG@10, linear gain`,
      ndcg(grades, Object.values(rel), (grade) => grade),
    )
  }
}
console.log(`${postings.length} postings, ${queries.length} queries, ${options.url ?? 'in this process'}`)
for (const [name, values] of measured) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  console.log(`${mean.toFixed(4)}  ${name} (${values.length} queries)`)
}
