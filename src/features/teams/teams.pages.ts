/** Pages of an employer's team, and of invitations to it. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { seeOther, showPage } from '../../pages/page.ts'
import { emailKey } from '../accounts/index.ts'
import type { Kit } from '../feature.ts'
import { createSignIn, enter } from '../sessions/index.ts'
import { AcceptanceBody, InvitationQuery } from './teams.schemas.ts'
import { acceptInvitation, findInvitation } from './teams.service.ts'
import { renderInvitation } from './teams.views.ts'

const open = { access: 'public' } as const

export function registerInvitationPages(pages: App, { database, clock, settings }: Kit, secret: Uint8Array): void {
  const signIn = createSignIn(database, settings.origin)
  /** Returns the page of an invitation, and whether it is valid. */
  const show = async (request: FastifyRequest, form: Form) => {
    const token = form.value('token')
    const found = await database.read((db) => findInvitation(db, secret, token, clock.now()))
    const isForAnother = Boolean(found && request.actor && emailKey(request.actor.email) !== found.email_key)
    const shown = request.form || !found ? form : Form.of({ token, name: found.name })
    const html = renderInvitation(request.page, shown, found && { ...found, isForAnother })
    return { html, found, isForAnother }
  }

  pages.get('/invitation', { config: open, schema: { querystring: InvitationQuery } }, async (request, reply) => {
    // Opening a link has no effect, because email programs may open links before people do.
    const { html, found } = await show(request, Form.of({ token: request.query.token }))
    return showPage(reply, html, found ? 200 : 410)
  })

  pages.post('/invitation/accept', {
    config: { ...open, again: async (request, form) => (await show(request, form)).html },
    schema: { body: AcceptanceBody },
    handler: async (request, reply) => {
      const { token, name } = request.body
      const { isForAnother } = await show(request, Form.of({ token, name }))
      if (isForAnother) throw new AppError('conflict')
      let entered: Awaited<ReturnType<typeof enter>> | undefined
      await signIn(request, reply, async (tx) => {
        const member = await acceptInvitation(tx, secret, { token, name, now: clock.now() })
        if (!member) return undefined
        const session = { accountId: member.account_id, memberId: member.id, emailKey: member.email_key, keyHash: null }
        entered = await enter(tx, session, clock.now())
        return entered.token
      })
      if (!entered) return showPage(reply, renderInvitation(request.page, Form.of({}), undefined), 410)
      return seeOther(reply, '/home', t('teams.joined'))
    },
  })
}
