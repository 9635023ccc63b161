import { defineFeature } from '../feature.ts'
import {
  applicationReceivedMails,
  applicationSentMails,
  applicationStatusMails,
  applicationWithdrawnMails,
} from './applications.mails.ts'
import { applicationsPersonalData } from './applications.personal-data.ts'
import { countApplicationHoldings } from './applications.queries.ts'
import { registerApplications } from './applications.routes.ts'
import {
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  EmployerApplicationSchema,
  MoveResultSchema,
} from './applications.schemas.ts'
import { purgeApplications } from './applications.service.ts'
import { registerEmployerHome } from './employer-home.pages.ts'
import { registerNotes } from './notes.routes.ts'
import { NoteSchema } from './notes.schemas.ts'
import { applyLinks, registerOwnApplicationPages } from './own-applications.pages.ts'
import { registerReceivedApplicationPages } from './received-applications.pages.ts'

export const applications = defineFeature({
  name: 'applications',
  schemas: [
    ApplicationListSchema,
    ApplicationReceiptSchema,
    ApplicationSchema,
    EmployerApplicationSchema,
    MoveResultSchema,
    NoteSchema,
  ],
  examples: {
    'listEmployerApplications.status': 'pending',
    application_count: 3,
    'problem.type': '/docs/errors/not_found',
    'problem.title': 'Not found',
    'problem.status': 404,
    'problem.code': 'not_found',
    'ApplicationNote.text': 'Can start in May.',
    'createApplicationNote.text': 'Can start in May.',
    cover_letter: 'I have designed battery packs for six years.',
    'Application.custom_questions': { licence: true },
    'EmployerApplication.custom_questions': { licence: true },
  },
  limits: { applications: { quota: 600, windowS: 3_600 } },
  navigation: [
    { menu: 'area', href: '/employer', text: 'layout.hiring', rank: 20 },
    { menu: 'employer', href: '/employer', text: 'menu.overview', rank: 5 },
    { menu: 'candidate', href: '/me/applications', text: 'menu.applications', rank: 40 },
    { menu: 'employer', href: '/employer/applications', text: 'menu.applicants', rank: 20 },
  ],
  open(kit) {
    const { database, retention, linkTo } = kit
    const sentUrlOf = linkTo('/me/applications/:id', '/v1/candidates/applications/:id')
    const receivedUrlOf = linkTo('/employer/applications/:id', '/v1/employers/applications/:id')
    return {
      api(v1) {
        registerApplications(v1, kit)
        registerNotes(v1, kit)
      },
      pages(pages) {
        registerOwnApplicationPages(pages, kit)
        registerEmployerHome(pages, kit)
        registerReceivedApplicationPages(pages, kit)
      },
      mails: {
        'application-sent': applicationSentMails(sentUrlOf),
        'application-status': applicationStatusMails(sentUrlOf),
        'application-received': applicationReceivedMails(receivedUrlOf),
        'application-withdrawn': applicationWithdrawnMails(receivedUrlOf),
      },
      personalData: applicationsPersonalData,
      countHoldings: countApplicationHoldings,
      retention: [
        {
          name: 'applications',
          days: retention.applications,
          tables: ['application', 'application_status_change', 'application_note'],
          purge: (before, now) => purgeApplications(database, before, now),
        },
      ],
      besideOne: applyLinks(database),
    }
  },
})
