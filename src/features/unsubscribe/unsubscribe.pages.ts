/**
 * Pages for links in emails, without sign-in: unsubscribe from one kind of email (RFC 8058) or from all emails, and
 * confirm the email address. GET only shows a page with a button, because email programs follow links. POST performs
 * the action.
 */
import type { FastifyReply } from 'fastify'
import type { App } from '../../http/app.ts'
import { sendPage } from '../../http/page.ts'
import { inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import { type Html, html } from '../../pages/html.ts'
import { type BoardFace, renderPage } from '../../pages/plain-page.ts'
import { createReaderLocale } from '../../pages/reader-locale.ts'
import type { Kit } from '../feature.ts'
import {
  allowAgain,
  confirmByToken,
  findConfirmable,
  findUnsubscription,
  type Unsubscriptions,
} from './unsubscribe.service.ts'

interface UnsubscribeDeps extends Pick<Kit, 'database' | 'clock' | 'brand' | 'settings' | 'hasWebsite'> {
  unsubscriptions: Unsubscriptions
  unsubscribeSecret: Uint8Array
}

interface Tokened {
  Params: { token: string }
}

/** Maximum size of a body in bytes. Email programs send only `List-Unsubscribe=One-Click`. */
const FORM_BYTES_MAX = 16_384

export function registerUnsubscribe(app: App, deps: UnsubscribeDeps): void {
  const { database, clock, brand, settings, hasWebsite, unsubscriptions, unsubscribeSecret: secret } = deps
  const { localeOf } = createReaderLocale({ origin: settings.origin, brand: brand.now })
  /** Sends a page, or a 404 page if the link is invalid. */
  const show = (reply: FastifyReply, page: Page | false | undefined) =>
    sendPage(reply, page ? 200 : 404, renderPlain({ brand: brand.now(), hasWebsite }, page || renderUnknown()))
  app.register(async (scope) => {
    // Restores the locale, which is lost when a body is read.
    scope.addHook('preHandler', (request, _reply, done) => inLocale(localeOf(request), done))
    // Ignores the body, because the URL contains all input.
    scope.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'multipart/form-data'],
      { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
      (_request, _body, done) => done(null, {}),
    )
    scope.get<Tokened>('/unsubscribe/:token', async ({ params: { token } }, reply) => {
      const found = await database.read((db) => findUnsubscription(db, unsubscriptions, secret, token))
      return show(reply, found && renderQuestion(found.what))
    })
    scope.post<Tokened>('/unsubscribe/:token', async ({ params: { token } }, reply) => {
      const found = await database.inTx(async (tx) => {
        const found = await findUnsubscription(tx, unsubscriptions, secret, token)
        await found?.unsubscribe(tx, clock.now())
        return found
      })
      return show(reply, found && renderDone(found.what, found.mayUndo && token))
    })
    scope.post<Tokened>('/unsubscribe/:token/undo', async ({ params: { token } }, reply) =>
      show(reply, (await database.inTx((tx) => allowAgain(tx, secret, token))) && renderAllowed()),
    )
    scope.get<Tokened>('/confirm-email/:token', async ({ params: { token } }, reply) =>
      show(reply, (await database.read((db) => findConfirmable(db, secret, token))) && renderConfirmation()),
    )
    scope.post<Tokened>('/confirm-email/:token', async ({ params: { token } }, reply) =>
      show(reply, (await database.inTx((tx) => confirmByToken(tx, secret, token))) && renderConfirmed()),
    )
  })
}

interface Page {
  title: string
  /** Content below the heading. */
  content: Html
}

const renderPlain = (face: BoardFace, { title, content }: Page) =>
  renderPage(face, { title, body: html`<h1>${title}</h1>${content}` })

const renderQuestion = (what: string): Page => ({
  title: t('unsubscribe.unsubscribe'),
  content: html`<p>${t('unsubscribe.question', { what })}</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">${t('unsubscribe.unsubscribe')}</button></form>`,
})

/** Renders the page shown after unsubscribing. With `undoToken`, adds a button for undoing the change. */
const renderDone = (what: string, undoToken: string | false): Page => ({
  title: t('unsubscribe.done_title'),
  content: html`<p role="status">${t('unsubscribe.done', { what })}</p>${
    undoToken !== false &&
    html`<p>${t('unsubscribe.sign_in_links_too')}</p><form method="post" action="/unsubscribe/${undoToken}/undo"><button type="submit">${t('unsubscribe.allow_again')}</button></form>`
  }`,
})

const renderAllowed = (): Page => ({
  title: t('unsubscribe.allowed_title'),
  content: html`<p role="status">${t('unsubscribe.allowed')}</p>`,
})

const renderConfirmation = (): Page => ({
  title: t('unsubscribe.confirm_title'),
  content: html`<p>${t('unsubscribe.confirm_question')}</p>
<form method="post"><button type="submit">${t('unsubscribe.confirm')}</button></form>`,
})

const renderConfirmed = (): Page => ({
  title: t('unsubscribe.confirmed_title'),
  content: html`<p role="status">${t('unsubscribe.confirmed')}</p>`,
})

const renderUnknown = (): Page => ({
  title: t('unsubscribe.unknown_title'),
  content: html`<p>${t('unsubscribe.unknown')}</p>`,
})
