import { type Static, Type } from 'typebox'
import { Day, Strict } from '../../lib/schema.ts'

/** Bounds of a rate. The rates of all currencies are far within these bounds. */
const RATE_MIN = 1e-9
const RATE_MAX = 1e9
/** Maximum number of rates. There are fewer currencies. */
const RATES_MAX = 300

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

export const CurrencyRatesSchema = Type.Object(members, { $id: 'CurrencyRates', additionalProperties: false })
