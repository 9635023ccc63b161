import { type Billing, takesTransfers, totalOf } from '../../lib/billing.ts'
import { formatAmount, minorDigits } from '../../lib/money.ts'
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
  logo,
  message,
  moment,
  pagination,
  postForm,
  type Tone,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { JOB_POST } from '../jobs/index.ts'
import { vatName } from './payments.queries.ts'
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
  job: { id: string; title: string; company: string; employer_id: string; location: string }
  /** True if the job is on the board or closed, so that a post extends its time. */
  isRunning: boolean
  /** Products that the job can still get. */
  offered: readonly Product[]
  /** True if the order always contains the post. */
  isPostNeeded: boolean
  /** Names of products that are paid but not used yet. */
  unused: readonly string[]
  isTest: boolean
  /** True if the operator records payments, instead of a payment service. */
  isManual: boolean
  billing: Billing
  /** What the invoice prints about the employer. */
  buyer: { name: string; address: string | null; vat_id: string | null }
  form: Form
}

/** One sentence about each upgrade, by product. */
const effects: Readonly<Record<string, string>> = {
  featured: 'A frame and a label, and a place above other results on the first page.',
  highlighted: 'A warm background in every list.',
  urgent: 'A red label in every list.',
}

const priceOf = ({ amount, currency }: Pick<Product, 'amount' | 'currency'>) =>
  html`<b class="price">${formatAmount(amount, currency)}</b>`

/** Renders the order page: the post, the upgrades with an example of each, and the total. */
export function renderPay(page: PageContext, view: PayPage): Html {
  const { job, isRunning, offered, isPostNeeded, unused, isTest, isManual, form } = view
  const path = `/employer/jobs/${job.id}`
  const post = offered.find(({ slug }) => slug === JOB_POST)
  const upgrades = offered.filter(({ slug }) => slug !== JOB_POST)
  const title = isRunning ? 'Upgrade or extend your job' : isPostNeeded ? 'Post your job' : 'Upgrade your job'
  const lead = isPostNeeded
    ? `We publish your job as soon as ${isManual ? 'we receive your payment' : 'you pay'}${post ? `, for ${post.duration_days} days` : ''}. No subscription.`
    : isRunning
      ? `Everything you buy takes effect as soon as ${isManual ? 'we receive your payment' : 'you pay'}.`
      : 'Upgrades take effect when the job is on the board.'
  return htmlPage(page, { title, modules: ['order.js'] })`
<p class="crumbs">${linkTo(page, 'Jobs', '/employer/jobs')} · ${linkTo(page, job.title, path)}</p>
<div class="head-gap"><h1>${title}</h1><p class="lead gap-1">${lead}</p></div>
${unused.length > 0 && message(html`<p>Paid but not used yet: ${unused.join(', ')}.</p>`, 'good')}
${isTest && message(html`<p>This board uses test payments. You will not be charged.</p>`, 'warn')}
${form.summary()}
${
  offered.length === 0
    ? html`<p>This job already has everything. ${linkTo(page, 'Back to the job', path)}</p>`
    : postForm(
        page,
        `${path}/pay`,
        [
          html`<input type="hidden" name="job_id" value="${job.id}">`,
          html`<div class="flow">${post && renderPost(post, view)}${upgrades.length > 0 && renderUpgrades(upgrades, view)}${renderBuyer(page, view)}</div>`,
          renderOrder(view),
        ],
        { class: 'split' },
      )
}`
}

function renderPost(post: Product, { isPostNeeded, form }: PayPage): Html {
  const { name, duration_days } = post
  if (isPostNeeded) {
    return html`<section class="panel"><input type="hidden" name="products" value="${JOB_POST}"><div class="row apart"><div><h2 class="h3">${name}, ${duration_days} days</h2><p class="small soft">In search, in email alerts, on your company page and in the feeds.</p></div>${priceOf(post)}</div></section>`
  }
  return html`<section class="panel"><h2>Keep it on the board</h2>${renderChoice(post, form, { name: `${duration_days} more days`, effect: 'Added to the end of the current run.' })}</section>`
}

function renderChoice(product: Product, form: Form, { name, effect }: { name: string; effect: string }): Html {
  const { slug } = product
  const checked = form.values('products').includes(slug)
  return html`<label class="choice"><input${attributes({ type: 'checkbox', name: 'products', value: slug, checked })}><span class="grow upgrade"><span class="row apart"><b>${name}</b>${priceOf(product)}</span><span class="small soft">${effect}</span></span></label>`
}

function renderUpgrades(upgrades: readonly Product[], { job, form }: PayPage): Html {
  return html`<section class="panel"><h2>Make it easier to find</h2><p class="small soft head-gap">Optional. Each lasts as long as the job’s time on the board.</p><fieldset><legend class="hide">Upgrades</legend><div class="flow">${upgrades.map(
    (product) =>
      html`${renderChoice(product, form, { name: product.name, effect: effects[product.slug] ?? '' })}${effects[product.slug] && renderExample(job, product)}`,
  )}</div></fieldset></section>`
}

/** Renders the job's card with an upgrade, as lists show it. */
function renderExample({ title, company, employer_id, location }: PayPage['job'], { slug, name }: Product): Html {
  const tags: Readonly<Record<string, Html>> = {
    featured: html`<p class="job-tags"><span class="tag featured">${icon('star')}Featured</span></p>`,
    urgent: html`<p class="job-tags"><span class="tag urgent">${icon('bolt')}Urgent</span></p>`,
  }
  return html`<div class="shown" role="group" aria-label="${name}: example"><article class="job${slug !== 'urgent' && ` is-${slug}`}">${logo({ id: employer_id, name: company })}
<div>${tags[slug]}<p class="job-title strong">${title}</p><p class="job-by"><b>${company}</b><span>${location}</span></p></div></article></div>`
}

