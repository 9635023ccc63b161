/** Admin page for opening and closing registration. */
import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { RegistrationBody } from './registration.schemas.ts'
import { renderSettings } from './registration.views.ts'

export function registerSettingsPages(pages: App, { database, clock, registration }: Kit): void {
  const path = '/desk/settings'
  const again = (request: FastifyRequest, form: Form) => renderSettings(request.page, registration.state, form)

  pages.get(path, { config: { access: { kinds: ['admin'], scope: 'admin:read' } } }, async (request) => {
    // Refreshes the setting, because another process may have just changed it.
    await registration.refresh()
    return again(request, Form.of({ registration: registration.state.choice }))
  })

  pages.post(`${path}/registration`, {
    config: { access: { kinds: ['admin'], scope: 'admin:write' }, again },
    schema: { body: RegistrationBody },
    handler: async (request, reply) => {
      const inTx = (work: (tx: Tx) => Promise<void>) => doOnce(request, database, work)
      const change = { inTx, actor: request.actor, now: clock.now() }
      await registration.choose(change, request.body.registration)
      return seeOther(reply, path, t(registration.isOpen() ? 'registration.now_open' : 'registration.now_closed'))
    },
  })
}
