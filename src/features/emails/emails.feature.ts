import { join } from 'node:path'
import { mailFileRemover } from '../../mail/files.ts'
import { MailPreviews } from '../../mail/previews.ts'
import { bringMailsBack, mailPurge } from '../../mail/sender.ts'
import { defineFeature } from '../feature.ts'
import { registerEmailPreviews } from './email-previews.pages.ts'
import { registerEmailPages } from './emails.pages.ts'
import { mailsPersonalData } from './emails.personal-data.ts'
import { registerEmails } from './emails.routes.ts'
import { EmailSchema } from './emails.schemas.ts'

/**
 * The email log and email previews in the admin area, and the personal data and retention rules of all emails. The task
 * that `main/compose.ts` creates sends the emails.
 */
export const emails = defineFeature({
  name: 'emails',
  schemas: [EmailSchema],
  navigation: [{ menu: 'desk', href: '/desk/emails', text: 'menu.emails', rank: 60, group: 'menu.operations' }],
  open(kit) {
    const previews = new MailPreviews(
      () => Object.assign({}, ...kit.collect('mails')),
      () => ({ ...kit.brand.now(), origin: kit.settings.origin }),
    )
    return {
      api: (v1) => registerEmails(v1, kit),
      pages(pages) {
        registerEmailPages(pages, kit)
        registerEmailPreviews(pages, kit, previews)
      },
      tasks: [mailPurge(kit.database, kit.clock), mailFileRemover(kit.database, join(kit.dataDir, 'mail'))],
      personalData: mailsPersonalData,
      retention: [{ name: 'emails', days: 30, tables: ['mail'] }],
      afterClockStep: bringMailsBack,
    }
  },
})
