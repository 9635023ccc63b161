import { defineFeature } from '../feature.ts'
import { registerEmployerPages } from './employers.pages.ts'
import { registerEmployers } from './employers.routes.ts'
import { EmployerProfileSchema, EmployerRegisteredSchema, EmployerSchema } from './employers.schemas.ts'

const companies = { href: '/companies', text: 'Companies', rank: 20 } as const

export const employers = defineFeature({
  name: 'employers',
  schemas: [EmployerProfileSchema, EmployerRegisteredSchema, EmployerSchema],
  navigation: [
    { menu: 'visitor', ...companies },
    { menu: 'candidate', ...companies },
    { menu: 'footer', ...companies },
    { menu: 'employer', href: '/employer/profile', text: 'Company', rank: 50 },
  ],
  open: (kit) => ({
    api: (v1) => registerEmployers(v1, kit),
    pages: (pages) => registerEmployerPages(pages, kit),
  }),
})
