/** Compares an index of the search engine with the database. */
import type { Database } from '../../db/database.ts'
import { documentOf, indexDefinition, type JobDocument } from './documents.ts'
import type { Engine } from './engine.ts'
import { findLastNumber, type IndexedRow, listIndexedRows, listNextRows, listNextVersions } from './queries.ts'
import { type FoundDocument, isOnBoard, listDocuments, xidOf } from './writes.ts'

/**
 * Number of jobs that are compared at a time. Must not exceed `PAGE_ROWS_MAX`, which limits the documents in a
 * response.
 */
const RANGE = 5_000
const SAMPLE = 50
/** Maximum number of a document's terms that are looked up. A query can have 1,024 clauses. */
const TERMS_MAX = 900
/** Tolerance when comparing coordinates, in degrees. The engine stores coordinates with 32 bits. */
const DEGREES = 1e-5

/** A job whose document is missing, superfluous or outdated, or differs in a field. */
export interface Difference {
  number: number
  text: string
}

interface Compared {
  database: Database
  engine: Engine
}

/**
 * Yields the numbers of jobs whose documents do not match their last transactions, one range of jobs at a time.
 * Includes jobs whose changes the index still lacks.
 */
export async function* findDoubtful({ database, engine }: Compared, name: string) {
  for (let after = -1; ; ) {
    const jobs = await database.read((db) => listNextVersions(db, after, RANGE))
    const last = jobs.length < RANGE ? Number.MAX_SAFE_INTEGER : jobs.at(-1)!.number
    const found: FoundDocument[] = []
    for (let from = after; ; ) {
      const query = { bool: { filter: [isOnBoard, { range: { number: { lte: last } } }] } }
      const page = await listDocuments(engine, name, query, { after: from, limit: RANGE })
      found.push(...page)
      if (page.length < RANGE) break
      from = page.at(-1)!.number
    }
    const expected = new Map(jobs.map(({ number, xid }) => [number, xid]))
    const numbers: number[] = []
    for (const { number, version } of found) {
      if (expected.get(number) !== xidOf(version)) numbers.push(number)
      expected.delete(number)
    }
    numbers.push(...expected.keys())
    yield { compared: jobs.length, documents: found.length, numbers }
    if (jobs.length < RANGE) return
    after = last
  }
}

/** Compares the versions of these jobs' documents. Ignores jobs that changed at or above the horizon of the index. */
export async function compareVersions(
  { database, engine }: Compared,
  { name, horizon }: { name: string; horizon: string },
  numbers: readonly number[],
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (let from = 0; from < numbers.length; from += RANGE) {
    const part = numbers.slice(from, from + RANGE)
    const query = { bool: { filter: [isOnBoard, { terms: { number: part } }] } }
    const documents = await listDocuments(engine, name, query, { after: -1, limit: RANGE })
    const found = new Map(documents.map(({ number, version }) => [number, xidOf(version)]))
    const jobs = new Map((await database.read((db) => listIndexedRows(db, part))).map((job) => [job.number, job]))
    for (const number of part) {
      const job = jobs.get(number)
      const xid = found.get(number)
      if (job && job.xid >= Number(horizon)) continue
      const expected = job?.is_listed ? job.xid : undefined
      if (xid === expected) continue
      const text = xid === undefined ? 'no document' : expected === undefined ? 'not on the board' : 'another version'
      differences.push({ number, text })
    }
  }
  return differences
}

/**
 * Compares every field of about `count` random jobs: values with their columns, and words by searching for them.
 * Ignores missing documents, and documents of another version.
 */
export async function compareSample(compared: Compared, name: string, count: number): Promise<Difference[]> {
  const last = await compared.database.read(findLastNumber)
  const differences: Difference[] = []
  for (let n = 0; n < count; n += SAMPLE) {
    const after = count >= last ? n : Math.floor(Math.random() * last)
    const rows = await compared.database.read((db) => listNextRows(db, after - (n === 0 ? 1 : 0), SAMPLE))
    const jobs = rows.filter(({ is_listed }) => is_listed)
    if (jobs.length > 0) differences.push(...(await compareFields(compared.engine, name, jobs)))
  }
  return differences
}

const properties = indexDefinition().mappings.properties as Record<string, { type: string }>
const fieldsOf = (isText: boolean) =>
  Object.keys(properties).filter((field) => (properties[field]!.type === 'text') === isText && field !== 'gone_at')

interface Hit {
  _version: number
  fields: Record<string, unknown[]>
}

async function compareFields(engine: Engine, name: string, jobs: readonly IndexedRow[]): Promise<Difference[]> {
  const columns = fieldsOf(false).map((field) => ({ field }))
  const documents = jobs.map((job): JobDocument => ({ ...documentOf(job), xid: job.xid }))
  const { responses } = await engine.write<{ responses: { hits: { hits: Hit[]; total: { value: number } } }[] }>({
    method: 'POST',
    path: `/${name}/_msearch`,
    bulkBody: documents.flatMap((document) => {
      const same = { bool: { ...isOnBoard.bool, filter: [{ term: { number: document.number } }] } }
      const filter = [same, { bool: { filter: termsOf(document) } }]
      return [
        {},
        { query: same, version: true, stored_fields: '_none_', docvalue_fields: columns },
        {},
        { query: { bool: { filter } }, size: 0 },
      ]
    }),
  })
  return documents.flatMap((document, n) => {
    const [hit] = responses[2 * n]!.hits.hits
    if (!hit || xidOf(hit._version) !== document.xid) return []
    const wrong = fieldsOf(false).filter((field) => !isSame(field, document[field], hit.fields[field] ?? []))
    if (responses[2 * n + 1]!.hits.total.value === 0) wrong.push(...fieldsOf(true))
    return wrong.length === 0
      ? []
      : [{ number: document.number as number, text: `different values for ${wrong.join(', ')}` }]
  })
}

/** Returns queries for the words of a document. */
function termsOf(document: JobDocument): object[] {
  const terms = fieldsOf(true).flatMap((field) => {
    const forms = String(document[field] ?? '').split(/[ |]/)
    return [...new Set(forms)]
      .filter((form) => form !== '' && form !== '_')
      .map((form) => ({ term: { [field]: form } }))
  })
  return terms.slice(0, TERMS_MAX)
}

function isSame(field: string, written: unknown, found: readonly unknown[]): boolean {
  const expected = [written ?? []].flat()
  if (properties[field]!.type !== 'geo_point') {
    const sorted = (values: readonly unknown[]) => JSON.stringify([...new Set(values.map(String))].sort())
    return sorted(expected) === sorted(found)
  }
  const points = found.map((point) => String(point).split(',').map(Number))
  return (expected as { lat: number; lon: number }[]).every(({ lat, lon }) =>
    points.some((point) => Math.abs(point[0]! - lat) < DEGREES && Math.abs(point[1]! - lon) < DEGREES),
  )
}
