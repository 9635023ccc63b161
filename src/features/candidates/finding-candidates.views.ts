/** Templates of the employer pages for finding candidates. */
import { formatMonth } from '../../locale/formats.ts'
import { type MessageKey, t } from '../../locale/messages.ts'
import {
  ago,
  badge,
  button,
  card,
  emptyState,
  facts,
  filterChips,
  ignoredTerms,
  logo,
  outsideLink,
  pagination,
  prose,
  sheetHead,
  sheetLink,
  withQuery,
} from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { FoundCandidate, FoundCandidateDetail } from './candidates.schemas.ts'

const PATH = '/employer/candidates'

interface Finding {
  form: Form
  /** The filters in use, by parameter. */
  applied: Readonly<Record<string, unknown>>
  /** Undefined if the query was invalid. */
  list?: Listed<FoundCandidate>
  now: Date
}

export function renderFoundCandidates(page: PageContext, { form, applied, list, now }: Finding): Html {
  const total = list?.pagination.total
  return htmlPage(page, { title: t('candidates.find') })`<h1>${t('candidates.find')}</h1>
<p class="soft">${t('candidates.visibility')}</p>
${form.summary()}
${renderSearch(form)}
${
  list &&
  html`<div class="row apart gap-top"><h2>${t('candidates.found', { count: list.pagination.total })}</h2>${renderOrder(page, applied, form.value('sort'))}</div>
${renderChips(page, applied)}
${ignoredTerms(list.search)}
${
  total === 0
    ? emptyState(
        t('candidates.none_found'),
        Object.keys(applied).length > 0 &&
          html`<p>${t('candidates.try_fewer')} <a href="${PATH}">${t('candidates.show_all')}</a></p>`,
      )
    : html`<ul class="people">${list.items.map((each) => html`<li>${renderCard(each, now)}</li>`)}</ul>`
}
${pagination(page, list.pagination)}`
}`
}

const distances = ['5', '10', '25', '50', '100']

function renderSearch(form: Form): Html {
  const chosen = form.value('distance')
  const offered = chosen === '' || distances.includes(chosen) ? distances : [...distances, chosen]
  const unit = form.value('distance_unit') === 'km' ? 'km' : 'miles'
  const within = (distance: string) => t(`candidates.within_${unit}`, { distance })
  return html`<p class="phone-only">${sheetLink('search', t('shared.search'), 'search')}</p><form class="panel sheet" id="search" action="${PATH}" role="search" aria-label="${t('candidates.candidates')}">${sheetHead(t('candidates.find'))}<div class="pair">
${form.field('search', t('candidates.words'), { placeholder: t('candidates.words_example'), maxlength: 1000 })}
${form.field('skills', t('shared.skills'), { placeholder: 'CAN, MATLAB', maxlength: 1000 })}
${form.field('location', t('shared.location'), { placeholder: t('candidates.location_hint'), maxlength: 1000 })}
${form.select('distance', t('shared.distance'), optionsFor(offered, within, t('shared.exact_place')))}
</div>${unit === 'km' && html`<input type="hidden" name="distance_unit" value="km">`}
<p class="actions">${button(t('candidates.find'))}</p></form>`
}

function renderOrder(page: PageContext, applied: Finding['applied'], chosen: string): Html {
  const orders = [
    'search' in applied && (['relevance', 'relevance'] as const),
    ['last_active', 'last_active'] as const,
    'distance' in applied && (['distance', 'distance:asc'] as const),
    ['last_name', 'last_name:asc'] as const,
  ].filter((order) => order !== false)
  return html`<nav class="row small" aria-label="${t('shared.sort_by')}"><span class="soft" aria-hidden="true">${t('shared.sort_by')}</span>${orders.map(
    ([field, sort]) =>
      html`<a${attributes({ href: withQuery(page.path, { sort, order: null, page: null }), 'aria-current': field === chosen ? 'true' : undefined })}>${t(`candidates.sort_${field}`)}</a>`,
  )}</nav>`
}

/** Messages for the chips that always show more than the value, by parameter. */
const chipKeys: Readonly<Record<string, MessageKey>> = {
  search: 'candidates.chip_search',
  skills_not: 'candidates.chip_skills_not',
}

/**
 * Renders the filters in use, each with a link that removes it. The distance has no chip: the link that removes the
 * location also removes the distance.
 */
