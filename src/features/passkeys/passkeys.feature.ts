import { defineFeature } from '../feature.ts'
import { passkeyAddedMails } from './passkeys.mails.ts'
import { registerPasskeyPages } from './passkeys.pages.ts'
import { passkeysPersonalData } from './passkeys.personal-data.ts'

/** Sign-in to the website with passkeys. */
export const passkeys = defineFeature({
  name: 'passkeys',
  personalColumns: {
    passkey: {
      columns: ['name', 'email_key'],
      purpose: 'lets a person sign in without an emailed link',
      until: 'the person removes the passkey, the member is removed, or the account is closed',
    },
  },
  navigation: [{ menu: 'account', href: '/account/passkeys', text: 'passkeys.title', rank: 15 }],
  limits: { passkeys: { quota: 300, windowS: 3_600 } },
  open: (kit) => ({
    pages: (pages, limiter) => registerPasskeyPages(pages, kit, limiter),
    mails: { 'passkey-added': passkeyAddedMails(kit.settings.origin, kit.brand.now) },
    personalData: passkeysPersonalData,
  }),
})
