import { type Static, Type } from 'typebox'
import { Choice, Slug, Strict, Text } from '../../lib/schema.ts'

export const catalogueKinds = ['category', 'type'] as const
export type CatalogueKind = (typeof catalogueKinds)[number]

/** More than anybody would look through. */
export const ENTRIES_MAX = 200

export const KindParams = Strict({ kind: Choice(catalogueKinds) })
export const EntryParams = Strict({ kind: Choice(catalogueKinds), slug: Slug() })

const Name = Text(1, 100)

export const EntryBody = Strict({ name: Name, slug: Type.Optional(Slug()) })
export type EntryBody = Static<typeof EntryBody>

export const EntryNameBody = Strict({ name: Name })
export const MoveBody = Strict({ direction: Choice(['up', 'down']) })
