/** Renders error pages. */
import type { AppError } from '../lib/errors.ts'
import { isMessageKey, t } from '../locale/messages.ts'
import { actionButton, button } from './components.ts'
import { problemInWords } from './fault-words.ts'
import { Form } from './forms.ts'
import { type Html, html } from './html.ts'
import { htmlPage, mainLinks, renderLink } from './layout.ts'
import type { PageContext } from './page.ts'

/** Renders an error. `back` is the path of the page with the form that caused the error. */
export function renderProblem(page: PageContext, error: AppError, back?: string): Html {
  const { status, code } = error
  const titleKey = `errors.title_${status}`
  const title = t(isMessageKey(titleKey) ? titleKey : 'errors.title')
  const advice = status === 404 ? t('errors.not_found') : status === 413 ? t('errors.size') : problemInWords(error)
  const isMissing = status === 404
  const links = [
    ...(back === undefined ? [] : [html`<a href="${back}">${t('errors.back')}</a>`]),
    html`<a href="/">${t('errors.home')}</a>`,
    ...(isMissing ? mainLinks(page).map((link) => renderLink(page, link)) : []),
  ]
  return htmlPage(page, { title, width: 'narrow' })`
<h1>${title}</h1><p>${advice}</p>${code === 'account_suspended' && actionButton(page, { action: '/sign-out', text: t('layout.sign_out') })}${isMissing && page.has('/jobs') && renderJobSearch()}
<ul class="bare row gap-top">${links.map((link) => html`<li>${link}</li>`)}</ul>`
}

const renderJobSearch = () =>
  html`<form class="row bottom" action="/jobs" role="search" aria-label="${t('shared.search_jobs')}">
${Form.of().field('search', t('board.what_example'), { type: 'search', maxlength: 1_000 })}<input type="hidden" name="sort" value="relevance">
${button(t('shared.search_jobs'))}</form>`
