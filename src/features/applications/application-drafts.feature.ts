import { defineFeature } from '../feature.ts'
import { registerDiscarding } from './application-drafts.pages.ts'
import { applicationDraftsPersonalData } from './application-drafts.personal-data.ts'
import { registerDrafts } from './application-drafts.routes.ts'
import { ApplicationDraftSchema } from './application-drafts.schemas.ts'
import { draftPurge } from './application-drafts.tasks.ts'

/** Applications that agents draft for candidates, who check and send them on the website. */
export const applicationDrafts = defineFeature({
  name: 'application-drafts',
  tag: 'Applications',
  isOptional: true,
  personalColumns: {
    application_draft: {
      columns: ['cover_letter', 'answers', 'source'],
      purpose: "an application that the candidate's agent drafted and the candidate has not sent",
      until: 'the draft is 24 hours old, the candidate sends or discards it, or the profile is erased',
    },
  },
  schemas: [ApplicationDraftSchema],
  examples: {
    'ApplicationDraft.custom_questions': { license: true },
    'ApplicationDraft.url': 'https://board.example/jobs/job_01k9z6q4x0e8wbmt5n7rhv2c3d/apply',
  },
  open: (kit) => ({
    api: (v1) => registerDrafts(v1, kit),
    pages: (pages) => registerDiscarding(pages, kit),
    tasks: [draftPurge(kit.database, kit.clock)],
    personalData: applicationDraftsPersonalData,
  }),
})
