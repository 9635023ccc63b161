/** Admin pages for listing and retrying undelivered emails. */
import type { App } from '../../http/app.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { doOnce } from '../../pages/once.ts'
import { listed, seeOther, showPage } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { presentEmail } from './emails.present.ts'
import { listUndelivered } from './emails.queries.ts'
import { EmailParams } from './emails.routes.ts'
import { emailList } from './emails.schemas.ts'
import { retryEmail, retryFailedEmails } from './emails.service.ts'
import { renderEmails } from './emails.views.ts'

const path = '/desk/emails'
const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const

export function registerEmailPages(pages: App, { database, clock, cursorSecret }: Kit): void {
  pages.get(path, { config: reading, schema: { querystring: ListQuerystring(emailList) } }, async (request, reply) => {
    const found = await database.read((db) => listUndelivered(db, request.query, cursorSecret))
    return showPage(reply, renderEmails(request.page, listed(request, found, presentEmail)))
  })

  pages.post(`${path}/retry`, { config: writing }, async (request, reply) => {
    const retried = await doOnce(request, database, (tx) =>
      retryFailedEmails(tx, request.actor, undefined, clock.now()),
    )
    return seeOther(reply, path, t('emails.retried', { count: retried }))
  })

  pages.post(`${path}/:id/retry`, { config: writing, schema: { params: EmailParams } }, async (request, reply) => {
    await doOnce(request, database, async (tx) => {
      await retryEmail(tx, request.actor, request.params.id, clock.now())
    })
    return seeOther(reply, path, t('emails.retried_one'))
  })
}
