import { type Billing, takesTransfers, totalOf } from '../../lib/billing.ts'
import { minorDigits } from '../../lib/money.ts'
import { formatDay, formatList } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
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
  listTable,
  logo,
  message,
  moment,
  postForm,
  type Tone,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { sentences } from '../../pages/text.ts'
import { JOB_POST } from '../jobs/index.ts'
import { describeAmount } from './payments.amounts.ts'
import { productName } from './payments.present.ts'
import type { Payment, Product } from './payments.schemas.ts'

const tones: Record<Payment['status'], Tone> = {
  pending: 'warn',
  paid: 'good',
  failed: 'bad',
  expired: 'plain',
  refunded: 'plain',
}
export const statusBadge = (status: Payment['status']) => badge(t(`payments.status_${status}`), tones[status])

const pathOf = (url: string, { origin }: PageContext) => url.slice(origin.length)

interface PayPage {
  job: { id: string; title: string; company: string; location: string }
  /** True if the job is on the board or closed. A post then extends its run. */
  isRunning: boolean
  /** When the job will be published. Null if no publication is planned. */
  plannedFor: string | null
  /** When the job ends, if its employer chose a date. Null if the post determines it. */
  endsAt: string | null
  /** Products that the job can still use. */
  offered: readonly Product[]
  /** True if the order must contain the post. */
  isPostNeeded: boolean
  /** Names of products that are paid for but unused. */
  unused: readonly string[]
  isTest: boolean
  /** True if the operator records payments and there is no payment service. */
  isManual: boolean
  billing: Billing
  /** The employer's details for the invoice. */
  buyer: { name: string; address: string | null; vat_id: string | null }
  /** Shown above the order. */
  warning: Content
  form: Form
}

/** Returns a short description of the effect of an upgrade, or undefined for any other product. */
const effectOf = (slug: string): string | undefined =>
  slug === 'featured' || slug === 'highlighted' || slug === 'urgent' ? t(`payments.effect_${slug}`) : undefined

const priceOf = ({ amount, currency }: Pick<Product, 'amount' | 'currency'>) =>
  html`<b class="price">${describeAmount(amount, currency)}</b>`

