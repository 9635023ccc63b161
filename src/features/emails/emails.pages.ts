/** Admin pages for listing, viewing and resending emails. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { resultOnce } from '../../pages/once.ts'
import { listed, seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { presentEmail } from './emails.present.ts'
import { findEmail, listEmails, listRepeats } from './emails.queries.ts'
import { EmailParams } from './emails.routes.ts'
import { emailList } from './emails.schemas.ts'
import { retryEmail, retryFailedEmails } from './emails.service.ts'
import { renderEmail, renderEmails } from './emails.views.ts'

const path = '/desk/emails'
const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const

export function registerEmailPages(pages: App, { database, clock }: Kit): void {
  pages.get(path, {
    config: { ...reading, again: (request, form) => renderEmails(request.page, form, undefined) },
    schema: { querystring: ListQuerystring(emailList) },
    handler: async (request) => {
      const { query } = request
      const found = await database.read((db) => listEmails(db, query))
      return renderEmails(request.page, Form.of(query.applied), listed(request, found, presentEmail))
    },
  })

  const show = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id } = request.params as { id: string }
    const view = await database.read(async (db) => ({
      email: presentEmail(found(await findEmail(db, id))),
      repeats: await listRepeats(db, id),
    }))
    return renderEmail(request.page, form, view)
  }

  pages.get(`${path}/:id`, { config: reading, schema: { params: EmailParams } }, (request) => show(request))

  pages.post(`${path}/retry`, { config: writing }, async (request, reply) => {
    const retried = await resultOnce(request, database, (tx) =>
      retryFailedEmails(tx, request.actor, undefined, clock.now()),
    )
    return seeOther(reply, `${path}?state=pending`, t('emails.retried', { count: retried }))
  })

  pages.post(`${path}/:id/retry`, {
    config: { ...writing, again: show },
    schema: { params: EmailParams },
    handler: async (request, reply) => {
      const id = await resultOnce(request, database, async (tx) => {
        const email = await retryEmail(tx, request.actor, request.params.id, clock.now())
        return email.id
      })
      return seeOther(reply, `${path}/${id}`, t('emails.retried_one'))
    },
  })
}
