/** Templates of a search: the search bar, the filters, the filters in use, and the sort order. */
import type { Exchange } from '../../lib/exchange.ts'
import { remembering } from '../../lib/remember.ts'
import type { Parameter } from '../../lists/parameters.ts'
import { findFilter } from '../../lists/query.ts'
import { formatNumber, languageName } from '../../locale/formats.ts'
import { currentLocale } from '../../locale/locale.ts'
import { englishOf, type MessageKey, t } from '../../locale/messages.ts'
import { sheetHead, sheetLink, withQuery } from '../../pages/components.ts'
import { Form, fieldId, type Option } from '../../pages/forms.ts'
import { attributes, type Content, flat, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import { levelName, workplaceName } from '../jobs/index.ts'
import { pageList } from './board.address.ts'
import {
  type DistanceUnit,
  distanceAround,
  distanceChoices,
  formatDistance,
  inMiles,
  payChoices,
} from './board.units.ts'

/** Counts of jobs per value of each filter. */
export type Facets = Readonly<Record<string, readonly { value: string | boolean; count: number }[]>>

/** A search, with the values needed to describe it. */
export interface Search {
  form: Form
  /** The parameters in use. */
  applied: readonly string[]
  catalogue: Catalogue
  unit: DistanceUnit
}

const postedTexts = {
  '': 'board.posted_any',
  '1': 'board.posted_1',
  '7': 'board.posted_7',
  '30': 'board.posted_30',
} as const

const textOfPosted = (value: string): string =>
  Object.hasOwn(postedTexts, value) ? t(postedTexts[value as keyof typeof postedTexts]) : value

/** These parameters belong to the search bar, not to the filters. */
const BAR: readonly string[] = ['search', 'location', 'distance']

// The search bar

/**
 * Renders the search bar. With `sheet`, phones hide the bar until the visitor follows the link that `renderAsked`
 * renders.
 */
export function renderSearchBar(form: Form, unit: DistanceUnit, sheet?: { kept: Content }): Html {
  const distance = form.value('distance') || distanceAround(unit)
  const distances = withChosen(distanceChoices(unit), distance).map((value) => ({
    value,
    text: formatDistance(Number(value), unit),
  }))
  return html`<form class="search${sheet && ' sheet'}"${attributes({ id: sheet && 'search' })} action="/jobs" role="search">
${sheet && sheetHead(t('board.search'))}${suggesting(form, { name: 'search', label: t('board.what'), list: 'suggestions', from: '/jobs/suggestions?search=', placeholder: t('board.what_example') })}
<div class="near">${suggesting(form, { name: 'location', label: t('board.where'), list: 'places', from: '/jobs/places?text=', placeholder: t('board.where_example') })}
<div><label for="field-distance">${t('board.radius')}</label><select id="field-distance" name="distance">${distances.map(({ value, text }) => option({ value, text }, distance))}</select></div></div>
${sheet ? sheet.kept : html`<input type="hidden" name="sort" value="relevance">`}
<button class="btn main" type="submit">${icon('search')}${t('shared.search_jobs')}</button></form>`
}

interface Suggesting {
  name: string
  label: string
  /** The ID of the list of suggestions. */
  list: string
  /** URL of the suggestions, to which the typed text is appended. */
  from: string
  placeholder: string
}

function suggesting(form: Form, { name, label, list, from, placeholder }: Suggesting): Html {
  const own = { placeholder, maxlength: 1000, autocomplete: 'off', enterkeyhint: 'search' }
  return html`<div class="suggesting">${form.field(name, label, { ...own, 'aria-controls': list, 'data-suggest': from })}<ul class="suggestions" id="${list}" role="listbox" aria-label="${t('board.suggestions')}" hidden></ul><span class="hide" role="status"></span></div>`
}

/** Renders a one-line summary of the search, for phones. */
export function renderAsked({ form, unit }: Search): Html {
  const [what, where, distance] = BAR.map((name) => form.value(name))
  const words = what || t('shared.all_jobs')
  const place = distance
    ? t('board.place_and_radius', { place: where!, distance: formatDistance(Number(distance), unit) })
    : where || t('board.anywhere')
  return html`<a class="asked phone-only" href="#search" data-last="${t('board.last_search', { words, place })}">${icon('search')}<span><b>${words}</b><small>${place}</small></span><span class="small">${what || where ? t('board.change') : t('board.start')}</span></a>`
}

/**
 * Returns the title of a search, such as `124 jobs for “welder” near Leeds`. Without a total, the title contains no
 * number.
 */
export function titleOfSearch(form: Form, total?: number): string {
  const [words, place, distance] = BAR.map((name) => form.value(name)) as [string, string, string]
  const at = place === '' ? '' : distance === '' ? 'in' : 'near'
  const kind = words === '' ? at || 'all' : at === '' ? 'words' : (`words_${at}` as const)
  return total === undefined
    ? t(`board.title_${kind}`, { words, place })
    : t(`board.count_${kind}`, { words, place, total })
}

// Filters

interface Filters {
  facets: Facets
  /** Undefined if the form contains faults. */
  total: number | undefined
  exchange: Exchange
}

export function renderFilters(search: Search, { facets, total, exchange }: Filters): Html {
  const { form, applied } = search
  const group = (name: string, summary: string, isOpen: boolean, contentOf: (aria: Html) => Content) => {
    const faults = form.faultsOf(name)
    const id = fieldId(name)
    const fault = faults.length > 0 && `${id}-fault`
    const open = isOpen || fault !== false || applied.some((one) => filterOf(one) === name)
    const aria = attributes({ 'aria-describedby': fault, 'aria-invalid': fault && 'true' })
    return html`<details id="${id}"${attributes({ open })}><summary>${summary}${icon('down')}</summary><div>${fault && html`<p class="fault" id="${fault}">${faults.join(' ')}</p>`}${contentOf(aria)}</div></details>`
  }
  const checks = (name: string, summary: string, isOpen: boolean) =>
    group(name, summary, isOpen, (aria) => optionsOf(search, name, { counted: facets[name] ?? [], aria }))
  return html`<form class="filters sheet" id="filters" action="/jobs" aria-label="${t('board.filters')}" data-apply>
${sheetHead(t('board.filters'))}
<div class="phone-only">${sortSelect(search, 'order-in-filters')}</div>
${group('posted', t('board.date_posted'), true, (aria) => postedOptions(form, facets.posted ?? [], aria))}
${group('salary_min', t('board.pay_at_least'), true, (aria) => payOptions(form, { exchange, aria }))}
${checks('job_type', t('job.type'), true)}
${checks('workplace', t('job.workplace'), true)}
${checks('experience_level', t('job.experience'), false)}
${checks('language', t('layout.language'), false)}
${checks('category', t('job.category'), false)}
${kept(search, [...BUILT_IN, 'sort'])}
<div class="sheet-foot by-hand"><button class="btn full" type="submit">${total === undefined ? t('board.show_jobs') : t('board.show_count', { total })}</button></div>
</form>`
}

/** The filters that the form offers. */
const BUILT_IN: readonly string[] = [
  'posted',
  'salary_min',
  'salary_in',
  'salary_unspecified',
  ...['job_type', 'workplace', 'experience_level', 'language', 'category'].flatMap((name) => [name, `${name}_in`]),
]

interface Check {
  name: string
  value: string
  text: string
  isChosen: boolean
  type?: 'checkbox' | 'radio'
  count?: number
  aria?: Html
}

/** Caches the attributes of options, by name and value. Each list of jobs shows about forty options. */
const optionAttributes = remembering<ReturnType<typeof remembering<Html>>>()

function check({ name, value, text, isChosen, type = 'checkbox', count, aria }: Check): Html {
  const own = optionAttributes(name, () => remembering())(value, () => flat(attributes({ type, name, value })))
  return html`<label class="check"><input${own}${isChosen && ' checked'}${aria}>${text}${count !== undefined && html`<span class="count">${formatNumber(count)}</span>`}</label>`
}

/** Renders the options of a filter: the values that jobs have, and the chosen values. Each shows its number of jobs. */
function optionsOf(search: Search, name: string, { counted, aria }: { counted: Facets[string]; aria: Html }): Html[] {
  const { form } = search
  const chosen = new Set([...form.values(name), ...form.values(`${name}_in`)])
  const options = counted.map(({ value, count }) => ({ value: String(value), count }))
  const others = [...chosen].filter((value) => !options.some((option) => option.value === value))
  return [...options, ...others.map((value) => ({ value, count: 0 }))].map(({ value, count }) =>
    check({ name, value, text: textOfValue(name, value, search), isChosen: chosen.has(value), count, aria }),
  )
}

function postedOptions(form: Form, counted: Facets[string], aria: Html): Html[] {
  const chosen = form.value('posted')
  return Object.entries(postedTexts)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([value, key]) => {
      const count = counted.find((one) => one.value === value)?.count
      const isChosen = value === chosen
      return check({
        type: 'radio',
        name: 'posted',
        value,
        text: t(key),
        isChosen,
        aria,
        ...(count !== undefined && { count }),
      })
    })
}

