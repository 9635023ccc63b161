/** Pages of employers: registering. */
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import type { Clock } from '../../lib/time.ts'
import { Form } from '../../pages/forms.ts'
import { seeOther, showPage } from '../../pages/page.ts'
import { beginSession, type SignIn } from '../sessions/index.ts'
import { EmployerRegistrationBody } from './employers.schemas.ts'
import { registerEmployer } from './employers.service.ts'
import { renderEmployerRegistration } from './employers.views.ts'

export interface EmployerPagesDeps {
  database: Database
  clock: Clock
  signIn: SignIn
}

export function registerEmployerPages(pages: App, { clock, signIn }: EmployerPagesDeps): void {
  const again = (request: FastifyRequest, form: Form) => renderEmployerRegistration(request.page, form)
  const config = { access: 'registration', again } as const

  pages.get('/register/employer', { config }, async (request, reply) =>
    showPage(reply, renderEmployerRegistration(request.page, Form.of())),
  )

  pages.post(
    '/register/employer',
    { config: { ...config, limit: 'registration' }, schema: { body: EmployerRegistrationBody } },
    async (request, reply) => {
      await signIn(request, reply, async (tx) => {
        const { employer } = await registerEmployer(tx, request.body, clock.now())
        return beginSession(tx, employer.id, null, clock.now())
      })
      return seeOther(reply, '/account', 'Welcome. You are registered and signed in.')
    },
  )
}
