import { bringRemovalsBack } from '../../files/store.ts'
import { defineFeature } from '../feature.ts'
import { registerResumePages } from './resumes.pages.ts'
import { resumesPersonalData } from './resumes.personal-data.ts'
import { registerResumes } from './resumes.routes.ts'
import { ResumeSchema } from './resumes.schemas.ts'
import { bringExtractionBack, discardedFileRemover, resumeExtractor } from './resumes.tasks.ts'

export const resumes = defineFeature({
  name: 'resumes',
  schemas: [ResumeSchema],
  open(kit) {
    const { objects } = kit
    return {
      api: (v1) => registerResumes(v1, kit),
      pages: (pages) => registerResumePages(pages, kit),
      tasks: [resumeExtractor(kit), ...(objects ? [discardedFileRemover({ ...kit, objects })] : [])],
      personalData: resumesPersonalData,
      async afterClockStep(tx, now) {
        await bringExtractionBack(tx, now)
        await bringRemovalsBack(tx, now)
      },
    }
  },
})
