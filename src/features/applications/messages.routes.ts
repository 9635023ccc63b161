import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import { authorOf } from '../../lib/scopes.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { ApplicationParams, idOf } from './applications.routes.ts'
import { getApplication, getEmployerApplication } from './applications.service.ts'
import { listMessages, type Party } from './messages.queries.ts'
import { MessageBody, MessageSchema, messageList, type Side } from './messages.schemas.ts'
import { presentMessage, readMessages, sendMessage } from './messages.service.ts'

/** Returns the caller as a side of the application in the path. */
export const partyIn = (request: ResourceRequest<unknown>, side: Side): Party => ({
  ...{ applicationId: idOf(request), side, accountId: request.actor.accountId, author: authorOf(request.actor) },
})

export function registerMessages(app: App, kit: Kit): void {
  registerSide(app, kit, 'candidate', {
    path: '/candidates/applications/:id/messages',
    list: ['listApplicationMessages', "List the messages about one of the candidate's applications"],
    send: ['sendApplicationMessage', 'Send a message to the employer about an application'],
  })
  registerSide(app, kit, 'employer', {
    path: '/employers/applications/:id/messages',
    list: ['listApplicantMessages', "List the messages about an application to one of the employer's jobs"],
    send: ['messageApplicant', 'Send a message to the candidate about an application'],
  })
}

interface Operations {
  path: '/candidates/applications/:id/messages' | '/employers/applications/:id/messages'
  list: [operationId: string, summary: string]
  send: [operationId: string, summary: string]
}

function registerSide(app: App, { database, clock, budgets }: Kit, side: Side, { path, list, send }: Operations): void {
  const access = (verb: 'read' | 'write') => ({ kinds: [side], scope: `applications:${verb}` }) as const
  const guard = ({ actor, params }: ResourceRequest) =>
    database.read((db) =>
      side === 'employer'
        ? getEmployerApplication(db, actor, params.id)
        : getApplication(db, actor.accountId, params.id),
    )

  app.get(path, {
    config: { access: access('read'), guard },
    schema: {
      operationId: list[0],
      summary: list[1],
      description: 'Marks the listed messages from the other side as read.',
      params: ApplicationParams,
      querystring: ListQuerystring(messageList),
      response: { 200: ListEnvelope(Ref(MessageSchema)) },
    },
    handler: async (request, reply) => {
      await guard(request)
      const party = partyIn(request, side)
      const page = await database.read((db) => listMessages(db, party, request.query))
      const rows = await readMessages(database, { side, method: request.method }, page.rows, clock.now())
      return presentList(reply, { ...page, rows }, presentMessage[side])
    },
  })

  app.post(path, {
    config: { access: access('write'), guard },
    schema: {
      operationId: send[0],
      summary: send[1],
      params: ApplicationParams,
      body: MessageBody,
      response: { 201: Envelope(Ref(MessageSchema)) },
    },
    handler: async (request, reply) =>
      budgets.spend('emails', request.actor.accountId, 1, () =>
        answerPost(reply, database, async (tx) => {
          const data = await sendMessage(tx, partyIn(request, side), request.body.text, clock.now())
          return { headers: { location: `/v1${path.replace(':id', idOf(request))}` }, body: { data } }
        }),
      ),
  })
}
