/** Caches jobs and responses as JSON bytes, which are valid until something changes. */
import { LRUCache } from 'lru-cache'

export interface ReadyForm {
  bytes: Buffer
  /** The ETag, if the bytes are a whole response. */
  etag?: string
  /** The employer whose logo and website the bytes contain. */
  employerId: string
}

const FORMS_BYTES_MAX = 128 * 1024 * 1024

export class ReadyForms {
  readonly #forms = new LRUCache<string, ReadyForm>({
    maxSize: FORMS_BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes.length,
  })
  /** Increases whenever cached bytes become stale. */
  #version = 0

  find(id: string): ReadyForm | undefined {
    return this.#forms.get(id)
  }

  /**
   * Reads jobs and caches them, unless something has changed in the meantime, because the read may be older than the
   * change. `mayKeep` returns whether this process is notified of changes of these jobs.
   */
  async read(ask: () => Promise<Map<string, ReadyForm>>, mayKeep: () => boolean): Promise<Map<string, ReadyForm>> {
    const version = this.#version
    const found = await ask()
    if (version === this.#version && mayKeep()) for (const [id, form] of found) this.#forms.set(id, form)
    return found
  }

  /**
   * Reads changed jobs. The returned function caches them; call it after the listeners have been notified of the
   * changes.
   */
  async ahead(ask: () => Promise<Map<string, ReadyForm>>): Promise<() => void> {
    const found = await ask()
    return () => {
      for (const [id, form] of found) this.#forms.set(id, form)
    }
  }

  jobsChanged(ids: readonly string[]): void {
    this.#version++
    for (const id of ids) this.#forms.delete(id)
  }

  /** Drops the cached jobs of these employers, or of all employers if `ids` is empty. */
  employersChanged(ids: readonly string[]): void {
    this.#version++
    const changed = new Set(ids)
    for (const [id, { employerId }] of [...this.#forms]) {
      if (changed.size === 0 || changed.has(employerId)) this.#forms.delete(id)
    }
  }
}

/** Maximum size of the cache of whole responses, in bytes. */
const ANSWERS_BYTES_MAX = 64 * 1024 * 1024

export interface ReadyAnswer {
  body: Buffer
  link: string | undefined
  /**
   * When the response was last known to be current, in milliseconds of `performance.now()`. Absent: the response is
   * current.
   */
  staleSinceMs?: number | undefined
  /** Set after a second request, because compression is then worthwhile. */
  isAskedAgain?: true
  /** The ETag and compressed bodies, computed on demand. */
  etag?: string
  compressed?: { br?: Promise<Buffer>; gzip?: Promise<Buffer> }
}

export class ReadyAnswers {
  readonly #answers = new LRUCache<string, ReadyAnswer>({
    maxSize: ANSWERS_BYTES_MAX,
    // Counts URLs and links as well, because they make up most of a response without jobs: the link contains the URL up
    // to four times.
    sizeCalculation: ({ body, link }, url) => body.length + (link?.length ?? 0) + url.length,
  })
  #revision: number | string = -1

  find(url: string, revision: number | string): ReadyAnswer | undefined {
    const answer = revision === this.#revision ? this.#answers.get(url) : undefined
    if (answer) answer.isAskedAgain = true
    return answer
  }

  keep(url: string, revision: number | string, answer: ReadyAnswer): void {
    if (revision !== this.#revision) this.#answers.clear()
    this.#revision = revision
    this.#answers.set(url, answer)
  }
}
