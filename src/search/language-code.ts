import { sql } from 'kysely'

/** Selects the language of a job without script, region or variants, as `primaryLanguage` does. */
export const languageCode = sql<string | null>`lower(split_part(job.language, '-', 1))`
