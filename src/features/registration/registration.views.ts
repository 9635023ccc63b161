import { badge, button, card, choices, facts, faultSummary, moment, postForm } from '../../pages/components.ts'
import { deskTabs } from '../../pages/desk.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { RegistrationState } from './registration.schemas.ts'

const inWords = (isOpen: boolean) => (isOpen ? 'open' : 'closed')

export function renderSettings(page: PageContext, state: RegistrationState, form: Form): Html {
  const { isOpen, isOpenAsConfigured, changed } = state
  const mayWrite = page.actor?.scopes.includes('admin:write')
  return renderDocument(
    page,
    { title: 'Settings' },
    html`${deskTabs(page)}
<h1>Settings</h1>
${faultSummary(form)}
${card([
  html`<div class="cluster page-head"><h2>Registration</h2>${isOpen ? badge('Open', 'good') : badge('Closed', 'warn')}</div>`,
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
      choices({
        form,
        name: 'registration',
        label: 'Who can register',
        type: 'radio',
        isRequired: true,
        options: [
          { value: 'configured', text: `Follow the configuration: ${inWords(isOpenAsConfigured)}` },
          { value: 'open', text: 'Anyone' },
          { value: 'closed', text: 'Nobody' },
        ],
      }),
      html`<p class="hint">Takes effect within two seconds.</p>`,
      button('Save'),
    ]),
])}`,
  )
}
