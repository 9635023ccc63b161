import { type MessageKey, t } from '../../locale/messages.ts'
import { actionButton, badge, dataTable, emptyState, moment, pagination } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import type { Email } from './emails.schemas.ts'

const kindNames: Readonly<Record<string, MessageKey>> = {
  'job-alert': 'emails.kind_job_alert',
  'application-status': 'emails.kind_application_status',
  'application-received': 'emails.kind_application_received',
  'sign-in': 'emails.kind_sign_in',
  'address-changed': 'emails.kind_address_changed',
  'job-removed': 'emails.kind_job_removed',
  'payment-pending': 'emails.kind_payment_pending',
  'payment-received': 'emails.kind_payment_received',
}

function kindName(kind: string): string {
  const key = kindNames[kind]
  return key === undefined ? kind : t(key)
}

export function renderEmails(page: PageContext, emails: Listed<Email>): Html {
  return htmlPage(page, { title: t('emails.title') })`<h1>${t('emails.title')}</h1>
<p class="lead">${t('emails.lead')}</p>
${emails.items.length > 0 && actionButton(page, { action: '/desk/emails/retry', text: t('emails.retry_all') })}
${dataTable(t('emails.title'), { rows: emails.items, empty: emptyState(t('emails.none')) }, (email) => ({
  [t('emails.to')]: html`<a href="/desk/accounts/${email.account_id}">${email.to ?? email.account_id}</a>`,
  [t('shared.type')]: kindName(email.kind),
  [t('emails.queued')]: moment(email.created_at),
  [t('shared.state')]: [
    email.state === 'failed' ? badge(t('shared.failed'), 'bad') : badge(t('emails.may_have_arrived'), 'warn'),
    email.error !== null && html`<br><span class="soft small">${email.error}</span>`,
  ],
  [t('shared.retry')]: actionButton(page, { action: `/desk/emails/${email.id}/retry`, text: t('shared.retry') }),
}))}
${pagination(page, emails.pagination)}`
}
