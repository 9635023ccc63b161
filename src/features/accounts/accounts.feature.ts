import { defineFeature } from '../feature.ts'
import { registerAccountPages } from './accounts.pages.ts'
import { registerAccounts, registerAdminAccounts } from './accounts.routes.ts'
import { AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
import { registerDeskAccountPages } from './desk-accounts.pages.ts'

/** Accounts, their API keys, and their administration. */
export const accounts = defineFeature({
  name: 'accounts',
  schemas: [AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema],
  navigation: [
    { menu: 'console', href: '/console/keys', text: 'API keys', rank: 40 },
    { menu: 'desk', href: '/desk/accounts', text: 'Accounts', rank: 40 },
  ],
  open: (kit) => ({
    api(v1) {
      registerAccounts(v1, kit)
      registerAdminAccounts(v1, kit)
    },
    pages(pages) {
      registerAccountPages(pages, kit)
      registerDeskAccountPages(pages, kit)
    },
    tasks: [
      {
        name: 'key-uses',
        everyMs: 30_000,
        runsIn: 'all',
        async once() {
          await kit.keyRing.flushUses()
          return 'done'
        },
      },
    ],
  }),
})
