/** The employers' portal: the company's profile. */
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import type { Clock } from '../../lib/time.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { emptyFaults } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { renderEmployerProfile } from './employer-profile.views.ts'
import { presentEmployerProfile } from './employers.present.ts'
import { findEmployer } from './employers.queries.ts'
import { EmployerBody, writableEmployerMembers } from './employers.schemas.ts'
import { updateEmployerProfile } from './employers.service.ts'

export interface EmployerProfilePagesDeps {
  database: Database
  clock: Clock
}

export function registerEmployerProfilePages(pages: App, { database, clock }: EmployerProfilePagesDeps): void {
  const present = async (request: FastifyRequest) => {
    const row = await database.read((db) => findEmployer(db, signedIn(request).accountId, clock.now()))
    if (!row) throw new AppError('not_found')
    return presentEmployerProfile(row)
  }

  pages.get(
    '/employer/profile',
    { config: { access: { kinds: ['employer'], scope: 'profile:read' } } },
    async (request, reply) => {
      const profile = await present(request)
      return showPage(reply, renderEmployerProfile(request.page, profile, editorForm(profile, writableEmployerMembers)))
    },
  )

  pages.post(
    '/employer/profile',
    {
      config: {
        access: { kinds: ['employer'], scope: 'profile:write' },
        again: async (request, form) => renderEmployerProfile(request.page, await present(request), form),
      },
      attachValidation: true,
      schema: { body: EmployerBody },
    },
    async (request, reply) => {
      const faults = [...bodyFaultsOf(request), ...emptyFaults(request.form, ['name'])]
      const { accountId } = signedIn(request)
      const precondition = unlessChanged(request, writableEmployerMembers)
      await doOnce(request, database, async (tx) => {
        await updateEmployerProfile(tx, accountId, request.body, faults, precondition, clock.now())
      })
      return seeOther(reply, '/employer/profile', 'Saved.')
    },
  )
}