/** Caches the options, because most lists of jobs offer the same amounts. */
const payLists = remembering<Html>()

function payOptions(form: Form, { exchange, aria }: { exchange: Exchange; aria: Html }): Html {
  const chosen = form.value('salary_min')
  const named = form.faultsOf('salary_in').length > 0 ? '' : form.value('salary_in') || form.value('salary_currency')
  const currency = named.toUpperCase() || exchange.defaultCurrency
  const amounts = withChosen(payChoices(currency, exchange), chosen)
  // If the URL has no currency, the search compares the amount with salaries in any currency.
  const unitOf = (value: string) => (value === chosen && named === '' ? '' : ` ${currency}`)
  const textOf = (value: string) =>
    value === '' ? t('board.any_pay') : t('board.a_year', { amount: `${amountOf(value)}${unitOf(value)}` })
  const options = payLists([currentLocale().language, currency, named, chosen, ...amounts].join(' '), () =>
    flat(html`${['', ...amounts].map((value) => option({ value, text: textOf(value) }, chosen))}`),
  )
  return html`<div class="flow"><label class="hide" for="least-pay">${t('board.pay_at_least')}</label><select id="least-pay" name="salary_min"${aria}>${options}</select><input type="hidden" name="salary_in" value="${currency}">
${chosen !== '' && check({ name: 'salary_unspecified', value: 'include', text: t('board.also_without_pay'), isChosen: form.value('salary_unspecified') === 'include' })}</div>`
}

