import { formatAmount } from '../../lib/money.ts'
import {
  button,
  buttonLink,
  card,
  dataTable,
  day,
  emptyState,
  facts,
  message,
  moment,
  pagination,
  postForm,
  tabs,
  withQuery,
} from '../../pages/components.ts'
import { ageOf } from '../../pages/desk.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { jobPath } from '../jobs/index.ts'
import { statusBadge } from './own-payments.views.ts'
import type { Payment } from './payments.schemas.ts'

/** Query for pending payments, oldest first. */
export const WAITING = { status: 'pending', sort: 'created_at:asc' }

/** A payment with the names of its products, job and employer. */
type NamedPayment = Payment & { title: string; employer_id: string; company: string }

interface Found {
  items: readonly NamedPayment[]
  pagination: Partial<PageNumbers>
}

/** Renders the payment list. `found` is undefined if the query was invalid. */
export function renderDeskPayments(page: PageContext, form: Form, found: Found | undefined, now: Date): Html {
  const isWaiting = form.value('status') === 'pending'
  const lists = [
    { href: withQuery('/desk/payments', WAITING), text: 'Pending' },
    { href: '/desk/payments?status_in=paid%2Crefunded', text: 'Completed' },
    { href: '/desk/payments?status_in=failed%2Cexpired', text: 'Failed or expired' },
  ]
  const statusesOf = (href: string) => /status(?:_in)?=([^&]*)/.exec(href)?.[1]
  const here = lists.find(({ href }) => statusesOf(href) === statusesOf(page.path.replaceAll(',', '%2C')))
  return htmlPage(page, { title: 'Payments' })`<h1>Payments</h1>
<form class="row bottom many" action="/desk/payments" role="search" aria-label="Payments">
${form.field('search', 'Find', { hint: 'Company, email address, invoice number or reference', type: 'search', maxlength: 200 })}
${button('Find', { variant: 'secondary' })}</form>
${tabs({ path: here?.href ?? page.path }, 'Payments', lists)}
${form.summary()}
${
  found &&
  dataTable(
    'Payments',
    {
      rows: found.items,
      numbers: ['Amount'],
      empty: emptyState(
        isWaiting ? 'No pending payments' : 'No payments found',
        isWaiting && html`<p>Payments that employers started but have not completed appear here.</p>`,
      ),
    },
    (payment) => ({
      Started: [
        day(payment.created_at),
        isWaiting && html`<br><span class="soft small">${ageOf(new Date(payment.created_at), now)} ago</span>`,
      ],
      Employer: employerLink(page, payment.company, payment.employer_id),
      Job: payment.title,
      Products: payment.products.join(', '),
      Amount: formatAmount(payment.amount, payment.currency),
      ...(!isWaiting && { Number: payment.invoice_number ?? '', Status: statusBadge(payment.status) }),
      Details: html`<a href="/desk/payments/${payment.id}">${payment.status === 'pending' ? 'Review' : 'Details'}<span class="hide"> of ${payment.company} for ${payment.title}</span></a>`,
    }),
  )
}
${pagination(page, { total: 0, page: 1, pages: 1, ...found?.pagination })}`
}

const employerLink = (page: PageContext, company: string, id: string) =>
  page.has('/desk/accounts/:id') ? html`<a href="/desk/accounts/${id}">${company}</a>` : company

interface Circumstances {
  /** Reason why a pending payment should not be paid. */
  obstacle: string | undefined
  /** True if the job has or had a public page. Undefined if the job was deleted. */
  isPublic: boolean | undefined
  /** True if the employer pays on an external service's checkout page. The service reports the result. */
  isElsewhere: boolean
  now: Date
}

/** Renders one payment with its actions. */
export function renderDeskPayment(
  page: PageContext,
  payment: NamedPayment,
  { obstacle, isPublic, isElsewhere, now }: Circumstances,
  form: Form,
): Html {
  const { id, job_id, title, company, employer_id, products, amount, currency, status, provider } = payment
  const { reference, invoice_number, vat_rate, vat_amount } = payment
  const isWaiting = status === 'pending'
  const mayWrite = page.actor?.scopes.includes('admin:write')
  const sum = formatAmount(amount, currency)
  return htmlPage(page, {
    title: `Payment from ${company}`,
    width: 'narrow',
  })`<p class="crumbs"><a href="/desk/payments">Payments</a></p>
<div class="row page-head"><h1>${sum} from ${company}</h1>${statusBadge(status)}</div>
${form.summary()}
${isWaiting && obstacle !== undefined && message(obstacle, 'warn')}
${isWaiting && isElsewhere && message('Stripe handles this payment and reports it automatically. Mark it as paid only if the money arrived another way.', 'warn')}
${card(
  facts([
    ['Payment reference', html`<code>${reference}</code>`],
    ['Payment ID', html`<code>${id}</code>`],
    ['Number', invoice_number],
    ['Employer', employerLink(page, company, employer_id)],
    [
      'Job',
      isPublic
        ? html`<a href="${jobPath({ id: job_id, title })}">${title}</a>`
        : `${title} (${isPublic === undefined ? 'deleted' : 'a draft'})`,
    ],
    ['Products', products.join(', ')],
    ['Amount', sum],
    ['VAT', vat_rate === null ? null : `${formatAmount(vat_amount, currency)} (${vat_rate}%)`],
    ['Provider', provider],
    ['Started', html`${moment(payment.created_at)}, ${ageOf(new Date(payment.created_at), now)} ago`],
    ['Paid', payment.paid_at && moment(payment.paid_at)],
  ]),
)}
${invoice_number !== null && html`<p>${buttonLink('Download PDF', `/desk/payments/${id}/invoice`)}</p>`}
${
  isWaiting &&
  mayWrite &&
  card([
    html`<h2>Has the money arrived?</h2>
<p>Check that the amount and the reference match the money that arrived. You cannot undo this: a paid post puts the job on the board immediately.</p>
<details class="confirm"><summary class="btn main">Mark as paid…</summary>
<div class="panel"><p><b>${sum}</b> from <b>${company}</b> has arrived.</p>
${postForm(page, `/desk/payments/${id}/mark-paid`, button('Yes, mark as paid'), { class: 'inline' })}</div></details>`,
  ])
}`
}
