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
import { registerFindingCandidatePages } from './finding-candidates.pages.ts'

export const candidates = defineFeature({
  name: 'candidates',
  tag: 'Candidates',
  personalColumns: {
    candidate: {
      columns: [
        'first_name',
        'last_name',
        'phone',
        'location',
        'headline',
        'summary',
        'experience',
        'education',
        'skills',
        'website',
        'github',
        'linkedin',
        'last_name_sort',
        'location_sort',
        'location_words',
        'skills_folded',
        'search',
      ],
      purpose: 'the profile that employers can find, if the candidate allows it',
      until: 'the profile is erased',
    },
  },
  schemas: [
    CandidateExportSchema,
    CandidateRegisteredSchema,
    CandidateSchema,
    FoundCandidateDetailSchema,
    FoundCandidateSchema,
  ],
  examples: {
    'listCandidates.search': 'battery',
    email: 'ada.brandt@mail.example',
    first_name: 'Ada',
    last_name: 'Brandt',
    headline: 'Battery engineer',
    phone: '+46 31 555 0100',
    skills: ['CAN', 'MATLAB'],
    summary: 'Six years with lithium cells.',
    degree: 'MSc',
    field: 'Electrical engineering',
    institution: 'Chalmers',
    start_date: '2020-09',
    end_date: null,
    'experience.current': true,
    'candidate.name': 'Ada Brandt',
  },
  navigation: [
    { menu: 'employer', href: '/employer/candidates', text: 'menu.find_candidates', rank: 30 },
    { menu: 'candidate', href: '/me/profile', text: 'menu.profile', rank: 60 },
    { menu: 'account', href: '/me/data', text: 'menu.your_data', rank: 20 },
  ],
  open: (kit) => ({
    api: (v1) => registerCandidates(v1, kit),
    pages(pages) {
      registerCandidatePages(pages, kit)
      registerFindingCandidatePages(pages, kit)
    },
    tasks: [candidatePlacer(kit.database)],
  }),
})
