import { defineFeature } from '../feature.ts'
import { registerCurrencyRates } from './currency-rates.routes.ts'
import { CurrencyRatesSchema } from './currency-rates.schemas.ts'

/** The operations for exchange rates. Without this feature, the board uses the rates of the release. */
export const currencyRates = defineFeature({
  name: 'currency-rates',
  isOptional: true,
  schemas: [CurrencyRatesSchema],
  examples: { as_of: '2026-11-20', base: 'EUR', rates: { SEK: 10.98, USD: 1.16 } },
  open: (kit) => ({
    api: (v1) => registerCurrencyRates(v1, kit),
    refresh: () => kit.rates.refresh(),
  }),
})
