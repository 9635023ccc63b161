import type { ApiKeyTable, SessionTable } from '../../db/schema.ts'
import { scopesOf } from '../../lib/scopes.ts'
import {
  actionButton,
  button,
  buttonLink,
  card,
  dataTable,
  facts,
  message,
  moment,
  postForm,
  withQuery,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'

const hiddenReturn = (form: Form) =>
  form.value('return_to') !== '' && html`<input type="hidden" name="return_to" value="${form.value('return_to')}">`

export function renderSignIn(page: PageContext, form: Form): Html {
  return htmlPage(page, { title: 'Sign in', width: 'narrow' })`<h1>Sign in</h1>
${form.summary()}
${card(html`<h2>By email</h2>
${postForm(page, '/sign-in/link', [
  hiddenReturn(form),
  form.field('email', 'Email address', { type: 'email', isRequired: true, autocomplete: 'email', maxlength: 254 }),
  button('Email me a sign-in link'),
])}`)}
${card(html`<h2>With an API key</h2>
${postForm(page, '/sign-in/key', [
  hiddenReturn(form),
  form.field('api_key', 'API key', {
    type: 'password',
    isRequired: true,
    hint: 'You get the permissions of this key.',
    autocomplete: 'off',
    maxlength: 256,
  }),
  button('Sign in', { variant: 'secondary' }),
])}`)}
${page.isRegistrationOpen && page.has('/register') && html`<p>No account yet? <a href="${withQuery('/register', { return_to: form.value('return_to') })}">Register</a>.</p>`}`
}

export function renderLinkSent(page: PageContext): Html {
  return htmlPage(page, { title: 'Check your inbox', width: 'narrow' })`<h1>Check your inbox</h1>
<p>We sent an email with a sign-in link, if you have just registered or already have an account. The link works once, within 15 minutes.</p>
<p>No email after a minute? Check your spam folder, or <a href="/sign-in">try again</a>.</p>`
}

export function renderLink(page: PageContext, form: Form, isValid: boolean): Html {
  if (!isValid) {
    return htmlPage(page, { title: 'This link no longer works', width: 'narrow' })`
<h1>This link no longer works</h1><p>It was already used, or it is older than 15 minutes. <a href="/sign-in">Get a new link</a>.</p>`
  }
  return htmlPage(page, { title: 'Sign in', width: 'narrow' })`<h1>Sign in</h1>
${postForm(page, '/sign-in/link/use', [
  html`<input type="hidden" name="token" value="${form.value('token')}">`,
  hiddenReturn(form),
  html`<p>Click the button to sign in.</p>`,
  button('Sign in'),
])}`
}

const sessionCells = (session: SessionTable) => ({
  'Signed in': moment(session.created_at.toISOString()),
  'Last seen': moment(session.last_seen_at.toISOString()),
  Method: session.key_hash === null ? 'email link' : 'API key',
})

const sessionTable = (sessions: readonly SessionTable[]) =>
  dataTable('Sessions', { rows: sessions, empty: html`<p class="soft">No other sessions.</p>` }, sessionCells)

/** Renders an account's sessions for its page in the admin area. */
export function renderAccountSessions(page: PageContext, accountId: string, sessions: readonly SessionTable[]): Html {
  const at = `/desk/accounts/${accountId}/sessions`
  const mayEnd = page.may('POST', `${at}/end`)
  return html`<h2>Sessions</h2>
${
  sessions.length === 0
    ? html`<p class="soft">Nobody is signed in to this account.</p>`
    : [
        dataTable('Sessions', { rows: sessions }, (session) => ({
          ...sessionCells(session),
          ...(mayEnd && { End: actionButton(page, { action: `${at}/${session.id}/end`, text: 'End session' }) }),
        })),
        actionButton(page, { action: `${at}/end`, text: 'End all sessions', variant: 'danger' }),
      ]
}`
}

/** Renders the account's keys and other sessions after the user has confirmed the email address for the first time. */
export function renderAccess(
  page: PageContext,
  { keys, sessions }: { keys: readonly ApiKeyTable[]; sessions: readonly SessionTable[] },
  next: string,
): Html {
  return htmlPage(page, { title: 'Check who has access', width: 'narrow' })`<h1>Check who has access</h1>
<p>Anyone can register an account with the email address ${page.actor!.email}, even without access to its inbox. If you
did not create these keys or start these sessions, revoke their access. Anyone who uses them can do everything that you can.</p>
<h2>API keys</h2>
${dataTable('API keys', { rows: keys, empty: html`<p class="soft">No API keys.</p>` }, (row) => ({
  Name: row.name,
  'Ends in': row.last4,
  Created: moment(row.created_at.toISOString()),
  'Last used': row.last_used_at ? moment(row.last_used_at.toISOString()) : 'never',
}))}
<h2>Other sessions</h2>
${sessionTable(sessions)}
${postForm(page, '/account/access/end', [
  html`<input type="hidden" name="return_to" value="${next}">`,
  button('Revoke all access', { variant: 'danger' }),
])}
<p>${buttonLink('Keep them and continue', next)}</p>
${page.has('/console/webhooks') && html`<p>Revoking a key also disables its webhooks. Check your other <a href="/console/webhooks">webhooks</a> too.</p>`}`
}

export function renderAccount(page: PageContext, sessions: readonly SessionTable[]): Html {
  const { name, email, kind, scopes } = page.actor!
  return htmlPage(page, { title: 'Your account', width: 'narrow' })`<h1>Your account</h1>
${card(
  facts([
    ['Name', name],
    ['Email address', email],
    ['Account type', kind],
    ['Permissions', scopes.length < scopesOf(kind).length && scopes.join(', ')],
  ]),
)}
<h2>Active sessions</h2>
${sessionTable(sessions)}
${actionButton(page, { action: '/account/sign-out-everywhere', text: 'Sign out everywhere', variant: 'danger' })}
${kind === 'admin' && message('A session that started with an API key ends when that key ends.')}`
}
