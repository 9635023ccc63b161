import type { Task } from '../../background/loop.ts'
import type { Tx } from '../../db/database.ts'
import { addShared } from '../../db/rate-limits.ts'
import { extractText } from '../../files/extract.ts'
import { kindOfMediaType } from '../../files/kinds.ts'
import { type ObjectStore, removeDiscarded } from '../../files/store.ts'
import { lockCandidate, refreshCandidateSearch } from '../candidates/index.ts'
import type { Kit } from '../feature.ts'
import {
  type ClaimedResume,
  claimExtraction,
  findExtractionBacklog,
  returnExtraction,
  settleExtraction,
  shortenExtractionLeases,
} from './resumes.queries.ts'

/** Lease in milliseconds. Longer than any extraction, because two workers must not read the same file. */
const LEASE_MS = 60_000
const BUDGET = 'extraction-time'
/** Maximum number of attempts per file, because a file can crash the process. */
const ATTEMPTS_MAX = 3

type ExtractorOptions = Pick<Kit, 'database' | 'clock' | 'files' | 'budgets'> & {
  extract?: typeof extractText
  monotonicMs?: () => number
}

/** Extracts the text of one new resume per round. Divides the time fairly among candidates (decision 0079). */
export function resumeExtractor({
  database,
  clock,
  files,
  budgets,
  extract = extractText,
  monotonicMs = () => performance.now(),
}: ExtractorOptions): Task {
  /**
   * Extracts the text of a file. Throws if the file cannot be read. Returns undefined instead if the resume was deleted
   * or another attempt has begun.
   */
  const read = async (claimed: ClaimedResume) => {
    let bytes: Buffer
    try {
      bytes = await files.get(claimed)
    } catch (error) {
      if (await database.inStatement((tx) => returnExtraction(tx, claimed))) throw error
      return undefined
    }
    const begun = monotonicMs()
    const outcome = await extract(kindOfMediaType(claimed.content_type)!, bytes)
    return { outcome, ms: Math.ceil(monotonicMs() - begun) }
  }
  const window = () => budgets.windowOf(BUDGET)
  return {
    name: 'resume-extraction',
    everyMs: 2_000,
    async once() {
      const now = clock.now()
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      const claimed = await database.inStatement((tx) => claimExtraction(tx, leaseUntil, now, window()))
      if (!claimed) return 'done'
      const hasCrashed = claimed.extraction_attempts > ATTEMPTS_MAX
      const result = hasCrashed ? { outcome: { error: 'crashed' }, ms: 0 } : await read(claimed)
      if (!result) return 'more'
      const { outcome, ms } = result
      const { candidate_id } = claimed
      const used = await database.inTx(async (tx) => {
        await lockCandidate(tx, candidate_id)
        if (await settleExtraction(tx, claimed, outcome)) await refreshCandidateSearch(tx, candidate_id)
        return addShared(tx, window(), candidate_id, ms)
      })
      budgets.noteCharged(BUDGET, candidate_id, ms, used)
      return 'more'
    },
    backlog: () => database.read((db) => findExtractionBacklog(db, window())),
  }
}

export function bringExtractionBack(tx: Tx, now: Date): Promise<void> {
  return shortenExtractionLeases(tx, new Date(now.getTime() + LEASE_MS))
}

/** Deletes the stored objects of deleted resumes and unfinished uploads. */
export function discardedFileRemover({
  database,
  clock,
  objects,
}: Pick<Kit, 'database' | 'clock'> & { objects: ObjectStore }): Task {
  return {
    name: 'discarded-files',
    everyMs: 60_000,
    once: () => removeDiscarded(database, objects, clock.now()),
  }
}
