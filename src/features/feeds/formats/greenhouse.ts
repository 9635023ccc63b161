import { isEscaped, unescapeHtml } from './html.ts'
import { jsonFormat } from './json.ts'
import type { ForeignPosting, ForeignSalary, Format, Note } from './posting.ts'
import { deadlineOf, listOf, type Members, membersOf, numberOf, someText, textOf, textsOf, timeOf } from './values.ts'

/** Greenhouse's Job Board API: `jobs` with HTML that is escaped inside the JSON string. */
export const greenhouse: Format = {
  urlOf: (board) =>
    `https://boards-api.greenhouse.io/v1/boards/${encodeURIComponent(board)}/jobs?content=true&pay_transparency=true`,
  ...jsonFormat((root) => membersOf(root).jobs, adapt),
}

function adapt(job: Members): ForeignPosting | undefined {
  // A prospect post collects applications for no particular job.
  if (job.internal_job_id === null) return undefined
  const content = textOf(job.content)
  const offices = listOf(job.offices).map((office) =>
    textOf(membersOf(membersOf(office).location).name ?? membersOf(office).location),
  )
  const named = textOf(membersOf(job.location).name)
  return {
    id: textOf(job.id),
    title: textOf(job.title),
    company: someText(job.company_name),
    locations: named ? [named] : offices,
    isRemote: isRemoteText(named),
    // Some boards escape the text twice.
    description: isEscaped(content) ? unescapeHtml(content) : content,
    type: employmentType(job),
    language: someText(job.language),
    postedAt: timeOf(job.first_published) ?? timeOf(job.updated_at),
    expiresAt: deadlineOf(job.application_deadline),
    ...widestRange(listOf(job.pay_input_ranges).map(membersOf)),
    url: someText(job.absolute_url),
    applyUrl: someText(job.absolute_url),
  }
}

const isRemoteText = (location: string): boolean => location.toLowerCase().startsWith('remote')

/** Returns the employment type, which employers often state in a custom field. */
function employmentType(job: Members): string | undefined {
  const field = listOf(job.metadata)
    .map(membersOf)
    .find(({ name }) => textOf(name).toLowerCase().includes('employment type'))
  return field && (someText(field.value) ?? textsOf(field.value)[0])
}

/** Greenhouse does not state the period. From this amount on, a salary counts as yearly. */
const YEARLY_FROM = 5_000
/** Below this amount, a salary counts as hourly. */
const HOURLY_BELOW = 500

/**
 * Returns one range that covers all ranges in the currency of the first range. Multiple ranges usually apply to
 * different pay zones.
 */
function widestRange(ranges: readonly Members[]): { salary?: ForeignSalary; notes?: Note[] } {
  const [first] = ranges
  if (!first) return {}
  const currency = textOf(first.currency_type)
  const same = ranges.filter((range) => textOf(range.currency_type) === currency)
  const bounds = (name: string) => same.map((range) => numberOf(range[name])).filter((cents) => cents !== undefined)
  const low = bounds('min_cents')
  const high = bounds('max_cents')
  const min = low.length > 0 ? Math.min(...low) / 100 : null
  const max = high.length > 0 ? Math.max(...high) / 100 : null
  const size = max ?? min ?? 0
  const period = size >= YEARLY_FROM ? 'year' : size < HOURLY_BELOW ? 'hour' : ''
  const notes =
    ranges.length > 1
      ? [{ code: 'salary_merged', detail: `The salary covers ${same.length} of ${ranges.length} pay ranges.` }]
      : []
  return { salary: { min, max, currency, period }, notes }
}
