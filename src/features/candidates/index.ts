export { registerCandidates } from './candidates.routes.ts'
export { CandidateRegisteredSchema, CandidateSchema } from './candidates.schemas.ts'
export { registerCandidate } from './candidates.service.ts'
