import { defineFeature } from '../feature.ts'
import { createSignIn } from '../sessions/index.ts'
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

/** Candidates: registration, profiles, search for employers, export and erasure. */
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
  open(kit) {
    const { database, settings, keyRing } = kit
    const deps = () => ({ ...kit, personalData: kit.collect('personalData'), forgetAccount: keyRing.forgetAccount })
    return {
      api: (v1) => registerCandidates(v1, deps()),
      pages: (pages) => registerCandidatePages(pages, { ...deps(), signIn: createSignIn(database, settings.origin) }),
      tasks: [candidatePlacer(database)],
    }
  },
})
