import { actionButton, badge, dataTable, emptyState, moment, pagination } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import type { Email } from './emails.schemas.ts'

const kindNames: Readonly<Record<string, string>> = {
  'job-alert': 'Job alert',
  'application-status': 'Application status',
  'application-received': 'Application received',
  'sign-in': 'Sign-in link',
  'address-changed': 'Email address changed',
  'job-removed': 'Job removed',
  'payment-pending': 'How to pay',
  'payment-received': 'Receipt',
}

export function renderEmails(page: PageContext, emails: Listed<Email>): Html {
  return htmlPage(page, { title: 'Emails' })`<h1>Emails</h1>
<p class="lead">Emails from the last 30 days that failed or may not have arrived. A retry composes the email again from current data.</p>
${emails.items.length > 0 && actionButton(page, { action: '/desk/emails/retry', text: 'Retry all failed emails' })}
${dataTable('Emails', { rows: emails.items, empty: emptyState('No failed emails') }, (email) => ({
  To: html`<a href="/desk/accounts/${email.account_id}">${email.to ?? email.account_id}</a>`,
  Type: kindNames[email.kind] ?? email.kind,
  Queued: moment(email.created_at),
  State: [
    email.state === 'failed' ? badge('Failed', 'bad') : badge('May have arrived', 'warn'),
    email.error !== null && html`<br><span class="soft small">${email.error}</span>`,
  ],
  Retry: actionButton(page, { action: `/desk/emails/${email.id}/retry`, text: 'Retry' }),
}))}
${pagination(page, emails.pagination)}`
}
