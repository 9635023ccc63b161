import { formatNumber } from '../../lib/numbers.ts'
import { button, emptyState, logo, pagination, withQuery } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import type { Employer } from './employers.schemas.ts'
import { letters, OTHER_LETTERS } from './employers.schemas.ts'

export const openJobs = (count: number) => (count === 1 ? 'One open job' : `${formatNumber(count)} open jobs`)

const companiesOf = (count: number) => (count === 1 ? 'One company' : `${formatNumber(count)} companies`)

interface DirectoryView {
  form: Form
  industries: readonly string[]
  /** Undefined if the query was invalid. The form shows the reason. */
  found?: { items: readonly Employer[]; meta: { pagination: PageNumbers & { total: number } } }
}

export function renderDirectory(page: PageContext, { form, industries, found }: DirectoryView): Html {
  const number = found?.meta.pagination.page ?? 1
  const isFiltered = ['name', 'letter', 'industry', 'location', 'all'].some((name) => form.value(name) !== '')
  return htmlPage(page, {
    title: 'Companies',
    description: 'Companies that are hiring, with their open jobs.',
    canonical: number > 1 && !isFiltered ? `/companies?page=${number}` : '/companies',
  })`<h1>Companies</h1>
${form.summary()}
<form class="search" action="/companies" role="search">
${form.field('name', 'Name', { hint: 'The beginning of any word', maxlength: 200 })}
${form.field('location', 'Where', { hint: 'City or country', maxlength: 200 })}
${form.select(
  'industry',
  'Industry',
  ['', ...withChosen(industries, form.value('industry'))].map((value) => ({ value, text: value || 'Any' })),
)}
${button('Search')}</form>
${renderLetters(page, form.value('letter'))}
${found && renderFound(page, form, found)}`
}

/** Keeps an industry in the list that was chosen by a link, and is not frequent. */
function withChosen(industries: readonly string[], chosen: string): readonly string[] {
  const isKnown = chosen === '' || industries.some((industry) => industry.toLowerCase() === chosen.toLowerCase())
  return isKnown ? industries : [chosen, ...industries]
}

function renderLetters(page: PageContext, chosen: string): Html {
  const link = (letter: string | null, text: string, label?: string) =>
    html`<li><a${attributes({
      href: withQuery(page.path, { letter, page: null, cursor: null }),
      'aria-label': label,
      'aria-current': (letter ?? '') === chosen ? 'true' : undefined,
    })}>${text}</a></li>`
  return html`<nav aria-label="First letter"><ul class="pages letters">${link(null, 'All')}${letters.map((letter) =>
    letter === OTHER_LETTERS ? link(letter, '#', 'Digits and other letters') : link(letter, letter.toUpperCase()),
  )}</ul></nav>`
}

function renderFound(page: PageContext, form: Form, { items, meta }: NonNullable<DirectoryView['found']>): Html {
  const isAll = form.value('all') === 'true'
  const others = isAll
    ? html`<a href="${withQuery(page.path, { all: null, page: null, cursor: null })}">Only companies with open jobs</a>`
    : html`<a href="${withQuery(page.path, { all: 'true', page: null, cursor: null })}">Also show companies without open jobs</a>`
  return html`<div class="section-head"><p role="status" class="soft">${companiesOf(meta.pagination.total)}${!isAll && ' with open jobs'}</p>${others}</div>
${
  items.length > 0
    ? html`<ul class="grid bare">${items.map(renderTile)}</ul>`
    : emptyState('No companies found', html`<p><a href="/companies">Show all companies</a></p>`)
}
${pagination(page, meta.pagination)}`
}

function renderTile({ id, name, location, industry, logo_url, open_positions }: Employer): Html {
  const about = [industry, location].filter((text) => text !== null).join(', ')
  return html`<li><a class="firm" href="/companies/${id}">${logo({ id, name, url: logo_url })}<span class="strong">${name}</span>${about !== '' && html`<span class="small soft">${about}</span>`}<span class="small">${open_positions === 0 ? 'No open jobs' : openJobs(open_positions)}</span></a></li>`
}
