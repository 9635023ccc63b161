import type { PasskeyTable } from '../../db/schema.ts'
import { passkeyDomain } from '../../lib/url.ts'
import { t } from '../../locale/messages.ts'
import { actionButton, button, dataTable, message, moment } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { PASSKEY_MODULE, passkeyCard } from '../../pages/passkey-form.ts'
import { linkingTo, rich } from '../../pages/text.ts'

const path = '/account/passkeys'

export function renderPasskeys(
  page: PageContext,
  { passkeys, mayAdd }: { passkeys: readonly PasskeyTable[]; mayAdd: boolean },
  form: Form,
): Html {
  const title = t('passkeys.title')
  return htmlPage(page, { title, modules: [PASSKEY_MODULE], width: 'narrow' })`<h1>${title}</h1>
<p>${t('passkeys.intro')}</p>
${form.summary()}
${dataTable(title, { rows: passkeys, empty: html`<p class="soft">${t('passkeys.none')}</p>` }, (passkey) => ({
  [t('shared.name')]: passkey.name,
  [t('passkeys.added_at')]: moment(passkey.created_at.toISOString()),
  [t('shared.last_used')]: passkey.last_used_at ? moment(passkey.last_used_at.toISOString()) : t('shared.never'),
  ...(page.may('POST', `${path}/${passkey.id}/remove`) && {
    [t('shared.remove')]: actionButton(page, { action: `${path}/${passkey.id}/remove`, text: t('shared.remove') }),
  }),
}))}
${passkeys.length > 0 && html`<p class="hint">${t('passkeys.removal')}</p>`}
${renderAddition(page, form, mayAdd)}`
}

function renderAddition(page: PageContext, form: Form, mayAdd: boolean): Html {
  if (passkeyDomain(page.origin) === undefined) return message(t('passkeys.no_domain'))
  if (!mayAdd) {
    const link = linkingTo(`/sign-in?return_to=${encodeURIComponent(path)}`)
    return message(rich('passkeys.sign_in_by_email', { link }))
  }
  const name = form.field('name', t('shared.name'), {
    isRequired: true,
    maxlength: 60,
    autocomplete: 'off',
    hint: t('passkeys.name_hint', { example: t('passkeys.name_example') }),
  })
  return html`<h2>${t('passkeys.add')}</h2>
<p data-no-passkeys hidden>${t('passkeys.unsupported')}</p>
${passkeyCard(page, path, [name, button(t('passkeys.add'))])}`
}
