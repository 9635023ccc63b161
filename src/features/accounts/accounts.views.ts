import type { AccountKind } from '../../lib/api-keys.ts'
import { t } from '../../locale/messages.ts'
import {
  badge,
  button,
  buttonLink,
  card,
  confirmedAction,
  emptyState,
  facts,
  listTable,
  message,
  moment,
  postForm,
  wayTo,
} from '../../pages/components.ts'
import { apiCalls, COPY_MODULE, copyable, queryOf } from '../../pages/console.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { linkingTo, rich } from '../../pages/text.ts'
import type { ApiKey } from './accounts.schemas.ts'

const never = () => html`<span class="soft">${t('shared.never')}</span>`

export const keyCell = (key: ApiKey) => ({
  [t('accounts.key')]: html`<code class="key">${key.prefix}…${key.last4}</code>`,
})

/** Returns the table cells with a key's times. `show` renders the creation and expiry times. */
export const keyTimes = (key: ApiKey, show: (iso: string) => Html) => ({
  [t('shared.created')]: show(key.created_at),
  [t('shared.last_used')]: key.last_used_at === null ? never() : moment(key.last_used_at),
  [t('accounts.expires')]: key.expires_at === null ? never() : show(key.expires_at),
})

export function renderKeys(page: PageContext, keys: Listed<ApiKey>): Html {
  const { actor } = page
  const mayWrite = actor?.scopes.includes('profile:write')
  const empty = emptyState(t('accounts.no_keys'), html`<p>${t('accounts.no_keys_text')}</p>`)
  return htmlPage(page, {
    title: t('menu.api_keys'),
    modules: [COPY_MODULE],
  })`<div class="row apart"><h1>${t('menu.api_keys')}</h1>${mayWrite && buttonLink(t('accounts.new_key'), '/console/keys/new', 'primary')}</div>
<p class="lead">${t('accounts.keys_lead')}</p>
${listTable(page, t('menu.api_keys'), { found: keys, empty }, (key) => ({
  [t('shared.name')]: [
    html`<b>${key.name}</b>`,
    key.id === actor?.key.id && [' ', badge(t('accounts.session_key'), 'accent')],
    key.kind === 'publishable' && [
      ' ',
      badge(t('accounts.publishable')),
      html`<br><a href="/console/widget?key=${key.id}">${t('widget.title')}</a>`,
    ],
  ],
  ...keyCell(key),
  [t('accounts.scopes')]: scopesOf(key.scopes, actor!.kind),
  ...keyTimes(key, moment),
  ...(mayWrite && {
    [t('accounts.revoke')]: confirmedAction(page, {
      action: `/console/keys/${key.id}/revoke`,
      text: t('accounts.revoke'),
      question: html`<p>${rich('accounts.revoke_question', { name: key.name })}</p>`,
    }),
  }),
}))}
${apiCalls(page, [{ does: t('accounts.call_list'), path: `/v1/api-keys${queryOf(page)}` }])}`
}

function scopesOf(scopes: ApiKey['scopes'], kind: AccountKind): Html {
  const areas = [...new Set(scopes.map((scope) => scope.split(':')[0]!))]
  const listed = areas.map((area) => {
    const may = scopes.filter((scope) => scope.startsWith(`${area}:`)).map((scope) => scope.split(':')[1])
    return html`<li>${t('shared.labeled', { label: area, text: may.join(', ') })}</li>`
  })
  return html`<details><summary>${t('accounts.scope_count', { count: scopes.length })}</summary><ul class="bare small" aria-label="${t('accounts.scopes_of_key', { kind: t(`shared.kind_${kind}`) })}">${listed}</ul></details>`
}

const NEW_PUBLISHABLE = '/console/keys/new?kind=publishable'

export function renderKeyForm(page: PageContext, form: Form): Html {
  const { scopes, kind } = page.actor!
  return renderKeyPage(page, form, {
    title: t('accounts.new_api_key'),
    lead:
      kind !== 'candidate' &&
      html`<p>${rich('accounts.publishable_instead', { link: linkingTo(NEW_PUBLISHABLE) })}</p>`,
    // Sends an empty list if nothing is selected. If the member were absent, the API would grant all scopes of the
    // calling key.
    fields: html`<input type="hidden" name="scopes[]" value=""><div class="choice-grid">${form.choices(
      'scopes[]',
      t('accounts.scopes'),
      optionsFor(scopes, (scope) => scope),
      { hint: t('accounts.scopes_hint') },
    )}</div>`,
    body: { name: t('accounts.example_name'), scopes: scopes.slice(0, 2), expires_at: null },
  })
}

export function renderPublishableKeyForm(page: PageContext, form: Form): Html {
  return renderKeyPage(page, form, {
    title: t('accounts.new_publishable_key'),
    lead: html`<p class="lead">${t('accounts.publishable_lead', { kind: page.actor!.kind })}</p>`,
    fields: html`<input type="hidden" name="kind" value="publishable">${form.textArea(
      'allowed_origins',
      t('accounts.allowed_origins'),
      { hint: t('accounts.allowed_origins_hint'), isRequired: false, rows: 3 },
    )}`,
    body: { name: t('widget.title'), kind: 'publishable', allowed_origins: ['https://www.example.com'] },
  })
}

interface KeyPage {
  title: string
  lead: Content
  /** The fields between the name and the expiry date. */
  fields: Html
  /** The body of the equivalent request. */
  body: object
}

function renderKeyPage(page: PageContext, form: Form, { title, lead, fields, body }: KeyPage): Html {
  const { expiresAt } = page.actor!.key
  return htmlPage(page, { title, modules: [COPY_MODULE] })`<h1>${title}</h1>
${lead}
${form.summary()}
${card(
  postForm(page, '/console/keys', [
    form.field('name', t('shared.name'), {
      hint: t('accounts.name_hint'),
      isRequired: true,
      maxlength: 100,
      autocomplete: 'off',
    }),
    fields,
    form.field('expires_at', t('accounts.valid_through'), {
      type: 'date',
      hint:
        expiresAt === null
          ? t('accounts.valid_hint')
          : rich('accounts.valid_hint_max', { moment: moment(expiresAt.toISOString()) }),
      isRequired: false,
    }),
    html`<div class="actions">${button(t('accounts.create_key'))}${wayTo(page, t('shared.cancel'), '/console/keys', 'quiet')}</div>`,
  ]),
)}
${apiCalls(page, [{ does: t('accounts.call_create'), method: 'POST', path: '/v1/api-keys', body }])}`
}

export function renderNewKey(page: PageContext, { id, name, scopes, expires_at }: ApiKey, key: string): Html {
  return htmlPage(page, {
    title: t('accounts.key_created'),
    modules: [COPY_MODULE],
  })`<h1>${t('accounts.key_created')}</h1>
${message(html`<p>${rich('accounts.copy_now')}</p>`, 'warn')}
${card(html`${copyable(t('sessions.api_key'), key)}
${facts([
  [t('shared.name'), name],
  [t('accounts.scopes'), scopes.join(', ')],
  [t('accounts.expires'), expires_at === null ? t('shared.never') : moment(expires_at)],
])}`)}
<p>${wayTo(page, t('accounts.done'), '/console/keys', 'primary')}</p>
${apiCalls(page, [
  { does: t('accounts.call_me'), path: '/v1/me' },
  { does: t('accounts.call_revoke'), method: 'DELETE', path: `/v1/api-keys/${id}` },
])}`
}
