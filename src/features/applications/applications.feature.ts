import { refreshCandidateSearch } from '../candidates/index.ts'
import { defineFeature } from '../feature.ts'
import { resumeKeeper } from '../resumes/index.ts'
import { applicationReceivedMails, applicationStatusMails } from './applications.mails.ts'
import { applyLinks, registerOwnApplicationPages } from './applications.own.pages.ts'
import { countApplicationHoldings } from './applications.queries.ts'
import { registerApplications } from './applications.routes.ts'
import {
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  EmployerApplicationSchema,
} from './applications.schemas.ts'
import { applicationsPersonalData, purgeApplications } from './applications.service.ts'
import { registerReceivedApplicationPages } from './received-applications.pages.ts'

/** Applications, for candidates and for employers. */
export const applications = defineFeature({
  name: 'applications',
  schemas: [ApplicationListSchema, ApplicationReceiptSchema, ApplicationSchema, EmployerApplicationSchema],
  navigation: [
    { menu: 'candidate', href: '/me/applications', text: 'Applications', rank: 40 },
    { menu: 'employer', href: '/employer/applications', text: 'Applications', rank: 20 },
  ],
  open(kit) {
    const { database, retention, linkTo } = kit
    return {
      api: (v1) => registerApplications(v1, kit),
      pages(pages) {
        const keepResume = resumeKeeper({ ...kit, refreshSearch: refreshCandidateSearch })
        registerOwnApplicationPages(pages, { ...kit, keepResume })
        registerReceivedApplicationPages(pages, kit)
      },
      mails: {
        'application-status': applicationStatusMails(linkTo('/me/applications/:id', '/v1/candidates/applications/:id')),
        'application-received': applicationReceivedMails(
          linkTo('/employer/applications/:id', '/v1/employers/applications/:id'),
        ),
      },
      personalData: applicationsPersonalData,
      countHoldings: countApplicationHoldings,
      retention: [
        {
          name: 'applications',
          days: retention.applications,
          tables: ['application', 'application_status_change'],
          purge: (before, now) => purgeApplications(database, before, now),
        },
      ],
      besideOne: applyLinks(database),
    }
  },
})
