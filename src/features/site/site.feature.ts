import { defineFeature } from '../feature.ts'
import { registerSite } from './site.pages.ts'

/** The home pages, the developer pages, and files for search engines. */
export const site = defineFeature({
  name: 'site',
  navigation: [
    { menu: 'visitor', href: '/docs', text: 'layout.developers', rank: 30 },
    { menu: 'area', href: '/me', text: 'layout.my_jobs', rank: 10 },
    { menu: 'area', href: '/console', text: 'layout.developers', rank: 40 },
    { menu: 'candidate', href: '/me', text: 'menu.overview', rank: 10 },
    { menu: 'footer', href: '/docs', text: 'menu.for_developers', rank: 30 },
  ],
  open: (kit) => ({ pages: (pages) => registerSite(pages, kit) }),
})
