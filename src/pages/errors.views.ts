/** Error pages. */
import type { AppError } from '../lib/errors.ts'
import { actionButton } from './components.ts'
import { type Html, html } from './html.ts'
import { renderDocument } from './layout.ts'
import type { PageContext } from './page.ts'

const titles: Record<number, string> = {
  403: 'This is not open to you',
  404: 'There is nothing here',
  410: 'This is gone',
  413: 'This is too large',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'We are not available at the moment',
}

/** Renders an error. `back` is the page with the form that led here. */
export function renderProblem(page: PageContext, error: AppError, back?: string): Html {
  const { status, code } = error
  const title = titles[status] ?? 'This did not work'
  const advice: Record<number, Html> = {
    403:
      code === 'form_refused'
        ? html`<p>The form was out of date: go back, load the page anew and try again.</p>`
        : code === 'account_suspended'
          ? html`<p>${error.message}</p>${actionButton(page, { action: '/sign-out', text: 'Sign out' })}`
          : html`<p>${error.message}</p>`,
    404: html`<p>The address may be mistyped, or what was here is gone.</p>`,
    413: html`<p>A form takes 1 MB of text, and with it a file of 5 MB. Nothing of it was saved.</p>`,
    500: html`<p>It is not your fault. Please try again later.</p>`,
    503: html`<p>Please try again in a moment.</p>`,
  }
  return renderDocument(
    page,
    { title, width: 'narrow' },
    html`<h1>${title}</h1>${advice[status] ?? html`<p>${error.message}</p>`}<p>${back !== undefined && html`<a href="${back}">Back to the form</a> or `}<a href="/">to the front page</a></p>`,
  )
}
