export { reportingFile, resumeOfForm } from './resumes.pages.ts'
export { presentResume, presentResumeBrief } from './resumes.present.ts'
export {
  findRecognized,
  findResumeText,
  listResumes,
  type Recognized,
  sentResume,
  usableResume,
  usableResumeLockText,
} from './resumes.queries.ts'
export { type Resume, type ResumeBrief, ResumeBriefSchema, resumeList } from './resumes.schemas.ts'
export { addResume, isPdf, removeUncarriedResumes, stageResume } from './resumes.service.ts'
export { RECOGNIZED_MAX, renderRecognized, renderResumeDrop } from './resumes.views.ts'
