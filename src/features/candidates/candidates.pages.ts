/** Pages of candidates: registration, profile, export and erasure of personal data. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { attachment } from '../../lib/content-disposition.ts'
import { dangerousActRefusal } from '../../lib/dangerous-acts.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { accountGone, validationFailed } from '../../lib/errors.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { createCookies } from '../../pages/cookies.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form, type FormFields, fieldFault, formBody, renumber } from '../../pages/forms.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { deleteAllApiKeys } from '../accounts/index.ts'
import { beginSession, type SignIn } from '../sessions/index.ts'
import { eraseCandidate, exportCandidate, type PersonalData } from './candidates.personal-data.ts'
import { presentCandidate } from './candidates.present.ts'
import { findCandidate } from './candidates.queries.ts'
import { CandidateBody, CandidateRegistrationBody, writableCandidateMembers } from './candidates.schemas.ts'
import { registerCandidate, updateCandidateProfile } from './candidates.service.ts'
import { renderCandidateRegistration, renderErasure, renderOwnData, renderProfile } from './candidates.views.ts'

export interface CandidatePagesDeps {
  database: Database
  clock: Clock
  settings: { origin: string }
  signIn: SignIn
  /** Export and erasure in other features. */
  personalData: readonly PersonalData[]
  /** Called after the erasure of an account. */
  forgetAccount: (accountId: string) => void
}

const ErasureBody = Strict({ confirmation: Type.String({ maxLength: 300 }) })

const reading = { kinds: ['candidate'], scope: 'profile:read' } as const
const writing = { kinds: ['candidate'], scope: 'profile:write' } as const

export function registerCandidatePages(pages: App, deps: CandidatePagesDeps): void {
  registerRegistration(pages, deps)
  registerProfile(pages, deps)
  registerPersonalData(pages, deps)
}

function registerRegistration(pages: App, deps: CandidatePagesDeps): void {
  const { clock, signIn } = deps

  const registration = {
    access: 'registration',
    again: (request: FastifyRequest, form: Form) => renderCandidateRegistration(request.page, form),
  } as const

  pages.get('/register/candidate', { config: registration }, async (request, reply) =>
    showPage(reply, renderCandidateRegistration(request.page, Form.of({ _return_to: returnToOf(request) }))),
  )

  pages.post(
    '/register/candidate',
    { config: { ...registration, limit: 'registration' }, schema: { body: CandidateRegistrationBody } },
    async (request, reply) => {
      await signIn(request, reply, async (tx) => {
        const { candidate } = await registerCandidate(tx, request.body, clock.now())
        // Deletes the initial key, because no page shows it.
        await deleteAllApiKeys(tx, candidate.id)
        return beginSession(tx, candidate.id, null, clock.now())
      })
      return seeOther(reply, returnToOf(request) ?? '/home', 'Welcome. You are registered and signed in.')
    },
  )
}

function registerProfile(pages: App, deps: CandidatePagesDeps): void {
  const { database, clock, settings } = deps
  const { origin } = settings

  const getOwn = async (request: FastifyRequest) => {
    const candidate = await database.read((db) => findCandidate(db, signedIn(request).accountId))
    if (!candidate) throw accountGone()
    return presentCandidate(candidate, origin)
  }

  const profileAgain = (request: FastifyRequest, form: Form) => renderProfile(request.page, form)

  pages.get('/me/profile', { config: { access: reading, again: profileAgain } }, async (request, reply) =>
    showPage(reply, renderProfile(request.page, editorForm(await getOwn(request), writableCandidateMembers))),
  )

  pages.post(
    '/me/profile',
    {
      config: { access: writing, again: profileAgain },
      attachValidation: true,
      schema: { body: CandidateBody },
      preValidation: async (request) => {
        request.form = renumber(renumber(withoutTicked(request.form), 'experience'), 'education')
        // `formBody` drops empty fields, but an emptied required field must be reported instead of left unchanged.
        const emptied = ['first_name', 'last_name', 'email'].filter((name) => request.form.get(name)?.at(-1) === '')
        const blanks = Object.fromEntries(emptied.map((name) => [name, '']))
        request.body = { ...(formBody(CandidateBody, request.form) as CandidateBody), ...blanks }
      },
    },
    async (request, reply) => {
      const { accountId, session } = signedIn(request)
      const faults = bodyFaultsOf(request)
      const refusal = dangerousActRefusal(signedIn(request), clock.now())
      // Shown as a fault of the field, because a redirect to the sign-in page would lose the input.
      const isStale = refusal?.code === 'fresh_sign_in_required'
      const mover = {
        refusal: isStale ? validationFailed([fieldFault('email', refusal.message)]) : refusal,
        sessionId: session?.id,
      }
      const precondition = unlessChanged(request, writableCandidateMembers)
      await doOnce(request, database, async (tx) => {
        await updateCandidateProfile(tx, {
          origin,
          id: accountId,
          body: request.body,
          faults,
          precondition,
          now: clock.now(),
          mover,
        })
      })
      return seeOther(reply, '/me/profile', 'Profile saved.')
    },
  )
}

function registerPersonalData(pages: App, deps: CandidatePagesDeps): void {
  const { database, clock, settings, personalData, forgetAccount } = deps
  const { origin } = settings

  pages.get('/me/data', { config: { access: reading } }, async (request, reply) =>
    showPage(reply, renderOwnData(request.page)),
  )

  pages.get('/me/data/export', { config: { access: reading } }, async (request, reply) => {
    const { accountId } = signedIn(request)
    const now = clock.now()
    const exported = await database.read((db) =>
      exportCandidate(db, { origin, personalData, candidateId: accountId, now }),
    )
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', attachment(`job-marketplace-${now.toISOString().slice(0, 10)}.json`))
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(exported, null, 2))
  })

  const erasureAgain = (request: FastifyRequest, form: Form) => renderErasure(request.page, form)

  pages.get('/me/data/erase', { config: { access: writing, needs: 'whole-key' } }, async (request, reply) =>
    showPage(reply, renderErasure(request.page, Form.of())),
  )

  pages.post(
    '/me/data/erase',
    { config: { access: writing, needs: 'whole-key', again: erasureAgain }, schema: { body: ErasureBody } },
    async (request, reply) => {
      const { accountId, email } = signedIn(request)
      if (request.body.confirmation.trim().toLowerCase() !== email?.toLowerCase()) {
        throw validationFailed([fieldFault('confirmation', 'This does not match the email address of your account.')])
      }
      await database.inTx((tx) =>
        eraseCandidate(tx, {
          origin,
          personalData,
          candidateId: accountId,
          precondition: unconditionally,
          now: clock.now(),
        }),
      )
      forgetAccount(accountId)
      createCookies(origin).session.clear(reply)
      return seeOther(reply, '/', 'Account erased, with everything in it.')
    },
  )
}

/** Returns the fields without the entries that `_remove` lists, such as `experience[0]`. */
function withoutTicked(fields: FormFields): FormFields {
  const gone = (fields.get('_remove') ?? []).map((name) => `${name}[`)
  return new Map([...fields].filter(([name]) => name !== '_remove' && !gone.some((start) => name.startsWith(start))))
}
