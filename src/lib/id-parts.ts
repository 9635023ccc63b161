/** How long the start of a part is remembered, in milliseconds. */
const KNOWN_MS = 3_600_000

/**
 * A part of a list in ascending order of IDs: skips `skip` IDs, counted from the ID `from`, and contains at most
 * `limit` IDs.
 */
export interface IdPart {
  from: string
  skip: number
  limit: number
}

/**
 * Reads parts of a long list of IDs, such as sitemap files. Remembers the ID with which the next part starts. Reading
 * all parts in turn then reads each row once, whereas an offset alone would read all rows before each part.
 */
export class IdParts {
  /** The IDs at known positions in the list. */
  readonly #starts = new Map<number, { id: string; foundMs: number }>()

  async read(skip: number, limit: number, list: (part: IdPart) => Promise<string[]>): Promise<string[]> {
    const now = performance.now()
    let position = 0
    for (const [known, { foundMs }] of this.#starts) {
      if (now - foundMs > KNOWN_MS) this.#starts.delete(known)
      else if (known <= skip && known > position) position = known
    }
    const from = this.#starts.get(position)?.id ?? ''
    const ids = await list({ from, skip: skip - position, limit: limit + 1 })
    const next = ids[limit]
    if (next !== undefined) this.#starts.set(skip + limit, { id: next, foundMs: now })
    return ids.slice(0, limit)
  }
}
