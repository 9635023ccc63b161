import {
  badge,
  button,
  buttonLink,
  card,
  choices,
  confirmedAction,
  emptyState,
  facts,
  faultSummary,
  field,
  message,
  moment,
  type PageNumbers,
  pagination,
  postForm,
  table,
  wayTo,
} from '../../pages/components.ts'
import { apiCalls, COPY_MODULE, consoleTabs, copyable, queryOf } from '../../pages/console.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { ApiKey } from './accounts.schemas.ts'

export function renderKeys(page: PageContext, keys: readonly ApiKey[], meta: Partial<PageNumbers>): Html {
  const { total = 0, page: number = 1, pages = 1 } = meta
  const { actor } = page
  const mayWrite = actor?.scopes.includes('profile:write')
  return renderDocument(
    page,
    { title: 'API keys', modules: [COPY_MODULE] },
    html`${consoleTabs(page)}
<div class="cluster apart"><h1>API keys</h1>${mayWrite && buttonLink('New key', '/console/keys/new', 'primary')}</div>
<p class="lead">Programs act for this account with them. A key is shown once, when it is made.</p>
${
  keys.length === 0
    ? emptyState('No keys here', html`<p>Make one for each program, with no more scopes than it needs.</p>`)
    : table(
        'API keys',
        [
          {
            title: 'Name',
            cell: ({ id, name }: ApiKey) => [
              html`<b>${name}</b>`,
              id === actor?.key.id && [' ', badge('You are signed in with this one', 'accent')],
            ],
          },
          { title: 'Key', cell: ({ prefix, last4 }: ApiKey) => html`<code>${prefix}…${last4}</code>` },
          { title: 'May', cell: ({ scopes }: ApiKey) => scopesOf(scopes, actor?.kind) },
          { title: 'Made', cell: ({ created_at }: ApiKey) => moment(created_at) },
          {
            title: 'Last used',
            cell: ({ last_used_at }: ApiKey) =>
              last_used_at === null ? html`<span class="soft">never</span>` : moment(last_used_at),
          },
          {
            title: 'Expires',
            cell: ({ expires_at }: ApiKey) =>
              expires_at === null ? html`<span class="soft">never</span>` : moment(expires_at),
          },
          ...(mayWrite
            ? [
                {
                  title: 'Revoke',
                  cell: ({ id, name }: ApiKey) =>
                    confirmedAction(page, {
                      action: `/console/keys/${id}/revoke`,
                      text: 'Revoke',
                      question: html`<p>Whatever uses <b>${name}</b> is refused at once, and sessions that were begun with it end. Webhooks that it created or changed last are disabled.</p>`,
                    }),
                },
              ]
            : []),
        ],
        keys,
      )
}
${pagination(page, { total, page: number, pages })}
${apiCalls(page, [{ does: 'List the keys', path: `/v1/api-keys${queryOf(page)}` }])}`,
  )
}

/** Renders scopes by resource: `jobs read write`. */
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
  return renderDocument(
    page,
    { title: 'New API key', modules: [COPY_MODULE] },
    html`${consoleTabs(page)}
<h1>New API key</h1>
${faultSummary(form)}
${card(
  postForm(page, '/console/keys', [
    field({
      form,
      name: 'name',
      label: 'Name',
      hint: 'What it is for, such as the program that uses it.',
      isRequired: true,
      more: { maxlength: 100, autocomplete: 'off' },
    }),
    // Sends an empty list if nothing is selected: without the member, the API grants every scope.
    html`<input type="hidden" name="scopes[]" value="">`,
    html`<div class="choice-grid">${choices({
      form,
      name: 'scopes[]',
      label: 'Scopes',
      hint: 'No more than the program needs.',
      options: scopes.map((scope) => ({ value: scope, text: scope })),
    })}</div>`,
    field({
      form,
      name: 'expires_at',
      label: 'Last day',
      type: 'date',
      hint:
        key.expiresAt === null
          ? 'In UTC. Without one it is valid until it is revoked.'
          : html`In UTC, at the latest ${moment(key.expiresAt.toISOString())}, as for the key that you are signed in with.`,
      isRequired: false,
    }),
    html`<div class="actions">${button('Make the key')}${wayTo(page, 'Cancel', '/console/keys', 'quiet')}</div>`,
  ]),
)}
${apiCalls(page, [
  {
    does: 'Make a key',
    method: 'POST',
    path: '/v1/api-keys',
    body: { name: 'Nightly import', scopes: scopes.slice(0, 2), expires_at: null },
  },
])}`,
  )
}

export function renderNewKey(page: PageContext, { id, name, scopes, expires_at }: ApiKey, key: string): Html {
  return renderDocument(
    page,
    { title: 'Your new API key', modules: [COPY_MODULE] },
    html`${consoleTabs(page)}
<h1>Your new API key</h1>
${message(html`<p><b>Keep it now:</b> it is shown here and never again.</p>`, 'warn')}
${card(html`${copyable('The API key', key)}
${facts([
  ['Name', name],
  ['May', scopes.join(', ')],
  ['Expires', expires_at === null ? 'never' : moment(expires_at)],
])}`)}
<p>${wayTo(page, 'Done', '/console/keys', 'primary')}</p>
${apiCalls(page, [
  { does: 'See who a key speaks for', path: '/v1/me' },
  { does: 'Revoke it', method: 'DELETE', path: `/v1/api-keys/${id}` },
])}`,
  )
}
