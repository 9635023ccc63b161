/** Company pages of the employer dashboard: edit the profile and close the account. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { validationFailed } from '../../lib/errors.ts'
import { Strict } from '../../lib/schema.ts'
import { createCookies } from '../../pages/cookies.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { emptyFaults, Form, fieldFault } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { renderClosing, renderEmployerProfile } from './employer-profile.views.ts'
import { presentEmployerProfile } from './employers.present.ts'
import { EmployerBody, writableEmployerMembers } from './employers.schemas.ts'
import { closeEmployer, getOwnEmployer, updateEmployerProfile } from './employers.service.ts'

const ClosingBody = Strict({ confirmation: Type.String({ maxLength: 300 }) })

const reading = { kinds: ['employer'], scope: 'profile:read' } as const
const writing = { kinds: ['employer'], scope: 'profile:write' } as const

export function registerEmployerProfilePages(pages: App, { database, clock, settings, keyRing }: Kit): void {
  const present = async (request: FastifyRequest) =>
    presentEmployerProfile(await database.read((db) => getOwnEmployer(db, signedIn(request).accountId, clock.now())))

  pages.get('/employer/profile', { config: { access: reading } }, async (request, reply) => {
    const profile = await present(request)
    return showPage(reply, renderEmployerProfile(request.page, profile, editorForm(profile, writableEmployerMembers)))
  })

  pages.post(
    '/employer/profile',
    {
      config: {
        access: writing,
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

  const closing = { access: writing, needs: 'whole-key' } as const

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
      keyRing.forgetAccount(accountId)
      createCookies(settings.origin).session.clear(reply)
      return seeOther(reply, '/', 'Your account is closed.')
    },
  )
}
