export { registerReceivedResumePages } from './received-resumes.pages.ts'
export { type KeepResume, registerResumePages, resumeKeeper } from './resumes.pages.ts'
export { presentResume, presentResumeBrief } from './resumes.present.ts'
export { findReadableResume, listResumes, sentResume, usableResume, usableResumeLockText } from './resumes.queries.ts'
export { registerResumes } from './resumes.routes.ts'
export { type Resume, type ResumeBrief, ResumeBriefSchema, ResumeSchema, resumeList } from './resumes.schemas.ts'
export {
  addResume,
  type RefreshSearch,
  removeUncarriedResumes,
  resumesPersonalData,
  stageResume,
} from './resumes.service.ts'
export { bringExtractionBack, discardedFileRemover, resumeExtractor } from './resumes.tasks.ts'
export { renderResumeField } from './resumes.views.ts'
