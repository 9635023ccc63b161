import { badge, button, card, facts, moment, postForm } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { RegistrationState } from './registration.schemas.ts'

const inWords = (isOpen: boolean) => (isOpen ? 'open' : 'closed')

export function renderSettings(page: PageContext, state: RegistrationState, form: Form): Html {
  const { isOpen, isOpenAsConfigured, changed } = state
  const choices = {
    configured: `Follow the configuration: ${inWords(isOpenAsConfigured)}`,
    open: 'Anyone',
    closed: 'Nobody',
  }
  const mayWrite = page.actor?.scopes.includes('admin:write')
  return htmlPage(page, { title: 'Settings' })`<h1>Settings</h1>
${form.summary()}
${card([
  html`<div class="row page-head"><h2>Registration</h2>${isOpen ? badge('Open', 'good') : badge('Closed', 'warn')}</div>`,
  html`<p>${
    isOpen
      ? 'Anyone can register as a candidate or an employer.'
      : 'Registration is closed on the website. Operators and integrators can still register accounts through the API.'
  }</p>`,
  facts([
    ['Changed', changed ? moment(changed.at) : 'never'],
    ['API key', changed?.by],
    ['Configured', html`<code>REGISTRATION=${inWords(isOpenAsConfigured)}</code>`],
  ]),
  mayWrite &&
    postForm(page, '/desk/settings/registration', [
      form.choices('registration', 'Who can register', choices, { type: 'radio', isRequired: true }),
      html`<p class="hint">Takes effect within two seconds.</p>`,
      button('Save'),
    ]),
])}`
}
