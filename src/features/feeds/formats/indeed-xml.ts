import type { ForeignPosting, ForeignSalary, Format } from './posting.ts'
import { deadlineOf, joinPlace, someText, timeOf } from './values.ts'
import { type XmlItem, xmlFormat } from './xml.ts'

/** The XML format that job boards exchange, as Indeed documents it. */
export const indeedXml: Format = xmlFormat({ root: 'source', item: 'job' }, adapt)

function adapt(job: XmlItem): ForeignPosting {
  const text = (name: string) => job.get(name)?.[0]?.trim() ?? ''
  const remote = text('remotetype').toLowerCase()
  const pay = text('salary')
  const salary = salaryInText(pay)
  return {
    id: text('referencenumber') || text('requisitionid'),
    title: text('title'),
    company: someText(text('company')) ?? someText(text('sourcename')),
    locations: [joinPlace(text('city'), text('state'), text('country')) || text('location')],
    isRemote: remote.includes('remote') && !remote.includes('hybrid'),
    isHybrid: remote.includes('hybrid'),
    description: text('description'),
    type: someText(text('jobtype')),
    level: someText(text('experience')),
    postedAt: timeOf(text('date')),
    expiresAt: deadlineOf(text('expirationdate')),
    ...(salary && { salary }),
    ...(pay !== '' && !salary && { notes: [{ code: 'salary_ignored', detail: 'The salary text is unclear.' }] }),
    url: someText(text('url')),
    applyUrl: someText(text('url')),
  }
}

/** Currency signs that stand for only one currency. A dollar sign, for example, stands for many. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '₹': 'INR', '₩': 'KRW', '₪': 'ILS' }

const AMOUNT = String.raw`(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})(?:\.\d\d?)?`
const UNIT = '([A-Z]{3}|[€£₹₩₪])'
const TEXT = new RegExp(
  `^${UNIT} ?${AMOUNT}(?: ?[-–] ?${UNIT}? ?${AMOUNT})? ?(?:per|an?|/) ?(hour|day|week|month|year)$`,
)

/** Returns the salary in a text such as `€50,000–70,000 per year`, or undefined if the text is ambiguous. */
function salaryInText(text: string): ForeignSalary | undefined {
  const [, unit, low, secondUnit, high, period] = TEXT.exec(text.trim()) ?? []
  if (unit === undefined || (secondUnit !== undefined && secondUnit !== unit)) return undefined
  const amount = (digits: string) => Number(digits.replaceAll(',', ''))
  const min = amount(low!)
  return { min, max: high === undefined ? min : amount(high), currency: SIGNS[unit] ?? unit, period: period! }
}