const option = ({ value, text }: Option, chosen: string) =>
  html`<option value="${value}"${value === chosen && ' selected'}>${text}</option>`

function withChosen(values: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || values.includes(chosen) ? values : [...values, chosen]
}

const amountOf = (value: string) => (/^\d{1,13}$/.test(value) ? formatNumber(Number(value)) : value)

/** Renders hidden fields for the parameters that a form does not offer. */
function kept({ form, applied }: Search, offered: readonly string[]): Html[] {
  return [...applied, 'sort', 'order']
    .filter((name) => !offered.includes(name) && form.values(name).length > 0)
    .map((name) => html`<input type="hidden" name="${name}" value="${form.values(name).join(',')}">`)
}

/**
 * Renders the search bar of a list. Searches keep the list's filters. If the list has no search words yet, the results
 * for new words are sorted by relevance.
 */
export function renderListSearchBar(search: Search): Html {
  const { form, unit } = search
  const sort = form.value('search') === '' && html`<input type="hidden" name="sort" value="relevance">`
  return renderSearchBar(form, unit, { kept: [kept(search, sort ? [...BAR, 'sort', 'order'] : BAR), sort] })
}

// Order

export function renderSort(search: Search): Html {
  return html`<form class="row wide-only" action="/jobs" aria-label="${t('board.order')}" data-apply>${sortSelect(search, 'order')}${kept(search, ['sort', 'order'])}<button class="btn slim by-hand" type="submit">${t('board.sort')}</button></form>`
}

