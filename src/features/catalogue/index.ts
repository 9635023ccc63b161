export { type Catalogue, type NamedSlug, nameOfSlug, shownName, withCounts } from './catalogue.names.ts'
export { LiveCatalogue } from './catalogue.service.ts'
