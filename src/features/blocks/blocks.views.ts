import {
  button,
  confirmedAction,
  day,
  emptyState,
  faultSummary,
  field,
  type PageNumbers,
  pagination,
  postForm,
  select,
  table,
} from '../../pages/components.ts'
import { deskTabs } from '../../pages/desk.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { Block, BlockKind } from './blocks.schemas.ts'

const kindNames: Record<BlockKind, string> = {
  address: 'Email address',
  email_domain: 'Email domain',
  network: 'Network',
}

export function renderBlocks(
  page: PageContext,
  form: Form,
  blocks: readonly Block[],
  { total, page: number = 1, pages = 1 }: { total: number; page?: number; pages?: number },
): Html {
  return renderDocument(
    page,
    { title: 'Blocks' },
    html`${deskTabs(page)}
<h1>Blocks</h1>
<p class="lead">A blocked email address cannot register, sign in or receive emails. A blocked network cannot use the board at all. Blocks take effect within two seconds.</p>
${faultSummary(form)}
${
  blocks.length === 0
    ? emptyState('Nothing is blocked')
    : table(
        'Blocks',
        [
          { title: 'Blocked', cell: ({ value }: Block) => html`<code>${value}</code>` },
          { title: 'Type', cell: ({ kind }: Block) => kindNames[kind] },
          { title: 'Reason', cell: ({ reason }: Block) => reason },
          { title: 'Since', cell: ({ created_at }: Block) => day(created_at) },
          {
            title: 'Until',
            cell: ({ expires_at }: Block) =>
              expires_at === null ? html`<span class="soft">no end date</span>` : day(expires_at),
          },
          {
            title: 'Delete',
            cell: ({ id, value }: Block) =>
              confirmedAction(page, {
                action: `/desk/blocks/${id}/delete`,
                text: 'Delete',
                question: html`<p>Stop blocking <b>${value}</b>?</p>`,
              }),
          },
        ],
        blocks,
      )
}
${pagination(page, { total, page: number, pages } satisfies PageNumbers)}
<h2>New block</h2>
${postForm(page, '/desk/blocks', [
  select({
    form,
    name: 'kind',
    label: 'Type',
    options: Object.entries(kindNames).map(([value, text]) => ({ value, text })),
  }),
  field({
    form,
    name: 'value',
    label: 'Email address, domain or network',
    hint: 'For example name@example.com, example.com (with its subdomains), 203.0.113.7 or 203.0.113.0/24.',
    isRequired: true,
    more: { maxlength: 254, autocomplete: 'off' },
  }),
  field({
    form,
    name: 'reason',
    label: 'Reason',
    hint: 'For the activity log.',
    isRequired: true,
    more: { maxlength: 500, autocomplete: 'off' },
  }),
  field({ form, name: 'expires_at', label: 'Until', type: 'date', hint: 'Leave empty to block for good.' }),
  button('Block', { variant: 'danger' }),
])}`,
  )
}
