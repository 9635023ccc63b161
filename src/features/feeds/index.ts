export { storeDocument, TooLarge } from './feeds.documents.ts'
export { FetchFailure, fetchDocument, Pace } from './feeds.fetch.ts'
export { presentFeed, presentRun } from './feeds.present.ts'
export { findFeedNames, findFeedsOfEmployers, getFeedHealth, listAllFeeds, type RunRow } from './feeds.queries.ts'
export { type RunnerDeps, runNext } from './feeds.runner.ts'
export {
  approveRun,
  createDocumentRun,
  createFeed,
  createRun,
  ensureImportFeed,
} from './feeds.service.ts'
export type { FormatName } from './formats/index.ts'
export { BadDocument } from './formats/posting.ts'
