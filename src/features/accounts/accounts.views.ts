import {
  badge,
  button,
  buttonLink,
  card,
  confirmedAction,
  dataTable,
  emptyState,
  facts,
  message,
  moment,
  pagination,
  postForm,
  wayTo,
} from '../../pages/components.ts'
import { apiCalls, COPY_MODULE, copyable, queryOf } from '../../pages/console.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import type { ApiKey } from './accounts.schemas.ts'

const never = html`<span class="soft">never</span>`

/** Returns a key's table cells. `show` renders the creation and expiry times. */
export const keyCells = (key: ApiKey, show: (iso: string) => Html) => ({
  Key: html`<code>${key.prefix}…${key.last4}</code>`,
  Created: show(key.created_at),
  'Last used': key.last_used_at === null ? never : moment(key.last_used_at),
  Expires: key.expires_at === null ? never : show(key.expires_at),
})

export function renderKeys(page: PageContext, keys: readonly ApiKey[], meta: Partial<PageNumbers>): Html {
  const { actor } = page
  const mayWrite = actor?.scopes.includes('profile:write')
  return htmlPage(page, {
    title: 'API keys',
    modules: [COPY_MODULE],
  })`<div class="row apart"><h1>API keys</h1>${mayWrite && buttonLink('New key', '/console/keys/new', 'primary')}</div>
<p class="lead">Programs use API keys to act on behalf of your account. A key is shown only once, when you create it.</p>
${dataTable(
  'API keys',
  {
    rows: keys,
    empty: emptyState(
      'No API keys yet',
      html`<p>Create a key for each program, with only the scopes that it needs.</p>`,
    ),
  },
  (key) => {
    const { Key, ...times } = keyCells(key, moment)
    return {
      Name: [html`<b>${key.name}</b>`, key.id === actor?.key.id && [' ', badge('This session’s key', 'accent')]],
      Key,
      Scopes: scopesOf(key.scopes, actor?.kind),
      ...times,
      ...(mayWrite && {
        Revoke: confirmedAction(page, {
          action: `/console/keys/${key.id}/revoke`,
          text: 'Revoke',
          question: html`<p>Programs that use <b>${key.name}</b> lose access immediately, and sessions that started with this key end. Webhooks that this key created or last changed are disabled.</p>`,
        }),
      }),
    }
  },
)}
${pagination(page, { total: 0, page: 1, pages: 1, ...meta })}
${apiCalls(page, [{ does: 'List the keys', path: `/v1/api-keys${queryOf(page)}` }])}`
}

function scopesOf(scopes: ApiKey['scopes'], kind: string | undefined): Html {
  const areas = [...new Set(scopes.map((scope) => scope.split(':')[0]!))]
  const listed = areas.map((area) => {
    const may = scopes.filter((scope) => scope.startsWith(`${area}:`)).map((scope) => scope.split(':')[1])
    return html`<li>${area}: ${may.join(', ')}</li>`
  })
  return html`<details><summary>${scopes.length} ${scopes.length === 1 ? 'scope' : 'scopes'}</summary><ul class="bare small" aria-label="Scopes of this ${kind} key">${listed}</ul></details>`
}

export function renderKeyForm(page: PageContext, form: Form): Html {
  const { scopes, key } = page.actor!
  return htmlPage(page, { title: 'New API key', modules: [COPY_MODULE] })`<h1>New API key</h1>
${form.summary()}
${card(
  postForm(page, '/console/keys', [
    form.field('name', 'Name', {
      hint: 'For example, the program that uses it.',
      isRequired: true,
      maxlength: 100,
      autocomplete: 'off',
    }),
    // Sends an empty list if nothing is selected, because the API grants every scope if the member is absent.
    html`<input type="hidden" name="scopes[]" value="">`,
    html`<div class="choice-grid">${form.choices(
      'scopes[]',
      'Scopes',
      scopes.map((scope) => ({ value: scope, text: scope })),
      { hint: 'Select only what the program needs.' },
    )}</div>`,
    form.field('expires_at', 'Valid through', {
      type: 'date',
      hint:
        key.expiresAt === null
          ? 'In UTC. Leave empty to keep the key valid until you revoke it.'
          : html`In UTC. No later than ${moment(key.expiresAt.toISOString())}, when this session’s key expires.`,
      isRequired: false,
    }),
    html`<div class="actions">${button('Create key')}${wayTo(page, 'Cancel', '/console/keys', 'quiet')}</div>`,
  ]),
)}
${apiCalls(page, [
  {
    does: 'Create a key',
    method: 'POST',
    path: '/v1/api-keys',
    body: { name: 'Nightly import', scopes: scopes.slice(0, 2), expires_at: null },
  },
])}`
}

export function renderNewKey(page: PageContext, { id, name, scopes, expires_at }: ApiKey, key: string): Html {
  return htmlPage(page, { title: 'API key created', modules: [COPY_MODULE] })`<h1>API key created</h1>
${message(html`<p><b>Copy the key now.</b> You cannot see it again.</p>`, 'warn')}
${card(html`${copyable('API key', key)}
${facts([
  ['Name', name],
  ['Scopes', scopes.join(', ')],
  ['Expires', expires_at === null ? 'never' : moment(expires_at)],
])}`)}
<p>${wayTo(page, 'Done', '/console/keys', 'primary')}</p>
${apiCalls(page, [
  { does: 'Get the account that a key belongs to', path: '/v1/me' },
  { does: 'Revoke the key', method: 'DELETE', path: `/v1/api-keys/${id}` },
])}`
}
