import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Id, Ref, Strict } from '../../lib/schema.ts'
import { parseTime } from '../../lib/time.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentEmail } from './emails.present.ts'
import { findEmail, listEmails } from './emails.queries.ts'
import { EmailSchema, EmailsRetriedSchema, emailList, RetryEmailsBody } from './emails.schemas.ts'
import { retryEmail, retryFailedEmails } from './emails.service.ts'

export const EmailParams = Strict({ id: Id('mail') })

export function registerEmails(app: App, { database, reads, clock }: Kit): void {
  const writing = { kinds: ['admin'], scope: 'admin:write' } as const

  app.get('/admin/emails', {
    config: { access: { kinds: ['admin'], scope: 'admin:read' } },
    schema: {
      operationId: 'listEmails',
      summary: 'List queued emails, and emails from the last 30 days',
      querystring: ListQuerystring(emailList),
      response: { 200: ListEnvelope(Ref(EmailSchema)) },
    },
    handler: async ({ query }, reply) =>
      presentList(reply, await reads.read((db) => listEmails(db, query)), presentEmail),
  })

  app.post('/admin/emails/retry', {
    config: { access: writing },
    schema: {
      operationId: 'retryEmails',
      summary: 'Resend failed emails, up to 10,000 per request',
      body: RetryEmailsBody,
      response: { 202: Envelope(EmailsRetriedSchema) },
    },
    handler: async ({ actor, body }, reply) => {
      const since = body.since === undefined ? undefined : parseTime(body.since, 'start')
      return answerPost(reply, database, async (tx) => ({
        body: { data: { retried: await retryFailedEmails(tx, actor, since, clock.now()) } },
      }))
    },
  })

  app.post('/admin/emails/:id/retry', {
    config: {
      access: writing,
      guard: async ({ params }: ResourceRequest) => found(await database.read((db) => findEmail(db, params.id))),
    },
    schema: {
      operationId: 'retryEmail',
      summary: 'Send an email again',
      params: EmailParams,
      body: Strict({}),
      response: { 202: Envelope(Ref(EmailSchema)) },
    },
    handler: async ({ actor, params }, reply) =>
      answerPost(reply, database, async (tx) => ({
        body: { data: presentEmail(await retryEmail(tx, actor, params.id, clock.now())) },
      })),
  })
}
