/**
 * Opens the index that serves lists of jobs: in the memory of this process or, if a search engine is configured, in
 * that engine.
 */
import type { Database } from '../db/database.ts'
import type { SearchReads } from '../db/search-reads.ts'
import type { Clock } from '../lib/time.ts'
import type { Engine, EngineSettings } from './engine/engine.ts'
import type { JobIndex } from './job-index.ts'
import { Board, type BoardOptions } from './memory/board.ts'
import { MemoryJobs } from './memory/memory-jobs.ts'

/** `keptMs`: minimum time for which a point in time of the engine stays open, in milliseconds. */
export async function openJobs(
  settings: EngineSettings | undefined,
  deps: { database: Database; clock: Clock; searches: SearchReads },
  { snapshots, keptMs, ...options }: BoardOptions & { keptMs: number | undefined },
): Promise<{ board: Board; jobs: JobIndex; engine: Engine | undefined }> {
  const { database, clock } = deps
  if (!settings) {
    const board = new Board(database, clock, { ...options, snapshots })
    return { board, jobs: new MemoryJobs({ ...deps, board }), engine: undefined }
  }
  // Loads the client only if an engine is configured.
  const [{ Engine }, { engineBase }, { EngineJobs }] = await Promise.all([
    import('./engine/engine.ts'),
    import('./engine/base.ts'),
    import('./engine/engine-jobs.ts'),
  ])
  const engine = new Engine(settings)
  const board = new Board(database, clock, { ...options, base: engineBase(engine, { keptMs }) })
  return { board: board as unknown as Board, jobs: new EngineJobs({ ...deps, board, engine }), engine }
}
