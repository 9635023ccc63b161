import { defineFeature } from '../feature.ts'
import { registerSite } from './site.pages.ts'

/** The home pages, the developer pages, and the files for search engines. */
export const site = defineFeature({
  name: 'site',
  navigation: [
    { menu: 'employer', href: '/console', text: 'Console', rank: 60 },
    { menu: 'integrator', href: '/console', text: 'Console', rank: 60 },
    { menu: 'admin', href: '/console', text: 'Console', rank: 60 },
    { menu: 'footer', href: '/docs', text: 'For developers', rank: 30 },
  ],
  open: (kit) => ({ pages: (pages) => registerSite(pages, kit) }),
})
