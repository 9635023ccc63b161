/** Renders error pages. */
import type { AppError } from '../lib/errors.ts'
import { actionButton } from './components.ts'
import { type Html, html } from './html.ts'
import { htmlPage } from './layout.ts'
import type { PageContext } from './page.ts'

const titles: Record<number, string> = {
  403: 'You don’t have access to this',
  404: 'Page not found',
  410: 'This page is gone',
  413: 'This form is too large',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'The board is not available right now',
}

/** Renders an error. `back` is the page with the form that caused the error. */
export function renderProblem(page: PageContext, error: AppError, back?: string): Html {
  const { status, code } = error
  const title = titles[status] ?? 'There is a problem'
  const advice: Record<number, Html> = {
    403:
      code === 'form_refused'
        ? html`<p>This form has expired. Go back, reload the page and try again.</p>`
        : code === 'account_suspended'
          ? html`<p>${error.message}</p>${actionButton(page, { action: '/sign-out', text: 'Sign out' })}`
          : html`<p>${error.message}</p>`,
    404: html`<p>Check the address for typos. The page may also have been removed.</p>`,
    413: html`<p>Forms can hold up to 1 MB of text and a file of up to 5 MB. Nothing was saved.</p>`,
    500: html`<p>This is our fault, not yours. Please try again later.</p>`,
    503: html`<p>Please try again in a moment.</p>`,
  }
  return htmlPage(page, { title, width: 'narrow' })`
<h1>${title}</h1>${advice[status] ?? html`<p>${error.message}</p>`}<p>${back !== undefined && html`<a href="${back}">Back to the form</a> · `}<a href="/">Home page</a></p>`
}
