/** Pages for signing in by an emailed link or with an API key, for signing out, and for ending sessions. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { type AccountKind, hashApiKey } from '../../lib/api-keys.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { validationFailed } from '../../lib/errors.ts'
import type { Scope } from '../../lib/scopes.ts'
import { currentLocale, inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import { withQuery } from '../../pages/components.ts'
import { createCookies } from '../../pages/cookies.ts'
import { Form, fieldFault } from '../../pages/forms.ts'
import { localPath } from '../../pages/local-path.ts'
import { doOnce } from '../../pages/once.ts'
import { type PageContext, seeOther, showPage } from '../../pages/page.ts'
import type { Arrival, Kit } from '../feature.ts'
import { listSessions } from './sessions.queries.ts'
import { AccountParams, PersonBody, SessionParams } from './sessions.routes.ts'
import {
  ChoiceBody,
  EmailsBody,
  KeyBody,
  LanguageBody,
  LinkBody,
  LinkQuery,
  LinkRequestBody,
  ReturnBody,
  SignInQuery,
} from './sessions.schemas.ts'
import {
  beginSession,
  endOtherWaysIn,
  endSession,
  endSessionsOf,
  findMailPreference,
  listIdentities,
  listOtherWaysIn,
  listWaysIn,
  noteReader,
  removePasskeysOf,
  SESSION_MS,
  setMailPreference,
  signOutEverywhere,
} from './sessions.service.ts'
import {
  renderAccess,
  renderAccount,
  renderAccountSessions,
  renderChoice,
  renderLink,
  renderLinkSent,
  renderSignIn,
} from './sessions.views.ts'
import { type Entry, listLinkIdentities, requestLinks, switchAccount, useLink } from './sign-in.service.ts'

/** Begins a session and ends the browser's previous session. Returns false if `begin` returns no token. */
type SignIn = (
  request: FastifyRequest,
  reply: FastifyReply,
  begin: (tx: Tx) => Promise<string | undefined>,
) => Promise<boolean>

export function createSignIn(database: Database, origin: string): SignIn {
  const { session, visitor } = createCookies(origin)
  return async (request, reply, begin) => {
    const previous = session.read(request)
    const token = await database.inTx(async (tx) => {
      const begun = await begin(tx)
      // A sign-in never reuses the token of the previous session, which prevents session fixation.
      if (begun !== undefined && previous !== undefined) await endSession(tx, previous)
      return begun
    })
    if (token === undefined) return false
    session.set(reply, token, SESSION_MS / 1_000)
    visitor.clear(reply)
    return true
  }
}

/**
 * Start page after sign-in, by account kind. Users see the account page if they lack the scope, and the home page if
 * the website lacks the start page.
 */
const homes: Record<AccountKind, { path: string; scope?: Scope }> = {
  candidate: { path: '/me', scope: 'profile:read' },
  employer: { path: '/employer' },
  integrator: { path: '/console' },
  admin: { path: '/desk', scope: 'admin:read' },
}

const ofReturnTo = (text: string | undefined) => localPath(text) ?? '/home'

export function registerSessions(pages: App, kit: Kit, limiter: RateLimiter | undefined): void {
  registerSignIn(pages, kit, limiter)
  registerAccount(pages, kit)
  registerChoice(pages, kit)
}

const open = { access: 'public' } as const
/** Returns a function that renders the sign-in page with a form's values and faults. */
export const signInPage =
  ({ oidc }: Kit) =>
  (request: FastifyRequest, form: Form) =>
    renderSignIn(request.page, form, oidc?.name)

/** Returns a function that performs any action chosen before sign-in, and returns the next page. */
function createArrival({ database, clock, collect }: Kit) {
  const offers = collect('afterSignIn')
  return async (actor: Arrival['actor'], returnTo: string | undefined): Promise<{ path: string; notice?: string }> => {
    const path = ofReturnTo(returnTo)
    for (const offer of offers) {
      const arrived = await database.inTx((tx) => offer(tx, { actor, path, now: clock.now() }))
      if (arrived) return arrived
    }
    return { path }
  }
}

/**
 * Returns a function that signs a person in and redirects to the requested page. If necessary, redirects first to the
 * page for choosing an account, or to the page that lists the account's other keys, passkeys, sessions and members. The
 * function returns false if `begin` signs nobody in.
 */
export function createEntrance(kit: Kit) {
  const signIn = createSignIn(kit.database, kit.settings.origin)
  const arrive = createArrival(kit)
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    begin: (tx: Tx) => Promise<Entry | undefined>,
    returnTo: string | undefined,
  ): Promise<boolean> => {
    let entry: Entry | undefined
    await signIn(request, reply, async (tx) => {
      entry = await begin(tx)
      return entry && 'token' in entry ? entry.token : undefined
    })
    if (!entry) return false
    // Waits, because a promise of a reply has the value undefined.
    if ('linkToken' in entry) {
      await seeOther(
        reply,
        withQuery('/sign-in/link', { token: entry.linkToken, return_to: localPath(returnTo) ?? '' }),
      )
      return true
    }
    const { path, notice } = await arrive(entry.actor, returnTo)
    await seeOther(reply, entry.isShared ? withQuery('/account/access', { return_to: path }) : path, notice)
    return true
  }
}

