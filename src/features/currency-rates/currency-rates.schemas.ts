import { type Static, Type } from 'typebox'
import { Day, Resource, Strict } from '../../lib/schema.ts'

/** Bounds of a rate. The rates of real currencies are far from both. */
export const RATE_MIN = 1e-9
export const RATE_MAX = 1e9
/** Maximum number of rates, more than the number of currencies. */
export const RATES_MAX = 300

const code = { pattern: '^[A-Z]{3}$', format: 'currency' }

const members = {
  base: Type.String({ ...code, description: 'ISO 4217 code of the currency to which the rates refer.' }),
  as_of: Day('Date of the rates.'),
  rates: Type.Unsafe<Record<string, number>>({
    type: 'object',
    propertyNames: { type: 'string', ...code },
    additionalProperties: { type: 'number', minimum: RATE_MIN, maximum: RATE_MAX },
    minProperties: 1,
    maxProperties: RATES_MAX,
    description: 'Units of each currency for one unit of the base currency, by ISO 4217 code.',
  }),
}

export const CurrencyRatesBody = Strict(members)
export type CurrencyRatesBody = Static<typeof CurrencyRatesBody>

/** The form, with one rate per line, such as `USD 1.08`. */
export const CurrencyRatesForm = Strict({
  base: members.base,
  as_of: members.as_of,
  rates: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: RATES_MAX }),
})

export const CurrencyRatesSchema = Resource('CurrencyRates', members)