/** Renders the order page: the post, the upgrades with an example of each, and the total. */
export function renderPay(page: PageContext, view: PayPage): Html {
  const { job, isRunning, plannedFor, endsAt, offered, isPostNeeded, unused, isTest, isManual, warning, form } = view
  const path = `/employer/jobs/${job.id}`
  const post = offered.find(({ slug }) => slug === JOB_POST)
  const upgrades = offered.filter(({ slug }) => slug !== JOB_POST)
  const title = t(`payments.title_${isRunning ? 'extend' : isPostNeeded ? 'post' : 'upgrade'}`)
  const days = post?.duration_days ?? 0
  const end = endsAt ? formatDay(endsAt) : 'none'
  const lead = isPostNeeded
    ? plannedFor
      ? t('payments.lead_planned', { days, end, day: formatDay(plannedFor) })
      : t(isManual ? 'payments.lead_post_manual' : 'payments.lead_post', { days, end })
    : isRunning
      ? t(isManual ? 'payments.lead_running_manual' : 'payments.lead_running')
      : t('payments.lead_draft')
  return htmlPage(page, { title, modules: ['order.js'] })`
<ol class="crumbs"><li>${linkTo(page, t('menu.jobs'), '/employer/jobs')}</li><li>${linkTo(page, job.title, path)}</li></ol>
<div class="head-gap"><h1>${title}</h1><p class="lead gap-1">${lead}</p></div>
${unused.length > 0 && message(html`<p>${t('payments.unused', { products: formatList(unused) })}</p>`, 'good')}
${isTest && message(html`<p>${t('payments.test_board')}</p>`, 'warn')}
${warning}
${form.summary()}
${
  offered.length === 0
    ? html`<p>${sentences(t('payments.nothing_left'), linkTo(page, t('payments.back_to_job'), path))}</p>`
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
  const { duration_days: days } = post
  const name = productName(post)
  if (isPostNeeded) {
    return html`<section class="panel"><input type="hidden" name="products" value="${JOB_POST}"><div class="row apart"><div><h2 class="h3">${t('payments.product_days', { name, days })}</h2><p class="small soft">${t('payments.post_reach')}</p></div>${priceOf(post)}</div></section>`
  }
  return html`<section class="panel"><h2>${t('payments.keep')}</h2>${renderChoice(post, form, { name: t('payments.more_days', { days }), effect: t('payments.added') })}</section>`
}

function renderChoice(product: Product, form: Form, { name, effect }: { name: string; effect: string }): Html {
  const { slug } = product
  const checked = form.values('products').includes(slug)
  return html`<label class="choice"><input${attributes({ type: 'checkbox', name: 'products', value: slug, checked })}><span class="grow upgrade"><span class="row apart"><b>${name}</b>${priceOf(product)}</span><span class="small soft">${effect}</span></span></label>`
}

function renderUpgrades(upgrades: readonly Product[], { job, form }: PayPage): Html {
  return html`<section class="panel"><h2>${t('payments.easier')}</h2><p class="small soft head-gap">${t('payments.optional')}</p><fieldset><legend class="hide">${t('payments.upgrades')}</legend><div class="flow">${upgrades.map(
    (product) =>
      html`${renderChoice(product, form, { name: productName(product), effect: effectOf(product.slug) ?? '' })}${effectOf(product.slug) && renderExample(job, product)}`,
  )}</div></fieldset></section>`
}

/** Renders the job's card as lists show it with an upgrade. */
function renderExample({ title, company, location }: PayPage['job'], product: Product): Html {
  const { slug } = product
  const tags: Readonly<Record<string, Html>> = {
    featured: html`<p class="job-tags"><span class="tag featured">${icon('star')}${t('payments.featured')}</span></p>`,
    urgent: html`<p class="job-tags"><span class="tag urgent">${icon('bolt')}${t('payments.urgent')}</span></p>`,
  }
  return html`<div class="shown" role="group" aria-label="${t('payments.example', { name: productName(product) })}"><article class="job${slug !== 'urgent' && ` is-${slug}`}">${logo({ name: company })}
<div>${tags[slug]}<p class="job-title strong">${title}</p><p class="job-by"><b>${company}</b><span>${location}</span></p></div></article></div>`
}

const withBreaks = (lines: readonly string[]): Html =>
  html`${lines.map((line, n) => html`${n > 0 && html`<br>`}${line}`)}`

/** Shows who the invoice is for. Asks employers without an address for one. */
function renderBuyer(page: PageContext, { buyer }: PayPage): Html {
  const lines = [buyer.name, ...(buyer.address ?? '').split('\n'), buyer.vat_id ?? ''].filter((line) => line !== '')
  const change = t(buyer.address === null ? 'payments.add_billing' : 'payments.change_billing')
  return html`<section class="panel"><h2 class="h3">${t('payments.your_invoice')}</h2><p class="small">${withBreaks(lines)}</p><p class="small">${page.may('GET', '/employer/profile') && html`<a href="/employer/profile#billing">${change}</a>`}</p></section>`
}

/**
 * Renders the lines of the order. The script `order.js` shows and hides them, and computes the total in the same way.
 */
function renderOrder({ offered, isPostNeeded, isManual, billing, form }: PayPage): Html {
  const chosen = new Set(form.values('products'))
  if (isPostNeeded) chosen.add(JOB_POST)
  const { currency } = offered.find(({ slug }) => chosen.has(slug)) ?? offered[0]!
  const { vat_rate, prices_include_vat } = billing
  const prices = offered.filter(({ slug }) => chosen.has(slug)).map(({ amount }) => amount)
  const { vat, total } = totalOf(prices, billing)
  const sum = describeAmount(total, currency)
  const order = attributes({
    'data-order': currency,
    'data-digits': minorDigits(currency),
    'data-vat': vat_rate === null ? undefined : Math.round(vat_rate * 100),
    'data-included': prices_include_vat ? 'true' : undefined,
  })
  return html`<aside class="panel stick flow" aria-label="${t('payments.your_order')}"${order}><h2>${t('payments.your_order')}</h2><table class="sum"><caption class="hide">${t('payments.what_you_pay')}</caption><tbody>${offered.map(
    (product) =>
      html`<tr${attributes({ 'data-product': product.slug, 'data-amount': product.amount, hidden: !chosen.has(product.slug) })}><th scope="row">${productName(product)}</th><td>${describeAmount(product.amount, product.currency)}</td></tr>`,
  )}${
    vat_rate !== null &&
    html`<tr><th scope="row">${t(prices_include_vat ? 'payments.includes_vat' : 'payments.vat', { rate: vat_rate })}</th><td data-vat-sum>${describeAmount(vat, currency)}</td></tr>`
  }</tbody><tfoot><tr><th scope="row">${t('payments.total')}</th><td data-total aria-live="polite">${sum}</td></tr></tfoot></table>
${button(t('payments.checkout'), { class: 'big full wide-only' })}${button(t('payments.update_total'), { variant: 'quiet', class: 'full', name: '_do', value: 'sum' })}
<p class="small soft">${sentences(isManual && takesTransfers(billing) && t('payments.by_transfer'), t('payments.receipt_note'))}</p></aside>
<div class="apply-bar phone-only" role="region" aria-label="${t('payments.total')}"><span><b class="price" data-total>${sum}</b>${vat_rate !== null && html`<br><span class="tiny soft">${t('payments.with_vat')}</span>`}</span>${button(t('payments.checkout'))}</div>`
}

/** Renders the list of the employer's payments. `found` is undefined if the query was invalid. */
export function renderPayments(
  page: PageContext,
  form: Form,
  found: Listed<Payment & { title: string }> | undefined,
): Html {
  const empty = emptyState(
    t(page.path.includes('status') ? 'payments.none_found' : 'payments.none_yet'),
    html`<p>${t('payments.none_hint')} <a href="/employer/jobs">${t('payments.your_jobs')}</a></p>`,
  )
  return htmlPage(page, { title: t('menu.payments') })`<h1>${t('menu.payments')}</h1>
${form.summary()}
${listTable(page, t('menu.payments'), { found, numbers: [t('payments.amount')], empty }, (row) => ({
  [t('payments.started')]: day(row.created_at),
  [t('payments.job')]: linkTo(page, row.title, `/employer/jobs/${row.job_id}`),
  [t('payments.products')]: formatList(row.products),
  [t('payments.amount')]: describeAmount(row.amount, row.currency),
  [t('payments.status')]: statusBadge(row.status),
  [t('payments.details')]:
    html`<a href="/employer/payments/${row.id}">${t(row.status === 'paid' || row.status === 'refunded' ? 'payments.receipt' : 'payments.details')}</a>`,
}))}`
}

interface ReceiptView {
  payment: Payment
  lines: readonly { name: string; amount: number }[]
  /** The VAT that the prices of the lines include, if any. */
  includedVat: ReceiptView['lines']
  /** Instructions for a bank transfer, if `findTransfer` returns any. */
  transfer: readonly (readonly [label: string, value: string])[] | undefined
  title: string
  /** False if the job has been deleted. */
  isJobThere: boolean
  /** True if the employer can activate the job now. */
  isReady: boolean
  company: string
}

/** Renders one payment: the amount due, or a printable receipt. */
export function renderReceipt(
  page: PageContext,
  { payment, lines, includedVat, transfer, title, isJobThere, isReady, company }: ReceiptView,
): Html {
  const { id, job_id, status, currency, amount, checkout_url, created_at, paid_at, provider } = payment
  const { reference, invoice_number } = payment
  const isReceipt = status === 'paid' || status === 'refunded'
  const job = isJobThere
    ? linkTo(page, title, `/employer/jobs/${job_id}`)
    : html`${t('payments.job_deleted', { title })}`
  const heading = t(isReceipt ? 'payments.receipt' : 'payments.payment')
  return htmlPage(page, { title: heading, width: 'narrow' })`
<p class="crumbs no-print"><a href="/employer/payments">${t('menu.payments')}</a></p>
<div class="row page-head"><h1>${heading}</h1>${statusBadge(status)}</div>
${provider === 'test' && message(html`<p>${t('payments.test_payment')}</p>`, 'warn')}
${
  isReady &&
  page.may('POST', `/employer/jobs/${job_id}/activate`) &&
  card(
    html`<h2>${t('payments.next')}</h2><p>${t('payments.ready')}</p>${actionButton(page, { action: `/employer/jobs/${job_id}/activate`, text: t('payments.post_job'), variant: 'primary' })}`,
    { class: 'panel next-step' },
  )
}
${transfer && isJobThere && card(html`<h2>${t('payments.pay_transfer')}</h2><p>${t('payments.transfer_hint')}</p>${facts(transfer.map(([label, value]) => [label, withBreaks(value.split('\n'))]))}`, { class: 'panel next-step' })}
${checkout_url !== null && isJobThere && !transfer && card(html`<h2>${t('payments.status_pending')}</h2><p>${t('payments.complete')}</p>${buttonLink(t('payments.checkout'), pathOf(checkout_url, page), 'primary')}`, { class: 'panel next-step' })}
${card([
  facts([
    [t('payments.number'), invoice_number],
    [t('payments.reference'), html`<code>${reference}</code>`],
    [t('payments.company'), company],
    [t('payments.job'), job],
    [t('payments.started'), moment(created_at)],
    [t('payments.status_paid'), paid_at && moment(paid_at)],
  ]),
  dataTable(
    t('payments.products'),
    { rows: [...lines, ...includedVat, { name: t('payments.total'), amount }], numbers: [t('payments.price')] },
    (line) => ({
      [t('payments.product')]: line.name,
      [t('payments.price')]: describeAmount(line.amount, currency),
    }),
  ),
  invoice_number !== null &&
    html`<p class="no-print gap-2">${buttonLink(t('payments.download'), `/employer/payments/${id}/invoice`)}</p>`,
])}`
}
