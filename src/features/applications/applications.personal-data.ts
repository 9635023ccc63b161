/** Personal data in applications, including messages and the employers' ratings, tags and notes. */
import { pickMembers } from '../../lib/members.ts'
import { forgetMailsAbout } from '../../mail/queue.ts'
import type { PersonalData } from '../feature.ts'
import { addToApplicationCounts } from '../jobs/index.ts'
import { presentApplication } from './applications.present.ts'
import { anonymise, listForExport, listIdsOf, lockJobsAppliedTo } from './applications.queries.ts'
import { listMessagesAbout } from './messages.queries.ts'
import { presentMessage } from './messages.service.ts'
import { listNotesAbout } from './notes.queries.ts'

export const applicationsPersonalData: PersonalData = {
  name: 'applications',

  async export(reader, candidateId) {
    const rows = await listForExport(reader, candidateId)
    const notes = Map.groupBy(await listNotesAbout(reader, candidateId), ({ application_id }) => application_id)
    const messages = Map.groupBy(await listMessagesAbout(reader, candidateId), ({ application_id }) => application_id)
    return rows.map((row) => {
      const { resume: _, status_history, ...application } = presentApplication(row, '')
      return {
        ...application,
        ...pickMembers(row, ['withdrawal_reason', 'rating', 'tags', 'source']),
        notes: (notes.get(row.id) ?? []).map((note) => pickMembers(note, ['text', 'created_at'])),
        messages: (messages.get(row.id) ?? []).map((message) =>
          pickMembers(presentMessage.candidate(message), ['from', 'text', 'created_at', 'read_at']),
        ),
        resume_id: row.resume?.id ?? null,
        status_history: status_history.map((change, n) => ({ ...change, message: row.history[n]!.message })),
      }
    })
  },

  /** Anonymizes all applications and withdraws open applications. Must run before the candidate's row is deleted. */
  async erase(tx, candidateId, now) {
    await lockJobsAppliedTo(tx, candidateId)
    // Emails to employers contain the candidate's name.
    await forgetMailsAbout(tx, await listIdsOf(tx, candidateId))
    await addToApplicationCounts(tx, await anonymise(tx, candidateId, now), -1)
  },
}
