/** Jobs as the bytes of their JSON, ready to be sent again as long as they stand. */

export interface ReadyForm {
  bytes: Buffer
  /** The entity tag, where they are a whole answer. */
  etag?: string
  /** Whose logo and website are in it. */
  employerId: string
}

/** What is kept, in bytes; the longest unused goes first. */
const BYTES_MAX = 128 * 1024 * 1024

export class ReadyForms {
  readonly #forms = new Map<string, ReadyForm>()
  #bytes = 0
  /** Moves whenever something was found out of date. */
  #version = 0

  find(id: string): ReadyForm | undefined {
    const form = this.#forms.get(id)
    if (form === undefined) return undefined
    this.#forms.delete(id)
    this.#forms.set(id, form)
    return form
  }

  /**
   * Reads forms and keeps them, unless something has changed meanwhile: what was read may be of before.
   * `mayKeep` says of which jobs it is known when they change.
   */
  async read(
    ask: () => Promise<Map<string, ReadyForm>>,
    mayKeep: (id: string) => boolean,
  ): Promise<Map<string, ReadyForm>> {
    const version = this.#version
    const found = await ask()
    if (version === this.#version) for (const [id, form] of found) if (mayKeep(id)) this.#keep(id, form)
    return found
  }

  /** Reads the forms of jobs that have changed, to be kept once that has been told. */
  async ahead(ask: () => Promise<Map<string, ReadyForm>>): Promise<() => void> {
    const found = await ask()
    return () => {
      for (const [id, form] of found) this.#keep(id, form)
    }
  }

  jobsChanged(ids: readonly string[]): void {
    this.#version++
    for (const id of ids) this.#drop(id)
  }

  /** Without ids: any employer's may be out of date. */
  employersChanged(ids: readonly string[]): void {
    this.#version++
    const changed = new Set(ids)
    for (const [id, { employerId }] of this.#forms) if (changed.size === 0 || changed.has(employerId)) this.#drop(id)
  }

  #keep(id: string, form: ReadyForm): void {
    this.#drop(id)
    this.#forms.set(id, form)
    this.#bytes += form.bytes.length
    for (const oldest of this.#forms.keys()) {
      if (this.#bytes <= BYTES_MAX) break
      this.#drop(oldest)
    }
  }

  #drop(id: string): void {
    const form = this.#forms.get(id)
    if (form === undefined) return
    this.#forms.delete(id)
    this.#bytes -= form.bytes.length
  }
}

/** Whole answers, each good for one revision of the board. */
const ANSWERS_BYTES_MAX = 64 * 1024 * 1024

export interface ReadyAnswer {
  body: Buffer
  link: string
  /** Whether it was asked for again: then it is worth compressing. */
  isAskedAgain?: true
  /** Its entity tag and the body compressed, once somebody wanted them. */
  etag?: string
  compressed?: { br?: Promise<Buffer>; gzip?: Promise<Buffer> }
}

export class ReadyAnswers {
  readonly #answers = new Map<string, ReadyAnswer>()
  #revision: number | string = -1
  #bytes = 0

  find(url: string, revision: number | string): ReadyAnswer | undefined {
    const answer = revision === this.#revision ? this.#answers.get(url) : undefined
    if (answer) answer.isAskedAgain = true
    return answer
  }

  keep(url: string, revision: number | string, answer: ReadyAnswer): void {
    if (revision !== this.#revision || this.#bytes > ANSWERS_BYTES_MAX) {
      this.#answers.clear()
      this.#bytes = 0
      this.#revision = revision
    }
    this.#answers.set(url, answer)
    this.#bytes += answer.body.length + url.length
  }
}