function registerSignIn(pages: App, kit: Kit, limiter: RateLimiter | undefined): void {
  const { database, clock, keyRing, settings } = kit
  const signIn = createSignIn(database, settings.origin)
  const arrive = createArrival(kit)
  const openEntrance = createEntrance(kit)
  const again = signInPage(kit)

  pages.get('/sign-in', { config: open, schema: { querystring: SignInQuery } }, (request) => {
    const returnTo = localPath(request.query.return_to)
    return again(request, Form.of({ return_to: returnTo }))
  })

  pages.post('/sign-in/link', {
    config: { ...open, limit: 'sign-in', again },
    schema: { body: LinkRequestBody },
    handler: async (request, reply) => {
      const { email, return_to } = request.body
      await database.inTx((tx) => requestLinks(tx, { email, returnTo: localPath(return_to) }, clock.now()))
      return seeOther(reply, '/sign-in/sent')
    },
  })

  pages.get('/sign-in/sent', { config: open }, (request) => renderLinkSent(request.page))

  pages.get('/sign-in/link', { config: open, schema: { querystring: LinkQuery } }, async (request, reply) => {
    const { token = '', return_to } = request.query
    // Opening a link has no effect, because email programs may open links before people do.
    const identities = await database.read((db) => listLinkIdentities(db, token, clock.now()))
    const form = Form.of({ token, return_to: localPath(return_to) })
    return showPage(reply, renderLink(request.page, form, identities), identities ? 200 : 410)
  })

  pages.post('/sign-in/link/use', { config: open, schema: { body: LinkBody } }, async (request, reply) => {
    const { token, account_id: chosenId, return_to } = request.body
    const use = (tx: Tx) => useLink(tx, { token, chosenId }, clock.now())
    const isEntered = await openEntrance(request, reply, use, return_to)
    return isEntered ? reply : showPage(reply, renderLink(request.page, Form.of({}), undefined), 410)
  })

  pages.post('/sign-in/key', { config: { ...open, again }, schema: { body: KeyBody } }, async (request, reply) => {
    const { api_key: key, return_to } = request.body
    const actor = await keyRing.findActor(key)
    if (!actor) {
      const limited = limiter?.countFailure(request, reply)
      if (limited) throw limited
      throw validationFailed([fieldFault('api_key', t('sessions.key_invalid'))])
    }
    if (actor.key.publishable) throw validationFailed([fieldFault('api_key', t('sessions.key_publishable'))])
    await signIn(request, reply, (tx) =>
      beginSession(
        tx,
        { accountId: actor.accountId, memberId: null, keyHash: hashApiKey(key), emailKey: null },
        clock.now(),
      ),
    )
    const { path, notice } = await arrive(actor, return_to)
    return seeOther(reply, path, notice)
  })
}

/** Lets people switch to other accounts of the email address with which they signed in. */
function registerChoice(pages: App, kit: Kit): void {
  const { database, clock } = kit
  const openEntrance = createEntrance(kit)
  const path = '/account/choose'

  pages.get(path, { config: { access: {} }, schema: { querystring: SignInQuery } }, async (request, reply) => {
    const { actor, page, query } = request
    const returnTo = localPath(query.return_to)
    const { hasChoice, emailKey } = actor.session ?? {}
    if (!hasChoice) return seeOther(reply, returnTo ?? '/account')
    const identities = await database.read((db) => listIdentities(db, emailKey!))
    return renderChoice(page, identities, { action: path, fields: { return_to: returnTo ?? '' } })
  })

  pages.post(path, { config: { access: {} }, schema: { body: ChoiceBody } }, async (request, reply) => {
    const { account_id: accountId, return_to } = request.body
    const chosen = { sessionId: request.actor.session!.id, accountId }
    await openEntrance(request, reply, (tx) => switchAccount(tx, chosen, clock.now()), return_to)
    return reply
  })
}