function renderChips({ path }: PageContext, applied: Finding['applied']): Html | undefined {
  const chips = Object.entries(applied)
    .filter(([name]) => name !== 'distance' && name !== 'distance_unit')
    .flatMap(([name, given]) => {
      const values = [given].flat().map(String)
      return values.map((value, n) => {
        const rest = values.filter((_, index) => index !== n).join(',')
        const without = {
          [name]: rest === '' ? null : rest,
          ...(name === 'location' && { distance: null, distance_unit: null }),
          ...((name === 'location' || name === 'search') && { sort: null, order: null }),
          page: null,
        }
        const isNear = name === 'location' && applied.distance !== undefined
        const key = isNear ? 'candidates.chip_near' : chipKeys[name]
        const text = key === undefined ? value : t(key, { value })
        return { text, href: withQuery(path, without) }
      })
    })
  return filterChips(chips, PATH)
}

const nameOf = ({ first_name, last_name }: Pick<FoundCandidate, 'first_name' | 'last_name'>) =>
  `${first_name} ${last_name}`

const SKILLS_SHOWN = 8

const renderSkills = (skills: readonly string[]) =>
  skills.length > 0 && html`<p class="row line">${skills.map((skill) => badge(skill))}</p>`

function renderCard(candidate: FoundCandidate, now: Date): Html {
  const { id, headline, location, skills, last_active, email } = candidate
  const name = nameOf(candidate)
  const more = skills.length - SKILLS_SHOWN
  return html`<article class="person"><div class="row nowrap-row top-line">${logo({ name }, 'round small')}<div class="grow"><h3><a href="${PATH}/${id}">${name}</a> ${email !== null && badge(t('candidates.applied_to_you'), 'accent')}</h3>
${(headline || location) && html`<p>${[headline, location].filter(Boolean).join(', ')}</p>`}
${renderSkills(more > 0 ? [...skills.slice(0, SKILLS_SHOWN), t('candidates.more', { count: more })] : skills)}
<p class="line"><span>${rich('candidates.last_active_ago', { ago: ago(last_active, now) })}</span></p></div></div></article>`
}

export function renderFoundCandidate(page: PageContext, candidate: FoundCandidateDetail, now: Date): Html {
  const { headline, location, email, phone, summary, skills, last_active } = candidate
  const name = nameOf(candidate)
  const links = [candidate.website, candidate.github, candidate.linkedin].filter((url) => url !== null)
  return htmlPage(page, { title: name })`<p class="crumbs"><a href="${PATH}">${t('candidates.find')}</a></p>
<div class="row nowrap-row head-gap top-line">${logo({ name }, 'round big')}<div class="grow"><h1>${name}</h1>
${(headline || location) && html`<p class="soft">${[headline, location].filter(Boolean).join(', ')}</p>`}</div></div>
<div class="split"><div class="loose">
${summary && card([html`<h2>${t('candidates.about')}</h2>`, prose(summary)])}
${renderEntries(
  t('shared.experience'),
  candidate.experience.map((each) => ({ ...each, name: each.title, place: [each.company, each.location] })),
)}
${renderEntries(
  t('shared.education'),
  candidate.education.map((each) => ({ ...each, name: each.institution, place: [each.degree, each.field] })),
)}
${!summary && candidate.experience.length + candidate.education.length === 0 && card(html`<p class="soft">${t('candidates.not_described', { name })}</p>`)}
</div>
<aside class="stick flow" aria-label="${t('candidates.summary')}">
${card([
  html`<h2>${t('candidates.contact')}</h2>`,
  email === null && html`<p class="soft">${t('candidates.contact_hidden', { name })}</p>`,
  facts([
    [t('shared.email'), email && html`<a href="mailto:${email}">${email}</a>`],
    [t('shared.phone'), phone && html`<a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a>`],
    [t('shared.links'), links.length > 0 && links.map((url) => html`${outsideLink(url)}<br>`)],
    [t('candidates.last_active'), ago(last_active, now)],
  ]),
])}
${skills.length > 0 && card([html`<h2>${t('shared.skills')}</h2>`, renderSkills(skills)])}
</aside></div>`
}

interface Entry {
  name: string
  place: readonly (string | null)[]
  start_date: string | null
  end_date: string | null
  current?: boolean
  description: string | null
}

function periodOf({ start_date, end_date, current }: Entry): string | null {
  const [from, to] = [start_date, end_date].map((month) => month && formatMonth(month))
  if (from && to) return t('candidates.period', { from, to })
  return from && current ? t('candidates.period_to_now', { from }) : (from ?? to ?? null)
}

function renderEntries(title: string, entries: readonly Entry[]): Content {
  if (entries.length === 0) return undefined
  const listed = entries.map((entry) => {
    const { name, place, description } = entry
    return html`<li><h3>${name}</h3><p class="soft small">${[...place, periodOf(entry)].filter(Boolean).join(', ')}</p>${description && prose(description)}</li>`
  })
  return card([html`<h2>${title}</h2>`, html`<ul class="rows">${listed}</ul>`])
}
