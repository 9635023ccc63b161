import { sharedCompany } from '../../lib/share-picture.ts'
import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  badge,
  button,
  emptyState,
  facts,
  logo,
  markdown,
  outsideLink,
  pagination,
  picturePath,
  sheetHead,
  wayTo,
  withQuery,
} from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { markdownLink, socialTags } from '../../pages/social.ts'
import { type BesideJob, jobFeeds, type MarkedJob, renderJobCards } from '../board/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { Employer } from './employers.schemas.ts'
import { letters, OTHER_LETTERS } from './employers.schemas.ts'

interface DirectoryView {
  form: Form
  industries: readonly string[]
  /** Undefined if the query was invalid. The form shows the reason. */
  found?: { items: readonly Employer[]; meta: { pagination: PageNumbers & { total: number } } }
}

export function renderDirectory(page: PageContext, { form, industries, found }: DirectoryView): Html {
  const number = found?.meta.pagination.page ?? 1
  const [title, description] = [t('companies.title'), t('companies.description')]
  const path = number > 1 && !isFiltered(form) ? `/companies?page=${number}` : '/companies'
  return htmlPage(page, {
    title,
    description,
    canonical: path,
    head: [
      socialTags(page, { title, description, path }),
      markdownLink(withQuery(page.path, {}).replace('/companies', '/companies.md')),
    ],
  })`<h1>${title}</h1>
${form.summary()}
${renderAsked(form)}
<form class="search directory sheet" id="search" action="/companies" role="search">
${sheetHead(title)}
${form.field('name', t('companies.name'), { hint: t('companies.name_hint'), maxlength: 200 })}
${form.field('location', t('companies.where'), { hint: t('companies.where_hint'), maxlength: 200 })}
${form.select(
  'industry',
  t('companies.industry'),
  optionsFor(withChosen(industries, form.value('industry')), (industry) => industry, t('companies.any')),
)}
${button(t('companies.search'))}</form>
${renderLetters(page, form.value('letter'))}
${found && renderFound(page, form, found)}`
}

const isFiltered = (form: Form) =>
  ['name', 'letter', 'industry', 'location', 'all'].some((name) => form.value(name) !== '')

/** Renders the link that opens the search form on phones. Its text summarizes the search in one line. */
function renderAsked(form: Form): Html {
  const asked = ['name', 'location', 'industry'].map((name) => form.value(name)).filter((value) => value !== '')
  return html`<a class="asked phone-only" href="#search">${icon('search')}<b class="grow">${asked.join(', ') || t('companies.search')}</b></a>`
}

/** Adds the chosen industry to the list if the list lacks it, for example because a link contains a rare industry. */
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
  return html`<nav aria-label="${t('companies.letters')}"><ul class="pages letters">${link(null, t('companies.all'))}${letters.map(
    (letter) =>
      letter === OTHER_LETTERS ? link(letter, '#', t('companies.other_letters')) : link(letter, letter.toUpperCase()),
  )}</ul></nav>`
}

function renderFound(page: PageContext, form: Form, { items, meta }: NonNullable<DirectoryView['found']>): Html {
  const isAll = form.value('all') === 'true'
  const others = isAll
    ? html`<a href="${withQuery(page.path, { all: null, page: null, cursor: null })}">${t('companies.only_hiring')}</a>`
    : html`<a href="${withQuery(page.path, { all: 'true', page: null, cursor: null })}">${t('companies.show_all')}</a>`
  return html`<div class="section-head"><p role="status" class="soft">${t(isAll ? 'companies.count' : 'companies.count_hiring', { count: meta.pagination.total })}</p>${others}</div>
${
  items.length > 0
    ? html`<ul class="grid bare">${items.map(renderTile)}</ul>`
    : emptyState(
        t('companies.none'),
        isFiltered(form) && html`<p><a href="/companies">${t('companies.show_every')}</a></p>`,
      )
}
${pagination(page, meta.pagination)}`
}

function renderTile({ id, name, location, industry, logo_url, open_positions, is_verified }: Employer): Html {
  const about = [industry, location].filter((text) => text !== null).join(', ')
  return html`<li><a class="firm" href="/companies/${id}">${logo({ name, url: logo_url })}<span class="strong">${name}</span>${about !== '' && html`<span class="small soft">${about}</span>`}<span class="small">${openJobs(open_positions)}</span>${is_verified && badge(t('companies.verified'), 'good')}</a></li>`
}

export const openJobs = (count: number) => t('companies.open_jobs', { count })

/** Renders the cover, or an empty band in the board's color. */
export function renderCover(url: string | null): Html {
  const path = picturePath(url)
  return html`<div class="cover">${path !== undefined && html`<img src="${path}" alt="">`}</div>`
}

