/** Admin page for the actions of staff members and accounts, and the CSV export of these actions. */
import type { App } from '../../http/app.ts'
import { markedAsUtf8, sendCsv } from '../../lists/csv.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { listed } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { listActivity } from './staff-activity.queries.ts'
import { activityList } from './staff-activity.schemas.ts'
import { exportActivity, nameActions, readLog } from './staff-activity.service.ts'
import { renderStaffActivity } from './staff-activity.views.ts'

export function registerStaffActivityPage(pages: App, kit: Kit): void {
  const { database, reads, searches, retention } = kit
  const subjects = kit.collect('deskSubjects').flat()

  pages.get('/desk/activity', {
    config: {
      access: { kinds: ['admin'], scope: 'admin:read' },
      charges: ['search-time'],
      again: async (request, form) => {
        const log = await database.read((db) => readLog(db, retention.activity))
        return renderStaffActivity(request.page, { form, log })
      },
    },
    schema: { querystring: ListQuerystring(activityList) },
    handler: async (request) => {
      const { query } = request
      const { rows, names, log } = await searches.read(request.chargedTo, async (db) => {
        const rows = await listActivity(db, query)
        const names = await nameActions(db, subjects, rows.rows)
        return { rows, names, log: await readLog(db, retention.activity) }
      })
      const { since, until, ...applied } = query.applied
      const dayOf = (time: unknown) => (time === undefined ? undefined : String(time).slice(0, 10))
      const form = Form.of({ ...applied, since: dayOf(since), until: dayOf(until) })
      const found = { ...listed(request, rows, (row) => row), names }
      return renderStaffActivity(request.page, { form, log, found })
    },
  })

  pages.get('/desk/activity/export', {
    config: { access: { kinds: ['admin'], scope: 'admin:read' } },
    schema: { querystring: ListQuerystring(activityList) },
    handler: async (request, reply) => {
      const lines = exportActivity(reads, request.query, subjects)
      return sendCsv(request, reply, 'activity.csv', markedAsUtf8(lines))
    },
  })
}
