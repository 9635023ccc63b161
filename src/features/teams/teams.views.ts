import type { MemberRole } from '../../lib/scopes.ts'
import { t } from '../../locale/messages.ts'
import { actionButton, button, card, message, postForm } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'

export const roleName = (role: MemberRole): string => t(`teams.role_${role}`)

interface Invitation {
  employer: string
  email: string
  role: MemberRole
  /** Whether the visitor is signed in with another email address. */
  isForAnother: boolean
}

/** Renders the page of an invitation, or of one that is not valid. */
export function renderInvitation(page: PageContext, form: Form, invitation: Invitation | undefined): Html {
  if (!invitation) {
    const title = t('teams.invitation_gone')
    return htmlPage(page, { title, width: 'narrow' })`<h1>${title}</h1><p>${t('teams.invitation_gone_text')}</p>`
  }
  const { employer, email, role, isForAnother } = invitation
  const title = t('teams.join_title', { company: employer })
  return htmlPage(page, { title, width: 'narrow' })`<h1>${title}</h1>
<p>${t('teams.join_text', { email, company: employer, role })}</p>
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
