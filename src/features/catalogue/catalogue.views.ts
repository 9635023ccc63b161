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
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { NamedSlug } from './catalogue.names.ts'
import type { CatalogueKind } from './catalogue.schemas.ts'

type Counted = NamedSlug & { job_count: number }

const titles = { category: 'Categories', type: 'Types' }

interface CataloguePage {
  kind: CatalogueKind
  offered: readonly Counted[]
  /** Slugs that jobs use but that are not in the catalog. */
  others: readonly Counted[]
  form: Form
}

const hidden = (name: string) => html`<span class="hide"> ${name}</span>`

const entryActions = (
  page: PageContext,
  at: string,
  name: string,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Html => html`<div class="row">
${!isFirst && moveButton(page, at, 'up', name)}${!isLast && moveButton(page, at, 'down', name)}
<a href="${at}">Rename${hidden(name)}</a>
${confirmedAction(page, {
  action: `${at}/remove`,
  text: 'Remove',
  question: html`<p>People can no longer choose <b>${name}</b>. Existing jobs do not change.</p>`,
})}</div>`

export function renderCatalogue(page: PageContext, { kind, offered, others, form }: CataloguePage): Html {
  const mayWrite = page.actor?.scopes.includes('admin:write')
  const action = `/desk/catalogue/${kind}`
  const parameter = kind === 'category' ? 'category' : 'job_type'
  const jobs = ({ slug, job_count }: Counted) =>
    job_count === 0 ? 0 : html`<a href="/jobs?${parameter}=${slug}">${job_count}</a>`
  return htmlPage(page, { title: titles[kind] })`<h1>${titles[kind]}</h1>
<p class="lead">Forms for jobs and alerts offer these entries, in this order. The API also accepts other values.</p>
${tabs({ path: kind === 'category' ? '/desk/catalogue' : '/desk/catalogue/type' }, 'Catalog', [
  { href: '/desk/catalogue', text: titles.category },
  { href: '/desk/catalogue/type', text: titles.type },
])}
${form.summary()}
<div class="split">
<div>
${dataTable(
  titles[kind],
  {
    rows: offered,
    numbers: ['Jobs'],
    empty: emptyState('The list is empty', html`<p>Add an entry so that employers can choose it.</p>`),
  },
  (entry, position) => ({
    Name: html`<b>${entry.name}</b><br><code class="small">${entry.slug}</code>`,
    Jobs: jobs(entry),
    ...(mayWrite && {
      Actions: entryActions(page, `${action}/${entry.slug}`, entry.name, {
        isFirst: position === 0,
        isLast: position === offered.length - 1,
      }),
    }),
  }),
)}
${
  others.length > 0 &&
  html`<h2>Used by jobs, but not in the list</h2>
${dataTable('Others', { rows: others, numbers: ['Jobs'] }, (counted) => ({
  Slug: html`<code>${counted.slug}</code>`,
  Jobs: jobs(counted),
  ...(mayWrite && {
    Actions: actionButton(page, {
      action,
      text: `Add as “${counted.name}”`,
      fields: { slug: counted.slug, name: counted.name },
    }),
  }),
}))}`
}
</div>
<aside>${
    mayWrite &&
    card([
      html`<h2>${kind === 'category' ? 'Add a category' : 'Add a type'}</h2>`,
      postForm(page, action, [
        form.field('name', 'Name', { isRequired: true, maxlength: 100, autocomplete: 'off' }),
        form.field('slug', 'Slug', {
          isRequired: false,
          hint: 'Used in URLs and by the API. Leave empty to create it from the name. You cannot change it later.',
          maxlength: 100,
          autocomplete: 'off',
        }),
        button('Add'),
      ]),
    ])
  }</aside>
</div>`
}

const arrows = { up: '↑', down: '↓' }

function moveButton(page: PageContext, at: string, direction: 'up' | 'down', name: string): Html {
  return postForm(
    page,
    `${at}/move`,
    html`<input type="hidden" name="direction" value="${direction}"><button class="btn quiet" type="submit" title="Move ${direction}"><span aria-hidden="true">${arrows[direction]}</span><span class="hide">Move ${name} ${direction}</span></button>`,
    { class: 'inline' },
  )
}

export function renderRenaming(
  page: PageContext,
  { kind, entry, back, form }: { kind: CatalogueKind; entry: NamedSlug; back: string; form: Form },
): Html {
  return htmlPage(page, { title: `Rename ${entry.name}`, width: 'narrow' })`<h1>Rename “${entry.name}”</h1>
${form.summary()}
${card(
  postForm(page, `/desk/catalogue/${kind}/${entry.slug}`, [
    form.field('name', 'Name', { isRequired: true, maxlength: 100, autocomplete: 'off' }),
    html`<p class="hint">The slug <code>${entry.slug}</code> does not change, because jobs and URLs use it.</p>`,
    html`<div class="actions">${button('Save')}${buttonLink('Cancel', back, 'quiet')}</div>`,
  ]),
)}`
}
