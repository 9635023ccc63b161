import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { authorOf } from '../../lib/scopes.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { ApplicationParams, idOf } from './applications.routes.ts'
import { getEmployerApplication } from './applications.service.ts'
import { findNote, listNotes } from './notes.queries.ts'
import { NoteBody, NoteSchema, noteList } from './notes.schemas.ts'
import { addNote, deleteNote, presentNote } from './notes.service.ts'

export const NoteParams = Strict({ id: Id('application'), note_id: Id('note') })

/** Returns the caller's employer ID, the ID of the application in the path, and the author of a new note. */
export const ownedIn = (request: ResourceRequest<unknown>) => ({
  employerId: request.actor.accountId,
  applicationId: idOf(request),
  author: authorOf(request.actor),
})

export function registerNotes(app: App, { database, reads, clock }: Kit): void {
  const writing = { kinds: ['employer'], scope: 'applications:write', role: 'viewer' } as const
  const getReceived = ({ actor, params }: ResourceRequest) =>
    database.read((db) => getEmployerApplication(db, actor, params.id))
  const getNote = async (request: ResourceRequest<{ note_id: string }>) =>
    found(await database.read((db) => findNote(db, ownedIn(request), request.params.note_id)))

  app.get('/employers/applications/:id/notes', {
    config: { access: { kinds: ['employer'], scope: 'applications:read' }, guard: getReceived },
    schema: {
      operationId: 'listApplicationNotes',
      summary: "List the employer's notes on an application; candidates never see them on the board",
      params: ApplicationParams,
      querystring: ListQuerystring(noteList),
      response: { 200: ListEnvelope(Ref(NoteSchema)) },
    },
    handler: async (request, reply) => {
      await getReceived(request)
      const page = await reads.read((db) => listNotes(db, ownedIn(request), request.query))
      return presentList(reply, page, presentNote)
    },
  })

  app.post('/employers/applications/:id/notes', {
    config: { access: writing, guard: getReceived },
    schema: {
      operationId: 'createApplicationNote',
      summary: 'Add a note to an application',
      params: ApplicationParams,
      body: NoteBody,
      response: { 201: Envelope(Ref(NoteSchema)) },
    },
    handler: async (request, reply) =>
      answerPost(reply, database, async (tx) => {
        const data = await addNote(tx, ownedIn(request), request.body.text, clock.now())
        return { headers: { location: `/v1/employers/applications/${idOf(request)}/notes` }, body: { data } }
      }),
  })

  app.delete('/employers/applications/:id/notes/:note_id', {
    config: { access: writing, guard: getNote },
    schema: {
      operationId: 'deleteApplicationNote',
      summary: 'Delete a note',
      params: NoteParams,
      response: { 204: NoContent },
    },
    handler: async (request) => {
      const chosen = { id: request.params.note_id, precondition: request.precondition, member: request.actor.member }
      await database.inTx((tx) => deleteNote(tx, ownedIn(request), chosen))
    },
  })
}
