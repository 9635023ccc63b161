import { formatList } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  button,
  buttonLink,
  card,
  day,
  emptyState,
  facts,
  listTable,
  message,
  moment,
  postForm,
  tabs,
  withQuery,
} from '../../pages/components.ts'
import { ageOf } from '../../pages/desk.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import { jobPath } from '../jobs/index.ts'
import { statusBadge } from './own-payments.views.ts'
import { describeAmount } from './payments.amounts.ts'
import { type Obstacle, sayObstacle } from './payments.obstacles.ts'
import type { ProviderName } from './payments.providers.ts'
import type { Payment } from './payments.schemas.ts'

/** Query for pending payments, oldest first. */
export const WAITING = { status: 'pending', sort: 'created_at:asc' }

/** A payment with the names of its products, job and employer. */
type NamedPayment = Payment & { title: string; employer_id: string; company: string }

/** Renders the payment list. `found` is undefined if the query was invalid. */
export function renderDeskPayments(
  page: PageContext,
  form: Form,
  found: Listed<NamedPayment> | undefined,
  now: Date,
): Html {
  const isWaiting = form.value('status') === 'pending'
  const lists = [
    { href: withQuery('/desk/payments', WAITING), text: t('payments.pending') },
    { href: '/desk/payments?status_in=paid%2Crefunded', text: t('payments.completed') },
    { href: '/desk/payments?status_in=failed%2Cexpired', text: t('payments.failed_or_expired') },
  ]
  const statusesOf = (href: string) => /status(?:_in)?=([^&]*)/.exec(href)?.[1]
  const here = lists.find(({ href }) => statusesOf(href) === statusesOf(page.path.replaceAll(',', '%2C')))
  const empty = emptyState(
    t(isWaiting ? 'payments.none_pending' : 'payments.none_found'),
    isWaiting && html`<p>${t('payments.none_pending_hint')}</p>`,
  )
  return htmlPage(page, { title: t('menu.payments') })`<h1>${t('menu.payments')}</h1>
<form class="row bottom" action="/desk/payments" role="search" aria-label="${t('menu.payments')}">
${form.field('search', t('payments.find'), { hint: t('payments.find_hint'), type: 'search', maxlength: 200 })}
${button(t('payments.find'), { variant: 'secondary' })}</form>
${tabs({ path: here?.href ?? page.path }, t('menu.payments'), lists)}
${form.summary()}
${listTable(page, t('menu.payments'), { found, numbers: [t('payments.amount')], empty }, (payment) => ({
  [t('payments.started')]: [
    day(payment.created_at),
    isWaiting &&
      html`<br><span class="soft small">${t('payments.ago', { age: ageOf(new Date(payment.created_at), now) })}</span>`,
  ],
  [t('payments.employer')]: employerLink(page, payment.company, payment.employer_id),
  [t('payments.job')]: payment.title,
  [t('payments.products')]: formatList(payment.products),
  [t('payments.amount')]: describeAmount(payment.amount, payment.currency),
  ...(!isWaiting && {
    [t('payments.number')]: payment.invoice_number ?? '',
    [t('payments.status')]: statusBadge(payment.status),
  }),
  [t('payments.details')]:
    html`<a href="/desk/payments/${payment.id}">${rich(payment.status === 'pending' ? 'payments.review_of' : 'payments.details_of', { company: payment.company, title: payment.title, hide: (text) => html`<span class="hide">${text}</span>` })}</a>`,
}))}`
}

const employerLink = (page: PageContext, company: string, id: string) =>
  page.has('/desk/accounts/:id') ? html`<a href="/desk/accounts/${id}">${company}</a>` : company

interface Circumstances {
  /** The reason why the employer should not complete a pending payment. */
  obstacle: Obstacle | undefined
  /** True if the job has or had a public page. Undefined if the job was deleted. */
  isPublic: boolean | undefined
  /** True if the employer pays on the checkout page of an external service. That service reports the result. */
  isElsewhere: boolean
  now: Date
}

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
  const sum = describeAmount(amount, currency)
  return htmlPage(page, {
    title: t('payments.payment_from', { company }),
    width: 'narrow',
  })`<p class="crumbs"><a href="/desk/payments">${t('menu.payments')}</a></p>
<div class="row page-head"><h1>${t('payments.sum_from', { sum, company })}</h1>${statusBadge(status)}</div>
${form.summary()}
${isWaiting && obstacle !== undefined && message(sayObstacle(obstacle), 'warn')}
${isWaiting && isElsewhere && message(t('payments.by_stripe'), 'warn')}
${card(
  facts([
    [t('payments.reference'), html`<code>${reference}</code>`],
    [t('payments.payment_id'), html`<code>${id}</code>`],
    [t('payments.number'), invoice_number],
    [t('payments.employer'), employerLink(page, company, employer_id)],
    [
      t('payments.job'),
      isPublic
        ? html`<a href="${jobPath({ id: job_id, title })}">${title}</a>`
        : t(isPublic === undefined ? 'payments.job_deleted' : 'payments.job_draft', { title }),
    ],
    [t('payments.products'), formatList(products)],
    [t('payments.amount'), sum],
    [
      vat_rate === null ? '' : t('payments.vat', { rate: vat_rate }),
      vat_rate !== null && describeAmount(vat_amount, currency),
    ],
    [t('payments.provider'), t(`payments.provider_${provider as ProviderName}`)],
    [
      t('payments.started'),
      isWaiting
        ? rich('payments.started_ago', {
            moment: moment(payment.created_at),
            age: ageOf(new Date(payment.created_at), now),
          })
        : moment(payment.created_at),
    ],
    [t('payments.status_paid'), payment.paid_at && moment(payment.paid_at)],
  ]),
)}
${invoice_number !== null && html`<p>${buttonLink(t('payments.download'), `/desk/payments/${id}/invoice`)}</p>`}
${
  isWaiting &&
  mayWrite &&
  card([
    html`<h2>${t('payments.arrived')}</h2>
<p>${t('payments.arrived_hint')}</p>
<details class="confirm"><summary class="btn main">${t('payments.mark')}</summary>
<div class="panel"><p>${rich('payments.has_arrived', { sum, company })}</p>
${postForm(page, `/desk/payments/${id}/mark-paid`, button(t('payments.yes_mark')), { class: 'inline' })}</div></details>`,
  ])
}`
}
