/** Layout of the checkout page: the order beside the payment method. A banner marks test payments. */
import { escapeHtml } from '../../lib/html.ts'
import { t } from '../../locale/messages.ts'
import { type BoardFace, renderPage } from '../../pages/plain-page.ts'
import { rich } from '../../pages/text.ts'

export const testBanner = (): string => `<p class="test">${rich('payments.test_banner')}</p>`

/**
 * Renders a picture of a card form. The picture contains no inputs, so that no one enters a real card number. It
 * contains no text, so that screen readers do not present it as a form.
 */
export function renderTestCard(): string {
  const field = (label: 'number' | 'expires' | 'code' | 'name', value: string) =>
    `<i data-label="${escapeHtml(t(`payments.card_${label}`))}" data-value="${escapeHtml(value)}"></i>`
  return `<div class="card" role="img" aria-label="${escapeHtml(t('payments.sample_card'))}">
${field('number', '0000 0000 0000 0000')}${field('expires', '00 / 00')}${field('code', '000')}${field('name', t('payments.card_nobody'))}</div>`
}

export function renderCheckoutPage(face: BoardFace, page: { title: string; body: string; banner?: string }): string {
  return renderPage(face, { ...page, main: 'order', style: STYLE })
}

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
