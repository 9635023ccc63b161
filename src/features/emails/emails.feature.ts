import { join } from 'node:path'
import { mailFileRemover } from '../../mail/files.ts'
import { bringMailsBack, mailPurge } from '../../mail/sender.ts'
import { defineFeature } from '../feature.ts'
import { registerEmailPages } from './emails.pages.ts'
import { mailsPersonalData } from './emails.personal-data.ts'
import { registerEmails } from './emails.routes.ts'
import { EmailSchema } from './emails.schemas.ts'

/** Admin pages for failed emails, and personal data and retention rules for all emails. `mail/sender.ts` sends them. */
export const emails = defineFeature({
  name: 'emails',
  schemas: [EmailSchema],
  navigation: [{ menu: 'desk', href: '/desk/emails', text: 'menu.emails', rank: 60 }],
  open: (kit) => ({
    api: (v1) => registerEmails(v1, kit),
    pages: (pages) => registerEmailPages(pages, kit),
    tasks: [mailPurge(kit.database, kit.clock), mailFileRemover(kit.database, join(kit.dataDir, 'mail'))],
    personalData: mailsPersonalData,
    retention: [{ name: 'emails', days: 30, tables: ['mail'] }],
    afterClockStep: bringMailsBack,
  }),
})
