import type { Task } from '../../background/loop.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { eraseCandidate } from '../candidates/index.ts'
import { closeEmployer } from '../employers/index.ts'
import { defineFeature } from '../feature.ts'
import { renderSessionsOf } from '../sessions/index.ts'
import { registerAccountPages } from './accounts.pages.ts'
import { registerAccounts, registerAdminAccounts } from './accounts.routes.ts'
import { AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
import type { KeyRing } from './accounts.service.ts'
import { registerDeskAccountPages } from './desk-accounts.pages.ts'

/** Accounts, their API keys, and their administration. */
export const accounts = defineFeature({
  name: 'accounts',
  schemas: [AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema],
  navigation: [
    { menu: 'console', href: '/console/keys', text: 'API keys', rank: 40 },
    { menu: 'desk', href: '/desk/accounts', text: 'Accounts', rank: 40 },
  ],
  open(kit) {
    const { settings, keyRing } = kit
    const admin = {
      ...kit,
      async countHoldings(reader, id, now) {
        const holdings = {}
        for (const count of kit.collect('countHoldings')) Object.assign(holdings, await count(reader, id, now))
        return holdings
      },
      deleteOf: {
        candidate: (tx, id, now) =>
          eraseCandidate(tx, {
            origin: settings.origin,
            personalData: kit.collect('personalData'),
            candidateId: id,
            precondition: unconditionally,
            now,
          }),
        employer: (tx, id, now) => closeEmployer(tx, { settings, id, precondition: unconditionally, now }),
      },
    } satisfies Parameters<typeof registerAdminAccounts>[1]
    return {
      api(v1) {
        registerAccounts(v1, kit)
        registerAdminAccounts(v1, admin)
      },
      pages(pages) {
        registerAccountPages(pages, kit)
        registerDeskAccountPages(pages, { ...admin, renderSessionsOf: renderSessionsOf(kit) })
      },
      tasks: [keyUses(keyRing)],
    }
  },
})

/** Writes the last-used times of API keys to the database. */
const keyUses = (keyRing: KeyRing): Task => ({
  name: 'key-uses',
  everyMs: 30_000,
  runsIn: 'all',
  async once() {
    await keyRing.flushUses()
    return 'done'
  },
})
