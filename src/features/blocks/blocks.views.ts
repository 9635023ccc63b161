import { button, confirmedAction, dataTable, day, emptyState, pagination, postForm } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import type { Block, BlockKind } from './blocks.schemas.ts'

const kindNames: Record<BlockKind, string> = {
  address: 'Email address',
  email_domain: 'Email domain',
  network: 'Network',
}

export function renderBlocks(page: PageContext, form: Form, blocks: Listed<Block>): Html {
  const empty = emptyState('Nothing is blocked')
  return htmlPage(page, { title: 'Blocks' })`<h1>Blocks</h1>
<p class="lead">A blocked email address cannot be used to register or sign in, and receives no emails. All requests from a blocked network are refused. Blocks take effect within two seconds.</p>
${form.summary()}
${dataTable('Blocks', { rows: blocks.items, empty }, ({ id, kind, value, reason, created_at, expires_at }) => ({
  Blocked: html`<code>${value}</code>`,
  Type: kindNames[kind],
  Reason: reason,
  Since: day(created_at),
  Until: expires_at === null ? html`<span class="soft">no end date</span>` : day(expires_at),
  Delete: confirmedAction(page, {
    action: `/desk/blocks/${id}/delete`,
    text: 'Delete',
    question: html`<p>Stop blocking <b>${value}</b>?</p>`,
  }),
}))}
${pagination(page, blocks.pagination)}
<h2>New block</h2>
${postForm(page, '/desk/blocks', [
  form.select('kind', 'Type', kindNames),
  form.field('value', 'Email address, domain or network', {
    hint: 'For example, name@example.com, example.com (with its subdomains), 203.0.113.7 or 203.0.113.0/24.',
    isRequired: true,
    maxlength: 254,
    autocomplete: 'off',
  }),
  form.field('reason', 'Reason', {
    hint: 'For the activity log.',
    isRequired: true,
    maxlength: 500,
    autocomplete: 'off',
  }),
  form.field('expires_at', 'Until', { type: 'date', hint: 'Leave empty for a permanent block.' }),
  button('Block', { variant: 'danger' }),
])}`
}
