import type { Database, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { CatalogueEntryTable } from '../../db/schema.ts'
import { AppError, type BodyFault, validationFailed } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { fold } from '../../search/text/fold.ts'
import type { Catalogue } from './catalogue.names.ts'
import { deleteEntry, insertEntry, listEntries, lockEntries, updateEntry } from './catalogue.queries.ts'
import { type CatalogueKind, ENTRIES_MAX, type EntryBody } from './catalogue.schemas.ts'

interface EntryChange {
  /** Runs the change in a transaction. */
  inTx: (work: (tx: Tx) => Promise<void>) => Promise<void>
  actor: Actor
  kind: CatalogueKind
  slug: string
  now: Date
}

/**
 * This process's copy of the catalog. Changes made in this process apply immediately. Changes made in other processes
 * apply within two seconds.
 */
export class LiveCatalogue implements Catalogue {
  readonly #database: Database
  /** Invalidates cached pages, because they show the catalog. Called after each change. */
  readonly #onChange: () => void
  #stored = ''
  #now: Catalogue = { categories: [], types: [] }

  constructor(database: Database, onChange: () => void) {
    this.#database = database
    this.#onChange = onChange
  }

  get categories() {
    return this.#now.categories
  }

  get types() {
    return this.#now.types
  }

  /** Returns the current catalog. Each change creates a new object. */
  get now(): Catalogue {
    return this.#now
  }

  /**
   * Reads the stored catalog. Runs at startup, once a second, after each change in this process, and when an admin
   * opens the catalog page.
   */
  async refresh(): Promise<void> {
    const entries = await this.#database.read(listEntries)
    const of = (kind: CatalogueKind) =>
      entries.filter((entry) => entry.kind === kind).map(({ slug, name }) => ({ slug, name }))
    const read = { categories: of('category'), types: of('type') }
    const stored = JSON.stringify(read)
    if (stored === this.#stored) return
    this.#stored = stored
    this.#now = read
    this.#onChange()
  }

  /** Adds an entry at the end and returns its slug. By default, the slug is derived from the name. */
  async add(change: Omit<EntryChange, 'slug'>, body: EntryBody): Promise<string> {
    const { kind } = change
    const { name } = body
    const slug = body.slug ?? slugOf(name)
    await this.#change({ ...change, slug }, 'add', async (tx) => {
      const entries = await lockEntries(tx, kind)
      const fault = faultOfSlug(entries, slug)
      if (fault) throw validationFailed([{ pointer: '#/slug', ...fault }])
      if (entries.length >= ENTRIES_MAX) {
        throw new AppError('limit_reached', {
          detail: `A list can have at most ${ENTRIES_MAX} entries. Remove an entry first.`,
          words: { key: 'problem.entries_max', values: { limit: ENTRIES_MAX } },
          extra: { limit: ENTRIES_MAX },
        })
      }
      await insertEntry(tx, { kind, slug, name, position: (entries.at(-1)?.position ?? 0) + 1 })
      return name
    })
    return slug
  }

  /** Renames an entry. The entry's slug does not change, because jobs and URLs use it. */
  async rename(change: EntryChange, name: string): Promise<void> {
    const { kind, slug } = change
    await this.#change(change, 'rename', async (tx) => {
      indexOf(await lockEntries(tx, kind), slug)
      await updateEntry(tx, { kind, slug }, { name })
      return name
    })
  }

  /** Moves an entry by one position. Moving the first entry up or the last entry down leaves the order unchanged. */
  async move(change: EntryChange, direction: 'up' | 'down'): Promise<void> {
    const { kind, slug } = change
    await this.#change(change, 'move', async (tx) => {
      const entries = await lockEntries(tx, kind)
      const from = indexOf(entries, slug)
      const to = Math.min(Math.max(from + (direction === 'up' ? -1 : 1), 0), entries.length - 1)
      entries.splice(to, 0, ...entries.splice(from, 1))
      for (const [n, entry] of entries.entries()) {
        if (entry.position !== n + 1) await updateEntry(tx, entry, { position: n + 1 })
      }
      return direction
    })
  }

  /** Removes an entry. Jobs that use the entry keep its slug. */
  async remove(change: EntryChange): Promise<void> {
    const { kind, slug } = change
    await this.#change(change, 'remove', async (tx) => {
      const entries = await lockEntries(tx, kind)
      const { name } = entries[indexOf(entries, slug)]!
      await deleteEntry(tx, { kind, slug })
      return name
    })
  }

  /** Runs `work` and records the operator's action with the note that `work` returns. */
  async #change({ inTx, actor, kind, slug, now }: EntryChange, verb: string, work: (tx: Tx) => Promise<string>) {
    await inTx(async (tx) => {
      const note = await work(tx)
      await noteOperatorAction(tx, actor, { action: `${kind}.${verb}`, subject: slug, note }, now)
    })
    await this.refresh()
  }
}

const slugOf = (name: string) =>
  fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

function faultOfSlug(entries: readonly CatalogueEntryTable[], slug: string): Omit<BodyFault, 'pointer'> | undefined {
  if (slug === '') {
    const detail = 'This name does not produce a slug. Enter a slug.'
    return { code: 'required', detail, words: { key: 'fault.slug_needed' } }
  }
  if (!entries.some((entry) => entry.slug === slug)) return undefined
  const detail = `The slug ${slug} already exists. Use a different slug.`
  return { code: 'not_unique', detail, words: { key: 'fault.slug_taken', values: { slug } } }
}

function indexOf(entries: readonly CatalogueEntryTable[], slug: string): number {
  const index = entries.findIndex((entry) => entry.slug === slug)
  if (index === -1) throw new AppError('not_found')
  return index
}
