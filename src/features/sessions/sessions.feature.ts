import { defineFeature } from '../feature.ts'
import { registerAdminSessionPages } from './admin-sessions.pages.ts'
import { addressChangedMail, signInMail } from './sessions.mails.ts'
import { registerSessions } from './sessions.pages.ts'
import { sessionsPersonalData } from './sessions.personal-data.ts'
import { registerAdminSessions } from './sessions.routes.ts'
import { SessionSchema } from './sessions.schemas.ts'
import { authorityWatch, sessionSweeper } from './sessions.tasks.ts'

/** Signing in to the website, and ending sessions. */
export const sessions = defineFeature({
  name: 'sessions',
  schemas: [SessionSchema],
  limits: { 'sign-in': { quota: 30, windowS: 3_600 } },
  open(kit) {
    const { database, clock, settings, authorities } = kit
    return {
      api: (v1) => registerAdminSessions(v1, kit),
      pages(pages, limiter) {
        registerSessions(pages, { ...kit, limiter })
        registerAdminSessionPages(pages, kit)
      },
      tasks: [sessionSweeper(database, clock), authorityWatch(authorities)],
      mails: {
        'sign-in': { compose: signInMail(settings.origin) },
        'address-changed': { compose: addressChangedMail(settings.origin) },
      },
      personalData: sessionsPersonalData,
    }
  },
})
