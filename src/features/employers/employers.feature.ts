import { defineFeature } from '../feature.ts'
import { createSignIn } from '../sessions/index.ts'
import { registerEmployerProfilePages } from './employer-profile.pages.ts'
import { registerEmployerPages } from './employers.pages.ts'
import { registerEmployers } from './employers.routes.ts'
import { EmployerProfileSchema, EmployerRegisteredSchema, EmployerSchema } from './employers.schemas.ts'

/** Employers: registration, profiles and company pages. */
export const employers = defineFeature({
  name: 'employers',
  schemas: [EmployerProfileSchema, EmployerRegisteredSchema, EmployerSchema],
  navigation: [
    { menu: 'visitor', href: '/companies', text: 'Companies', rank: 20 },
    { menu: 'candidate', href: '/companies', text: 'Companies', rank: 20 },
    { menu: 'footer', href: '/companies', text: 'Companies', rank: 20 },
    { menu: 'employer', href: '/employer/profile', text: 'Company', rank: 50 },
  ],
  open(kit) {
    const { database, settings, keyRing } = kit
    return {
      api: (v1) => registerEmployers(v1, { ...kit, forgetAccount: keyRing.forgetAccount }),
      pages(pages) {
        registerEmployerPages(pages, { ...kit, signIn: createSignIn(database, settings.origin) })
        registerEmployerProfilePages(pages, { ...kit, forgetAccount: keyRing.forgetAccount })
      },
    }
  },
})
