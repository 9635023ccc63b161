import type { RateTable } from '../../lib/exchange.ts'
import { DAY_MS, parseTime } from '../../lib/time.ts'
import { t } from '../../locale/messages.ts'
import { button, card, day, message, postForm } from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import { currencyOptions } from '../jobs/index.ts'
import { RATES_AGE_MAX_DAYS } from './currency-rates.service.ts'

export function renderRates(
  page: PageContext,
  { form, table, now }: { form: Form; table: RateTable; now: Date },
): Html {
  const isOld = now.getTime() - parseTime(table.as_of, 'start')!.getTime() > RATES_AGE_MAX_DAYS * DAY_MS
  return htmlPage(page, {
    title: t('currency_rates.title'),
    width: 'narrow',
  })`<h1>${t('currency_rates.title')}</h1>
<p class="lead">${t('currency_rates.lead')}</p>
${isOld && message(html`<p>${rich('currency_rates.old', { day: day(table.as_of) })}</p>`, 'warn')}
${form.summary()}
${postForm(page, '/desk/currency-rates', [
  editedField(form),
  card([
    html`<div class="pair">${form.select('base', t('currency_rates.base'), currencyOptions(table.base))}${form.field('as_of', t('currency_rates.as_of'), { type: 'date', isRequired: true })}</div>`,
    form.textArea('rates[]', t('currency_rates.rates'), {
      hint: t('currency_rates.rates_hint'),
      isRequired: true,
      rows: 14,
      spellcheck: 'false',
    }),
  ]),
  html`<div class="actions">${button(t('shared.save'))}</div>`,
])}`
}
