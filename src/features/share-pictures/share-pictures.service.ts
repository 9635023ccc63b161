/** Draws pictures for shared links on demand, and caches recently requested ones in memory. */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import { drawSharePicture } from '../../files/share-picture.ts'
import type { Budgets } from '../../lib/budgets.ts'
import { type ShareContent, sharePath } from '../../lib/share-picture.ts'
import type { LiveBrand } from '../brand/index.ts'
import { findPicture } from '../employers/index.ts'

const CACHE_BYTES_MAX = 16 * 1024 * 1024

interface Parts {
  database: Database
  searches: SearchReads
  budgets: Budgets
  brand: LiveBrand
}

export class SharePictures {
  readonly #parts: Parts
  readonly #drawn = new LRUCache<string, Buffer>({ maxSize: CACHE_BYTES_MAX, sizeCalculation: ({ length }) => length })
  /** Pictures that are being drawn. Simultaneous requests share the work. */
  readonly #drawing = new Map<string, Promise<Buffer>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Returns the picture. Charges the time of waiting and drawing to the account's search budget, unless the picture is
   * cached or already being drawn. Throws `rate_limited` if the budget is spent, and `unavailable` if too much work is
   * waiting.
   */
  async draw(content: ShareContent, account: string): Promise<Buffer> {
    const path = sharePath(content)
    const known = this.#drawn.get(path)
    if (known) return known
    this.#parts.searches.check(account)
    let drawing = this.#drawing.get(path)
    if (drawing === undefined) {
      drawing = this.#drawNew(content, account).finally(() => this.#drawing.delete(path))
      this.#drawing.set(path, drawing)
    }
    const drawn = await drawing
    this.#drawn.set(path, drawn)
    return drawn
  }

  async #drawNew(content: ShareContent, account: string): Promise<Buffer> {
    const { database, budgets, brand } = this.#parts
    const { logo } = content
    const company = logo === null ? undefined : await database.read((db) => findPicture(db, logo))
    const begun = performance.now()
    try {
      return await drawSharePicture(content, { company, board: brand.logo?.bytes }, account)
    } finally {
      budgets.charge('search-time', account, performance.now() - begun)
    }
  }
}
