/** Renders error pages. */
import type { AppError } from '../lib/errors.ts'
import { isMessageKey, t } from '../locale/messages.ts'
import { actionButton } from './components.ts'
import { problemInWords } from './fault-words.ts'
import { type Html, html } from './html.ts'
import { htmlPage } from './layout.ts'
import type { PageContext } from './page.ts'

/** Renders an error. `back` is the page with the form that caused the error. */
export function renderProblem(page: PageContext, error: AppError, back?: string): Html {
  const { status, code } = error
  const titleKey = `errors.title_${status}`
  const title = t(isMessageKey(titleKey) ? titleKey : 'errors.title')
  const advice = status === 404 ? t('errors.not_found') : status === 413 ? t('errors.size') : problemInWords(error)
  return htmlPage(page, { title, width: 'narrow' })`
<h1>${title}</h1><p>${advice}</p>${code === 'account_suspended' && actionButton(page, { action: '/sign-out', text: t('layout.sign_out') })}<p>${back !== undefined && html`<a href="${back}">${t('errors.back')}</a> · `}<a href="/">${t('errors.home')}</a></p>`
}
