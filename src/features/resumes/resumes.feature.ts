import { bringRemovalsBack } from '../../files/store.ts'
import { refreshCandidateSearch } from '../candidates/index.ts'
import { defineFeature } from '../feature.ts'
import { registerReceivedResumePages } from './received-resumes.pages.ts'
import { registerResumePages } from './resumes.pages.ts'
import { countResumeHoldings } from './resumes.queries.ts'
import { registerResumes } from './resumes.routes.ts'
import { ResumeSchema } from './resumes.schemas.ts'
import { resumesPersonalData } from './resumes.service.ts'
import { bringExtractionBack, discardedFileRemover, resumeExtractor } from './resumes.tasks.ts'

/** Candidates' resumes, and the extraction of their text. */
export const resumes = defineFeature({
  name: 'resumes',
  schemas: [ResumeSchema],
  open(kit) {
    const { database, clock, objects } = kit
    const deps = { ...kit, refreshSearch: refreshCandidateSearch }
    return {
      api: (v1) => registerResumes(v1, deps),
      pages(pages) {
        registerResumePages(pages, deps)
        registerReceivedResumePages(pages, kit)
      },
      tasks: [resumeExtractor(deps), ...(objects ? [discardedFileRemover(database, clock, objects)] : [])],
      personalData: resumesPersonalData,
      countHoldings: countResumeHoldings,
      async afterClockStep(tx, now) {
        await bringExtractionBack(tx, now)
        await bringRemovalsBack(tx, now)
      },
    }
  },
})
