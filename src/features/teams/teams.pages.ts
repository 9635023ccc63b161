/** Pages for teams and invitations. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError, type BodyFault, found } from '../../lib/errors.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage } from '../../pages/page.ts'
import { emailKey } from '../accounts/index.ts'
import type { Kit } from '../feature.ts'
import { createSignIn, enter } from '../sessions/index.ts'
import type { Team } from './teams.kinds.ts'
import { presentMember } from './teams.present.ts'
import { findMember } from './teams.queries.ts'
import { AcceptanceBody, type InvitationBody, InvitationQuery, MemberParams } from './teams.schemas.ts'
import { acceptInvitation, findInvitation, inviteMember, removeMember, updateMember } from './teams.service.ts'
import { listAllMembers } from './teams.sql.ts'
import { renderInvitation, renderTeam } from './teams.views.ts'

const open = { access: 'public' } as const

export function registerTeamPages(pages: App, kit: Kit, team: Team): void {
  const { database, clock, keyRing, budgets } = kit
  const { page: path, reading, writing, accountOf } = team
  const { roles, InvitationBody, RoleBody } = team.schemas
  const again = async ({ actor, page }: FastifyRequest, form: Form) => {
    const members = await database.read((db) => listAllMembers(db, accountOf(actor)))
    return renderTeam(page, team, { members: members.map(presentMember), now: clock.now() }, form)
  }
  const invite = (request: FastifyRequest, body: InvitationBody, faults: readonly BodyFault[]) => {
    const { actor } = request
    const accountId = accountOf(actor)
    return budgets.spend('emails', accountId, 1, () =>
      doOnce(request, database, (tx) => inviteMember(tx, { accountId, actor, body, faults, now: clock.now() })),
    )
  }

  pages.get(path, { config: reading }, (request) => again(request, Form.of({ role: roles[1] })))

  pages.post(path, {
    config: { ...writing, again },
    attachValidation: true,
    schema: { body: InvitationBody },
    handler: async (request, reply) => {
      await invite(request, request.body, request.faults)
      return seeOther(reply, path, t('teams.invited', { email: request.body.email }))
    },
  })

  pages.post(`${path}/:id/invite`, {
    config: { ...writing, again },
    schema: { params: MemberParams },
    handler: async (request, reply) => {
      const { actor, params } = request
      const { email, role } = found(await database.read((db) => findMember(db, accountOf(actor), params.id)))
      await invite(request, { email, role }, [])
      return seeOther(reply, path, t('teams.invited', { email }))
    },
  })

  pages.post(`${path}/:id/role`, {
    config: { ...writing, again },
    schema: { params: MemberParams, body: RoleBody },
    handler: async (request, reply) => {
      const { actor, params, body } = request
      const accountId = accountOf(actor)
      const change = { accountId, actor, id: params.id, body, faults: [], precondition: unconditionally }
      await doOnce(request, database, (tx) => updateMember(tx, { ...change, now: clock.now() }))
      keyRing.forgetAccount(accountId)
      return seeOther(reply, path, t('teams.role_changed'))
    },
  })

  pages.post(`${path}/:id/remove`, {
    config: { ...writing, again },
    schema: { params: MemberParams },
    handler: async (request, reply) => {
      const { actor, params } = request
      const accountId = accountOf(actor)
      const removal = { accountId, actor, id: params.id, precondition: unconditionally, now: clock.now() }
      await doOnce(request, database, (tx) => removeMember(tx, removal))
      keyRing.forgetAccount(accountId)
      return seeOther(reply, path, t('teams.removed'))
    },
  })
}

export function registerInvitationPages(pages: App, { database, clock, settings }: Kit, secret: Uint8Array): void {
  const signIn = createSignIn(database, settings.origin)
  /**
   * Returns the page of an invitation, the invited member if the invitation is valid, and whether the visitor is signed
   * in with another email address.
   */
  const show = async (request: FastifyRequest, form: Form) => {
    const token = form.value('token')
    const invited = await database.read((db) => findInvitation(db, secret, token, clock.now()))
    const isForAnother = Boolean(invited && request.actor && emailKey(request.actor.email) !== invited.email_key)
    const shown = request.form || !invited ? form : Form.of({ token, name: invited.name })
    const company = invited?.kind === 'employer' ? invited.account_name : request.page.brand.name
    const html = renderInvitation(request.page, shown, invited && { ...invited, company, isForAnother })
    return { html, invited, isForAnother }
  }

  pages.get('/invitation', { config: open, schema: { querystring: InvitationQuery } }, async (request, reply) => {
    // Opening a link has no effect, because email programs may open links before people do.
    const { html, invited } = await show(request, Form.of({ token: request.query.token }))
    return showPage(reply, html, invited ? 200 : 410)
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
        entered = await enter(tx, session, member.email_key, clock.now())
        return entered.token
      })
      if (!entered) return showPage(reply, renderInvitation(request.page, Form.of({}), undefined), 410)
      return seeOther(reply, '/home', t('teams.joined'))
    },
  })
}
