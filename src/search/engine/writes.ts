/** Writes to an index of the search engine. */
import { goneDocument, indexDefinition, type JobDocument } from './documents.ts'
import { type Engine, EngineUnavailable } from './engine.ts'
import type { Refusal } from './queries.ts'

/**
 * Transaction IDs stay below this number for 30 years at 1,000 per second. Versions stay below 2^53 for 8,000 epochs.
 */
const EPOCH = 2 ** 40
export const versionOf = (epoch: number, xid: number): number => epoch * EPOCH + xid
export const xidOf = (version: number): number => version % EPOCH

/** Length from which a request takes no further documents, in characters. The engine's limit is 100 MB. */
const BULK_LENGTH = 5_000_000
const REASON_LENGTH = 300
/**
 * If the engine refuses at least this many documents and accepts none, the mapping of the index is wrong, not the
 * documents.
 */
const REFUSED_MAX = 20

/**
 * Returns the alias for writes. Without the alias, the engine would recreate a deleted index without its mapping, and
 * accept the documents.
 */
const writesTo = (name: string): string => `${name}-writes`

/** Creates the index, unless it exists. The number of shards depends on the expected number of jobs. */
export async function createIndex(engine: Engine, name: string, jobs: number): Promise<void> {
  const { number_of_data_nodes: nodes } = await engine.read<{ number_of_data_nodes: number }>({
    method: 'GET',
    path: '/_cluster/health',
  })
  const definition = indexDefinition({ shards: Math.ceil((jobs + 1) / SHARD_JOBS), replicas: nodes > 1 ? 1 : 0 })
  if (await hasIndex(engine, name)) return
  const body = { ...definition, aliases: { [writesTo(name)]: {} } }
  await engine.write({ method: 'PUT', path: `/${name}`, body }).catch(async (error) => {
    // Another process may have created the index in the meantime.
    if (!(await hasIndex(engine, name))) throw error
  })
}

/** Maximum number of jobs per shard. Each shard adds about 2 ms to a search, so few large shards are best. */
const SHARD_JOBS = 4_000_000

export const hasIndex = (engine: Engine, name: string): Promise<boolean> =>
  engine.read({ method: 'HEAD', path: `/${name}` })

export async function dropIndex(engine: Engine, name: string): Promise<void> {
  await engine.write({ method: 'DELETE', path: `/${name}`, querystring: { ignore_unavailable: true } })
}

export interface Write {
  number: number
  xid: number
  document: JobDocument
}

interface BulkAnswer {
  errors: boolean
  items: { index: { status: number; error?: { type: string; reason: string; caused_by?: { reason?: string } } } }[]
}

/**
 * Writes documents. Newer versions in the index win. Writes a refused document again without its content, so that its
 * previous content disappears. Returns the refused documents. Throws an error if any other document failed, if the
 * index is from a release whose documents have fewer fields, or if the engine refuses every document and the number of
 * documents is at least `REFUSED_MAX`.
 */
export async function writeDocuments(
  engine: Engine,
  index: { name: string; epoch: number },
  writes: readonly Write[],
  now: Date,
): Promise<Refusal[]> {
  const refused: (Refusal & { write: Write })[] = []
  for (const part of inParts(index.epoch, writes)) {
    const { errors, items } = await engine.write<BulkAnswer>({
      method: 'POST',
      path: `/${writesTo(index.name)}/_bulk`,
      // After the loss of a node, the engine waits for a copy of a shard, by default for a minute per attempt.
      querystring: { require_alias: true, timeout: '10s', filter_path: 'errors,items.*.status,items.*.error' },
      bulkBody: part.lines,
    })
    if (!errors) continue
    for (const [n, { index: item }] of items.entries()) {
      const { status, error } = item
      if (status < 300 || status === 409) continue
      const reason = [error?.type, error?.reason, error?.caused_by?.reason].filter(Boolean).join(': ')
      if (status === 404) throw new MissingIndex(reason)
      if (status !== 400) throw new EngineUnavailable(new Error(`OpenSearch: status ${status}: ${reason}`))
      if (error?.type === 'strict_dynamic_mapping_exception') {
        throw new Error(`The index is from an older release. Run search reindex. ${reason}`)
      }
      const write = part.writes[n]!
      refused.push({ number: write.number, reason: reason.slice(0, REASON_LENGTH), write })
    }
  }
  if (refused.length === 0) return []
  if (refused.length >= REFUSED_MAX && refused.length === writes.length) throw new Error(refused[0]!.reason)
  const emptied = refused.map(({ write: { number, xid } }) => ({ number, xid, document: goneDocument(number, now) }))
  const again = await writeDocuments(engine, index, emptied, now)
  if (again.length > 0) throw new Error(again[0]!.reason)
  return refused.map(({ number, reason }) => ({ number, reason }))
}

