/**
 * Pages that emails link to and that need no sign-in: to unsubscribe from one kind of email (RFC 8058) or from all
 * emails, and to confirm the email address. GET only shows a page with a button, because email programs follow links.
 * POST unsubscribes or confirms.
 */
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { renderPage, sendPage } from '../../http/page.ts'
import { escapeHtml } from '../../lib/html.ts'
import type { Clock } from '../../lib/time.ts'
import {
  allowAgain,
  confirmByToken,
  findConfirmable,
  findUnsubscription,
  type Unsubscriptions,
} from './unsubscribe.service.ts'

export interface UnsubscribeDeps {
  database: Database
  clock: Clock
  unsubscriptions: Unsubscriptions
  unsubscribeSecret: Uint8Array
}

interface Tokened {
  Params: { token: string }
}

/** Maximum bytes of a body. Email programs send `List-Unsubscribe=One-Click`. */
const FORM_BYTES_MAX = 16_384

export function registerUnsubscribe(app: App, deps: UnsubscribeDeps): void {
  const { database, clock, unsubscriptions, unsubscribeSecret: secret } = deps
  app.register(async (scope) => {
    // The URL contains all input, so the body is ignored.
    scope.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'multipart/form-data'],
      { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
      (_request, _body, done) => done(null, {}),
    )
    scope.get<Tokened>('/unsubscribe/:token', async (request, reply) => {
      const { token } = request.params
      const found = await database.read((db) => findUnsubscription(db, unsubscriptions, secret, token))
      return sendPage(reply, found ? 200 : 404, found ? renderQuestion(found.what) : renderUnknown())
    })
    scope.post<Tokened>('/unsubscribe/:token', async (request, reply) => {
      const { token } = request.params
      const found = await database.inTx(async (tx) => {
        const found = await findUnsubscription(tx, unsubscriptions, secret, token)
        await found?.unsubscribe(tx, clock.now())
        return found
      })
      return sendPage(
        reply,
        found ? 200 : 404,
        found ? renderDone(found.what, found.mayUndo && token) : renderUnknown(),
      )
    })
    scope.post<Tokened>('/unsubscribe/:token/undo', async (request, reply) => {
      const isAllowed = await database.inTx((tx) => allowAgain(tx, secret, request.params.token))
      return sendPage(reply, isAllowed ? 200 : 404, isAllowed ? renderAllowed() : renderUnknown())
    })
    scope.get<Tokened>('/confirm-email/:token', async (request, reply) => {
      const account = await database.read((db) => findConfirmable(db, secret, request.params.token))
      return sendPage(reply, account ? 200 : 404, account ? renderConfirm() : renderUnknown())
    })
    scope.post<Tokened>('/confirm-email/:token', async (request, reply) => {
      const isConfirmed = await database.inTx((tx) => confirmByToken(tx, secret, request.params.token))
      return sendPage(reply, isConfirmed ? 200 : 404, isConfirmed ? renderConfirmed() : renderUnknown())
    })
  })
}

function renderQuestion(what: string): string {
  return renderPage(
    'Unsubscribe',
    `<h1>Unsubscribe</h1><p>Stop emails about ${escapeHtml(what)}?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">Unsubscribe</button></form>`,
  )
}

/** Renders the result. `undoToken` lets the reader undo the change. */
function renderDone(what: string, undoToken: string | false): string {
  return renderPage(
    'Unsubscribed',
    `<h1>Unsubscribed</h1><p role="status">You will get no more emails about ${escapeHtml(what)}.</p>${
      undoToken === false
        ? ''
        : `<p>This includes sign-in links.</p><form method="post" action="/unsubscribe/${escapeHtml(undoToken)}/undo"><button type="submit">Allow emails again</button></form>`
    }`,
  )
}

function renderAllowed(): string {
  return renderPage(
    'Emails allowed',
    '<h1>Emails allowed</h1><p role="status">You will get emails from this board again.</p>',
  )
}

function renderConfirm(): string {
  return renderPage(
    'Confirm your email address',
    `<h1>Confirm your email address</h1><p>Confirm only if you registered the account on this board.</p>
<form method="post"><button type="submit">Confirm email address</button></form>`,
  )
}

function renderConfirmed(): string {
  return renderPage(
    'Email address confirmed',
    '<h1>Email address confirmed</h1><p role="status">Emails from this board now include all details.</p>',
  )
}

function renderUnknown(): string {
  return renderPage('Not found', '<h1>Not found</h1><p>This link is invalid or no longer works.</p>')
}
