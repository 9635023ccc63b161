import { actionButton, badge, emptyState, moment, type PageNumbers, pagination, table } from '../../pages/components.ts'
import { deskTabs } from '../../pages/desk.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { Email } from './emails.schemas.ts'

const kindNames: Readonly<Record<string, string>> = {
  'job-alert': 'Job alert',
  'application-status': 'Application status',
  'application-received': 'Application received',
  'sign-in': 'Sign-in link',
  'address-changed': 'Email address changed',
  'job-removed': 'Job removed',
}

export function renderEmails(
  page: PageContext,
  emails: readonly Email[],
  { total, page: number = 1, pages = 1 }: { total: number; page?: number; pages?: number },
): Html {
  return renderDocument(
    page,
    { title: 'Emails' },
    html`${deskTabs(page)}
<h1>Emails</h1>
<p class="lead">Emails of the last 30 days that failed or may not have arrived. A retry composes the email again, from current data.</p>
${
  emails.length === 0
    ? emptyState('No failed emails')
    : [
        actionButton(page, { action: '/desk/emails/retry', text: 'Retry all failed emails' }),
        table(
          'Emails',
          [
            {
              title: 'To',
              cell: ({ to, account_id }: Email) => html`<a href="/desk/accounts/${account_id}">${to ?? account_id}</a>`,
            },
            { title: 'Type', cell: ({ kind }: Email) => kindNames[kind] ?? kind },
            { title: 'Queued', cell: ({ created_at }: Email) => moment(created_at) },
            {
              title: 'State',
              cell: ({ state, error }: Email) => [
                state === 'failed' ? badge('Failed', 'bad') : badge('May have arrived', 'warn'),
                error !== null && html`<br><span class="soft small">${error}</span>`,
              ],
            },
            {
              title: 'Retry',
              cell: ({ id }: Email) => actionButton(page, { action: `/desk/emails/${id}/retry`, text: 'Retry' }),
            },
          ],
          emails,
        ),
      ]
}
${pagination(page, { total, page: number, pages } satisfies PageNumbers)}`,
  )
}
