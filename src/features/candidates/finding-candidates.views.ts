/** Templates of the employer's pages to find candidates. */
import { formatNumber } from '../../lib/numbers.ts'
import {
  ago,
  badge,
  button,
  card,
  emptyState,
  facts,
  ignoredTerms,
  logo,
  outsideLink,
  pagination,
  prose,
  withQuery,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
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
  const heading =
    total === undefined ? 'Find candidates' : total === 1 ? 'One candidate' : `${formatNumber(total)} candidates`
  return htmlPage(page, { title: 'Find candidates' })`<h1>Find candidates</h1>
<p class="soft">You see people who let employers find their profile, and everyone who applied to your jobs. Contact details appear after a person applies to one of your jobs.</p>
${form.summary()}
${renderSearch(form)}
${
  list &&
  html`<div class="row apart gap-top"><h2>${heading}</h2>${renderOrder(page, applied, form.value('sort'))}</div>
${renderChips(page, applied)}
${ignoredTerms(list.search)}
${
  total === 0
    ? emptyState(
        'No candidates found',
        html`<p>Try fewer words or skills, or a larger distance. <a href="${PATH}">Show all candidates</a></p>`,
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
  return html`<form class="panel" action="${PATH}" role="search" aria-label="Candidates"><div class="pair">
${form.field('search', 'Words', { placeholder: 'Title, company or skill', maxlength: 1000 })}
${form.field('skills', 'Skills', { placeholder: 'CAN, MATLAB', maxlength: 1000 })}
${form.field('location', 'Location', { placeholder: 'Town or country', maxlength: 1000 })}
${form.select('distance', 'Distance', [{ value: '', text: 'Exact place' }, ...offered.map((value) => ({ value, text: `Within ${value} ${unit}` }))])}
</div>${unit === 'km' && html`<input type="hidden" name="distance_unit" value="km">`}
<p class="actions">${button('Find candidates')}</p></form>`
}

function renderOrder(page: PageContext, applied: Finding['applied'], chosen: string): Html {
  const orders = [
    'search' in applied && (['relevance', 'relevance', 'Best match'] as const),
    ['last_active', 'last_active', 'Last active'] as const,
    'distance' in applied && (['distance', 'distance:asc', 'Distance'] as const),
    ['last_name', 'last_name:asc', 'Name'] as const,
  ].filter((order) => order !== false)
  return html`<nav class="row small" aria-label="Sort by">${orders.map(
    ([field, sort, text]) =>
      html`<a${attributes({ href: withQuery(page.path, { sort, order: null, page: null }), 'aria-current': field === chosen ? 'true' : undefined })}>${text}</a>`,
  )}</nav>`
}

const chipWords: Readonly<Record<string, (value: string) => string>> = {
  search: (value) => `“${value}”`,
  skills_not: (value) => `Not ${value}`,
}

/** Renders the filters in use, each with a link that removes it. The distance belongs to the location. */
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
        const near = name === 'location' && applied.distance !== undefined && 'Near '
        const text = chipWords[name]?.(value) ?? value
        return html`<li><a class="chip on" href="${withQuery(path, without)}">${near}${text} ${icon('close')}<span class="hide">, remove</span></a></li>`
      })
    })
  if (chips.length === 0) return undefined
  return html`<ul class="chips head-gap" aria-label="Filters in use">${chips}${chips.length > 1 && html`<li><a class="small" href="${PATH}">Clear all</a></li>`}</ul>`
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
  return html`<article class="person"><div class="row nowrap-row top-line">${logo({ id, name }, 'round small')}<div class="grow"><h3><a href="${PATH}/${id}">${name}</a> ${email !== null && badge('Applied to you', 'accent')}</h3>
${(headline || location) && html`<p>${[headline, location].filter(Boolean).join(', ')}</p>`}
${renderSkills(more > 0 ? [...skills.slice(0, SKILLS_SHOWN), `${more} more`] : skills)}
<p class="line"><span>Last active: ${ago(last_active, now)}</span></p></div></div></article>`
}

export function renderFoundCandidate(page: PageContext, candidate: FoundCandidateDetail, now: Date): Html {
  const { id, headline, location, email, phone, summary, skills, last_active } = candidate
  const name = nameOf(candidate)
  const links = [candidate.website, candidate.github, candidate.linkedin].filter((url) => url !== null)
  return htmlPage(page, { title: name })`<p class="crumbs"><a href="${PATH}">Find candidates</a></p>
<div class="row nowrap-row head-gap top-line">${logo({ id, name }, 'round big')}<div class="grow"><h1>${name}</h1>
${(headline || location) && html`<p class="soft">${[headline, location].filter(Boolean).join(', ')}</p>`}</div></div>
<div class="split"><div class="loose">
${summary && card([html`<h2>About</h2>`, prose(summary)])}
${renderEntries(
  'Experience',
  candidate.experience.map((each) => ({ ...each, name: each.title, place: [each.company, each.location] })),
)}
${renderEntries(
  'Education',
  candidate.education.map((each) => ({ ...each, name: each.institution, place: [each.degree, each.field] })),
)}
${!summary && candidate.experience.length + candidate.education.length === 0 && card(html`<p class="soft">${name} has not described their experience yet.</p>`)}
</div>
<aside class="stick flow" aria-label="Summary">
${card([
  html`<h2>Contact</h2>`,
  email === null && html`<p class="soft">You see contact details after ${name} applies to one of your jobs.</p>`,
  facts([
    ['Email', email && html`<a href="mailto:${email}">${email}</a>`],
    ['Phone', phone && html`<a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a>`],
    ['Links', links.length > 0 && links.map((url) => html`${outsideLink(url)}<br>`)],
    ['Last active', ago(last_active, now)],
  ]),
])}
${skills.length > 0 && card([html`<h2>Skills</h2>`, renderSkills(skills)])}
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

function renderEntries(title: string, entries: readonly Entry[]): Content {
  if (entries.length === 0) return undefined
  const listed = entries.map(({ name, place, start_date, end_date, current, description }) => {
    const until = end_date ?? (current ? 'now' : null)
    return html`<li><h3>${name}</h3><p class="soft small">${[...place, [start_date, until].filter(Boolean).join(' to ')].filter(Boolean).join(', ')}</p>${description && prose(description)}</li>`
  })
  return card([html`<h2>${title}</h2>`, html`<ul class="rows">${listed}</ul>`])
}
