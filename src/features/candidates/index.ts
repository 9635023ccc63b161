export { registerCandidatePages } from './candidates.pages.ts'
export { eraseCandidate, type PersonalData } from './candidates.personal-data.ts'
export { findCandidate, lockCandidate, markCandidatesActive } from './candidates.queries.ts'
export { registerCandidates } from './candidates.routes.ts'
export {
  CandidateExportSchema,
  CandidateRegisteredSchema,
  CandidateSchema,
  FoundCandidateDetailSchema,
  FoundCandidateSchema,
} from './candidates.schemas.ts'
export { refreshCandidateSearch, registerCandidate, updateCandidateProfile } from './candidates.service.ts'
export { candidatePlacer } from './candidates.tasks.ts'
