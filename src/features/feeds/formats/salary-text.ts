import type { ForeignSalary } from './posting.ts'

/** Currency signs that stand for only one currency. A dollar sign, for example, stands for many. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '₹': 'INR', '₩': 'KRW', '₪': 'ILS' }

const AMOUNT = String.raw`(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})(?:\.\d\d?)?`
const UNIT = '([A-Z]{3}|[€£₹₩₪])'
const TEXT = new RegExp(
  `^${UNIT} ?${AMOUNT}(?: ?[-–] ?${UNIT}? ?${AMOUNT})? ?(?:per|an?|/) ?(hour|day|week|month|year)$`,
)

/** Returns the salary in a text such as `€50,000–70,000 per year`, or undefined if the text is ambiguous. */
export function salaryInText(text: string): ForeignSalary | undefined {
  const [, unit, low, secondUnit, high, period] = TEXT.exec(text.trim()) ?? []
  if (unit === undefined || (secondUnit !== undefined && secondUnit !== unit)) return undefined
  const amount = (digits: string) => Number(digits.replaceAll(',', ''))
  const min = amount(low!)
  return { min, max: high === undefined ? min : amount(high), currency: SIGNS[unit] ?? unit, period: period! }
}
