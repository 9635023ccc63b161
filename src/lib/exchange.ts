/** Converts amounts of money between currencies, to compare salaries in different currencies. */

export interface RateTable {
  /** ISO 4217 code of the currency to which the rates refer. */
  base: string
  /** Date of the rates: YYYY-MM-DD. */
  as_of: string
  /** Units of each currency for one unit of the base currency. */
  rates: Readonly<Record<string, number>>
}

/** A conversion to one currency. `factors` contains the factor of each currency that can be converted. */
export interface Conversion {
  currency: string
  factors: ReadonlyMap<string, number>
}

/** Upper limit of converted amounts. In ascending order, jobs without a salary have a higher sort value. */
export const CONVERTED_MAX = Number.MAX_SAFE_INTEGER - 1

/**
 * Returns an amount in whole units of another currency. Returns NaN without a factor. Must match `convertedSql` in
 * src/search/filters.ts.
 */
export function convert(amount: number, factor = Number.NaN): number {
  return Math.min(Math.floor(amount * factor + 0.5), CONVERTED_MAX)
}

/** The board's exchange rates, and the default currency for comparing salaries. */
export class Exchange {
  readonly table: RateTable
  readonly defaultCurrency: string
  readonly #rates: ReadonlyMap<string, number>
  readonly #conversions = new Map<string, Conversion>()

  constructor(table: RateTable, defaultCurrency: string) {
    this.table = table
    this.defaultCurrency = defaultCurrency
    this.#rates = new Map([...Object.entries(table.rates), [table.base, 1]])
  }

  /** Returns an exchange without rates, in which each currency is comparable only with itself. */
  static without(defaultCurrency: string): Exchange {
    return new Exchange({ base: defaultCurrency, as_of: '1970-01-01', rates: {} }, defaultCurrency)
  }

  /** The conversion to the default currency. */
  get byDefault(): Conversion {
    return this.conversionTo(this.defaultCurrency)
  }

  conversionTo(currency: string): Conversion {
    let conversion = this.#conversions.get(currency)
    if (!conversion) {
      const rate = this.#rates.get(currency)
      const others = rate === undefined ? [] : [...this.#rates].map(([from, of]) => [from, rate / of] as const)
      // The factor of the currency itself is exactly 1, even if the table has no rate for it.
      conversion = { currency, factors: new Map([...others, [currency, 1]]) }
      this.#conversions.set(currency, conversion)
    }
    return conversion
  }
}
