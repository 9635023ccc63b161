import { defineFeature } from '../feature.ts'
import { registerCataloguePages } from './catalogue.pages.ts'

/** The board's categories and job types, which admins edit. */
export const catalogue = defineFeature({
  name: 'catalogue',
  isOptional: true,
  navigation: [{ menu: 'desk', href: '/desk/catalogue', text: 'menu.catalog', rank: 100, group: 'menu.setup' }],
  open: (kit) => ({
    pages: (pages) => registerCataloguePages(pages, { ...kit, countBy: (facet) => kit.lists.countBy(facet) }),
    refresh: () => kit.catalogue.refresh(),
  }),
})
