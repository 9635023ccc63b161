/** `export jobs` and `export employers`: export data that every API key may read, one JSON object per line. */
import type { Database, Reader } from '../db/database.ts'
import { listExportedEmployers, presentEmployer } from '../features/employers/index.ts'
import { listExportedJobs, presentExportedJob } from '../features/jobs/index.ts'
import { counted } from '../lib/counted.ts'
import { writeFileWhole } from './lines.ts'
import { withDatabase } from './run.ts'

const BATCH = 500

interface Source<Row> {
  noun: string
  list(reader: Reader, afterId: string, limit: number, now: Date): Promise<Row[]>
  present(row: Row): object
}

const sourceOf = <Row>(source: Source<Row>) => source as Source<{ id: string }>

/** The exportable resources. */
const exportSources = {
  jobs: sourceOf({ noun: 'job', list: listExportedJobs, present: presentExportedJob }),
  employers: sourceOf({ noun: 'employer', list: listExportedEmployers, present: presentEmployer }),
}

/**
 * Exports all resources of one kind to a file and returns their number. The export is not a snapshot: resources are
 * read at different moments.
 */
export async function exportTo(
  file: string,
  what: keyof typeof exportSources,
  { database, now }: { database: Database; now: Date },
): Promise<number> {
  const { list, present } = exportSources[what]
  let count = 0
  async function* texts() {
    for (let afterId = ''; ; ) {
      const rows = await database.read((db) => list(db, afterId, BATCH, now))
      if (rows.length === 0) return
      count += rows.length
      afterId = rows.at(-1)!.id
      yield rows.map((row) => `${JSON.stringify(present(row))}\n`).join('')
    }
  }
  await writeFileWhole(file, texts())
  return count
}

export const runExport = (what: keyof typeof exportSources) => (file: string) =>
  withDatabase(async (database, _config, clock) => {
    const count = await exportTo(file, what, { database, now: clock.now() })
    console.log(`${counted(count, exportSources[what].noun)} written to ${file}`)
  })
