/**
 * `node bench/relevance.ts POSTINGS QUERIES [--typos] [--url http://… --key …] [--engine opensearch]`: measures the
 * ranking of searches by relevance, with postings (in the input format of bench/postings.ts) and queries with graded
 * judgments (`{qid, kind, query, rel: {id: grade}}`).
 *
 * With --url, queries a running service whose board contains only these postings. A job matches the posting with the
 * same title, location and posted_at. Does not compare companies, because the board may spell them differently. Without
 * --url, calls the service's ranking functions on the same search vectors. With `--engine opensearch`, imports the
 * postings into a temporary board instead, and compares both engines; exits with code 1 if a figure differs by more
 * than 0.02. Requires the Debian packages postgresql and maven.
 *
 * For known-item queries (one correct result), prints MRR@10, the mean of 1 / rank. For other queries, prints nDCG@10
 * with the gain 2^grade − 1 and the usual discount log2(rank + 1). Also prints nDCG@10 with the grade as the gain.
 *
 * With --typos, each query contains one typo in a word of at least five letters. Omits queries without such a word.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { killServers, runCli, SERVE, startPostgres, startServer } from './processes.ts'
import { startSearch } from './searched.ts'

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
const ADMIN_API_KEY = 'bench-operator-key-0123456789'
/** Maximum accepted difference between the engines. */
const DIFFERENCE_MAX = 0.02

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    typos: { type: 'boolean' },
    engine: { type: 'string', default: 'memory' },
  },
})
const [postingsFile, queriesFile] = positionals
if (postingsFile === undefined || queriesFile === undefined) {
  console.error(
    'Usage: node bench/relevance.ts POSTINGS.ndjson[.gz] QUERIES.ndjson[.gz] [--typos] [--url URL --key KEY] [--engine opensearch]',
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

let random = randomFrom(7)

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

/** Returns the mean of each measure, and the number of its queries. */
async function measure(search: Search): Promise<Map<string, { mean: number; count: number }>> {
  random = randomFrom(7)
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
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return new Map([...measured].map(([name, values]) => [name, { mean: meanOf(values), count: values.length }]))
}

async function show(search: Search, where: string): Promise<Map<string, { mean: number; count: number }>> {
  const measured = await measure(search)
  console.log(`${postings.length} postings, ${queries.length} queries, ${where}`)
  for (const [name, { mean, count }] of measured) console.log(`${mean.toFixed(4)}  ${name} (${count} queries)`)
  return measured
}

/** Measures both engines on a temporary board with the postings. */
async function compareEngines(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'job-relevance-'))
  const postgres = await startPostgres(join(folder, 'postgres'))
  if ('missing' in postgres) throw new Error(postgres.missing)
  const lines = join(folder, 'jobs.ndjson')
  let stopSearch = async () => {}
  try {
    execFileSync(process.execPath, ['bench/postings.ts', file, lines], { stdio: 'inherit' })
    const environment = { DATABASE_URL: postgres.url, DATA_DIR: folder, LOG_LEVEL: 'fatal', ADMIN_API_KEY }
    runCli(['import', 'jobs', lines], environment)
    const { engine, settings } = await startSearch(environment)
    stopSearch = () => engine.stopAll()
    const measureBoard = async (more: Record<string, string>, name: string) => {
      const server = await startServer([...SERVE, '--only', 'http'], { ...environment, ...more }, '/readyz')
      const measured = await show(searchThere(postings, server.origin, ADMIN_API_KEY), name)
      await server.stop()
      return measured
    }
    const memory = await measureBoard({}, 'in memory')
    const opensearch = await measureBoard(settings, 'by OpenSearch')
    const differences = [...memory].map(([name, { mean }]) => Math.abs(mean - opensearch.get(name)!.mean))
    const largest = Math.max(...differences)
    console.log(`largest difference: ${largest.toFixed(4)}`)
    if (!(largest <= DIFFERENCE_MAX)) process.exitCode = 1
  } finally {
    killServers()
    await stopSearch()
    postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (options.engine === 'opensearch') await compareEngines(postingsFile)
else if (options.url) await show(searchThere(postings, options.url, options.key), options.url)
else await show(searchHere(postings), 'in this process')
