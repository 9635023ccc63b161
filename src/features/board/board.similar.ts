/** Finds similar jobs: jobs with the same occupation that are nearby or remote. Takes the occupation from the title. */
import { resolvePlace } from '../../geo/gazetteer.ts'
import { AppError, isForLater } from '../../lib/errors.ts'
import { parseListQuery, type RawQuery } from '../../lists/query.ts'
import { fold } from '../../search/text/fold.ts'
import { words } from '../../search/text/words.ts'
import type { Kit } from '../feature.ts'
import { type JobDetail, plainJobList } from '../jobs/index.ts'
import { DerivedValues, type MarkedJob } from './board.lists.ts'

const SIMILAR = 5
/**
 * Number of jobs that each search reads. It exceeds the number of shown jobs, because only jobs with a similar title
 * are shown.
 */
const READ = 20
const MILES = 50
const WORDS_MAX = 4

/** Words in titles that do not name an occupation, such as ranks and types of contract. */
const NOT_OCCUPATIONS = new Set(
  `senior junior lead principal staff head chief deputy assistant associate entry mid level graduate trainee intern
  internship apprentice apprenticeship working student expert experienced skilled qualified remote hybrid onsite full
  part time permanent temporary contract freelance m w f d x i ii iii iv sr jr the a an and or of for in at to with und
  fur der die das de la le et en y`.split(/\s+/),
)

/**
 * Returns the words that name the occupation. In a title, the occupation ends at the first separator, such as a comma,
 * a bracket or a dash.
 */
function occupationOf(title: string): string[] {
  const [occupation = ''] = fold(title).split(/[,;:|()[\]/–—]|\s-\s/, 1)
  const named = words(occupation).filter((word) => !NOT_OCCUPATIONS.has(word) && !/^\d+$/.test(word))
  return [...new Set(named.map(singular))].slice(-WORDS_MAX)
}

const singular = (word: string) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word)

/**
 * Returns the number of words that the occupations of two jobs share, or 0 if the occupations differ. Occupations are
 * the same if they share at least two words, or all words of the shorter one. Within a category, one word such as
 * “engineer” is enough.
 */
function likeness(job: JobDetail, occupation: readonly string[], other: MarkedJob): number {
  const theirs = occupationOf(other.title)
  const shared = theirs.filter((word) => occupation.includes(word)).length
  const isSame = shared >= 2 || shared === Math.min(occupation.length, theirs.length) || job.category === other.category
  return shared > 0 && isSame ? shared : 0
}

/** Returns similar jobs, most similar first. Returns fewer or none if searches are rate-limited or unavailable. */
export async function findSimilar(kit: Kit, job: JobDetail, account: string): Promise<MarkedJob[]> {
  const occupation = occupationOf(job.title)
  if (occupation.length === 0) return []
  const search = { search: occupation.join(' or '), sort: 'relevance', limit: String(READ) }
  const isPlaced = resolvePlace(job.location) !== undefined
  const near = isPlaced && { ...search, location: job.location, distance: String(MILES) }
  const searches: RawQuery[] = [...(near ? [near] : []), { ...search, remote: 'true' }]
  const found = new Map<string, MarkedJob>()
  try {
    for (const raw of searches) {
      const { query, faults } = parseListQuery(plainJobList, raw, kit.cursorSecret)
      if (faults.length > 0) continue
      const { items } = await kit.lists.page('/jobs', query, asRead, { account })
      for (const { distance_miles: _, ...other } of items) found.set(other.id, other)
    }
  } catch (error) {
    if (!(error instanceof AppError && isForLater(error))) throw error
  }
  found.delete(job.id)
  return [...found.values()]
    .map((other) => ({ other, score: likeness(job, occupation, other) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, SIMILAR)
    .map(({ other }) => other)
}

const asRead = new DerivedValues((job) => job)
