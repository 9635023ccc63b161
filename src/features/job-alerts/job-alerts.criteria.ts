/** Alert criteria: the filters of GET /jobs as typed JSON. The parser of GET /jobs also parses criteria. */
import { pointerToken } from '../../lib/bad-text.ts'
import { type BodyFault, type BrokenRule, badQuery, FAULTS_MAX } from '../../lib/errors.ts'
import { nameHint } from '../../lib/nearest.ts'
import type { Parameter } from '../../lists/parameters.ts'
import { controlParameters, findFilter, parseListQuery, type RawQuery } from '../../lists/query.ts'
import { TERMS_MAX } from '../../search/text/words.ts'
import { plainJobList } from '../jobs/index.ts'
import { criteriaNames, matchList, matchListWithoutFilters } from './job-alerts.schemas.ts'

export type Criteria = Readonly<Record<string, unknown>>

/** Maximum length of the criteria in characters. Criteria must fit into a GET /jobs URL. */
const CRITERIA_LENGTH_MAX = 8_192

/** Criteria never contain a cursor, so parsing them does not need a secret. */
const noSecret = new Uint8Array()

export function criteriaQuery(criteria: Criteria): RawQuery {
  return Object.fromEntries(
    Object.entries(criteria).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]),
  )
}

/** Alerts created before search terms were limited keep all of their terms. */
const storedList = {
  ...plainJobList,
  filters: { ...plainJobList.filters, search: { ...plainJobList.filters.search, termsMax: Number.POSITIVE_INFINITY } },
}

export function criteriaFilters(criteria: Criteria) {
  return parseListQuery(storedList, criteriaQuery(criteria), noSecret).query.filters
}

export function criteriaFaults(criteria: Criteria): BodyFault[] {
  if (JSON.stringify(criteria).length > CRITERIA_LENGTH_MAX) {
    const detail = `criteria must have at most ${CRITERIA_LENGTH_MAX} characters as JSON.`
    const rule = { keyword: 'maxLength', limit: CRITERIA_LENGTH_MAX }
    return [{ pointer: '#/criteria', code: 'too_long', detail, rule }]
  }
  const faults: BodyFault[] = []
  const sound: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(criteria)) {
    const fault = (code: string, detail: string, rule?: BrokenRule) =>
      faults.push({ pointer: `#/criteria/${pointerToken(name)}`, code, detail, ...(rule && { rule }) })
    const found = controlParameters.has(name) ? undefined : findFilter(plainJobList, name)
    if (!found) {
      const hint = faults.length < FAULTS_MAX ? nameHint(name, criteriaNames) : ''
      fault('unknown_field', `${JSON.stringify(name.slice(0, 64))} is not a GET /jobs filter.${hint}`)
      continue
    }
    const isList = found.operator === 'in' || plainJobList.filters[found.filter].type === 'text-list'
    const wrong = typeFault(plainJobList.filters[found.filter], value, isList)
    if (wrong)
      fault('invalid_type', `${name} must be ${isList ? 'an' : 'a'} ${wrong}.`, { keyword: 'type', limit: wrong })
    else if (isList && (value as unknown[]).some((item) => String(item).trim() === '' || String(item).includes(','))) {
      // GET /jobs cannot express these items.
      fault('invalid_parameter', `${name} must not contain empty items or items with commas.`)
    } else if (value === '') fault('too_short', `${name} must not be empty.`, { keyword: 'minLength', limit: 1 })
    else sound[name] = value
  }
  const { query, faults: more } = parseListQuery(plainJobList, criteriaQuery(sound), noSecret)
  if (query.ignoredTerms.length > 0) {
    const detail = `search must have at most ${TERMS_MAX} terms.`
    const words = { key: 'fault.terms_max', values: { limit: TERMS_MAX } } as const
    faults.push({ pointer: '#/criteria/search', code: 'too_many', detail, words })
  }
  // The parser treats empty lists as absent.
  for (const [name, value] of Object.entries(sound)) {
    if (!Array.isArray(value) || value.length > 0) continue
    more.push({ parameter: name, code: 'invalid_parameter', detail: `${name} needs at least one value.` })
  }
  for (const { parameter, ...rest } of more) {
    faults.push({ pointer: `#/criteria/${pointerToken(parameter)}`, ...rest })
  }
  return faults
}

function typeFault({ type }: Parameter, value: unknown, isList: boolean): string | undefined {
  const expected = type === 'integer' || type === 'number' ? 'number' : type === 'boolean' ? 'boolean' : 'string'
  if (isList) {
    const fits = Array.isArray(value) && value.every((item) => typeof item === expected)
    return fits ? undefined : `array of ${expected}s`
  }
  return typeof value === expected ? undefined : expected
}

/** Combines an alert's criteria with the sort and page parameters of a request for the alert's matches. */
export function parseMatchQuery(sent: RawQuery, criteria: Criteria, cursorSecret: Uint8Array) {
  const isControl = ([name]: [string, unknown]) => controlParameters.has(name)
  const controls = Object.entries(sent).filter(isControl)
  const others = Object.entries(sent).filter((entry) => !isControl(entry))
  const unknown = parseListQuery(matchListWithoutFilters, Object.fromEntries(others), cursorSecret).faults
  const all = Object.fromEntries([...controls, ...Object.entries(criteriaQuery(criteria))])
  const { query, faults } = parseListQuery(matchList, all, cursorSecret)
  if (unknown.length + faults.length > 0) throw badQuery([...unknown, ...faults])
  return query
}
