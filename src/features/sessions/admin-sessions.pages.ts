/** Shows and ends the sessions of an account on its page in the admin area. */
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import type { Clock } from '../../lib/time.ts'
import type { Html } from '../../pages/html.ts'
import { doOnce } from '../../pages/once.ts'
import { type PageContext, seeOther, signedIn } from '../../pages/page.ts'
import { listSessions } from './sessions.queries.ts'
import { AccountParams, SessionParams } from './sessions.routes.ts'
import { endSessionsOf } from './sessions.service.ts'
import { renderAccountSessions } from './sessions.views.ts'

/** Renders the sessions of an account, for its page in the admin area. */
export const renderSessionsOf =
  ({ database, clock }: { database: Database; clock: Clock }) =>
  async (page: PageContext, accountId: string): Promise<Html> => {
    const sessions = await database.read((db) => listSessions(db, accountId, clock.now()))
    return renderAccountSessions(page, accountId, sessions)
  }

export function registerAdminSessionPages(pages: App, { database, clock }: { database: Database; clock: Clock }): void {
  const writing = { kinds: ['admin'], scope: 'admin:write' } as const
  const path = '/desk/accounts/:id/sessions'

  pages.post(
    `${path}/end`,
    { config: { access: writing, needs: 'whole-key' }, schema: { params: AccountParams } },
    async (request, reply) => {
      const { id } = request.params
      const actor = signedIn(request)
      await doOnce(request, database, (tx) =>
        endSessionsOf(tx, { actor, id, precondition: unconditionally, now: clock.now() }),
      )
      return seeOther(reply, `/desk/accounts/${id}`, 'Sessions ended.')
    },
  )

  pages.post(
    `${path}/:session_id/end`,
    { config: { access: writing, needs: 'whole-key' }, schema: { params: SessionParams } },
    async (request, reply) => {
      const { id, session_id } = request.params
      const actor = signedIn(request)
      await doOnce(request, database, (tx) =>
        endSessionsOf(tx, { actor, id, sessionId: session_id, precondition: unconditionally, now: clock.now() }),
      )
      return seeOther(reply, `/desk/accounts/${id}`, 'Session ended.')
    },
  )
}
