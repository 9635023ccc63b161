import { type Static, Type } from 'typebox'
import { Choice, Name, Slug, Strict } from '../../lib/schema.ts'

const catalogueKinds = ['category', 'type'] as const
export type CatalogueKind = (typeof catalogueKinds)[number]

/** Maximum number of entries per kind. Longer select menus would be hard to use. */
export const ENTRIES_MAX = 200

export const KindParams = Strict({ kind: Choice(catalogueKinds) })
export const EntryParams = Strict({ kind: Choice(catalogueKinds), slug: Slug() })

const Label = Name(1, 100)

export const EntryBody = Strict({ name: Label, slug: Type.Optional(Slug()) })
export type EntryBody = Static<typeof EntryBody>

export const EntryNameBody = Strict({ name: Label })
export const MoveBody = Strict({ direction: Choice(['up', 'down']) })
