import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { preconditionOf, resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentMember } from './teams.present.ts'
import { findMember, listMembers } from './teams.queries.ts'
import { InvitationBody, MemberBody, MemberParams, MemberSchema, memberList } from './teams.schemas.ts'
import { inviteMember, removeMember, updateMember } from './teams.service.ts'

const path = '/employers/members'
const tags = ['Teams']
/** Whoever changes members changes who has access to the account. */
const writing = { access: { kinds: ['employer'], scope: 'profile:write' }, needs: 'whole-key' } as const

export function registerMembers(app: App, kit: Kit): void {
  const { database, reads, clock, cursorSecret, keyRing, budgets } = kit
  const guard = ({ actor, params }: FastifyRequest) =>
    database.read(async (db) => found(await findMember(db, actor.accountId, (params as { id: string }).id)))

  app.get(path, {
    config: { access: { kinds: ['employer'], scope: 'profile:read' } },
    schema: {
      operationId: 'listMembers',
      tags,
      summary: "List the members of the employer's account",
      querystring: ListQuerystring(memberList),
      response: { 200: ListEnvelope(Ref(MemberSchema)) },
    },
    handler: async (request, reply) => {
      const page = await reads.read((db) => listMembers(db, request.actor.accountId, request.query, cursorSecret))
      return presentList(request, reply, page, presentMember)
    },
  })

  app.post(path, {
    config: writing,
    attachValidation: true,
    schema: {
      operationId: 'inviteMember',
      tags,
      summary: 'Invite a member by email; the link is valid for seven days',
      description:
        'Inviting the same address again returns 200 and sends a new link; the previous link is then invalid.',
      body: InvitationBody,
      response: { 200: Envelope(Ref(MemberSchema)), 201: Envelope(Ref(MemberSchema)), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { accountId } = request.actor
      const invitation = { accountId, body: request.body, faults: bodyFaultsOf(request), now: clock.now() }
      return budgets.spend('emails', accountId, 1, () =>
        answerPost(request, reply, database, async (tx) => {
          const { member, isNew } = await inviteMember(tx, invitation)
          const data = presentMember(member)
          const headers = { etag: resourceTag(data), ...(isNew && { location: `/v1${path}` }) }
          return { status: isNew ? 201 : 200, headers, body: { data } }
        }),
      )
    },
  })

  app.put(`${path}/:id`, {
    config: { ...writing, guard },
    attachValidation: true,
    schema: {
      operationId: 'updateMember',
      tags,
      summary: "Change a member's role or name",
      params: MemberParams,
      body: MemberBody,
      response: { 200: Envelope(Ref(MemberSchema)), ...problems(409) },
    },
    handler: async (request) => {
      const { actor, params, body } = request
      const change = { accountId: actor.accountId, id: params.id, body, faults: bodyFaultsOf(request) }
      const precondition = preconditionOf(request)
      const row = await database.inTx((tx) => updateMember(tx, { ...change, precondition }))
      keyRing.forgetAccount(actor.accountId)
      return { data: presentMember(row) }
    },
  })

  app.delete(`${path}/:id`, {
    config: { ...writing, guard },
    schema: {
      operationId: 'deleteMember',
      tags,
      summary: 'Remove a member, whose keys and sessions end, or withdraw an invitation',
      params: MemberParams,
      response: { 204: Type.Null(), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { accountId } = request.actor
      const { id } = request.params
      const removal = { accountId, id, precondition: preconditionOf(request), now: clock.now() }
      await database.inTx((tx) => removeMember(tx, removal))
      keyRing.forgetAccount(accountId)
      return reply.code(204).send(null)
    },
  })
}
