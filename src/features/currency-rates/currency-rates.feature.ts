import { defineFeature } from '../feature.ts'
import { registerCurrencyRatePages } from './currency-rates.pages.ts'
import { registerCurrencyRates } from './currency-rates.routes.ts'
import { CurrencyRatesSchema } from './currency-rates.schemas.ts'

/** The API and the admin page for exchange rates. Without this feature, the rates of the release apply. */
export const currencyRates = defineFeature({
  name: 'currency-rates',
  tag: 'Jobs',
  isOptional: true,
  schemas: [CurrencyRatesSchema],
  navigation: [
    { menu: 'desk', href: '/desk/currency-rates', text: 'menu.currency_rates', rank: 102, group: 'menu.setup' },
  ],
  examples: { as_of: '2026-11-20', base: 'EUR', rates: { SEK: 10.98, USD: 1.16 } },
  open: (kit) => ({
    api: (v1) => registerCurrencyRates(v1, kit),
    pages: (pages) => registerCurrencyRatePages(pages, kit),
    refresh: () => kit.rates.refresh(),
  }),
})