const withBreaks = (lines: readonly string[]): Html =>
  html`${lines.map((line, n) => html`${n > 0 && html`<br>`}${line}`)}`

/** Shows who the invoice is for. Employers without an address are asked for one. */
function renderBuyer(page: PageContext, { buyer }: PayPage): Html {
  const lines = [buyer.name, ...(buyer.address ?? '').split('\n'), buyer.vat_id ?? ''].filter((line) => line !== '')
  const change = buyer.address === null ? 'Add billing address' : 'Change billing details'
  return html`<section class="panel"><h2 class="h3">Your invoice</h2><p class="small">${withBreaks(lines)}</p><p class="small">${page.may('GET', '/employer/profile') && html`<a href="/employer/profile#billing">${change}</a>`}</p></section>`
}

/** The script `order.js` shows and hides the lines, and computes the total in the same way. */
function renderOrder({ offered, isPostNeeded, isManual, billing, form }: PayPage): Html {
  const chosen = new Set(form.values('products'))
  if (isPostNeeded) chosen.add(JOB_POST)
  const { currency } = offered.find(({ slug }) => chosen.has(slug)) ?? offered[0]!
  const { vat_rate, prices_include_vat } = billing
  const prices = offered.filter(({ slug }) => chosen.has(slug)).map(({ amount }) => amount)
  const { vat, total } = totalOf(prices, billing)
  const sum = formatAmount(total, currency)
  const order = attributes({
    'data-order': currency,
    'data-digits': minorDigits(currency),
    'data-vat': vat_rate === null ? undefined : Math.round(vat_rate * 100),
    'data-included': prices_include_vat ? 'true' : undefined,
  })
  return html`<aside class="panel stick flow" aria-label="Your order"${order}><h2>Your order</h2><table class="sum"><caption class="hide">What you pay</caption><tbody>${offered.map(
    ({ slug, name, ...product }) =>
      html`<tr${attributes({ 'data-product': slug, 'data-amount': product.amount, hidden: !chosen.has(slug) })}><th scope="row">${name}</th><td>${formatAmount(product.amount, product.currency)}</td></tr>`,
  )}${
    vat_rate !== null &&
    html`<tr><th scope="row">${prices_include_vat && 'Includes '}${vatName(vat_rate)}</th><td data-vat-sum>${formatAmount(vat, currency)}</td></tr>`
  }</tbody><tfoot><tr><th scope="row">Total</th><td data-total aria-live="polite">${sum}</td></tr></tfoot></table>
${button('Go to checkout', { class: 'big full wide-only' })}${button('Update total', { variant: 'quiet', class: 'full', name: '_do', value: 'sum' })}
<p class="small soft">${isManual && takesTransfers(billing) && 'You pay by bank transfer. The next page shows the details. '}You get a receipt by email. Nothing renews by itself.</p></aside>
<div class="apply-bar phone-only" role="region" aria-label="Total"><span><b class="price" data-total>${sum}</b>${vat_rate !== null && html`<br><span class="tiny soft">with VAT</span>`}</span>${button('Go to checkout')}</div>`
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
  /** True if the prices of the lines include VAT. */
  isVatIncluded: boolean
  /** How to pay by bank transfer. Undefined if nothing is due, or if a payment service takes the payment. */
  transfer: readonly (readonly [label: string, value: string])[] | undefined
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
  { payment, lines, isVatIncluded, transfer, title, isJobThere, isReady, company }: ReceiptView,
): Html {
  const { id, job_id, status, currency, amount, checkout_url, created_at, paid_at, provider } = payment
  const { reference, invoice_number, vat_rate, vat_amount } = payment
  const vatNote =
    isVatIncluded && vat_rate !== null ? [{ name: `Includes ${vatName(vat_rate)}`, amount: vat_amount }] : []
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
    html`<h2>Next</h2><p>Your job post is paid for. You can put the job on the board now.</p>${actionButton(page, { action: `/employer/jobs/${job_id}/activate`, text: 'Post job', variant: 'primary' })}`,
    { class: 'panel next-step' },
  )
}
${transfer && isJobThere && card(html`<h2>Pay by bank transfer</h2><p>Include the payment reference, so that we can match your payment. Your job is updated when the operator records it.</p>${facts(transfer.map(([label, value]) => [label, withBreaks(value.split('\n'))]))}`, { class: 'panel next-step' })}
${checkout_url !== null && isJobThere && !transfer && card(html`<h2>Not paid yet</h2><p>Complete the payment at checkout.</p>${buttonLink('Go to checkout', pathOf(checkout_url, page), 'primary')}`, { class: 'panel next-step' })}
${card([
  facts([
    ['Number', invoice_number],
    ['Payment reference', html`<code>${reference}</code>`],
    ['Company', company],
    ['Job', job],
    ['Started', moment(created_at)],
    ['Paid', paid_at && moment(paid_at)],
  ]),
  dataTable('Products', { rows: [...lines, ...vatNote, { name: 'Total', amount }], numbers: ['Price'] }, (line) => ({
    Product: line.name,
    Price: formatAmount(line.amount, currency),
  })),
  invoice_number !== null &&
    html`<p class="no-print gap-2">${buttonLink('Download PDF', `/employer/payments/${id}/invoice`)}</p>`,
])}`
}
