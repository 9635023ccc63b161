/** Indexes for the handwritten server. The service itself does not use them. */
import type pg from 'pg'

const indexes = [
  "baseline_posted_idx on job (posted_at desc, id desc) where state = 'active'",
  "baseline_expires_idx on job (expires_at) where state = 'active'",
  "baseline_search_idx on job using gin (search) where state = 'active'",
  "baseline_words_idx on job using gin (location_words) where state = 'active'",
  "baseline_skills_idx on job using gin (skills_folded) where state = 'active'",
  ...['category', 'type', 'company_sort', 'experience_level'].map(
    (column) => `baseline_${column}_idx on job (${column}, posted_at desc, id desc) where state = 'active'`,
  ),
]

/** Drops these indexes. Otherwise, the service would have to update them for every new job. */
export async function dropBaselineIndexes(client: pg.ClientBase): Promise<void> {
  for (const index of indexes) await client.query(`drop index if exists ${index.split(' ', 1)[0]}`)
}

/** Creates the indexes that the handwritten server uses. */
export async function createBaselineIndexes(client: pg.ClientBase): Promise<void> {
  for (const index of indexes) await client.query(`create index if not exists ${index}`)
  await client.query('analyze job')
}
