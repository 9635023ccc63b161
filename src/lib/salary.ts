/** Converts salaries to annual amounts, to compare salaries with different pay periods. */

export const payPeriods = ['hour', 'day', 'week', 'month', 'year'] as const
export type PayPeriod = (typeof payPeriods)[number]

export interface Salary {
  min: number | null
  max: number | null
  currency: string
  period: PayPeriod
}

/**
 * Maximum salary; higher amounts are mistakes. The annual equivalent of this amount, even as an hourly rate, fits into
 * a 53-bit integer.
 */
export const SALARY_MAX = 1_000_000_000

const PER_YEAR: Record<PayPeriod, number> = { hour: 2080, day: 260, week: 52, month: 12, year: 1 }

/**
 * Returns both ends of a salary range as annual amounts. If one end is open, uses the known end for both. If no amount
 * is known, both ends are null.
 */
export function annualize(salary: Salary | null): { low: number | null; high: number | null } {
  const low = salary?.min ?? salary?.max ?? null
  const high = salary?.max ?? salary?.min ?? null
  const factor = salary ? PER_YEAR[salary.period] : 1
  return { low: low === null ? null : low * factor, high: high === null ? null : high * factor }
}

/** ISO 4217 currency codes that this runtime supports. */
export const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Returns whether the text is an ISO 4217 currency code supported by this runtime. */
export function isCurrency(code: string): boolean {
  return currencies.has(code)
}