function sortSelect({ form }: Search, id: string): Html {
  const sort = form.value('sort').replace(/^posted_at(?::desc)?$|^date_posted:desc$/, 'date_posted') || 'date_posted'
  const options: Record<string, string> = {
    ...(form.value('search') !== '' && { relevance: t('board.sort_relevance') }),
    date_posted: t('board.sort_date_posted'),
    salary: t('board.sort_salary'),
    ...(form.value('distance') !== '' && { 'distance:asc': t('board.sort_distance') }),
  }
  const offered = withChosen(Object.keys(options), sort).map((value) => ({ value, text: options[value] ?? value }))
  return html`<label class="small soft" for="${id}">${t('board.sort_by')}</label> <span><select id="${id}" name="sort">${offered.map((one) => option(one, sort))}</select></span>`
}

// Filters in use

/** Caches language names, because naming a language takes as long as rendering ten options. */
const languageTexts = remembering<string>()

const filterOf = (name: string) => findFilter(pageList, name)?.filter

type Words = Pick<Search, 'catalogue' | 'unit'>

/** Returns the value of a filter in plain words. */
function textOfValue(filter: string, value: string, { form, catalogue, unit }: Words & Pick<Search, 'form'>): string {
  switch (filter) {
    case 'category':
      return nameOfSlug(catalogue.categories, value)
    case 'job_type':
      return nameOfSlug(catalogue.types, value)
    case 'experience_level':
      return levelName(value)
    case 'language':
      return value === 'und'
        ? t('jobs.language_other')
        : languageTexts(`${currentLocale().language} ${value}`, () => languageName(value))
    case 'remote':
      return value === 'true' ? t('job.remote') : t('board.not', { text: t('job.remote') })
    case 'workplace':
      return workplaceName(value)
    case 'posted':
      return textOfPosted(value)
    case 'is_featured':
      return t(value === 'true' ? 'board.featured' : 'board.not_featured')
    case 'salary_min':
      return t('board.pay_or_more', { amount: payOf(value, form) })
    case 'salary_max':
      return t('board.pay_or_less', { amount: payOf(value, form) })
    case 'salary_currency':
      return t('board.paid_in', { currency: value.toUpperCase() })
    case 'salary_in':
      return t('board.pay_compared_in', { currency: value.toUpperCase() })
    case 'salary_unspecified':
      return t('board.or_without_pay')
    case 'posted_after':
      return t('board.posted_after', { date: value })
    case 'posted_before':
      return t('board.posted_before', { date: value })
    case 'distance':
      return t('board.within', { distance: formatDistance(Number(value), unit) })
    default:
      return isCompared(filter) ? labeled(filter, value) : value
  }
}

const parameters: Readonly<Record<string, Parameter>> = pageList.filters

/** Returns whether a filter compares amounts or times. Without its name, a value would mean little. */
const isCompared = (filter: string) => parameters[filter]!.suffixes.includes('gt')

const labeled = (filter: string, value: string) =>
  t('shared.labeled', { label: wordsOf(filter), text: amountOf(value) })

/** Returns an amount with the currency in which the search compares it. */
function payOf(value: string, form: Form): string {
  const currency = form.value('salary_in').toUpperCase()
  return currency === '' ? amountOf(value) : `${amountOf(value)} ${currency}`
}

