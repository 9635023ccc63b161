/** Company pages of the employer dashboard: edit the profile and close the account. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError, validationFailed } from '../../lib/errors.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { createCookies } from '../../pages/cookies.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { emptyFaults, Form, fieldFault } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import type { JobSettings } from '../jobs/index.ts'
import { renderClosing, renderEmployerProfile } from './employer-profile.views.ts'
import { presentEmployerProfile } from './employers.present.ts'
import { findEmployer } from './employers.queries.ts'
import { EmployerBody, writableEmployerMembers } from './employers.schemas.ts'
import { closeEmployer, updateEmployerProfile } from './employers.service.ts'

export interface EmployerProfilePagesDeps {
  database: Database
  clock: Clock
  settings: JobSettings
  /** Called after an account was closed. */
  forgetAccount: (accountId: string) => void
}

const ClosingBody = Strict({ confirmation: Type.String({ maxLength: 300 }) })

export function registerEmployerProfilePages(pages: App, deps: EmployerProfilePagesDeps): void {
  const { database, clock, settings, forgetAccount } = deps
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
        await updateEmployerProfile(tx, { id: accountId, body: request.body, faults, precondition, now: clock.now() })
      })
      return seeOther(reply, '/employer/profile', 'Saved.')
    },
  )

  const closing = { access: { kinds: ['employer'], scope: 'profile:write' }, needs: 'whole-key' } as const

  pages.get('/employer/profile/close', { config: closing }, async (request, reply) =>
    showPage(reply, renderClosing(request.page, await present(request), Form.of())),
  )

  pages.post(
    '/employer/profile/close',
    {
      config: {
        ...closing,
        again: async (request, form) => renderClosing(request.page, await present(request), form),
      },
      schema: { body: ClosingBody },
    },
    async (request, reply) => {
      const { accountId } = signedIn(request)
      const { name } = await present(request)
      if (request.body.confirmation.trim().toLowerCase() !== name.toLowerCase()) {
        throw validationFailed([fieldFault('confirmation', 'This does not match the name of your company.')])
      }
      await database.inTx((tx) =>
        closeEmployer(tx, { settings, id: accountId, precondition: unconditionally, now: clock.now() }),
      )
      forgetAccount(accountId)
      createCookies(settings.origin).session.clear(reply)
      return seeOther(reply, '/', 'Your account is closed.')
    },
  )
}
