export { eraseCandidate } from './candidates.personal-data.ts'
export {
  candidateLockText,
  candidateWithAccount,
  countUnplacedCandidates,
  findCandidate,
  isCandidate,
  joinCandidate,
  lockCandidate,
  markCandidatesActive,
  stopStatusMails,
} from './candidates.queries.ts'
export { refreshCandidateSearch, registerCandidate, updateCandidateProfile } from './candidates.service.ts'
