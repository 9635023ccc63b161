/**
 * The documents of the search engine: the mapping, and the conversion of jobs. A document contains the words of the
 * search vector, and the values that filters and orders use. Lists read the job itself from the database.
 */
import { workplaceOf } from '../../lib/workplaces.ts'
import { copiedColumns } from '../memory/columns.ts'
import type { ChangedRow } from '../memory/queries.ts'
import { parseVector } from '../text/operands.ts'
import { lengthByte } from '../text/relevance.ts'
import { foldedWords } from '../text/words.ts'

/** A value of `expires_at` that is always in the past. */
export const GONE = 0

const keyword = { type: 'keyword' }
/** Used only for sorting. */
const sortable = { type: 'keyword', index: false }
const number = { type: 'long' }
/** The columns of the board that a document contains. The workplace includes `is_hybrid`. */
const { is_hybrid: _, ...copied } = copiedColumns
const wordsOf = (analyzer: string) => ({ type: 'text', analyzer, norms: false })

/** The settings and the mapping of an index. */
export const indexDefinition = ({ shards = 1, replicas = 0 } = {}) => ({
  settings: {
    number_of_shards: shards,
    number_of_replicas: replicas,
    refresh_interval: '-1',
    max_result_window: PAGE_ROWS_MAX,
    max_terms_count: CHANGED_MAX,
    // The engine remembers the versions of removed documents for long enough that every late write fails.
    gc_deletes: '1h',
    analysis: {
      tokenizer: { spaces: { type: 'whitespace', max_token_length: 1_000_000 } },
      filter: {
        forms: { type: 'pattern_capture', preserve_original: false, patterns: ['([^|]+)'] },
        gaps: { type: 'stop', stopwords: [GAP] },
      },
      analyzer: { forms: { type: 'custom', tokenizer: 'spaces', filter: ['forms', 'gaps'] } },
    },
  },
  mappings: {
    dynamic: 'strict',
    _source: { enabled: false },
    properties: {
      ...Object.fromEntries(Object.entries(copied).map(([name, kind]) => [name, kind === 'number' ? number : keyword])),
      // The transaction that last changed the job.
      xid: number,
      gone_at: number,
      posted_at: number,
      expires_at: number,
      lengths: { type: 'short', index: false },
      is_folded: keyword,
      workplace: keyword,
      language: keyword,
      title_sort: sortable,
      locations_folded: keyword,
      location_words: keyword,
      areas: keyword,
      skills: keyword,
      places: { type: 'geo_point' },
      words: wordsOf('forms'),
      title_words: wordsOf('forms'),
      company_words: wordsOf('forms'),
      known_words: { type: 'text', analyzer: 'whitespace', norms: false, index_options: 'docs' },
    },
  },
})

/** Maximum number of rows that the engine sorts for a page requested by number. */
export const PAGE_ROWS_MAX = 100_000
/** Maximum number of changed jobs that a process adds to the index's results. */
export const CHANGED_MAX = 100_000
/** The token at a position without a word. */
export const GAP = '_'

/** Converts a flag to a keyword, because facets on a keyword take half as long as on a boolean. */
export const flagOf = (value: boolean): 't' | 'f' => (value ? 't' : 'f')

export type JobDocument = Record<string, unknown>

/**
 * Returns the document of a job that is not active, or whose document the engine refused. The document remains for a
 * day, so that late writes of older versions fail.
 */
export const goneDocument = (number: number, now: Date): JobDocument => ({
  number,
  expires_at: GONE,
  gone_at: now.getTime(),
})

/**
 * Returns a marker document. Each shard contains one marker. Its `xid` is the edition of the index, and its number is
 * negative. The marker counts as gone, so nothing compares it with jobs. Its `gone_at` is in the far future, so
 * nothing deletes it.
 */
export const markerDocument = (number: number): JobDocument => ({ number, gone_at: Number.MAX_SAFE_INTEGER })

/**
 * Returns the document of an active job. The document's ID is the job's number. Columns without a conversion here are
 * part of the document as they are, except flags, which are keywords.
 */
export function documentOf(row: ChangedRow & { is_listed?: boolean }): JobDocument {
  const { vector, locations, is_hybrid, description_bytes, is_listed, ...columns } = row
  const { title_sort, company_sort, location_sort, skills } = columns
  const places = columns.places ?? []
  const words = wordsIn(vector)
  return {
    ...Object.fromEntries(
      Object.entries(columns).map(([name, value]) => [name, typeof value === 'boolean' ? flagOf(value) : value]),
    ),
    lengths: lengthByte(title_sort.length, description_bytes),
    workplace: workplaceOf(row),
    locations_folded: locations ?? [],
    location_words: [location_sort, ...(locations ?? [])].flatMap(foldedWords),
    areas: columns.areas ?? [],
    places: Array.from({ length: places.length / 2 }, (_, n) => ({ lat: places[2 * n], lon: places[2 * n + 1] })),
    words: words.all,
    title_words: words.A,
    company_words: words.B,
    known_words: [title_sort, company_sort, ...skills].flatMap(foldedWords).join(' '),
  }
}

/** Returns the lexemes of a vector by position: all lexemes, those with weight A, and those with weight B. */
function wordsIn(vector: string): Record<'all' | 'A' | 'B', string> {
  const forms = { all: [] as string[], A: [] as string[], B: [] as string[] }
  parseVector(vector).forEach((lexeme, position, weight) => {
    add(forms.all, position, lexeme)
    if (weight === 'A' || weight === 'B') add(forms[weight], position, lexeme)
  })
  return { all: forms.all.join(' '), A: forms.A.join(' '), B: forms.B.join(' ') }
}

/** Adds a lexeme at a position. No lexeme equals `GAP`. */
function add(list: string[], position: number, lexeme: string): void {
  // An array with holes would take almost twice as long.
  while (list.length <= position) list.push(GAP)
  list[position] = list[position] === GAP ? lexeme : `${list[position]}|${lexeme}`
}