interface CompanyView {
  company: Employer
  found: { items: readonly MarkedJob[]; meta: { pagination: PageNumbers & { total: number } } }
  beside: BesideJob
  /** Whether a feed created the company and nobody has claimed it. */
  isUnclaimed: boolean
  now: Date
}

/** Renders the link that creates an alert for a company's jobs. `query` selects these jobs. */
function renderAlertLink({ has, may }: PageContext, query: string): Html | undefined {
  const path = '/me/alerts/new'
  if (!has(path) || !may('GET', path)) return undefined
  return html`<a class="btn no-print" href="${path}${query}">${icon('alert')}${t('shared.create_alert')}</a>`
}

export function renderCompany(page: PageContext, catalogue: Catalogue, view: CompanyView): Html {
  const { company, found, beside, isUnclaimed, now } = view
  const { items, meta } = found
  const { id, name, location, description } = company
  const { total, page: number = 1 } = meta.pagination
  const about = `${[name, location].filter((text) => text !== null).join(', ')}: ${openJobs(total)}`
  const query = `?${new URLSearchParams({ company: name })}`
  return htmlPage(page, {
    title: name,
    description: about,
    canonical: `/companies/${id}${number > 1 ? `?page=${number}` : ''}`,
    modules: ['in-place.js'],
    head: html`${socialTags(page, { title: name, description: about, path: `/companies/${id}`, picture: sharedCompany(company, page.brand) })}${markdownLink(`/companies/${id}.md`)}<link rel="alternate" type="application/atom+xml" title="${t('companies.jobs_at', { name })}" href="/jobs.atom${query}">`,
  })`<nav class="crumbs small" aria-label="${t('companies.breadcrumb')}"><a href="/companies">${t('companies.title')}</a></nav>
${renderHead(company, html`<h1>${name}</h1>`, renderAlertLink(page, query))}
<div class="split"><div class="loose">
${renderAbout(description)}
<section aria-labelledby="open-jobs"><div class="section-head"><h2 id="open-jobs">${openJobs(total)}</h2>${total > 1 && html`<a href="/jobs${query}">${t('companies.search_in_these')}</a>`}</div>
${items.length > 0 ? renderJobCards(catalogue, items, { now, beside }) : emptyState(t('companies.no_open_jobs'))}
${pagination(page, meta.pagination)}</section>
</div>
<aside class="panel stick" aria-label="${t('companies.facts')}">${renderFacts(company, [
    [t('companies.open_jobs_label'), formatNumber(total)],
    [
      t('companies.feeds'),
      html`<span class="row small">${jobFeeds.map(([text, path, type]) => html`<a href="${path}${query}" type="${type}">${text}</a>`)}</span>`,
    ],
  ])}${isUnclaimed && page.actor?.kind === 'employer' && wayTo(page, t('companies.claim'), `/employer/verification/${id}`)}</aside>
</div>`
}

/** The content of a company's page, except its jobs. */
export type CompanyDraft = Pick<
  Employer,
  'id' | 'name' | 'logo_url' | 'cover_url' | 'location' | 'website' | 'description' | 'industry'
> & { employee_count: number | string | null; verified_domain?: string | null }

/** Renders the company's page without its jobs, for a preview. `note` states that the changes are not saved. */
export function renderCompanyPreview(company: CompanyDraft, note: string): Html {
  return html`<div class="panel" data-preview><div class="flow"><p class="small soft">${note}</p>
<div>${renderHead(company, html`<h2>${company.name}</h2>`)}</div>${renderAbout(company.description)}<section>${renderFacts(company)}</section></div></div>`
}

function renderHead(company: CompanyDraft, heading: Html, action?: Html): Html {
  const { name, logo_url, cover_url, industry, location } = company
  const where = [industry, location].filter((text) => text !== null).join(', ')
  return html`${renderCover(cover_url)}
<div class="cover-name">${logo({ name, url: logo_url }, 'big')}<div class="grow">${heading}${where !== '' && html`<p class="soft">${where}</p>`}</div>${action}</div>`
}

const renderAbout = (description: string | null): Content =>
  description !== null &&
  html`<section aria-labelledby="about"><h2 id="about">${t('companies.about')}</h2>${markdown(description)}</section>`

function renderFacts(company: CompanyDraft, more: Parameters<typeof facts>[0] = []): Html {
  const { industry, location, employee_count: employees, website, verified_domain: verified } = company
  return html`<h2>${t('companies.facts')}</h2>${facts([
    [t('companies.industry'), industry && html`<a href="${withQuery('/companies', { industry })}">${industry}</a>`],
    [t('companies.location'), location],
    [t('companies.employees'), typeof employees === 'number' ? formatNumber(employees) : employees],
    [t('companies.website'), website && outsideLink(website)],
    [t('companies.verified_domain'), verified],
    ...more,
  ])}`
}
