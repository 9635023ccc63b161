export { BoardLists, type MarkedJob } from './board.lists.ts'
export { cardsOf, type OfferBeside } from './board.pages.ts'
export { type JobCard, renderCards, renderJobCards, renderSearchBox } from './board.views.ts'
