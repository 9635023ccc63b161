/** Creates the search vectors and detects the languages that searches need. */
import type { Database, Tx } from '../../db/database.ts'
import type { ListQuery } from '../../lists/query.ts'
import { detectLanguage } from '../../search/text/language.ts'
import { searchVector } from '../../search/text/words.ts'
import { isSearch } from './jobs.list-queries.ts'
import { listWithoutLanguage, listWordless, updateLanguages, updateSearch } from './jobs.word-queries.ts'

const WORDS_BATCH = 200

/**
 * Creates missing search vectors for an employer's jobs, or for all jobs if `employerId` is null. Returns whether more
 * vectors may be missing. New drafts have no search vector, because they are rarely searched (decision 0050). Computing
 * the vector would take a fifth of the time that creating a job takes.
 */
export async function makeMissingWords(tx: Tx, employerId: string | null): Promise<boolean> {
  const jobs = await listWordless(tx, employerId, WORDS_BATCH)
  const vectors = jobs.map((job) => ({ id: job.id, search: searchVector(job) }))
  if (jobs.length > 0) await updateSearch(tx, vectors)
  return jobs.length === WORDS_BATCH
}

const LANGUAGES_BATCH = 200

/**
 * Detects missing languages of jobs from an earlier release, and recreates the search vectors of these jobs. Returns
 * whether more languages may be missing. Before the detection, searches use English stems for these jobs.
 */
export async function detectMissingLanguages(tx: Tx): Promise<boolean> {
  const jobs = await listWithoutLanguage(tx, LANGUAGES_BATCH)
  const detected = jobs.map(({ has_search, ...job }) => {
    const language = detectLanguage(job)
    return { id: job.id, language, search: has_search ? searchVector({ ...job, language }) : null }
  })
  if (jobs.length > 0) await updateLanguages(tx, detected)
  return jobs.length === LANGUAGES_BATCH
}

/** Maximum number of batches per request. They take 0.3 s in total. More than 1,000 new drafts per minute are rare. */
const BATCHES_MAX = 5

/**
 * Creates missing search vectors before a search, which then finds new drafts. The `job-words` task handles larger
 * backlogs.
 */
export async function readyForSearch(
  database: Pick<Database, 'inTx'>,
  employerId: string | null,
  query: Pick<ListQuery, 'filters'>,
): Promise<void> {
  if (!isSearch(query)) return
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    if (!(await database.inTx((tx) => makeMissingWords(tx, employerId)))) return
  }
}
