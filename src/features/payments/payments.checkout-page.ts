/** Layout of the checkout page: the order and the payment method, side by side. A banner marks test payments. */
import { escapeHtml } from '../../lib/html.ts'

export const testBanner = '<p class="test"><b>Test payment.</b> No money is charged on this page.</p>'

/**
 * Renders a picture of a card form. The picture contains no inputs, so that nobody can enter a real card number, and no
 * text, so that screen readers do not present it as a form.
 */
export function renderTestCard(): string {
  const field = (label: string, value: string) => `<i data-label="${label}" data-value="${value}"></i>`
  return `<div class="panel" role="img" aria-label="Sample card form without fields">
${field('Card number', '0000 0000 0000 0000')}${field('Expires', '00 / 00')}${field('Security code', '000')}${field('Name on card', 'NOBODY, THIS IS A TEST')}</div>`
}

export function renderCheckoutPage(title: string, main: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style></head><body><main>${main}</main></body></html>`
}

const STYLE = `
:root{--text:#1c1e21;--soft:#5b6068;--page:#f3f4f6;--sheet:#fff;--line:#d9dce1;--action:#0b5cad;--on-action:#fff;--test:#ffe08a;--on-test:#2b2100;--mark:#7a5c00}
@media (prefers-color-scheme:dark){:root{--text:#eceef1;--soft:#a9aeb7;--page:#131416;--sheet:#1e2023;--line:#3a3d43;--action:#8cc1ff;--on-action:#06213f;--mark:#e6bb2e}}
*{box-sizing:border-box}
body{margin:0;overflow-x:clip;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page)}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem;display:grid;gap:1rem 1.5rem;grid-template-columns:minmax(0,1fr)}
.test{position:sticky;top:0;z-index:1;margin:-1.5rem calc(50% - 50vw) .5rem;padding:.9rem 1rem;text-align:center;font-size:1.25rem;
color:var(--on-test);background:var(--test);border-bottom:3px dashed #7a5c00}
section{background:var(--sheet);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem;overflow-wrap:anywhere}
h1{margin:0 0 .25rem;font-size:1.6rem;line-height:1.2}p{margin:.5rem 0}
table{width:100%;border-collapse:collapse;margin:1rem 0 0}th,td{text-align:left;font-weight:400;padding:.55rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-size:.875rem}td:last-child,th:last-child{text-align:right;white-space:nowrap;padding-left:1rem}
.total th,.total td{border:0;padding-top:.9rem;font-size:1.2rem;font-weight:700}
small{color:var(--soft)}.done{border-left:4px solid #2e8b57;padding-left:.9rem}
button{width:100%;font:inherit;font-weight:600;padding:.85rem 1.4rem;border:0;border-radius:.5rem;background:var(--action);color:var(--on-action);cursor:pointer}
button:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
.card{position:relative;overflow:hidden;display:grid;grid-template-columns:1fr 1fr;gap:.9rem;margin:0 0 1.25rem;padding:1rem;border:2px dashed var(--mark);border-radius:.6rem}
.card i{font-style:normal}.card i:first-child,.card i:last-child{grid-column:1/-1}
.card i::before{content:attr(data-label);display:block;font-size:.85rem;color:var(--soft)}
.card i::after{content:attr(data-value);display:block;padding:.55rem .7rem;border:1px solid var(--line);border-radius:.4rem;background:var(--page);color:var(--soft);font-family:ui-monospace,monospace;text-decoration:line-through}
.card::after{content:"TEST" / "";position:absolute;inset:0;display:grid;place-items:center;font-size:clamp(3.5rem,17vw,5.5rem);white-space:nowrap;font-weight:800;letter-spacing:.12em;color:var(--mark);opacity:.3;transform:rotate(-14deg)}
@media (min-width:48rem){main{grid-template-columns:minmax(0,1fr) minmax(0,1fr);align-items:start}.test,.wide{grid-column:1/-1}}
@media print{.test{position:static}}`
