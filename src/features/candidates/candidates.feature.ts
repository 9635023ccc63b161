import { defineFeature } from '../feature.ts'
import { registerCandidatePages } from './candidates.pages.ts'
import { registerCandidates } from './candidates.routes.ts'
import {
  CandidateExportSchema,
  CandidateRegisteredSchema,
  CandidateSchema,
  FoundCandidateDetailSchema,
  FoundCandidateSchema,
} from './candidates.schemas.ts'
import { candidatePlacer } from './candidates.tasks.ts'

export const candidates = defineFeature({
  name: 'candidates',
  schemas: [
    CandidateExportSchema,
    CandidateRegisteredSchema,
    CandidateSchema,
    FoundCandidateDetailSchema,
    FoundCandidateSchema,
  ],
  navigation: [{ menu: 'candidate', href: '/me/profile', text: 'Profile', rank: 60 }],
  open: (kit) => ({
    api: (v1) => registerCandidates(v1, kit),
    pages: (pages) => registerCandidatePages(pages, kit),
    tasks: [candidatePlacer(kit.database)],
  }),
})
