/** Types and functions that all formats share. All formats return postings with the same members, not yet validated. */

/** A posting as an adapter reads it. Texts may be too long, and members may contradict each other. */
export interface ForeignPosting {
  /** The ID of the posting in its feed. */
  id: string
  title: string
  company?: string | undefined
  companyWebsite?: string | undefined
  companyLogo?: string | undefined
  locations: readonly string[]
  isRemote?: boolean | undefined
  isHybrid?: boolean | undefined
  /** HTML, or Markdown if `isMarkdown` is true. */
  description: string
  isMarkdown?: boolean | undefined
  /**
   * Present if the document lists the requirements separately. Otherwise, they come from a list in an HTML description,
   * if its heading is clear. The same applies to `benefits`.
   */
  requirements?: readonly string[] | undefined
  benefits?: readonly string[] | undefined
  category?: string | undefined
  /** The employment type, as the document spells it. */
  type?: string | undefined
  /** The experience level, as the document spells it. */
  level?: string | undefined
  language?: string | undefined
  skills?: readonly string[] | undefined
  postedAt?: Date | undefined
  expiresAt?: Date | undefined
  salary?: ForeignSalary | undefined
  /** The posting's page. */
  url?: string | undefined
  applyUrl?: string | undefined
  /** Problems with the posting's members. */
  notes?: readonly Note[] | undefined
  /** Members of this board's jobs that only NDJSON documents contain. */
  more?: Readonly<Record<string, unknown>> | undefined
}

export interface ForeignSalary {
  min: number | null
  max: number | null
  currency: string
  period: string
}

/** A problem with one posting. */
export interface Note {
  code: string
  detail: string
}

/** A posting that cannot be read. `id` is absent if it is unknown. */
interface Refusal extends Note {
  id?: string | undefined
}

export type Read = { posting: ForeignPosting } | { refusal: Refusal } | 'unlisted'

/** Thrown if the document as a whole cannot be read. No job may be closed because of such a document. */
export class BadDocument extends Error {
  readonly code: 'invalid_document' | 'cut_document' | 'forbidden_markup' | 'too_many_postings'

  constructor(code: BadDocument['code'], detail: string) {
    super(detail)
    this.code = code
  }
}

/**
 * Fetches one of several responses. Returns undefined if the resource is gone, or if the host redirects to another
 * host. The first call throws instead.
 */
export type FetchText = (url: URL) => Promise<string | undefined>

/** How to fetch and read one kind of document. */
export interface Format {
  /** Returns the URL of a company's document. Absent if each feed of this format has its own URL. */
  urlOf?(board: string): string
  /**
   * Fetches the postings from several responses, and yields them as the lines of one document. Absent if one response
   * contains all postings. Throws `BadDocument` if the postings are incomplete, because the feed would close the jobs
   * of missing postings.
   */
  collect?(url: URL, fetchText: FetchText): AsyncIterable<object>
  /** Yields a result for every posting. Throws `BadDocument` if the document is truncated or has another format. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Read>
}

export const refused = (code: string, detail: string, id?: string): Read => ({ refusal: { code, detail, id } })

/** The problem code of a posting that cannot be read at all. */
export const UNREADABLE = 'unreadable'

/** Thrown if a posting cannot be read at all. */
export class Unreadable extends Error {}

/** Maximum length of a posting's ID in characters. Longer IDs might not fit into an index entry. */
const ID_LENGTH_MAX = 200

/** Calls an adapter for one posting. If the adapter throws, refuses only this posting. */
export function readOne<Item>(item: Item, adapt: (item: Item) => ForeignPosting | undefined): Read {
  try {
    const posting = adapt(item)
    if (posting === undefined) return 'unlisted'
    if (posting.id === '') return refused('no_id', 'The posting has no ID.')
    if (posting.id.length > ID_LENGTH_MAX) {
      const detail = `The ID is longer than ${ID_LENGTH_MAX} characters.`
      return refused('invalid_id', detail, posting.id.slice(0, ID_LENGTH_MAX))
    }
    return { posting }
  } catch (error) {
    if (error instanceof Unreadable) return refused(UNREADABLE, error.message)
    return refused('invalid_posting', 'The posting does not have the documented structure.')
  }
}
