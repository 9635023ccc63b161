export { type Catalogue, type NamedSlug, nameOfSlug, withCounts } from './catalogue.names.ts'
export { LiveCatalogue } from './catalogue.service.ts'
