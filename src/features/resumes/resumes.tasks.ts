import type { Task } from '../../background/loop.ts'
import type { Database, Tx } from '../../db/database.ts'
import { extractText } from '../../files/extract.ts'
import { kindOfMediaType } from '../../files/kinds.ts'
import { type Files, type ObjectStore, removeDiscarded } from '../../files/store.ts'
import type { Clock } from '../../lib/time.ts'
import { lockCandidate } from '../candidates/index.ts'
import {
  type ClaimedResume,
  claimExtraction,
  findExtractionBacklog,
  returnExtraction,
  settleExtraction,
  shortenExtractionLeases,
} from './resumes.queries.ts'
import type { RefreshSearch } from './resumes.service.ts'

/** Longer than fetching a file and reading it may take, so that two workers never do so at once. */
const LEASE_MS = 60_000
/** A file that ends the whole process is not tried for ever. */
const ATTEMPTS_MAX = 3

/** Takes the text out of new resumes, one a round. */
export function resumeExtractor(
  database: Database,
  clock: Clock,
  files: Files,
  refreshSearch: RefreshSearch,
  extract: typeof extractText = extractText,
): Task {
  /** The text of a file, or undefined when the resume was deleted since it was claimed. */
  const read = async (claimed: ClaimedResume) => {
    let bytes: Buffer
    try {
      bytes = await files.get(claimed)
    } catch (error) {
      if (await database.inStatement((tx) => returnExtraction(tx, claimed))) throw error
      return undefined
    }
    return extract(kindOfMediaType(claimed.content_type)!, bytes)
  }
  return {
    name: 'resume-extraction',
    everyMs: 2_000,
    async once() {
      const now = clock.now()
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      const claimed = await database.inStatement((tx) => claimExtraction(tx, leaseUntil, now))
      if (!claimed) return 'done'
      const outcome = claimed.extraction_attempts > ATTEMPTS_MAX ? { error: 'crashed' } : await read(claimed)
      if (!outcome) return 'more'
      await database.inTx(async (tx) => {
        await lockCandidate(tx, claimed.candidate_id)
        if (await settleExtraction(tx, claimed, outcome)) await refreshSearch(tx, claimed.candidate_id)
      })
      return 'more'
    },
    backlog: () => database.read(findExtractionBacklog),
  }
}

/** After the clock was set back: see `shortenExtractionLeases`. */
export function bringExtractionBack(tx: Tx, now: Date): Promise<void> {
  return shortenExtractionLeases(tx, new Date(now.getTime() + LEASE_MS))
}

/** Removes objects of deleted resumes, and of uploads that were never finished. */
export function discardedFileRemover(database: Database, clock: Clock, objects: ObjectStore): Task {
  return {
    name: 'discarded-files',
    everyMs: 60_000,
    once: () => removeDiscarded(database, objects, clock.now()),
  }
}
