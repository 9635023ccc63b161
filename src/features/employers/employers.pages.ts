/** Pages of employers: registration, and the companies with their open jobs. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import { describePage } from '../../lists/meta.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring, setLink } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { seeOther, showPage } from '../../pages/page.ts'
import { deleteAllApiKeys } from '../accounts/index.ts'
import type { Kit } from '../feature.ts'
import { listOwnJobs, ownJobList, presentJobListItem } from '../jobs/index.ts'
import { beginSession, createSignIn } from '../sessions/index.ts'
import { presentEmployer } from './employers.present.ts'
import { listEmployers } from './employers.queries.ts'
import { EmployerParams } from './employers.routes.ts'
import { EmployerRegistrationBody, employerList } from './employers.schemas.ts'
import { getShownEmployer, registerEmployer } from './employers.service.ts'
import { renderCompanies, renderCompany, renderEmployerRegistration } from './employers.views.ts'

export function registerEmployerPages(pages: App, kit: Kit): void {
  registerRegistration(pages, kit)
  registerCompanies(pages, kit)
}

function registerRegistration(pages: App, { database, clock, settings }: Kit): void {
  const signIn = createSignIn(database, settings.origin)
  const again = (request: FastifyRequest, form: Form) => renderEmployerRegistration(request.page, form)
  const config = { access: 'registration', again } as const

  pages.get('/register/employer', { config }, async (request, reply) =>
    showPage(reply, renderEmployerRegistration(request.page, Form.of())),
  )

  pages.post(
    '/register/employer',
    { config: { ...config, limit: 'registration' }, schema: { body: EmployerRegistrationBody } },
    async (request, reply) => {
      await signIn(request, reply, async (tx) => {
        const { employer } = await registerEmployer(tx, request.body, clock.now())
        // Deletes the initial key, because no page shows it.
        await deleteAllApiKeys(tx, employer.id)
        return beginSession(tx, employer.id, null, clock.now())
      })
      return seeOther(reply, '/home', 'Welcome. You are registered and signed in.')
    },
  )
}

function registerCompanies(pages: App, kit: Kit): void {
  const { database, searches, clock, cursorSecret, settings, catalogue } = kit

  pages.get(
    '/companies',
    {
      config: {
        access: 'public',
        again: (request: FastifyRequest, form: Form) => renderCompanies(request.page, form, undefined),
      },
      schema: { querystring: ListQuerystring(employerList) },
    },
    async (request, reply) => {
      const { query } = request
      const now = clock.now()
      const page = await searches.read(request.chargedTo, (db) => listEmployers(db, query, now, cursorSecret))
      const { meta, link } = describePage(request.raw.url!, query, page)
      const found = { items: page.rows.map(presentEmployer), meta }
      return showPage(setLink(reply, link), renderCompanies(request.page, Form.of(query.applied), found))
    },
  )

  pages.get(
    '/companies/:id',
    { config: { access: 'public' }, schema: { params: EmployerParams } },
    async (request, reply) => {
      const { id } = request.params
      const { page } = request.query as Record<string, string>
      const raw = { state: 'active', ...(page !== undefined && { page }) }
      const { query, faults } = parseListQuery(ownJobList, raw, cursorSecret)
      if (faults.length > 0) throw new AppError('not_found')
      const now = clock.now()
      const employer = await database.read((db) => getShownEmployer(db, id, now))
      const listed = await searches.read(request.chargedTo, (db) => listOwnJobs(db, id, query, { now, cursorSecret }))
      const { meta } = describePage(request.raw.url!, query, listed)
      const { logo_url: company_logo_url } = employer
      const jobs = listed.rows.map((row) => presentJobListItem({ ...row, company_logo_url }, settings.origin))
      return showPage(reply, renderCompany(request.page, catalogue, presentEmployer(employer), { items: jobs, meta }))
    },
  )
}
