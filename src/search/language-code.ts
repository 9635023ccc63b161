import { sql } from 'kysely'

/** Selects a job's language without script, region or variants, as `primaryLanguage` does. */
export const languageCode = sql<string | null>`lower(split_part(job.language, '-', 1))`
