import type { ApiKeyTable, MemberTable, PasskeyTable, SessionTable } from '../../db/schema.ts'
import { scopesOf } from '../../lib/scopes.ts'
import { passkeyDomain } from '../../lib/url.ts'
import { languageNames } from '../../locale/languages.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  confirmedAction,
  dataTable,
  facts,
  message,
  moment,
  postForm,
  withQuery,
} from '../../pages/components.ts'
import { nameOfKind } from '../../pages/desk.ts'
import { Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { PASSKEY_MODULE, passkeyCard } from '../../pages/passkey-form.ts'
import { linkingTo, rich } from '../../pages/text.ts'
import { begunWith } from './sessions.present.ts'
import type { Identity } from './sessions.service.ts'

const hiddenReturn = (form: Form) =>
  form.value('return_to') !== '' && html`<input type="hidden" name="return_to" value="${form.value('return_to')}">`

/** Renders the sign-in page. `provider` is the name of the OpenID provider, if there is one. */
export function renderSignIn(page: PageContext, form: Form, provider: string | undefined): Html {
  const modules = [PASSKEY_MODULE]
  return htmlPage(page, { title: t('sessions.sign_in'), modules, width: 'narrow' })`<h1>${t('sessions.sign_in')}</h1>
${form.summary()}
${passkeyDomain(page.origin) !== undefined && passkeyCard(page, '/sign-in/passkey', [hiddenReturn(form), button(t('passkeys.sign_in'))])}
${provider !== undefined && card(buttonLink(t('oidc.sign_in', { name: provider }), withQuery('/sign-in/oidc', { return_to: form.value('return_to') || null })))}
${card(html`<h2>${t('sessions.by_email')}</h2>
${postForm(page, '/sign-in/link', [
  hiddenReturn(form),
  form.emailField('email', t('shared.email_address'), { isRequired: true, autocomplete: 'email' }),
  button(t('sessions.email_me')),
])}`)}
${card(html`<h2>${t('sessions.with_key')}</h2>
${postForm(page, '/sign-in/key', [
  hiddenReturn(form),
  form.field('api_key', t('sessions.api_key'), {
    type: 'password',
    isRequired: true,
    hint: t('sessions.key_hint'),
    autocomplete: 'off',
    maxlength: 256,
  }),
  button(t('sessions.sign_in'), { variant: 'secondary' }),
])}`)}
${page.isRegistrationOpen && page.has('/register') && html`<p>${rich('sessions.no_account', { link: linkingTo(withQuery('/register', { return_to: form.value('return_to') })) })}</p>`}`
}

export function renderLinkSent(page: PageContext): Html {
  return htmlPage(page, { title: t('sessions.check_inbox'), width: 'narrow' })`<h1>${t('sessions.check_inbox')}</h1>
<p>${t('sessions.link_sent')}</p>
<p>${rich('sessions.no_email', { link: linkingTo('/sign-in') })}</p>`
}

/** Renders the page that a sign-in link opens. `identities` is undefined if the link is not valid. */
export function renderLink(page: PageContext, form: Form, identities: readonly Identity[] | undefined): Html {
  if (!identities) {
    return htmlPage(page, { title: t('sessions.link_gone'), width: 'narrow' })`
<h1>${t('sessions.link_gone')}</h1><p>${rich('sessions.link_gone_text', { link: linkingTo('/sign-in') })}</p>`
  }
  if (identities.length > 1) {
    const fields = { token: form.value('token'), return_to: form.value('return_to') }
    return renderChoice(page, identities, { action: '/sign-in/link/use', fields })
  }
  return htmlPage(page, { title: t('sessions.sign_in'), width: 'narrow' })`<h1>${t('sessions.sign_in')}</h1>
${postForm(page, '/sign-in/link/use', [
  html`<input type="hidden" name="token" value="${form.value('token')}">`,
  hiddenReturn(form),
  html`<p>${t('sessions.click_button')}</p>`,
  button(t('sessions.sign_in')),
])}`
}

/** Renders the accounts of an email address. Each account except the current one has a button to use it. */
export function renderChoice(
  page: PageContext,
  identities: readonly Identity[],
  { action, fields }: { action: string; fields: Record<string, string> },
): Html {
  const title = t('sessions.choose')
  return htmlPage(page, { title, width: 'narrow' })`<h1>${title}</h1>
<p>${t('sessions.choose_text')}</p>
${dataTable(title, { rows: identities }, ({ account_id, kind, name, role }) => ({
  [t('shared.name')]: html`<b>${name}</b>`,
  [t('shared.account_type')]:
    html`${nameOfKind(kind)}${role && html`<br><span class="soft small">${t(`teams.role_${role}`)}</span>`}`,
  [t('teams.actions')]:
    account_id === page.actor?.accountId
      ? t('sessions.choose_current')
      : actionButton(page, {
          action,
          fields: { ...fields, account_id },
          text: t('sessions.choose_continue', { name }),
        }),
}))}`
}

const methods = {
  api_key: 'sessions.method_key',
  link: 'sessions.email_address',
  passkey: 'passkeys.passkey',
} as const

const sessionCells = (session: SessionTable) => ({
  [t('sessions.signed_in')]: moment(session.created_at.toISOString()),
  [t('sessions.last_seen')]: moment(session.last_seen_at.toISOString()),
  [t('sessions.method')]: t(methods[begunWith(session)]),
})

/** Renders the sessions. `current` is the ID of the session that requests the page. */
const sessionTable = (sessions: readonly SessionTable[], current?: string) =>
  dataTable(
    t('sessions.sessions'),
    { rows: sessions, empty: html`<p class="soft">${t('sessions.none_other')}</p>` },
    (session) => ({
      ...sessionCells(session),
      ...(session.id === current && { [t('sessions.last_seen')]: badge(t('sessions.current'), 'accent') }),
    }),
  )

interface WaysIn {
  sessions: readonly SessionTable[]
  passkeys: readonly PasskeyTable[]
  members: readonly MemberTable[]
}

/** Renders an account's sessions and passkeys for the admin area. */
export function renderAccountSessions(
  page: PageContext,
  accountId: string,
  { sessions, passkeys, members }: WaysIn,
): Html {
  const at = `/desk/accounts/${accountId}/sessions`
  const mayEnd = page.may('POST', `${at}/end`)
  return html`<h2>${t('sessions.sessions')}</h2>
${
  sessions.length === 0
    ? html`<p class="soft">${t('sessions.nobody')}</p>`
    : [
        dataTable(t('sessions.sessions'), { rows: sessions }, (session) => ({
          ...sessionCells(session),
          ...(mayEnd && {
            [t('sessions.end')]: actionButton(page, {
              action: `${at}/${session.id}/end`,
              text: t('sessions.end_session'),
            }),
          }),
        })),
        actionButton(page, { action: `${at}/end`, text: t('sessions.end_all'), variant: 'danger' }),
      ]
}
${passkeys.length > 0 && renderPasskeysOf(page, accountId, passkeys, members)}`
}

/**
 * Renders the passkeys of an account, by person. An operator can remove all passkeys of one member at once, or those of
 * the account and all its members.
 */
function renderPasskeysOf(
  page: PageContext,
  accountId: string,
  passkeys: readonly PasskeyTable[],
  members: readonly MemberTable[],
): Html {
  const action = `/desk/accounts/${accountId}/passkeys/remove`
  const rows = [...Map.groupBy(passkeys, ({ member_id }) => member_id)]
  const nameOf = (memberId: string | null) => {
    const member = members.find(({ id }) => id === memberId)
    return member ? (member.name ?? member.email) : t('sessions.account_itself')
  }
  return html`<h2>${t('passkeys.title')}</h2>
${dataTable(t('passkeys.title'), { rows }, ([memberId, own]) => ({
  [t('sessions.person')]: nameOf(memberId),
  [t('passkeys.title')]: own.map(({ name }) => name).join(', '),
  ...(page.may('POST', action) && {
    [t('shared.remove')]: confirmedAction(page, {
      action,
      text: t('shared.remove'),
      fields: memberId === null ? {} : { member_id: memberId },
      question: html`<p>${rich('sessions.remove_passkeys_question', {
        who: memberId === null ? 'account' : 'member',
        name: nameOf(memberId),
      })}</p>`,
    }),
  }),
}))}`
}

/**
 * Renders the account's keys, passkeys, other sessions and other members after the first confirmation of its email
 * address.
 */
export function renderAccess(
  page: PageContext,
  { keys, passkeys, sessions, members }: WaysIn & { keys: readonly ApiKeyTable[] },
  next: string,
): Html {
  const { email } = page.actor!
  return htmlPage(page, { title: t('sessions.check_access'), width: 'narrow' })`<h1>${t('sessions.check_access')}</h1>
${email && html`<p>${t('sessions.check_access_text', { email })}</p>`}
<h2>${t('menu.api_keys')}</h2>
${dataTable(t('menu.api_keys'), { rows: keys, empty: html`<p class="soft">${t('sessions.no_keys')}</p>` }, (row) => ({
  [t('shared.name')]: row.name,
  [t('sessions.ends_in')]: row.last4,
  [t('shared.created')]: moment(row.created_at.toISOString()),
  [t('shared.last_used')]: row.last_used_at ? moment(row.last_used_at.toISOString()) : t('shared.never'),
}))}
${
  passkeys.length > 0 && [
    html`<h2>${t('passkeys.title')}</h2>`,
    dataTable(t('passkeys.title'), { rows: passkeys }, ({ name, created_at, last_used_at }) => ({
      [t('shared.name')]: name,
      [t('passkeys.added_at')]: moment(created_at.toISOString()),
      [t('shared.last_used')]: last_used_at ? moment(last_used_at.toISOString()) : t('shared.never'),
    })),
  ]
}
<h2>${t('sessions.other_sessions')}</h2>
${sessionTable(sessions)}
${
  members.length > 0 && [
    html`<h2>${t('teams.title')}</h2>`,
    dataTable(t('teams.title'), { rows: members }, ({ name, email, role }) => ({
      [t('shared.name')]: name ?? email,
      [t('teams.role')]: t(`teams.role_${role}`),
    })),
  ]
}
${postForm(page, '/account/access/end', [
  html`<input type="hidden" name="return_to" value="${next}">`,
  button(t('sessions.revoke_all'), { variant: 'danger' }),
])}
<p>${buttonLink(t('sessions.keep_and_continue'), next)}</p>
${page.has('/console/webhooks') && html`<p>${rich('sessions.webhooks_too', { link: linkingTo('/console/webhooks') })}</p>`}`
}

/**
 * Renders the account page. `preference` is undefined if the person cannot choose here whether to get emails about
 * applications.
 */
export function renderAccount(
  page: PageContext,
  sessions: readonly SessionTable[],
  preference: boolean | undefined,
): Html {
  const { name, email, kind, scopes, member } = page.actor!
  return htmlPage(page, { title: t('menu.your_account'), width: 'narrow' })`<h1>${t('menu.your_account')}</h1>
${card(
  facts([
    [t('shared.name'), name],
    [t('shared.email_address'), email],
    [t('shared.account_type'), nameOfKind(kind)],
    [t('teams.role'), member && t(`teams.role_${member.role}`)],
    [t('sessions.permissions'), !member && scopes.length < scopesOf(kind).length && scopes.join(', ')],
  ]),
)}
${page.brand.languages.length > 1 && page.may('POST', '/account/language') && renderLanguage(page)}
${preference !== undefined && page.may('POST', '/account/emails') && renderEmails(page, preference)}
<h2>${t('sessions.active_sessions')}</h2>
${sessionTable(sessions, page.actor!.session?.id)}
${actionButton(page, { action: '/account/sign-out-everywhere', text: t('sessions.sign_out_everywhere'), variant: 'danger' })}
${kind === 'admin' && !member && message(t('sessions.ends_with_key'))}`
}

function renderLanguage(page: PageContext): Html {
  const { languages } = page.brand
  const chosen = languages.find((language) => language === page.actor!.session?.language) ?? page.language
  return card(
    postForm(page, '/account/language', [
      Form.of({ language: chosen }).select(
        'language',
        t('sessions.language'),
        optionsFor(languages, (language) => languageNames[language]),
        { hint: t('sessions.language_hint'), isRequired: true },
      ),
      button(t('sessions.change_language'), { variant: 'secondary' }),
    ]),
  )
}

const renderEmails = (page: PageContext, isWanted: boolean) =>
  card(
    postForm(page, '/account/emails', [
      Form.of({ mail_on_application: isWanted }).checkbox('mail_on_application', t('employers.mail_on_application')),
      button(t('shared.save'), { variant: 'secondary' }),
    ]),
  )
