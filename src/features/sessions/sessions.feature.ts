import { periodicTask } from '../../background/loop.ts'
import { defineFeature } from '../feature.ts'
import { addressChangedMails, signInMails } from './sessions.mails.ts'
import { registerAdminSessionPages, registerSessions } from './sessions.pages.ts'
import { sessionsPersonalData } from './sessions.personal-data.ts'
import { deleteExpired } from './sessions.queries.ts'
import { registerAdminSessions } from './sessions.routes.ts'
import { SessionSchema } from './sessions.schemas.ts'
import { REQUESTS_KEPT_MS } from './sign-in.service.ts'

/** Website sign-in and sessions. */
export const sessions = defineFeature({
  name: 'sessions',
  personalColumns: {
    session: {
      columns: ['email_key'],
      purpose: 'finds the other accounts of the person who signed in',
      until: 'the session ends',
    },
    sign_in_request: {
      columns: ['address_hash'],
      purpose: 'limits the number of sign-in emails to one email address',
      until: 'an hour after the email was requested',
    },
  },
  schemas: [SessionSchema],
  navigation: [{ menu: 'account', href: '/account', text: 'menu.your_account', rank: 10 }],
  limits: { 'sign-in': { quota: 30, windowS: 3_600 } },
  open(kit) {
    const { database, clock, settings, authorities } = kit
    return {
      api: (v1) => registerAdminSessions(v1, kit),
      pages(pages, limiter) {
        registerSessions(pages, kit, limiter)
        registerAdminSessionPages(pages, kit)
      },
      tasks: [
        periodicTask('sessions', 600_000, () => {
          const now = clock.now()
          return database.inTx((tx) => deleteExpired(tx, now, new Date(now.getTime() - REQUESTS_KEPT_MS)))
        }),
        // Aborts long-running work within two seconds after its key or session ends, or its member's role changes.
        { ...periodicTask('authorities', 500, () => authorities.check()), runsIn: 'http' },
      ],
      mails: {
        'sign-in': signInMails(settings.origin, kit.brand.now),
        'address-changed': addressChangedMails(settings.origin, kit.brand.now),
      },
      personalData: sessionsPersonalData,
    }
  },
})
