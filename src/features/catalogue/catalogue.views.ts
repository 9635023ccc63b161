import { type MessageKey, t } from '../../locale/messages.ts'
import {
  actionButton,
  button,
  buttonLink,
  card,
  confirmedAction,
  dataTable,
  emptyState,
  postForm,
  tabs,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { NamedSlug } from './catalogue.names.ts'
import type { CatalogueKind } from './catalogue.schemas.ts'

type Counted = NamedSlug & { job_count: number }

const titles: Readonly<Record<CatalogueKind, MessageKey>> = {
  category: 'catalogue.categories',
  type: 'catalogue.types',
}

interface CataloguePage {
  kind: CatalogueKind
  offered: readonly Counted[]
  /** Slugs that jobs use but that are not in the catalog. */
  others: readonly Counted[]
  form: Form
}

const entryActions = (
  page: PageContext,
  at: string,
  name: string,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Html => html`<div class="row">
${moveButton(page, at, { direction: 'up', name, disabled: isFirst })}${moveButton(page, at, { direction: 'down', name, disabled: isLast })}
<a href="${at}" aria-label="${t('catalogue.rename_named', { name })}">${t('catalogue.rename')}</a>
${confirmedAction(page, {
  action: `${at}/remove`,
  text: t('shared.remove'),
  question: html`<p>${rich('catalogue.remove_question', { name })}</p>`,
})}</div>`

export function renderCatalogue(page: PageContext, { kind, offered, others, form }: CataloguePage): Html {
  const mayWrite = page.actor?.scopes.includes('admin:write')
  const action = `/desk/catalogue/${kind}`
  const parameter = kind === 'category' ? 'category' : 'job_type'
  const jobs = ({ slug, job_count }: Counted) =>
    job_count === 0 ? 0 : html`<a href="/jobs?${parameter}=${slug}">${job_count}</a>`
  return htmlPage(page, { title: t(titles[kind]) })`<h1>${t(titles[kind])}</h1>
<p class="lead">${t('catalogue.lead')}</p>
${tabs({ path: kind === 'category' ? '/desk/catalogue' : '/desk/catalogue/type' }, t('catalogue.catalog'), [
  { href: '/desk/catalogue', text: t(titles.category) },
  { href: '/desk/catalogue/type', text: t(titles.type) },
])}
${form.summary()}
<div class="split">
<div>
${dataTable(
  t(titles[kind]),
  {
    rows: offered,
    numbers: [t('catalogue.jobs')],
    empty: emptyState(t('catalogue.empty'), html`<p>${t('catalogue.empty_text')}</p>`),
  },
  (entry, position) => ({
    [t('shared.name')]: html`<b>${entry.name}</b><br><code class="small">${entry.slug}</code>`,
    [t('catalogue.jobs')]: jobs(entry),
    ...(mayWrite && {
      [t('catalogue.actions')]: entryActions(page, `${action}/${entry.slug}`, entry.name, {
        isFirst: position === 0,
        isLast: position === offered.length - 1,
      }),
    }),
  }),
)}
${
  others.length > 0 &&
  html`<h2>${t('catalogue.others_title')}</h2>
${dataTable(t('catalogue.others'), { rows: others, numbers: [t('catalogue.jobs')] }, (counted) => ({
  [t('catalogue.slug')]: html`<code>${counted.slug}</code>`,
  [t('catalogue.jobs')]: jobs(counted),
  ...(mayWrite && {
    [t('catalogue.actions')]: actionButton(page, {
      action,
      text: t('catalogue.add_as', { name: counted.name }),
      fields: { slug: counted.slug, name: counted.name },
    }),
  }),
}))}`
}
</div>
<aside>${
    mayWrite &&
    card([
      html`<h2>${t(kind === 'category' ? 'catalogue.add_category' : 'catalogue.add_type')}</h2>`,
      postForm(page, action, [
        form.field('name', t('shared.name'), { isRequired: true, maxlength: 100, autocomplete: 'off' }),
        form.field('slug', t('catalogue.slug'), {
          isRequired: false,
          hint: t('catalogue.slug_hint'),
          maxlength: 100,
          autocomplete: 'off',
        }),
        button(t('shared.add')),
      ]),
    ])
  }</aside>
</div>`
}

const arrows = { up: '↑', down: '↓' }

function moveButton(
  page: PageContext,
  at: string,
  { direction, name, disabled }: { direction: 'up' | 'down'; name: string; disabled: boolean },
): Html {
  return postForm(
    page,
    `${at}/move`,
    html`<input type="hidden" name="direction" value="${direction}"><button class="btn quiet" type="submit" title="${t(`catalogue.move_${direction}`)}"${attributes({ disabled })}><span aria-hidden="true">${arrows[direction]}</span><span class="hide">${t(`catalogue.move_named_${direction}`, { name })}</span></button>`,
    { class: 'inline' },
  )
}

export function renderRenaming(
  page: PageContext,
  { kind, entry, back, form }: { kind: CatalogueKind; entry: NamedSlug; back: string; form: Form },
): Html {
  return htmlPage(page, {
    title: t('catalogue.rename_named', { name: entry.name }),
    width: 'narrow',
  })`<h1>${t('catalogue.rename_title', { name: entry.name })}</h1>
${form.summary()}
${card(
  postForm(page, `/desk/catalogue/${kind}/${entry.slug}`, [
    form.field('name', t('shared.name'), { isRequired: true, maxlength: 100, autocomplete: 'off' }),
    html`<p class="hint">${rich('catalogue.slug_stays', { slug: html`<code>${entry.slug}</code>` })}</p>`,
    html`<div class="actions">${button(t('shared.save'))}${buttonLink(t('shared.cancel'), back, 'quiet')}</div>`,
  ]),
)}`
}