/** Returns a filter's name as words, such as `Minimum salary`. */
function wordsOf(name: string): string {
  const key = `board.filter_${name}`
  if (englishOf(key) !== undefined) return t(key as MessageKey)
  const text = name.replaceAll('_', ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Returns one value of a parameter in plain words, such as `Not Java`. */
function textOfParameter(name: string, value: string, search: Search): string {
  const found = findFilter(pageList, name)
  // Stored searches may have filters that no longer exist.
  if (found === undefined) return `${wordsOf(name)} ${value}`
  const { filter, operator } = found
  if (operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte') {
    return t(`board.compared_${operator}`, { filter: wordsOf(filter), value: amountOf(value) })
  }
  // With a suffix, a salary filter compares the stored amount.
  const isStored = operator !== 'is' && isCompared(filter)
  const text = isStored ? labeled(filter, value) : textOfValue(filter, value, search)
  return operator === 'not' ? t('board.not', { text }) : text
}

/** Joins texts with a message that joins two texts: the first two, then the result and the third, and so on. */
function joined(key: 'board.both' | 'board.either', [text = '', ...others]: readonly string[]): string {
  return others.reduce((first, second) => t(key, { first, second }), text)
}

/** Returns all values of a parameter in plain words. */
export function describeParameter(search: Search, name: string): string {
  return joined(
    'board.either',
    search.form.values(name).map((value) => textOfParameter(name, value, search)),
  )
}

/**
 * Returns the filters to describe. Omits the currency of a minimum or maximum salary, because the description of the
 * salary contains the currency.
 */
function describedFilters({ applied }: Search): string[] {
  const isPayLimited = applied.includes('salary_min') || applied.includes('salary_max')
  return applied.filter((name) => !BAR.includes(name) && !(name === 'salary_in' && isPayLimited))
}

/** Renders the filters in use, each with a link that removes it. On phones, the first link opens the filters. */
export function renderChips(search: Search, path: string): Html {
  const { form, applied } = search
  const names = applied.filter((name) => !BAR.includes(name))
  const restart = { page: null, cursor: null }
  const chips = describedFilters(search).flatMap((name) =>
    form.values(name).map((value, n, all) => {
      const others = all.filter((_, index) => index !== n).join(',')
      return html`<li><a class="chip on" href="${withQuery(path, { [name]: others === '' ? null : others, ...restart })}">${textOfParameter(name, value, search)} ${icon('close')}<span class="hide">${t('board.remove_filter')}</span></a></li>`
    }),
  )
  const cleared = withQuery(path, { ...Object.fromEntries(names.map((name) => [name, null])), ...restart })
  return html`<ul class="chips slide head-gap${chips.length === 0 && ' phone-only'}" aria-label="${t('board.filters_in_use')}"><li class="phone-only">${sheetLink('filters', t('board.filters'))}</li>${chips}${chips.length > 1 && html`<li><a class="small" href="${cleared}">${t('board.clear_all')}</a></li>`}</ul>`
}

/**
 * Describes a search that is stored as criteria, in the words of the search page. Without criteria, returns `All jobs`.
 */
export function describeCriteria(criteria: Readonly<Record<string, unknown>>, words: Words): string {
  const plain = inMiles(criteria)
  return describeSearch({ form: Form.of(plain), applied: Object.keys(plain).sort(), ...words }) || t('shared.all_jobs')
}

/** Describes the search in words, such as `welder, Leeds within 25 miles, Full-time`. */
export function describeSearch(search: Search): string {
  const { form } = search
  const [what, place, miles] = BAR.map((name) => form.value(name)) as [string, string, string]
  const distance = miles && formatDistance(Number(miles), search.unit)
  const near = place && distance ? t('board.place_within', { place, distance }) : place
  const filters = describedFilters(search).map((name) => describeParameter(search, name))
  const around = near || (distance && t('board.within', { distance }))
  const texts = [what, around, ...filters]
  return joined(
    'board.both',
    texts.filter((text) => text !== ''),
  )
}
