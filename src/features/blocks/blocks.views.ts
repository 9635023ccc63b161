import { t } from '../../locale/messages.ts'
import { button, card, confirmedAction, day, emptyState, listTable, postForm } from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import { type Block, type BlockKind, blockKinds } from './blocks.schemas.ts'

const nameOfKind = (kind: BlockKind) => t(`blocks.kind_${kind}`)

export function renderBlocks(page: PageContext, form: Form, blocks: Listed<Block>): Html {
  const empty = emptyState(t('blocks.none'))
  return htmlPage(page, { title: t('menu.blocks') })`<h1>${t('menu.blocks')}</h1>
<p class="lead">${t('blocks.lead')}</p>
${form.summary()}
${listTable(
  page,
  t('menu.blocks'),
  { found: blocks, empty },
  ({ id, kind, value, reason, created_at, expires_at }) => ({
    [t('blocks.blocked')]: html`<code>${value}</code>`,
    [t('blocks.type')]: nameOfKind(kind),
    [t('shared.reason')]: reason,
    [t('blocks.since')]: day(created_at),
    [t('blocks.until')]: expires_at === null ? html`<span class="soft">${t('blocks.no_end')}</span>` : day(expires_at),
    [t('shared.delete')]: confirmedAction(page, {
      action: `/desk/blocks/${id}/delete`,
      text: t('shared.delete'),
      question: html`<p>${rich('blocks.delete_question', { value })}</p>`,
    }),
  }),
)}
<h2>${t('blocks.new')}</h2>
<div class="narrow">${card(
    postForm(page, '/desk/blocks', [
      form.select('kind', t('blocks.type'), optionsFor(blockKinds, nameOfKind)),
      form.field('value', t('blocks.value'), {
        hint: t('blocks.value_hint'),
        isRequired: true,
        maxlength: 254,
        autocomplete: 'off',
      }),
      form.field('reason', t('shared.reason'), {
        hint: t('blocks.reason_hint'),
        isRequired: true,
        maxlength: 500,
        autocomplete: 'off',
      }),
      form.field('expires_at', t('blocks.until'), { type: 'date', isRequired: false, hint: t('blocks.until_hint') }),
      button(t('blocks.block'), { variant: 'danger' }),
    ]),
  )}</div>`
}
