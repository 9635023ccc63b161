/**
 * Pages for email links, without sign-in: unsubscribe from one kind of email (RFC 8058) or from all emails, and confirm
 * the email address. GET only shows a page with a button, because email programs follow links. POST unsubscribes or
 * confirms.
 */
import type { FastifyReply } from 'fastify'
import type { App } from '../../http/app.ts'
import { sendPage } from '../../http/page.ts'
import { escapeHtml } from '../../lib/html.ts'
import { type PageFace, renderPage } from '../../lib/plain-page.ts'
import type { Kit } from '../feature.ts'
import {
  allowAgain,
  confirmByToken,
  findConfirmable,
  findUnsubscription,
  type Unsubscriptions,
} from './unsubscribe.service.ts'

export interface UnsubscribeDeps extends Pick<Kit, 'database' | 'clock' | 'brand'> {
  unsubscriptions: Unsubscriptions
  unsubscribeSecret: Uint8Array
}

interface Tokened {
  Params: { token: string }
}

/** Maximum size of a body in bytes. Email programs send `List-Unsubscribe=One-Click`. */
const FORM_BYTES_MAX = 16_384

export function registerUnsubscribe(app: App, deps: UnsubscribeDeps): void {
  const { database, clock, brand, unsubscriptions, unsubscribeSecret: secret } = deps
  /** Sends a page, or a 404 page if the link is invalid. */
  const show = (reply: FastifyReply, page: Page | false | undefined) =>
    sendPage(reply, page ? 200 : 404, renderPlain(brand.now(), page || unknown))
  app.register(async (scope) => {
    // The URL contains all input, so the body is ignored.
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
      show(reply, (await database.inTx((tx) => allowAgain(tx, secret, token))) && allowed),
    )
    scope.get<Tokened>('/confirm-email/:token', async ({ params: { token } }, reply) =>
      show(reply, (await database.read((db) => findConfirmable(db, secret, token))) && question),
    )
    scope.post<Tokened>('/confirm-email/:token', async ({ params: { token } }, reply) =>
      show(reply, (await database.inTx((tx) => confirmByToken(tx, secret, token))) && confirmed),
    )
  })
}

interface Page {
  title: string
  /** HTML below the heading. */
  content: string
}

const renderPlain = (face: PageFace, { title, content }: Page) =>
  renderPage(face, { title, body: `<h1>${title}</h1>${content}` })

const renderQuestion = (what: string): Page => ({
  title: 'Unsubscribe',
  content: `<p>Stop emails about ${escapeHtml(what)}?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">Unsubscribe</button></form>`,
})

/** Renders the confirmation. If `undoToken` is given, adds a button to undo the change. */
function renderDone(what: string, undoToken: string | false): Page {
  const undo =
    undoToken !== false &&
    `<p>This includes sign-in links.</p><form method="post" action="/unsubscribe/${escapeHtml(undoToken)}/undo"><button type="submit">Allow emails again</button></form>`
  return {
    title: 'Unsubscribed',
    content: `<p role="status">You will no longer get emails about ${escapeHtml(what)}.</p>${undo || ''}`,
  }
}

const allowed: Page = {
  title: 'Emails allowed',
  content: '<p role="status">You will get emails from this board again.</p>',
}

const question: Page = {
  title: 'Confirm your email address',
  content: `<p>Confirm only if you registered an account on this board.</p>
<form method="post"><button type="submit">Confirm email address</button></form>`,
}

const confirmed: Page = {
  title: 'Email address confirmed',
  content: '<p role="status">Emails from this board now include all details.</p>',
}

const unknown: Page = { title: 'Not found', content: '<p>This link is invalid or no longer works.</p>' }
