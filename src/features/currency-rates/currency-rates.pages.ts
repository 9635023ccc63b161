/** Admin page for the exchange rates. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import type { BodyFault } from '../../lib/errors.ts'
import { isCurrency } from '../../lib/salary.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { type Form, fieldFault } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { CurrencyRatesForm, RATE_MAX, RATE_MIN, RATES_MAX } from './currency-rates.schemas.ts'
import { presentRates } from './currency-rates.service.ts'
import { renderRates } from './currency-rates.views.ts'

const path = '/desk/currency-rates'
const members = ['base', 'as_of', 'rates']

/**
 * Reads lines such as `USD 1.08`. Returns the rates, and a fault for the first line that is not a rate or repeats a
 * currency.
 */
function readLines(lines: readonly string[]): { rates: Record<string, number>; faults: BodyFault[] } {
  const rates: Record<string, number> = {}
  for (const line of lines.slice(0, RATES_MAX)) {
    const [code = '', digits = '', ...rest] = line.toUpperCase().split(/[\s:=]+/)
    const rate = /^\d{1,12}(?:\.\d{1,12})?$/.test(digits) ? Number(digits) : Number.NaN
    const isRate = isCurrency(code) && rest.length === 0 && rate >= RATE_MIN && rate <= RATE_MAX
    if (!isRate || Object.hasOwn(rates, code)) {
      const key = isRate ? 'currency_rates.line_twice' : 'currency_rates.line_wrong'
      return { rates, faults: [fieldFault('rates', t(key, { line: line.slice(0, 50) }))] }
    }
    rates[code] = rate
  }
  return { rates, faults: [] }
}

export function registerCurrencyRatePages(pages: App, { rates, database, clock }: Kit): void {
  const render = (request: FastifyRequest, form?: Form) => {
    const table = presentRates(rates.now.table)
    const lines = Object.entries(table.rates).map(([code, rate]) => `${code} ${rate}`)
    return renderRates(request.page, {
      form: form ?? editorForm(table, members, { rates: lines }),
      table,
      now: clock.now(),
    })
  }

  pages.get(path, { config: { access: { kinds: ['admin'], scope: 'admin:read' } } }, async (request) => {
    // Another process may have just changed the rates.
    await rates.refresh()
    return render(request)
  })

  pages.post(path, {
    config: { access: { kinds: ['admin'], scope: 'admin:write' }, again: render },
    attachValidation: true,
    schema: { body: CurrencyRatesForm },
    handler: async (request, reply) => {
      const { actor, body } = request
      const read = readLines(body.rates ?? [])
      await rates.replace(
        {
          actor,
          body: { base: body.base, as_of: body.as_of, rates: read.rates },
          faults: [...request.faults, ...read.faults],
          precondition: unlessChanged(request, members),
          now: clock.now(),
        },
        (work) => doOnce(request, database, work),
      )
      return seeOther(reply, path, t('currency_rates.saved', { count: Object.keys(read.rates).length }))
    },
  })
}
