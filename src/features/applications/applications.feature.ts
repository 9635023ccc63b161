import { defineFeature } from '../feature.ts'
import {
  applicationMessageMails,
  applicationSentMails,
  applicationStatusMails,
  employerMails,
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
import { registerEmailTemplatePages } from './email-templates.pages.ts'
import { registerEmailTemplates } from './email-templates.routes.ts'
import { EmailPreviewSchema, EmailTemplateSchema } from './email-templates.schemas.ts'
import { registerEmployerHome } from './employer-home.pages.ts'
import { registerMessages } from './messages.routes.ts'
import { MessageSchema } from './messages.schemas.ts'
import { registerNotes } from './notes.routes.ts'
import { NoteSchema } from './notes.schemas.ts'
import { applyLinks, registerOwnApplicationPages } from './own-applications.pages.ts'
import { registerReceivedApplicationPages } from './received-applications.pages.ts'

export const applications = defineFeature({
  name: 'applications',
  tag: 'Applications',
  personalColumns: {
    application: {
      columns: ['cover_letter', 'answers', 'withdrawal_reason', 'source', 'tags', 'tags_folded'],
      purpose: "the application, the website that it came from, and the employer's tags",
      until: "the candidate's profile is erased, or `RETENTION_APPLICATIONS_DAYS` after the last change",
    },
    application_message: {
      columns: ['text', 'by_name'],
      purpose:
        'messages between the candidate and the employer, and the names of the members who wrote for the employer',
      until: 'as for the application',
    },
    application_note: {
      columns: ['text', 'by_name'],
      purpose: "the employer's notes about the candidate, and the names of the members who wrote them",
      until: 'as for the application',
    },
    application_status_change: {
      columns: ['reason', 'message', 'by_name'],
      purpose:
        "the employer's reasons for status changes, its messages to the candidate, and the names of the members who made the changes",
      until: 'as for the application',
    },
  },
  schemas: [
    ApplicationListSchema,
    ApplicationReceiptSchema,
    ApplicationSchema,
    EmailPreviewSchema,
    EmailTemplateSchema,
    EmployerApplicationSchema,
    MessageSchema,
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
    'ApplicationMessage.text': 'Could we talk on Thursday?',
    'sendApplicationMessage.text': 'Could we talk on Thursday?',
    'messageApplicant.text': 'Could we talk on Thursday?',
    'createApplicationNote.text': 'Can start in May.',
    'EmailTemplate.subject': 'Your application for {{job.title}}',
    'EmailTemplate.text': 'Hello {{candidate.first_name}},\n\nThank you for applying to {{employer.name}}.',
    'EmailPreview.subject': 'Your application for Battery engineer',
    'EmailPreview.text': 'Hello Ada,\n\nThank you for applying to Voltaire Motors.',
    source: 'partner-board',
    cover_letter: 'I have designed battery packs for six years.',
    'Application.custom_questions': { license: true },
    'EmployerApplication.custom_questions': { license: true },
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
        registerMessages(v1, kit)
        registerEmailTemplates(v1, kit)
      },
      pages(pages) {
        registerOwnApplicationPages(pages, kit)
        registerEmployerHome(pages, kit)
        registerReceivedApplicationPages(pages, kit)
        registerEmailTemplatePages(pages, kit)
      },
      mails: {
        'application-sent': applicationSentMails(sentUrlOf),
        'application-status': applicationStatusMails(sentUrlOf),
        'application-received': employerMails('received', receivedUrlOf),
        'application-withdrawn': employerMails('withdrawn', receivedUrlOf),
        'application-message': applicationMessageMails({ candidate: sentUrlOf, employer: receivedUrlOf }),
      },
      personalData: applicationsPersonalData,
      countHoldings: countApplicationHoldings,
      retention: [
        {
          name: 'applications',
          days: retention.applications,
          tables: ['application', 'application_status_change', 'application_note', 'application_message'],
          purge: (before, now) => purgeApplications(database, before, now),
        },
      ],
      besideOne: applyLinks(database),
    }
  },
})
