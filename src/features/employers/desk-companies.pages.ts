/** Admin list of all companies except those that an employer took over. Includes companies without open jobs. */
import type { App } from '../../http/app.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { listed } from '../../pages/page.ts'
import type { DeskFinder, Kit } from '../feature.ts'
import { renderDeskCompanies } from './desk-companies.views.ts'
import { type EmployerRow, findEmployer, listAllEmployers } from './employers.queries.ts'
import { deskCompanyList } from './employers.schemas.ts'

const path = '/desk/companies'

export const companyFinder = ({ clock, cursorSecret }: Pick<Kit, 'clock' | 'cursorSecret'>): DeskFinder => ({
  title: 'menu.companies',
  list: path,
  async find(db, text, limit) {
    const now = clock.now()
    const { query } = parseListQuery(deskCompanyList, { search: text, limit: String(limit) }, cursorSecret)
    const { rows, total } = await listAllEmployers(db, query, now)
    const exact = await findEmployer(db, text, now)
    const present = ({ id, name, location, open_positions }: EmployerRow) => ({
      href: `/companies/${id}`,
      title: name,
      details: [location, t('shared.open_jobs', { count: open_positions })],
    })
    return { exact: exact ? [present(exact)] : [], newest: rows.map(present), total }
  },
})

export function registerDeskCompanyPages(pages: App, { searches, clock }: Kit): void {
  pages.get(path, {
    config: {
      access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' },
      charges: ['search-time'],
      again: (request, form) => renderDeskCompanies(request.page, form, undefined),
    },
    schema: { querystring: ListQuerystring(deskCompanyList) },
    handler: async (request) => {
      const { query } = request
      const found = await searches.read(request.chargedTo, (db) => listAllEmployers(db, query, clock.now()))
      const companies = listed(request, found, (row) => row)
      return renderDeskCompanies(request.page, Form.of(query.applied), companies)
    },
  })
}
