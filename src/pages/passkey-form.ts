/** Forms that need a passkey. */
import { t } from '../locale/messages.ts'
import { postForm } from './components.ts'
import { type Content, type Html, html } from './html.ts'
import type { PageContext } from './page.ts'

export const PASSKEY_MODULE = 'passkey.js'

/**
 * Renders a card with a form that sends a passkey credential in the field `credential`. `passkey.js` removes the card
 * in browsers that do not support passkeys. The browser gets the passkey options from `<action>/options`.
 */
export function passkeyCard(page: PageContext, action: string, content: Content): Html {
  const hidden = html`<input type="hidden" name="credential">`
  const fault = html`<p class="fault" role="alert" data-passkey-fault hidden>${t('passkeys.failed')}</p>`
  const form = postForm(page, action, [hidden, content, fault], { 'data-passkey': `${action}/options` })
  return html`<section class="panel scripted">${form}</section>`
}
