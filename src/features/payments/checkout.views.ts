/** The checkout page: the order beside the payment method. A banner marks test payments. */
import { referenceOf } from '../../lib/billing.ts'
import { t } from '../../locale/messages.ts'
import { type Html, html } from '../../pages/html.ts'
import { type BoardFace, renderPage } from '../../pages/plain-page.ts'
import { rich } from '../../pages/text.ts'
import type { findTransfer } from './invoices.service.ts'
import { describeAmount } from './payments.amounts.ts'
import type { PaymentRow } from './payments.queries.ts'
import { includedVatLineOf } from './payments.vat.ts'

export interface CheckoutView {
  payment: PaymentRow
  /** Undefined if the job was deleted. */
  jobTitle: string | undefined
  lines: { name: string; amount: number }[]
  by: 'test' | 'house' | 'hand'
  transfer: Awaited<ReturnType<typeof findTransfer>>
  /** The reason why the payer should not complete a pending payment. */
  obstacle: string | undefined
  /** Error message if the external payment service was unavailable. */
  failure: string | undefined
  hasWebsite: boolean
}

export function renderCheckout(face: BoardFace, view: CheckoutView): string {
  const { payment, jobTitle, lines, by, obstacle, failure, hasWebsite } = view
  const { amount, currency, id, job_id } = payment
  const title = t('payments.checkout_title')
  const row = ({ name, amount: price }: CheckoutView['lines'][number]) =>
    html`<tr><td>${name}</td><td>${describeAmount(price, currency)}</td></tr>`
  const toJob =
    jobTitle !== undefined && html`<p><a href="/employer/jobs/${job_id}">${t('payments.back_to_job')}</a></p>`
  const body = html`<section><h1>${title}</h1><p>${jobTitle === undefined ? rich('payments.for_deleted_job') : rich('payments.for_job', { title: jobTitle })}</p>
<table><thead><tr><th scope="col">${t('payments.product')}</th><th scope="col">${t('payments.price')}</th></tr></thead><tbody>${lines.map(row)}
<tr class="total"><th scope="row">${t('payments.total')}</th><td>${describeAmount(amount, currency)}</td></tr>${includedVatLineOf(payment).map(row)}</tbody></table></section>
<section>${failure && html`<p role="alert"><b>${failure}</b></p>`}${obstacle ? html`<p role="status">${obstacle}</p>` : renderNext(view)}<p><small>${t('payments.reference_note', { reference: referenceOf(id) })}</small></p>${hasWebsite && html`${toJob}<p><a href="/employer/payments/${id}">${t('payments.to_payment')}</a></p>`}</section>`
  const banner = by === 'test' ? html`<p class="test">${rich('payments.test_banner')}</p>` : undefined
  return renderCheckoutPage(face, title, body, banner)
}

/** Renders the way to pay a pending payment, or the result of another payment. */
function renderNext({ payment: { id, status }, by, transfer }: CheckoutView): Html {
  if (status === 'paid') return html`<p role="status" class="done">${rich('payments.thanks')}</p>`
  if (status === 'refunded') return html`<p role="status">${t('payments.was_refunded')}</p>`
  if (status !== 'pending') {
    return html`<p>${t(status === 'failed' ? 'payments.ended_failed' : 'payments.ended_expired')}</p>`
  }
  const pay = (text: string) => html`<form method="post"><button type="submit">${text}</button></form>`
  if (by === 'test') return html`${renderTestCard()}${pay(t('payments.pay_test'))}`
  if (by === 'house')
    return html`${pay(t('payments.continue'))}
<p><small>${t('payments.stripe_note')}</small></p>`
  if (!transfer) return html`<p>${rich('payments.manual_note', { reference: referenceOf(id) })}</p>`
  const withBreaks = (text: string) => text.split('\n').map((line, n) => [n > 0 && html`<br>`, line])
  return html`<h2>${t('payments.pay_transfer')}</h2><p>${t('payments.transfer_short')}</p><dl>${transfer.map(([label, value]) => html`<dt>${label}</dt><dd>${withBreaks(value)}</dd>`)}</dl>`
}

export function renderUnknown(face: BoardFace): string {
  const title = t('payments.link_not_found')
  const body = html`<section class="wide"><h1>${title}</h1><p>${t('payments.link_invalid')}</p></section>`
  return renderCheckoutPage(face, title, body)
}

/**
 * Renders a picture of a card form. The picture contains no inputs, so that no one enters a real card number. It
 * contains no text, so that screen readers do not present it as a form.
 */
function renderTestCard(): Html {
  const field = (label: 'number' | 'expires' | 'code' | 'name', value: string) =>
    html`<i data-label="${t(`payments.card_${label}`)}" data-value="${value}"></i>`
  return html`<div class="card" role="img" aria-label="${t('payments.sample_card')}">
${field('number', '0000 0000 0000 0000')}${field('expires', '00 / 00')}${field('code', '000')}${field('name', t('payments.card_nobody'))}</div>`
}

const renderCheckoutPage = (face: BoardFace, title: string, body: Html, banner?: Html): string =>
  renderPage(face, { title, body, banner, main: 'order', style: STYLE })

const STYLE = `
:root{--test:#ffe08a;--on-test:#2b2100;--mark:#7a5c00}
@media (prefers-color-scheme:dark){:root{--mark:#e6bb2e}}
.top,.order,.foot{max-width:60rem}.order{margin:0 auto;display:grid;gap:1rem 1.5rem;grid-template-columns:minmax(0,1fr)}
.test{position:sticky;top:0;z-index:1;margin:-2rem -1rem 1.5rem;padding:.9rem 1rem;text-align:center;font-size:1.25rem;
color:var(--on-test);background:var(--test);border-bottom:3px dashed #7a5c00}
section{background:var(--surface);border:1px solid var(--line);border-radius:1rem;padding:1.25rem;overflow-wrap:anywhere}
p{margin:.5rem 0}dt{margin-top:.6rem;color:var(--soft);font-size:.875rem}dd{margin:0;font-weight:600}h2{margin:0 0 .5rem;font-size:1.2rem}
table{width:100%;border-collapse:collapse;margin:1rem 0 0}th,td{text-align:left;font-weight:400;padding:.55rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-size:.875rem}td:last-child,th:last-child{text-align:right;white-space:nowrap;padding-left:1rem}
.total th,.total td{border:0;padding-top:.9rem;font-size:1.2rem;font-weight:700}
.done{border-left:4px solid #2e8b57;padding-left:.9rem}
button{width:100%}
.card{position:relative;overflow:hidden;display:grid;grid-template-columns:1fr 1fr;gap:.9rem;margin:0 0 1.25rem;padding:1rem;border:2px dashed var(--mark);border-radius:.6rem}
.card i{font-style:normal}.card i:first-child,.card i:last-child{grid-column:1/-1}
.card i::before{content:attr(data-label);display:block;font-size:.85rem;color:var(--soft)}
.card i::after{content:attr(data-value);display:block;padding:.55rem .7rem;border:1px solid var(--line);border-radius:.4rem;background:var(--paper);color:var(--soft);font-family:ui-monospace,monospace;text-decoration:line-through}
.card::after{content:"TEST" / "";position:absolute;inset:0;display:grid;place-items:center;font-size:clamp(3.5rem,17vw,5.5rem);white-space:nowrap;font-weight:800;letter-spacing:.12em;color:var(--mark);opacity:.3;transform:rotate(-14deg)}
@media (min-width:48rem){.order{grid-template-columns:minmax(0,1fr) minmax(0,1fr);align-items:start}.wide{grid-column:1/-1}}
@media print{.test{position:static}}`
