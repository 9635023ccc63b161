/** Pages on which people sign in with a passkey, and add and remove passkeys. */
import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { AppError, validationFailed } from '../../lib/errors.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { createEntrance, signInPage } from '../sessions/index.ts'
import { listPasskeys } from './passkeys.queries.ts'
import { AdditionBody, PasskeyParams, UseBody } from './passkeys.schemas.ts'
import {
  addPasskey,
  mayAdd,
  optionsToAdd,
  optionsToSignIn,
  personOf,
  readNewPasskey,
  readUse,
  removePasskey,
  signInWithPasskey,
} from './passkeys.service.ts'
import { renderPasskeys } from './passkeys.views.ts'

const path = '/account/passkeys'
const open = { access: 'public' } as const
const writing = { access: {}, needs: 'whole-key' } as const

/** Returns an error about the browser's response, which has no visible field. */
const refused = (words: string) => validationFailed([{ pointer: '#', code: 'invalid_passkey', detail: words, words }])

export function registerPasskeyPages(pages: App, kit: Kit, limiter: RateLimiter | undefined): void {
  const { database, clock, settings, brand } = kit
  const openEntrance = createEntrance(kit)
  const ceremonyOf = ({ page }: FastifyRequest) => ({
    ...{ database, origin: settings.origin, csrfToken: page.csrfToken, now: clock.now() },
  })

  pages.post('/sign-in/passkey/options', { config: { ...open, limit: 'passkeys' } }, async (request, reply) =>
    reply.header('cache-control', 'no-store').send(await optionsToSignIn(ceremonyOf(request))),
  )

  pages.post('/sign-in/passkey', {
    config: { ...open, again: signInPage(kit) },
    schema: { body: UseBody },
    handler: async (request, reply) => {
      const { credential, return_to } = request.body
      const use = await readUse(ceremonyOf(request), credential)
      const begin = async (tx: Tx) => use && signInWithPasskey(tx, use, clock.now())
      const isEntered = await openEntrance(request, reply, begin, return_to)
      if (!isEntered) throw limiter?.countFailure(request, reply) ?? refused(t('passkeys.not_accepted'))
      return reply
    },
  })

  const show = async ({ actor, page }: FastifyRequest, form: Form) => {
    const passkeys = await database.read((db) => listPasskeys(db, personOf(actor)))
    return renderPasskeys(page, { passkeys, mayAdd: mayAdd(actor) }, form)
  }

  pages.get(path, { config: { access: {} } }, (request) => show(request, Form.of()))

  pages.post(`${path}/options`, { config: { ...writing, limit: 'passkeys' } }, async (request, reply) => {
    if (!mayAdd(request.actor)) throw new AppError('insufficient_scope')
    const options = await optionsToAdd(ceremonyOf(request), request.actor, brand.now().name)
    return reply.header('cache-control', 'no-store').send(options)
  })

  pages.post(path, {
    config: { ...writing, again: show },
    schema: { body: AdditionBody },
    handler: async (request, reply) => {
      const { actor, body } = request
      if (!mayAdd(actor)) throw new AppError('insufficient_scope')
      const credential = await readNewPasskey(ceremonyOf(request), body.credential)
      if (!credential) throw refused(t('passkeys.not_added'))
      const addition = { actor, name: body.name, credential, now: clock.now() }
      if (!(await database.inTx((tx) => addPasskey(tx, addition)))) throw refused(t('passkeys.known'))
      return seeOther(reply, path, t('passkeys.added'))
    },
  })

  pages.post(`${path}/:id/remove`, { config: writing, schema: { params: PasskeyParams } }, async (request, reply) => {
    await doOnce(request, database, (tx) => removePasskey(tx, request.actor, request.params.id))
    return seeOther(reply, path, t('passkeys.removed'))
  })
}
