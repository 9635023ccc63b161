/** Metrics of the search engine's indexes. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import { countIndexLag, countRefusals, type IndexRow, listIndexes } from './queries.ts'

/** Maximum number of changes to count. Counting more could exceed the timeout of a scrape. */
const LAG_MAX = 10_000

/** Registers the metrics. Returns a function that counts written and refused documents. */
export function registerSearchMetrics(
  registry: Registry,
  { database, clock }: { database: Database; clock: Clock },
): (written: number, refused: number) => void {
  const registers = [registry]
  /** Registers a gauge of the current index. Its value is `NaN` without an index, or if the database is unavailable. */
  const gauge = (name: string, help: string, measure: (row: IndexRow) => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const read = async () => {
          const row = (await database.read(listIndexes)).find(({ is_current }) => is_current)
          return row ? measure(row) : Number.NaN
        }
        this.set(await read().catch(() => Number.NaN))
      },
    })
  gauge('search_index_age_seconds', 'Time since the index last contained all changes; NaN without an index', (row) =>
    Math.max(0, (clock.now().getTime() - row.followed_at.getTime()) / 1_000),
  )
  gauge('search_index_lacking_changes', `Changes that the index lacks, at most ${LAG_MAX}`, ({ horizon }) =>
    database.read((db) => countIndexLag(db, horizon, LAG_MAX)),
  )
  gauge('search_index_refused_documents', 'Jobs whose document the engine refused', ({ name }) =>
    database.read((db) => countRefusals(db, name)),
  )
  const documents = new Counter({
    name: 'search_documents_total',
    help: 'Documents that this process sent to the engine, by outcome: written or refused',
    labelNames: ['outcome'],
    registers,
  })
  documents.inc({ outcome: 'written' }, 0)
  documents.inc({ outcome: 'refused' }, 0)
  return (written, refused) => {
    documents.inc({ outcome: 'written' }, written - refused)
    documents.inc({ outcome: 'refused' }, refused)
  }
}
