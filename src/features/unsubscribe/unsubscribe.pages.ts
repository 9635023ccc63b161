/** Ending mails without logging in (RFC 8058): GET shows a page with a button, as mail programs follow links; POST acts. */
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { renderPage, sendPage } from '../../http/page.ts'
import { escapeHtml } from '../../lib/html.ts'
import type { Clock } from '../../lib/time.ts'
import { findUnsubscription, type Unsubscriptions } from './unsubscribe.service.ts'

export interface UnsubscribeDeps {
  database: Database
  clock: Clock
  unsubscriptions: Unsubscriptions
  unsubscribeSecret: Uint8Array
}

/** Mail programs send `List-Unsubscribe=One-Click`. */
const FORM_BYTES_MAX = 16_384

export function registerUnsubscribe(app: App, deps: UnsubscribeDeps): void {
  const { database, clock, unsubscriptions, unsubscribeSecret } = deps
  app.register(async (scope) => {
    // Whatever form it comes in: that it is sent says everything.
    scope.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'multipart/form-data'],
      { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
      (_request, _body, done) => done(null, {}),
    )
    scope.get<{ Params: { token: string } }>('/unsubscribe/:token', async (request, reply) => {
      const found = await database.read((db) =>
        findUnsubscription(db, unsubscriptions, unsubscribeSecret, request.params.token),
      )
      return sendPage(reply, found ? 200 : 404, found ? renderQuestion(found.what) : renderUnknown())
    })
    scope.post<{ Params: { token: string } }>('/unsubscribe/:token', async (request, reply) => {
      const found = await database.inTx(async (tx) => {
        const found = await findUnsubscription(tx, unsubscriptions, unsubscribeSecret, request.params.token)
        await found?.unsubscribe(tx, clock.now())
        return found
      })
      return sendPage(reply, found ? 200 : 404, found ? renderDone(found.what) : renderUnknown())
    })
  })
}

function renderQuestion(what: string): string {
  return renderPage(
    'Unsubscribe',
    `<h1>Unsubscribe</h1><p>Stop the mails of ${escapeHtml(what)}?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">Unsubscribe</button></form>`,
  )
}

function renderDone(what: string): string {
  return renderPage(
    'Unsubscribed',
    `<h1>Unsubscribed</h1><p role="status">You get no more mails of ${escapeHtml(what)}.</p>`,
  )
}

function renderUnknown(): string {
  return renderPage('Not found', '<h1>Not found</h1><p>There is nothing to unsubscribe from at this address.</p>')
}
