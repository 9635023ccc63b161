import type { NamedSlug } from '../../src/features/catalogue/index.ts'
import type { Board } from './board.ts'

/** Returns the categories or job types that the board offers, in the order that admins set. */
export function listOffered(board: Board, kind: 'category' | 'type'): Promise<NamedSlug[]> {
  return board.database.read((db) =>
    db.selectFrom('catalogue_entry').select(['slug', 'name']).where('kind', '=', kind).orderBy('position').execute(),
  )
}
