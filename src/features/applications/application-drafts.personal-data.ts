/** Personal data in application drafts, which agents create. */
import type { PersonalData } from '../feature.ts'
import { presentDraft } from './application-drafts.present.ts'
import { deleteDraftsOf, listDraftsForExport } from './application-drafts.queries.ts'

export const applicationDraftsPersonalData: PersonalData = {
  name: 'application_drafts',

  async export(reader, candidateId) {
    const rows = await listDraftsForExport(reader, candidateId)
    return rows.map((row) => {
      const { url: _, ...draft } = presentDraft(row, '')
      return { ...draft, source: row.source }
    })
  },

  erase: deleteDraftsOf,
}
