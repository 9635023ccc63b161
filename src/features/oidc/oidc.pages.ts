/** Sign-in to the website with the operator's OpenID provider. */
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { bodyValidator } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import { Email, Name, Strict } from '../../lib/schema.ts'
import { readToken, signToken } from '../../lib/signed-token.ts'
import { t } from '../../locale/messages.ts'
import { createCookies } from '../../pages/cookies.ts'
import { localPath } from '../../pages/local-path.ts'
import { seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { createEntrance } from '../sessions/index.ts'
import { type Attempt, OidcClient, type OidcSettings } from './oidc.client.ts'
import { enterPerson } from './oidc.service.ts'

/** Time that a person has to sign in with the provider, in seconds. */
const ATTEMPT_S = 900

const open = { access: 'public' } as const
const Query = Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 2_048 })) })
const Names = Strict({ first_name: Name(1, 100), last_name: Name(1, 100) })
const hasFaults = (schema: typeof Names | ReturnType<typeof Strict>) => {
  const faultsOf = bodyValidator(schema)
  return (body: unknown) => faultsOf(body).length > 0
}
const isNoEmail = hasFaults(Strict({ email: Email() }))
const areNoNames = hasFaults(Names)

type Kept = Attempt & { expiresAt: number; returnTo: string | undefined }

export function registerOidcPages(pages: App, kit: Kit, settings: OidcSettings, secret: Uint8Array): void {
  const { clock, registration, log } = kit
  const { origin } = kit.settings
  const { name, kinds } = settings
  const client = new OidcClient(settings, `${origin}/sign-in/oidc/callback`)
  const openEntrance = createEntrance(kit)
  const { attempt: cookie } = createCookies(origin)

  pages.get('/sign-in/oidc', { config: open, schema: { querystring: Query } }, async (request, reply) => {
    const now = clock.now()
    const begun = await client.begin(now).catch((error: unknown) => {
      log.error({ err: error }, 'OpenID sign-in could not start')
      return undefined
    })
    if (!begun) return seeOther(reply, '/sign-in', t('oidc.unavailable', { name }), 'bad')
    const returnTo = localPath(request.query.return_to)
    const kept: Kept = { ...begun.attempt, expiresAt: now.getTime() + ATTEMPT_S * 1_000, returnTo }
    cookie.set(reply, signToken(secret, JSON.stringify(kept)), ATTEMPT_S)
    return seeOther(reply, begun.url)
  })

  pages.get('/sign-in/oidc/callback', { config: open }, async (request, reply) => {
    const now = clock.now()
    const kept = JSON.parse(readToken(secret, cookie.read(request) ?? '') ?? 'null') as Kept | null
    // An attempt cannot be repeated, whatever its result.
    cookie.clear(reply)
    const refuse = (words: string) => seeOther(reply, '/sign-in', words, 'bad')
    if (!kept || kept.expiresAt <= now.getTime()) return refuse(t('oidc.failed', { name }))
    const query = request.raw.url!.split('?')[1] ?? ''
    const claims = await client.finish(kept, query, now).catch((error: unknown) => {
      log.warn({ err: error }, 'OpenID sign-in failed')
      return undefined
    })
    if (!claims) return refuse(t('oidc.failed', { name }))
    const { email, email_verified } = claims
    if (email_verified !== true || isNoEmail({ email })) return refuse(t('oidc.unverified', { name }))

    const names = { first_name: claims.given_name, last_name: claims.family_name }
    const mayRegister = kinds.includes('candidate') && registration.isOpen() && !areNoNames(names)
    const person = { email: email as string, names: mayRegister ? (names as Static<typeof Names>) : undefined }
    const enter = (tx: Tx) => enterPerson(tx, person, { kinds, now })
    const isEntered = await openEntrance(request, reply, enter, kept.returnTo).catch((error: unknown) => {
      // The provider may not sign the person in to the account with this email address, for example because the account
      // has another kind.
      if (error instanceof AppError && error.code === 'email_taken') return false
      throw error
    })
    return isEntered ? reply : refuse(t('oidc.no_account', { name }))
  })
}
