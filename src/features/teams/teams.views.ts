import type { MemberRole } from '../../lib/scopes.ts'
import { DAY_MS } from '../../lib/time.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  ago,
  button,
  card,
  confirmedAction,
  dataTable,
  facts,
  message,
  postForm,
} from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { Team } from './teams.kinds.ts'
import type { Member } from './teams.schemas.ts'
import { INVITATION_DAYS } from './teams.service.ts'

const roleName = (role: MemberRole): string => t(`teams.role_${role}`)

/** The texts that depend on the kind of team. */
const texts = {
  employer: { title: 'teams.title', size: 'teams.size', removal: 'teams.remove_question' },
  admin: { title: 'teams.staff', size: 'teams.staff_size', removal: 'teams.staff_remove_question' },
} as const

export function renderTeam(
  page: PageContext,
  team: Team,
  { members, now }: { members: readonly Member[]; now: Date },
  form: Form,
): Html {
  const active = members.filter(({ state }) => state === 'active')
  const invited = members.filter(({ state }) => state === 'invited')
  const { page: path, schemas } = team
  const text = texts[team.reading.access.kinds[0]]
  const title = t(text.title)
  return htmlPage(page, { title })`<h1>${title}</h1>
<p class="soft">${t(text.size, { count: active.length, company: page.actor!.name })}</p>
${form.summary()}
<div class="split">
<div>
${
  active.length > 0 &&
  dataTable(title, { rows: active }, (member) => ({
    [t('shared.name')]: nameCell(page, member),
    [t('teams.role')]: roleCell(page, team, member),
    [t('teams.last_active')]: member.last_active === null ? t('shared.never') : ago(member.last_active, now),
    ...(page.may('POST', `${path}/${member.id}/remove`) && {
      [t('teams.remove')]: confirmedAction(page, {
        action: `${path}/${member.id}/remove`,
        text: t('teams.remove'),
        question: html`<p>${t(text.removal, { name: member.name ?? member.email })}</p>`,
      }),
    }),
  }))
}
${
  invited.length > 0 && [
    html`<h2>${t('teams.invited_title')}</h2>`,
    dataTable(t('teams.invited_title'), { rows: invited }, (member) => ({
      [t('shared.email_address')]: nameCell(page, member),
      [t('teams.role')]: roleName(member.role),
      [t('teams.invitation')]: invitationState(member, now),
      ...(page.may('POST', `${path}/${member.id}/invite`) && {
        [t('teams.actions')]: html`<div class="row">${actionButton(page, {
          action: `${path}/${member.id}/invite`,
          text: t('teams.invite_again'),
        })}${actionButton(page, {
          action: `${path}/${member.id}/remove`,
          text: t('teams.withdraw'),
          variant: 'quiet',
        })}</div>`,
      }),
    })),
  ]
}
</div>
<aside class="flow">
${
  page.may('POST', path) &&
  card([
    html`<h2>${t('teams.invite_title')}</h2>`,
    postForm(page, path, [
      form.emailField('email', t('shared.email_address'), { isRequired: true, autocomplete: 'off' }),
      form.field('name', t('shared.name'), { autocomplete: 'off', maxlength: 100 }),
      form.select('role', t('teams.role'), optionsFor(schemas.roles, roleName), { isRequired: true }),
      button(t('teams.invite')),
    ]),
  ])
}
${card([
  html`<h2>${t('teams.roles_title')}</h2>`,
  facts(schemas.roles.map((role) => [roleName(role), t(`teams.may_${role}`)])),
])}
</aside>
</div>`
}

const nameCell = ({ actor }: PageContext, { id, name, email }: Member) =>
  html`<b>${name ?? email}</b>${id === actor?.member?.id && html` <span class="soft small">${t('teams.you')}</span>`}${name !== null && html`<br><span class="soft small">${email}</span>`}`

function roleCell(page: PageContext, team: Team, { id, name, email, role }: Member): Html {
  const action = `${team.page}/${id}/role`
  if (!page.may('POST', action)) return html`${roleName(role)}`
  const options = team.schemas.roles.map(
    (each) => html`<option${attributes({ value: each, selected: each === role })}>${roleName(each)}</option>`,
  )
  return postForm(
    page,
    action,
    [
      html`<label class="hide" for="role-${id}">${t('teams.role_of', { name: name ?? email })}</label>`,
      html`<select id="role-${id}" name="role">${options}</select>`,
      button(t('shared.save'), { variant: 'secondary' }),
    ],
    { class: 'row' },
  )
}

function invitationState({ invited_at }: Member, now: Date): Html {
  const left = Math.ceil((Date.parse(invited_at!) + INVITATION_DAYS * DAY_MS - now.getTime()) / DAY_MS)
  return left > 0
    ? rich('teams.invited_ago', { ago: ago(invited_at!, now), days: left })
    : html`${t('teams.invitation_expired')}`
}

interface Invitation {
  /** The employer, or the board. */
  company: string
  email: string
  role: MemberRole
  /** Whether the visitor is signed in with another email address. */
  isForAnother: boolean
}

/** Renders the page of a valid or invalid invitation. */
export function renderInvitation(page: PageContext, form: Form, invitation: Invitation | undefined): Html {
  if (!invitation) {
    const title = t('teams.invitation_gone')
    return htmlPage(page, { title, width: 'narrow' })`<h1>${title}</h1><p>${t('teams.invitation_gone_text')}</p>`
  }
  const { company, email, role, isForAnother } = invitation
  const title = t('teams.join_title', { company })
  return htmlPage(page, { title, width: 'narrow' })`<h1>${title}</h1>
<p>${t('teams.join_text', { email, company, role })}</p>
${
  isForAnother
    ? [
        message(t('teams.join_other', { email, other: page.actor!.email ?? page.actor!.name })),
        actionButton(page, { action: '/sign-out', text: t('layout.sign_out') }),
      ]
    : [
        form.summary(),
        card(
          postForm(page, '/invitation/accept', [
            html`<input type="hidden" name="token" value="${form.value('token')}">`,
            form.field('name', t('teams.your_name'), {
              isRequired: true,
              maxlength: 100,
              autocomplete: 'name',
              hint: t('teams.your_name_hint'),
            }),
            button(t('teams.join')),
          ]),
        ),
      ]
}`
}
