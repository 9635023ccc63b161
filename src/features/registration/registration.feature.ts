import { defineFeature } from '../feature.ts'
import { registerSettingsPages } from './registration.pages.ts'

export const registration = defineFeature({
  name: 'registration',
  isOptional: true,
  navigation: [{ menu: 'desk', href: '/desk/settings', text: 'menu.settings', rank: 110, group: 'menu.setup' }],
  open: (kit) => ({
    pages: (pages) => registerSettingsPages(pages, kit),
    refresh: () => kit.registration.refresh(),
  }),
})
