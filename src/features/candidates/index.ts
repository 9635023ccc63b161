export { eraseCandidate } from './candidates.personal-data.ts'
export { findCandidate, lockCandidate, markCandidatesActive } from './candidates.queries.ts'
export { refreshCandidateSearch, registerCandidate, updateCandidateProfile } from './candidates.service.ts'
