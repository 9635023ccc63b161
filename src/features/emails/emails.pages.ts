/** Admin pages to list and retry emails that were not delivered. */
import type { App } from '../../http/app.ts'
import { describePage } from '../../lists/meta.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { presentEmail } from './emails.present.ts'
import { listUndelivered } from './emails.queries.ts'
import { EmailParams, type EmailsDeps } from './emails.routes.ts'
import { emailList } from './emails.schemas.ts'
import { retryEmail, retryFailedEmails } from './emails.service.ts'
import { renderEmails } from './emails.views.ts'

export function registerEmailPages(pages: App, { database, clock, cursorSecret }: Omit<EmailsDeps, 'reads'>): void {
  const writing = { kinds: ['admin'], scope: 'admin:write' } as const
  const path = '/desk/emails'

  pages.get(
    path,
    {
      config: { access: { kinds: ['admin'], scope: 'admin:read' } },
      schema: { querystring: ListQuerystring(emailList) },
    },
    async (request, reply) => {
      const { query } = request
      const found = await database.read((db) => listUndelivered(db, query, cursorSecret))
      const { pagination } = describePage(request.raw.url!, query, found).meta
      return showPage(reply, renderEmails(request.page, found.rows.map(presentEmail), pagination))
    },
  )

  pages.post(`${path}/retry`, { config: { access: writing } }, async (request, reply) => {
    const actor = signedIn(request)
    const retried = await doOnce(request, database, (tx) => retryFailedEmails(tx, actor, undefined, clock.now()))
    return seeOther(reply, path, retried === 1 ? 'One email queued again.' : `${retried} emails queued again.`)
  })

  pages.post(
    `${path}/:id/retry`,
    { config: { access: writing }, schema: { params: EmailParams } },
    async (request, reply) => {
      const actor = signedIn(request)
      await doOnce(request, database, async (tx) => {
        await retryEmail(tx, actor, request.params.id, clock.now())
      })
      return seeOther(reply, path, 'Email queued again.')
    },
  )
}
