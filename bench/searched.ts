/** A node of OpenSearch with a filled index, for benchmarks. */
import { type OpenSearch, startOpenSearch } from '../test/support/open-search.ts'
import { runCli } from './processes.ts'

/**
 * Starts a node, fills an index, and prints its size. Returns the node, and the settings with which the service uses
 * it.
 */
export async function startSearch(
  environment: Record<string, string>,
  { heapMb = 1_024 } = {},
): Promise<{ engine: OpenSearch; settings: { SEARCH_URL: string } }> {
  const engine = await startOpenSearch({ heapMb, isFast: true })
  if ('missing' in engine) throw new Error(engine.missing)
  const settings = { SEARCH_URL: engine.urls.join() }
  const startedAt = performance.now()
  runCli(['search', 'reindex'], { ...environment, ...settings })
  const seconds = (performance.now() - startedAt) / 1_000
  const stats = (await (await fetch(`${engine.urls[0]}/_stats/store`)).json()) as {
    _all: { primaries: { store: { size_in_bytes: number } } }
  }
  const megabytes = Math.round(stats._all.primaries.store.size_in_bytes / 1e6)
  console.log(`\nIndex: filled in ${seconds.toFixed(1)} s, ${megabytes} MB`)
  return { engine, settings }
}
