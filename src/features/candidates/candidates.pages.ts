/** Candidate pages for registration, the profile, and the export and erasure of personal data. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { attachment } from '../../lib/content-disposition.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { validationFailed } from '../../lib/errors.ts'
import { Strict } from '../../lib/schema.ts'
import { t } from '../../locale/messages.ts'
import { createCookies } from '../../pages/cookies.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form, type FormFields, fieldFault, formBody, renumber } from '../../pages/forms.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { moverOnPage, registerByEmail } from '../sessions/index.ts'
import { eraseCandidate, exportCandidate, getOwnCandidate } from './candidates.personal-data.ts'
import { presentCandidate } from './candidates.present.ts'
import { CandidateBody, CandidateRegistrationBody, writableCandidateMembers } from './candidates.schemas.ts'
import { registerCandidate, updateCandidateProfile } from './candidates.service.ts'
import { renderCandidateRegistration, renderErasure, renderOwnData, renderProfile } from './candidates.views.ts'

const ErasureBody = Strict({ confirmation: Type.String({ maxLength: 300 }) })

const reading = { access: { kinds: ['candidate'], scope: 'profile:read' } } as const
const writing = { access: { kinds: ['candidate'], scope: 'profile:write' } } as const

export function registerCandidatePages(pages: App, kit: Kit): void {
  registerRegistration(pages, kit)
  registerProfile(pages, kit)
  registerPersonalData(pages, kit)
}

function registerRegistration(pages: App, { database, clock }: Kit): void {
  const again = (request: FastifyRequest, form: Form) => renderCandidateRegistration(request.page, form)
  const config = { access: 'registration', again } as const

  pages.get('/register/candidate', { config }, (request) =>
    renderCandidateRegistration(request.page, Form.of({ _return_to: returnToOf(request) })),
  )

  pages.post(
    '/register/candidate',
    { config: { ...config, limit: 'registration' }, schema: { body: CandidateRegistrationBody } },
    async (request, reply) => {
      const { body } = request
      const wanted = { email: body.email, returnTo: returnToOf(request) }
      await registerByEmail(database, wanted, clock.now(), async (tx) => {
        return (await registerCandidate(tx, body, clock.now())).candidate
      })
      return seeOther(reply, '/sign-in/sent')
    },
  )
}

function registerProfile(pages: App, { database, clock, settings }: Kit): void {
  const { origin } = settings
  const again = (request: FastifyRequest, form: Form) => renderProfile(request.page, form)

  pages.get('/me/profile', { config: { ...reading, again } }, async (request) => {
    const row = await database.read((db) => getOwnCandidate(db, signedIn(request).accountId))
    const form = editorForm(presentCandidate(row, origin), writableCandidateMembers)
    return renderProfile(request.page, form)
  })

  pages.post('/me/profile', {
    config: { ...writing, again },
    attachValidation: true,
    schema: { body: CandidateBody },
    preValidation: async (request) => {
      request.form = renumber(renumber(withoutTicked(request.form), 'experience'), 'education')
      // `formBody` drops empty fields. A cleared required field must be reported instead of staying unchanged.
      const emptied = ['first_name', 'last_name', 'email'].filter((name) => request.form.get(name)?.at(-1) === '')
      const blanks = Object.fromEntries(emptied.map((name) => [name, '']))
      request.body = { ...(formBody(CandidateBody, request.form) as CandidateBody), ...blanks }
    },
    handler: async (request, reply) => {
      const actor = signedIn(request)
      const mover = moverOnPage(actor, clock.now())
      const precondition = unlessChanged(request, writableCandidateMembers)
      const change = { origin, id: actor.accountId, body: request.body, faults: request.faults, mover }
      await doOnce(request, database, (tx) => updateCandidateProfile(tx, { ...change, precondition, now: clock.now() }))
      return seeOther(reply, '/me/profile', t('candidates.profile_saved'))
    },
  })
}

function registerPersonalData(pages: App, kit: Kit): void {
  const { database, clock, settings, keyRing } = kit
  const { origin } = settings
  const of = (candidateId: string) => ({
    origin,
    personalData: kit.collect('personalData'),
    candidateId,
    now: clock.now(),
  })

  pages.get('/me/data', { config: reading }, (request) => renderOwnData(request.page))

  pages.get('/me/data/export', { config: reading }, async (request, reply) => {
    const exported = await database.read((db) => exportCandidate(db, of(signedIn(request).accountId)))
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', attachment(`job-marketplace-${exported.exported_at.slice(0, 10)}.json`))
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(exported, null, 2))
  })

  const again = (request: FastifyRequest, form: Form) => renderErasure(request.page, form)

  pages.get('/me/data/erase', { config: { ...writing, needs: 'whole-key' } }, (request) =>
    renderErasure(request.page, Form.of()),
  )

  pages.post(
    '/me/data/erase',
    { config: { ...writing, needs: 'whole-key', again }, schema: { body: ErasureBody } },
    async (request, reply) => {
      const { accountId, email } = signedIn(request)
      if (request.body.confirmation.trim().toLowerCase() !== email?.toLowerCase()) {
        throw validationFailed([fieldFault('confirmation', t('candidates.confirmation_wrong'))])
      }
      await database.inTx((tx) => eraseCandidate(tx, { ...of(accountId), precondition: unconditionally }))
      keyRing.forgetAccount(accountId)
      createCookies(origin).session.clear(reply)
      return seeOther(reply, '/', t('candidates.erased'))
    },
  )
}

/** Returns the fields without the entries listed in `_remove`, such as `experience[0]`. */
function withoutTicked(fields: FormFields): FormFields {
  const gone = (fields.get('_remove') ?? []).map((name) => `${name}[`)
  return new Map([...fields].filter(([name]) => name !== '_remove' && !gone.some((start) => name.startsWith(start))))
}