function registerAccount(pages: App, { database, clock, keyRing, settings }: Kit): void {
  const { session } = createCookies(settings.origin)
  const whole = { access: {}, needs: 'whole-key' } as const

  pages.post('/sign-out', { config: open }, async (request, reply) => {
    const token = session.read(request)
    if (token !== undefined) await database.inTx((tx) => endSession(tx, token))
    session.clear(reply)
    return seeOther(reply, '/', t('sessions.signed_out'))
  })

  pages.get('/home', { config: { access: {} } }, async ({ actor, page }, reply) => {
    const { path, scope } = homes[actor.kind]
    // A session that began with an API key has only the permissions of that key.
    if (scope && !actor.scopes.includes(scope)) return seeOther(reply, '/account')
    return seeOther(reply, page.has(path) ? path : '/')
  })

  pages.get('/account', { config: { access: {} } }, async ({ actor, page }) => {
    const { sessions, preference } = await database.read(async (db) => ({
      sessions: await listSessions(db, actor.accountId, clock.now(), actor.member?.id),
      preference: actor.member && (await findMailPreference(db, actor.member.id)),
    }))
    return renderAccount(page, sessions, preference)
  })

  pages.post('/account/language', {
    config: { access: {} },
    schema: { body: LanguageBody },
    handler: async (request, reply) => {
      const { accountId, member, session } = request.actor
      const { language } = request.body
      const reader = { accountId, memberId: member?.id ?? null, emailKey: session!.emailKey }
      await doOnce(request, database, (tx) => noteReader(tx, reader, language))
      const notice = inLocale({ ...currentLocale(), language }, () => t('sessions.language_changed'))
      // The prefix also sets the language of later pages.
      return seeOther(reply, `/${language}/account`, notice)
    },
  })

  pages.post('/account/emails', {
    config: { access: { kinds: ['employer'], role: 'recruiter' } },
    schema: { body: EmailsBody },
    handler: async (request, reply) => {
      const { actor, body } = request
      await doOnce(request, database, async (tx) => {
        if (actor.member) await setMailPreference(tx, actor.member.id, body.mail_on_application)
      })
      return seeOther(reply, '/account', t('employers.saved'))
    },
  })

  const owners = { access: { role: 'owner', staff: 'admin' }, needs: 'whole-key' } as const
  const entranceOf = ({ actor: { accountId, member } }: FastifyRequest) => ({ accountId, memberId: member?.id ?? null })

  pages.get('/account/access', { config: owners, schema: { querystring: SignInQuery } }, async (request) => {
    const entrance = { ...entranceOf(request), token: session.read(request)! }
    const ways = await database.read((db) => listOtherWaysIn(db, entrance, clock.now()))
    return renderAccess(request.page, ways, ofReturnTo(request.query.return_to))
  })

  pages.post('/account/access/end', { config: owners, schema: { body: ReturnBody } }, async (request, reply) => {
    const { accountId, session } = request.actor
    await database.inTx((tx) => endOtherWaysIn(tx, entranceOf(request), session?.id, clock.now()))
    keyRing.forgetAccount(accountId)
    return seeOther(reply, ofReturnTo(request.body.return_to), t('sessions.access_revoked'))
  })

  pages.post('/account/sign-out-everywhere', { config: whole }, async (request, reply) => {
    await database.inTx((tx) => signOutEverywhere(tx, request.actor))
    session.clear(reply)
    return seeOther(reply, '/', t('sessions.signed_out_everywhere'))
  })
}

/** Returns a function that renders an account's sessions and passkeys for the admin area. */
export const renderSessionsOf =
  ({ database, clock }: Kit) =>
  async (page: PageContext, accountId: string) => {
    const ways = await database.read((db) => listWaysIn(db, accountId, clock.now()))
    return renderAccountSessions(page, accountId, ways)
  }

/** Registers the routes for the buttons that `renderSessionsOf` renders. */
export function registerAdminSessionPages(pages: App, { database, clock }: Kit): void {
  const config = { access: { kinds: ['admin'], scope: 'admin:write' }, needs: 'whole-key' } as const
  const path = '/desk/accounts/:id/sessions'

  pages.post(`${path}/end`, { config, schema: { params: AccountParams } }, async (request, reply) => {
    const { id } = request.params
    const chosen = { actor: request.actor, id, precondition: unconditionally }
    await doOnce(request, database, (tx) => endSessionsOf(tx, { ...chosen, now: clock.now() }))
    return seeOther(reply, `/desk/accounts/${id}`, t('sessions.sessions_ended'))
  })

  pages.post(`${path}/:session_id/end`, { config, schema: { params: SessionParams } }, async (request, reply) => {
    const { id, session_id: sessionId } = request.params
    const chosen = { actor: request.actor, id, sessionId, precondition: unconditionally }
    await doOnce(request, database, (tx) => endSessionsOf(tx, { ...chosen, now: clock.now() }))
    return seeOther(reply, `/desk/accounts/${id}`, t('sessions.session_ended'))
  })

  const removal = { params: AccountParams, body: PersonBody }
  pages.post('/desk/accounts/:id/passkeys/remove', { config, schema: removal }, async (request, reply) => {
    const { actor, params, body } = request
    const chosen = { actor, id: params.id, memberId: body.member_id, precondition: unconditionally }
    await doOnce(request, database, (tx) => removePasskeysOf(tx, { ...chosen, now: clock.now() }))
    return seeOther(reply, `/desk/accounts/${params.id}`, t('sessions.passkeys_removed'))
  })
}
