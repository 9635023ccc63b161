import { defineFeature } from '../feature.ts'
import { registerSavedJobPages, saveAfterSignIn, saveButtons } from './saved-jobs.pages.ts'
import { savedJobsPersonalData } from './saved-jobs.personal-data.ts'
import { countSavedJobHoldings } from './saved-jobs.queries.ts'
import { registerSavedJobs } from './saved-jobs.routes.ts'
import { SavedJobSchema } from './saved-jobs.schemas.ts'

/** Jobs that candidates save for later. */
export const savedJobs = defineFeature({
  name: 'saved-jobs',
  tag: 'Saved jobs',
  isOptional: true,
  schemas: [SavedJobSchema],
  navigation: [{ menu: 'candidate', href: '/me/saved-jobs', text: 'menu.saved', rank: 30 }],
  open: (kit) => ({
    api: (v1) => registerSavedJobs(v1, kit),
    pages: (pages) => registerSavedJobPages(pages, kit),
    personalData: savedJobsPersonalData,
    countHoldings: countSavedJobHoldings,
    besideListed: saveButtons(kit.database, { isLarge: false }),
    afterSignIn: saveAfterSignIn,
    besideOne: saveButtons(kit.database, { isLarge: true }),
  }),
})
