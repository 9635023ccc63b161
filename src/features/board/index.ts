export { besideListed, type OfferBeside } from './beside.pages.ts'
export { BoardLists, DerivedValues, type MarkedJob } from './board.lists.ts'
export { jobLine } from './board.markdown.ts'
export { cardsOf, pageKey, readPage, unitOf } from './board.pages.ts'
export { type DistanceUnit, distanceChoices, formatDistance, inMiles } from './board.units.ts'
export {
  type BesideJob,
  cardClass,
  type JobCard,
  jobFeeds,
  renderCards,
  renderJobCards,
  tagsOf,
} from './board.views.ts'
export { describeCriteria, renderSearchBar } from './search.views.ts'
