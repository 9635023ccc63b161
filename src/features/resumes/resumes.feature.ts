import { bringRemovalsBack } from '../../files/store.ts'
import { defineFeature } from '../feature.ts'
import { registerResumePages } from './resumes.pages.ts'
import { resumesPersonalData } from './resumes.personal-data.ts'
import { countResumeHoldings } from './resumes.queries.ts'
import { registerResumes } from './resumes.routes.ts'
import { ResumeSchema } from './resumes.schemas.ts'
import { bringExtractionBack, discardedFileRemover, resumeExtractor } from './resumes.tasks.ts'

export const resumes = defineFeature({
  name: 'resumes',
  tag: 'Resumes',
  personalColumns: {
    resume: {
      columns: ['filename', 'extracted_text'],
      purpose: 'finds resumes in searches, and shows them with applications',
      until: 'the candidate deletes it and no application contains it, or the profile is erased',
    },
  },
  schemas: [ResumeSchema],
  navigation: [{ menu: 'candidate', href: '/me/resumes', text: 'menu.resumes', rank: 70 }],
  examples: {
    content_base64: 'QWRhIEJyYW5kdCwgYmF0dGVyeSBlbmdpbmVlcg==',
    content_type: 'text/plain',
    filename: 'ada-brandt.txt',
    resume_url: 'https://board.example/v1/candidates/resume/res_01k9z6q4x0e8wbmt5n7rhv2c3d',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    size_bytes: 28,
    'Resume.url': 'https://board.example/v1/candidates/resume/res_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'ResumeBrief.url': 'https://board.example/v1/candidates/resume/res_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'resume.url': 'https://board.example/v1/candidates/resume/res_01k9z6q4x0e8wbmt5n7rhv2c3d',
  },
  limits: { uploads: { quota: 60, windowS: 60 } },
  open(kit) {
    const { objects } = kit
    return {
      api: (v1) => registerResumes(v1, kit),
      pages: (pages) => registerResumePages(pages, kit),
      tasks: [resumeExtractor(kit), ...(objects ? [discardedFileRemover({ ...kit, objects })] : [])],
      personalData: resumesPersonalData,
      countHoldings: countResumeHoldings,
      async afterClockStep(tx, now) {
        await bringExtractionBack(tx, now)
        await bringRemovalsBack(tx, now)
      },
    }
  },
})
