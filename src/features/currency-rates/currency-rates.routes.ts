import type { App } from '../../http/app.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import type { Kit } from '../feature.ts'
import { CurrencyRatesBody, CurrencyRatesSchema } from './currency-rates.schemas.ts'
import { presentRates } from './currency-rates.service.ts'

export function registerCurrencyRates(app: App, { rates, clock }: Kit): void {
  app.get('/currency-rates', {
    config: { access: {} },
    schema: {
      operationId: 'getCurrencyRates',
      summary: 'Get the exchange rates that salary_in and sort=salary use',
      response: { 200: Envelope(Ref(CurrencyRatesSchema)) },
    },
    handler: async () => ({ data: presentRates(rates.now.table) }),
  })

  app.put('/admin/currency-rates', {
    config: { access: { kinds: ['admin'], scope: 'admin:write' } },
    attachValidation: true,
    schema: {
      operationId: 'replaceCurrencyRates',
      summary: 'Replace all exchange rates',
      body: CurrencyRatesBody,
      response: { 200: Envelope(Ref(CurrencyRatesSchema)) },
    },
    handler: async ({ actor, body, faults, precondition }) => {
      const change = { actor, body, faults, precondition }
      return { data: presentRates(await rates.replace({ ...change, now: clock.now() })) }
    },
  })
}
