import { periodicTask } from '../../background/loop.ts'
import { defineFeature } from '../feature.ts'
import { registerAccountPages } from './accounts.pages.ts'
import { findOpenAccountNames } from './accounts.queries.ts'
import { registerAccounts, registerAdminAccounts } from './accounts.routes.ts'
import { AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
import { accountFinder, registerDeskAccountPages } from './desk-accounts.pages.ts'

/** Accounts, their API keys, and their administration. */
export const accounts = defineFeature({
  name: 'accounts',
  tag: 'Accounts',
  personalColumns: {
    account: {
      columns: ['name', 'name_sort', 'email', 'email_key', 'email_proved_key', 'email_confirmed_key', 'language'],
      purpose: 'identifies the account, lets its owner sign in, and addresses emails',
      until: 'the account is closed',
    },
    api_key: {
      columns: ['name', 'name_sort'],
      purpose: 'distinguishes the keys of an account',
      until: 'the key is deleted, or the account is closed',
    },
  },
  schemas: [AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema],
  examples: {
    allowed_origins: [],
    'ApiKey.allowed_origins': ['https://www.example.com'],
    'ApiKeyCreated.allowed_origins': ['https://www.example.com'],
    account_id: 'emp_01k9z6q4x0e8wbmt5n7rhv2c3d',
    api_key: 'jm_emp_…',
    key: 'jm_emp_…',
    last4: 'x7Qa',
    prefix: 'jm_emp_',
    scopes: ['jobs:read'],
    'ApiKey.name': 'Careers page',
    'Me.key': { id: 'key_01k9z6q4x0e8wbmt5n7rhv2c3d', name: 'First key', last4: 'x7Qa' },
    'Account.id': 'cand_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'AccountDetail.id': 'cand_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'account.id': 'cand_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'account.name': 'Ada Brandt',
  },
  limits: {
    registration: { quota: 600, windowS: 3_600, isPerNetwork: true },
    // Limits new API keys, because each key has its own request quota.
    keys: { quota: 600, windowS: 3_600 },
  },
  navigation: [
    { menu: 'console', href: '/console/keys', text: 'menu.api_keys', rank: 40 },
    { menu: 'desk', href: '/desk/accounts', text: 'menu.accounts', rank: 40 },
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
    deskFinder: accountFinder(kit),
    deskSubjects: [{ kind: 'account', page: '/desk/accounts/:id', name: findOpenAccountNames }],
    tasks: [{ ...periodicTask('key-uses', 30_000, () => kit.keyRing.flushUses()), runsIn: 'all' }],
  }),
})
