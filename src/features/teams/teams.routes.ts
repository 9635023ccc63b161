import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, NoContent, Ref } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import type { Team } from './teams.kinds.ts'
import { presentMember } from './teams.present.ts'
import { findMember, listMembers } from './teams.queries.ts'
import { MemberParams } from './teams.schemas.ts'
import { inviteMember, removeMember, updateMember } from './teams.service.ts'

export function registerMembers(app: App, kit: Kit, team: Team): void {
  const { database, reads, clock, keyRing, budgets } = kit
  const { path, reading, writing, operations, accountOf } = team
  const { MemberSchema, InvitationBody, MemberBody, memberList } = team.schemas
  const guard = async ({ actor, params }: ResourceRequest) =>
    found(await database.read((db) => findMember(db, accountOf(actor), params.id)))

  app.get(path, {
    config: reading,
    schema: {
      ...operations.list,
      querystring: ListQuerystring(memberList),
      response: { 200: ListEnvelope(Ref(MemberSchema)) },
    },
    handler: async ({ actor, query }, reply) =>
      presentList(reply, await reads.read((db) => listMembers(db, accountOf(actor), query)), presentMember),
  })

  app.post(path, {
    config: writing,
    attachValidation: true,
    schema: {
      ...operations.invite,
      description:
        'Inviting an invited member again returns 200 and sends a new link; the previous link is then invalid.',
      body: InvitationBody,
      response: { 200: Envelope(Ref(MemberSchema)), 201: Envelope(Ref(MemberSchema)) },
    },
    handler: async ({ actor, body, faults }, reply) => {
      const accountId = accountOf(actor)
      const invitation = { accountId, actor, body, faults, now: clock.now() }
      return budgets.spend('emails', accountId, 1, () =>
        answerPost(reply, database, async (tx) => {
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
      ...operations.update,
      params: MemberParams,
      body: MemberBody,
      response: { 200: Envelope(Ref(MemberSchema)), ...problems(...team.conflicts) },
    },
    handler: async ({ actor, params, body, faults, precondition }) => {
      const accountId = accountOf(actor)
      const change = { accountId, actor, id: params.id, body, faults, now: clock.now() }
      const row = await database.inTx((tx) => updateMember(tx, { ...change, precondition }))
      keyRing.forgetAccount(accountId)
      return { data: presentMember(row) }
    },
  })

  app.delete(`${path}/:id`, {
    config: { ...writing, guard },
    schema: {
      ...operations.remove,
      params: MemberParams,
      response: { 204: NoContent, ...problems(...team.conflicts) },
    },
    handler: async ({ actor, params, precondition }) => {
      const accountId = accountOf(actor)
      const removal = { accountId, actor, id: params.id, precondition, now: clock.now() }
      await database.inTx((tx) => removeMember(tx, removal))
      keyRing.forgetAccount(accountId)
    },
  })
}
