/** Admin pages that show every kind of email with fictional data. */
import { type Static, Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { Strict } from '../../lib/schema.ts'
import { currentLocale } from '../../locale/locale.ts'
import type { MailPreviews, PreviewChoice } from '../../mail/previews.ts'
import { Form } from '../../pages/forms.ts'
import type { Kit } from '../feature.ts'
import { idOf, renderPreviews } from './email-previews.views.ts'

const path = '/desk/emails/previews'
const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const

const Text = Type.Optional(Type.String({ maxLength: 100 }))
const ChoiceQuery = Strict({ email: Text, language: Text, address: Text })
const FrameQuery = Strict({ ...ChoiceQuery.properties, theme: Text })

export function registerEmailPreviews(pages: App, { brand, settings }: Kit, previews: MailPreviews): void {
  /** Returns the chosen email. Unknown or absent values select a default. */
  const chosen = ({ email, language, address }: Static<typeof ChoiceQuery>): PreviewChoice => {
    const all = previews.list()
    const { kind, number } = all.find((one) => idOf(one) === email) ?? all[0]!
    const { languages, defaultLanguage } = brand.now()
    const { timeZone, language: own } = currentLocale()
    const offered = languages.find((one) => one === (language ?? own)) ?? defaultLanguage
    return { kind, number, locale: { language: offered, timeZone }, isConfirmed: address !== 'unconfirmed' }
  }

  pages.get(path, { config: reading, schema: { querystring: ChoiceQuery } }, (request) => {
    const choice = chosen(request.query)
    const form = Form.of({
      email: idOf(choice),
      language: choice.locale.language,
      address: choice.isConfirmed ? 'confirmed' : 'unconfirmed',
    })
    const page = renderPreviews(request.page, form, { emails: previews.list(), ...previews.drawText(choice) })
    return page
  })

  // The frame runs no script, sends no form and opens no link. Only pages of this website may embed it.
  pages.get(`${path}/message`, { config: reading, schema: { querystring: FrameQuery } }, (request, reply) =>
    reply
      .header(
        'content-security-policy',
        `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' ${settings.origin}; frame-ancestors 'self'`,
      )
      .header('x-frame-options', 'SAMEORIGIN')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(previews.drawHtml(chosen(request.query), request.query.theme === 'dark' ? 'dark' : 'light')),
  )
}