/** Thrown if the index does not exist. */
export class MissingIndex extends Error {}

function* inParts(epoch: number, writes: readonly Write[]): Generator<{ lines: string[]; writes: Write[] }> {
  let part = { lines: [] as string[], writes: [] as Write[] }
  let length = 0
  for (const write of writes) {
    const { number, xid, document } = write
    const line = JSON.stringify({ ...document, xid })
    const head = { _id: String(number), version: versionOf(epoch, xid), version_type: 'external_gte' }
    part.lines.push(JSON.stringify({ index: head }), line)
    part.writes.push(write)
    length += line.length
    if (length < BULK_LENGTH) continue
    yield part
    part = { lines: [], writes: [] }
    length = 0
  }
  if (part.writes.length > 0) yield part
}

/** Returns the numbers of the markers: the first negative numbers that give each shard a document. */
export async function findMarkers(engine: Engine, name: string): Promise<number[]> {
  const shardsFor = async (querystring: Record<string, string>) => {
    const path = `/${name}/_search_shards`
    return (await engine.read<{ shards: { shard: number }[][] }>({ method: 'GET', path, querystring })).shards
  }
  const { length } = await shardsFor({})
  const markers = new Map<number, number>()
  for (let number = -1; markers.size < length; number--) {
    const [copies] = await shardsFor({ routing: String(number) })
    if (!copies?.[0]) throw new EngineUnavailable(new Error('OpenSearch: a shard has no copy'))
    const [{ shard }] = copies as [{ shard: number }]
    if (!markers.has(shard)) markers.set(shard, number)
  }
  return [...markers.values()]
}

/** Makes all written documents visible to searches. */
export async function refreshIndex(engine: Engine, name: string): Promise<void> {
  const { _shards: shards } = await engine.write<{ _shards: { failed: number; successful: number } }>({
    method: 'POST',
    path: `/${name}/_refresh`,
  })
  if (shards.failed > 0 || shards.successful === 0)
    throw new EngineUnavailable(new Error(`OpenSearch: ${shards.failed} shards were not refreshed`))
}

/** Starts to remove the documents of jobs that left the board before a time. */
export async function sweepGone(engine: Engine, name: string, before: Date): Promise<void> {
  await engine.write({
    method: 'POST',
    path: `/${name}/_delete_by_query`,
    querystring: { conflicts: 'proceed', wait_for_completion: false },
    body: { query: { range: { gone_at: { lt: before.getTime() } } } },
  })
}

/** Matches the documents of active jobs, even if they have expired. */
export const isOnBoard = { bool: { must_not: [{ exists: { field: 'gone_at' } }] } }

/** A document that `listDocuments` found. */
export interface FoundDocument {
  number: number
  version: number
}

/** Returns the next documents that match a query, ordered by number. */
export async function listDocuments(
  engine: Engine,
  name: string,
  query: object,
  { after, limit }: { after: number; limit: number },
): Promise<FoundDocument[]> {
  interface Answer {
    hits: { hits: { _version: number; sort: [number] }[] }
  }
  const { hits } = await engine.write<Answer>({
    method: 'POST',
    path: `/${name}/_search`,
    querystring: { allow_partial_search_results: false },
    body: {
      ...{ size: limit, query, sort: ['number'], search_after: [after] },
      ...{ version: true, stored_fields: '_none_', track_total_hits: false },
    },
  })
  return hits.hits.map(({ _version, sort: [number] }) => ({ number, version: _version }))
}

/** Returns the number of documents of active jobs, or undefined if the engine does not have the index. */
export async function countDocuments(engine: Engine, name: string): Promise<number | undefined> {
  if (!(await hasIndex(engine, name))) return undefined
  const body = { query: isOnBoard }
  return (await engine.read<{ count: number }>({ method: 'POST', path: `/${name}/_count`, body })).count
}
