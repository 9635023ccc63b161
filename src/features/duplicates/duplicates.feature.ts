import { defineFeature } from '../feature.ts'
import { registerDuplicatePages } from './duplicates.pages.ts'
import { countSuspects } from './duplicates.queries.ts'
import { registerDuplicates } from './duplicates.routes.ts'
import { DuplicateDecisionSchema, DuplicateSchema } from './duplicates.schemas.ts'
import { findOwnCopy } from './duplicates.service.ts'
import { duplicateFolder } from './duplicates.tasks.ts'
import { renderCopyWarning, SUSPECTS } from './duplicates.views.ts'

/** Copies of jobs. Lists omit most copies that feeds created. Employers and operators can look up a job's copies. */
export const duplicates = defineFeature({
  name: 'duplicates',
  tag: 'Jobs',
  isOptional: true,
  navigation: [{ menu: 'desk', href: SUSPECTS, text: 'menu.copies', rank: 27 }],
  schemas: [DuplicateSchema, DuplicateDecisionSchema],
  examples: {
    similarity: 0.96,
    job_ids: ['job_01k9z6q4x0e8wbmt5n7rhv2c3d', 'job_01k9z6q4x0e8wbmt5n7rhv2c3e'],
  },
  open(kit) {
    return {
      api: (v1) => registerDuplicates(v1, kit),
      pages: (pages) => registerDuplicatePages(pages, kit),
      async copyWarning(reader, id, page) {
        const copy = await findOwnCopy(reader, id, kit.clock.now())
        return copy && renderCopyWarning(page, copy)
      },
      countSuspects: async () => (await kit.database.read(countSuspects)).shown,
      tasks: [duplicateFolder(kit.database, kit.clock)],
    }
  },
})
