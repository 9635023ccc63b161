/** Jobs as the bytes of their JSON, ready to be sent again as long as they stand. */
import { LRUCache } from 'lru-cache'

export interface ReadyForm {
  bytes: Buffer
  /** The entity tag, where they are a whole answer. */
  etag?: string
  /** Whose logo and website are in it. */
  employerId: string
}

const FORMS_BYTES_MAX = 128 * 1024 * 1024

export class ReadyForms {
  readonly #forms = new LRUCache<string, ReadyForm>({
    maxSize: FORMS_BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes.length,
  })
  /** Moves whenever something was found out of date. */
  #version = 0

  find(id: string): ReadyForm | undefined {
    return this.#forms.get(id)
  }

  /**
   * Reads forms and keeps them, unless something has changed meanwhile: what was read may be of before.
   * `mayKeep` is asked then whether it is known when these jobs change.
   */
  async read(ask: () => Promise<Map<string, ReadyForm>>, mayKeep: () => boolean): Promise<Map<string, ReadyForm>> {
    const version = this.#version
    const found = await ask()
    if (version === this.#version && mayKeep()) for (const [id, form] of found) this.#forms.set(id, form)
    return found
  }

  /** Reads the forms of jobs that have changed, to be kept once that has been told. */
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

  /** Without ids: any employer's may be out of date. */
  employersChanged(ids: readonly string[]): void {
    this.#version++
    const changed = new Set(ids)
    for (const [id, { employerId }] of [...this.#forms]) {
      if (changed.size === 0 || changed.has(employerId)) this.#forms.delete(id)
    }
  }
}

/** Whole answers, each good for one revision of the board. */
const ANSWERS_BYTES_MAX = 64 * 1024 * 1024

export interface ReadyAnswer {
  body: Buffer
  link: string | undefined
  /** When it was last known to be current, by `performance.now()`; absent: it is. */
  staleSinceMs?: number | undefined
  /** Whether it was asked for again: then it is worth compressing. */
  isAskedAgain?: true
  /** Its entity tag and the body compressed, once somebody wanted them. */
  etag?: string
  compressed?: { br?: Promise<Buffer>; gzip?: Promise<Buffer> }
}

export class ReadyAnswers {
  readonly #answers = new LRUCache<string, ReadyAnswer>({
    maxSize: ANSWERS_BYTES_MAX,
    // An empty list is little more than its URL, which the link has up to four times.
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
