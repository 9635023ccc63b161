import { formatAmount } from '../../lib/money.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  dataTable,
  day,
  emptyState,
  facts,
  linkTo,
  message,
  moment,
  pagination,
  postForm,
  type Tone,
  wayTo,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { JOB_POST, type JobState } from '../jobs/index.ts'
import type { Payment, Product } from './payments.schemas.ts'

const statuses: Record<Payment['status'], { name: string; tone: Tone }> = {
  pending: { name: 'Not paid yet', tone: 'warn' },
  paid: { name: 'Paid', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  expired: { name: 'Expired', tone: 'plain' },
  refunded: { name: 'Refunded', tone: 'plain' },
}
export const statusBadge = (status: Payment['status']) => badge(statuses[status].name, statuses[status].tone)

const pathOf = (url: string, { origin }: PageContext) => url.slice(origin.length)

interface PayPage {
  job: { id: string; title: string; state: JobState }
  products: readonly Product[]
  /** Products that are paid but not used yet. */
  paid: readonly string[]
  isTest: boolean
  form: Form
}

/** Renders the product selection page. */
export function renderPay(page: PageContext, { job, products, paid, isTest, form }: PayPage): Html {
  const path = `/employer/jobs/${job.id}`
  const options = products.map(({ slug, name, amount, currency, duration_days }) => ({
    value: slug,
    text: `${name}: ${formatAmount(amount, currency)}${slug === JOB_POST ? `, ${duration_days} days on the board` : ''}`,
  }))
  const names = products.filter(({ slug }) => paid.includes(slug)).map(({ name }) => name)
  return htmlPage(page, { title: 'Pay for a job', width: 'narrow' })`
<p class="crumbs">${linkTo(page, job.title, path)}</p><h1>Pay for “${job.title}”</h1>
${names.length > 0 && message(html`<p>Paid but not used yet: ${names.join(', ')}.</p>`, 'good')}
${isTest && message(html`<p>This board uses test payments. You will not be charged.</p>`, 'warn')}
${form.summary()}
${card(
  postForm(page, `${path}/pay`, [
    html`<input type="hidden" name="job_id" value="${job.id}">`,
    form.choices('products', 'Products', options, {
      hint:
        job.state === 'active'
          ? 'Upgrades take effect as soon as you pay, for the rest of the job’s time on the board.'
          : 'A post puts the job on the board once. Upgrades last as long as the post.',
    }),
    html`<div class="actions">${button('Go to checkout')}${wayTo(page, 'Back', path, 'quiet')}</div>`,
  ]),
)}`
}

interface Found {
  items: readonly (Payment & { title: string })[]
  pagination: Partial<PageNumbers>
}

/** Renders the list of the employer's payments. `found` is undefined if the query was invalid. */
export function renderPayments(page: PageContext, form: Form, found: Found | undefined): Html {
  return htmlPage(page, { title: 'Payments' })`<h1>Payments</h1>
${form.summary()}
${
  found &&
  dataTable(
    'Payments',
    {
      rows: found.items,
      numbers: ['Amount'],
      empty: emptyState(
        page.path.includes('status') ? 'No payments found' : 'No payments yet',
        html`<p>Your payments and receipts appear here. <a href="/employer/jobs">Your jobs</a></p>`,
      ),
    },
    (row) => ({
      Started: day(row.created_at),
      Job: linkTo(page, row.title, `/employer/jobs/${row.job_id}`),
      Products: row.products.join(', '),
      Amount: formatAmount(row.amount, row.currency),
      Status: statusBadge(row.status),
      Details: html`<a href="/employer/payments/${row.id}">${row.status === 'paid' || row.status === 'refunded' ? 'Receipt' : 'Details'}</a>`,
    }),
  )
}
${pagination(page, { total: 0, page: 1, pages: 1, ...found?.pagination })}`
}

interface ReceiptView {
  payment: Payment
  lines: readonly { name: string; amount: number }[]
  title: string
  /** False if the job was deleted. */
  isJobThere: boolean
  /** True if the employer can activate the job now. */
  isReady: boolean
  company: string
}

/** Renders one payment: the amount due, or a printable receipt. */
export function renderReceipt(
  page: PageContext,
  { payment, lines, title, isJobThere, isReady, company }: ReceiptView,
): Html {
  const { id, job_id, status, currency, amount, checkout_url, created_at, paid_at, provider } = payment
  const isReceipt = status === 'paid' || status === 'refunded'
  const job = isJobThere ? linkTo(page, title, `/employer/jobs/${job_id}`) : html`${title} (deleted)`
  return htmlPage(page, { title: isReceipt ? 'Receipt' : 'Payment', width: 'narrow' })`
<p class="crumbs no-print"><a href="/employer/payments">Payments</a></p>
<div class="row page-head"><h1>${isReceipt ? 'Receipt' : 'Payment'}</h1>${statusBadge(status)}</div>
${provider === 'test' && message(html`<p>This is a test payment. No money is charged.</p>`, 'warn')}
${
  isReady &&
  page.may('POST', `/employer/jobs/${job_id}/activate`) &&
  card(
    html`<h2>Next</h2><p>The post is paid. You can activate the job now.</p>${actionButton(page, { action: `/employer/jobs/${job_id}/activate`, text: 'Activate job', variant: 'primary' })}`,
    { class: 'panel next-step' },
  )
}
${checkout_url !== null && isJobThere && card(html`<h2>Not paid yet</h2><p>Complete the payment at checkout.</p>${buttonLink('Go to checkout', pathOf(checkout_url, page), 'primary')}`, { class: 'panel next-step' })}
${card([
  facts([
    ['Reference', html`<code>${id}</code>`],
    ['Company', company],
    ['Job', job],
    ['Started', moment(created_at)],
    ['Paid', paid_at && moment(paid_at)],
  ]),
  dataTable('Products', { rows: [...lines, { name: 'Total', amount }], numbers: ['Price'] }, (line) => ({
    Product: line.name,
    Price: formatAmount(line.amount, currency),
  })),
])}`
}
