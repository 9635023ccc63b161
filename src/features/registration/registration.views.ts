import { t } from '../../locale/messages.ts'
import { badge, button, card, facts, moment, postForm } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { RegistrationState } from './registration.schemas.ts'

export function renderSettings(page: PageContext, state: RegistrationState, form: Form): Html {
  const { isOpen, isOpenAsConfigured, changed } = state
  const choices = {
    configured: t('registration.follow', { open: String(isOpenAsConfigured) }),
    open: t('registration.anyone'),
    closed: t('registration.nobody'),
  }
  const mayWrite = page.actor?.scopes.includes('admin:write')
  return htmlPage(page, { title: t('menu.settings') })`<h1>${t('menu.settings')}</h1>
${form.summary()}
${card([
  html`<div class="row page-head"><h2>${t('registration.title')}</h2>${isOpen ? badge(t('registration.open'), 'good') : badge(t('registration.closed'), 'warn')}</div>`,
  html`<p>${t(isOpen ? 'registration.open_text' : 'registration.closed_text')}</p>`,
  facts([
    [t('registration.changed'), changed ? moment(changed.at) : t('shared.never')],
    [t('sessions.api_key'), changed?.by],
    [t('registration.configured'), html`<code>REGISTRATION=${isOpenAsConfigured ? 'open' : 'closed'}</code>`],
  ]),
  mayWrite &&
    postForm(page, '/desk/settings/registration', [
      form.choices('registration', t('registration.who'), choices, { type: 'radio', isRequired: true }),
      html`<p class="hint">${t('registration.delay')}</p>`,
      button(t('shared.save')),
    ]),
])}`
}
