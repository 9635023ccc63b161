/** Pages of candidates: registering. */
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import type { Clock } from '../../lib/time.ts'
import { Form } from '../../pages/forms.ts'
import { seeOther, showPage } from '../../pages/page.ts'
import { beginSession, type SignIn } from '../sessions/index.ts'
import { CandidateRegistrationBody } from './candidates.schemas.ts'
import { registerCandidate } from './candidates.service.ts'
import { renderCandidateRegistration } from './candidates.views.ts'

export interface CandidatePagesDeps {
  database: Database
  clock: Clock
  signIn: SignIn
}

export function registerCandidatePages(pages: App, { clock, signIn }: CandidatePagesDeps): void {
  const again = (request: FastifyRequest, form: Form) => renderCandidateRegistration(request.page, form)
  const config = { access: 'registration', again } as const

  pages.get('/register/candidate', { config }, async (request, reply) =>
    showPage(reply, renderCandidateRegistration(request.page, Form.of())),
  )

  pages.post(
    '/register/candidate',
    { config: { ...config, limit: 'registration' }, schema: { body: CandidateRegistrationBody } },
    async (request, reply) => {
      await signIn(request, reply, async (tx) => {
        const { candidate } = await registerCandidate(tx, request.body, clock.now())
        return beginSession(tx, candidate.id, null, clock.now())
      })
      return seeOther(reply, '/jobs', 'Welcome. You are registered and signed in.')
    },
  )
}
