import { englishOf, t } from '../../locale/messages.ts'
import { badge, button, card, dataTable, postForm } from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { currencyOptions, JOB_POST } from '../jobs/index.ts'
import { describeAmount } from './payments.amounts.ts'
import { productName } from './payments.present.ts'
import type { Product } from './payments.schemas.ts'

const saleBadge = ({ is_active }: Product) =>
  is_active ? badge(t('payments.on_sale'), 'good') : badge(t('payments.off_sale'))

export function renderProducts(page: PageContext, products: readonly Product[]): Html {
  const [title, price] = [t('payments.products'), t('payments.price')]
  return htmlPage(page, { title })`<h1>${title}</h1>
<p class="lead">${t('payments.products_lead')}</p>
${dataTable(title, { rows: products, numbers: [price] }, (product) => ({
  [t('shared.name')]: html`<a class="strong" href="/desk/products/${product.slug}">${productName(product)}</a>`,
  [price]: describeAmount(product.amount, product.currency),
  [t('payments.duration')]: t('desk.days', { count: product.duration_days }),
  [t('shared.state')]: saleBadge(product),
}))}`
}

export function renderProduct(page: PageContext, product: Product, form: Form): Html {
  const { slug } = product
  const name = productName(product)
  return htmlPage(page, {
    title: name,
    width: 'narrow',
  })`<p class="crumbs"><a href="/desk/products">${t('payments.products')}</a></p>
<div class="row page-head"><h1>${name}</h1>${saleBadge(product)}</div>
${form.summary()}
${postForm(page, `/desk/products/${slug}`, [
  editedField(form),
  card([
    form.field('name', t('shared.name'), {
      hint: englishOf(`product.${slug}`) === product.name ? t('payments.product_name_hint') : undefined,
      isRequired: true,
      maxlength: 100,
      autocomplete: 'off',
    }),
    html`<div class="pair">${form.field('price', t('payments.price'), {
      hint: t('payments.price_hint'),
      isRequired: true,
      inputmode: 'decimal',
      autocomplete: 'off',
    })}${form.select('currency', t('jobs.currency'), currencyOptions(product.currency))}</div>`,
    form.field('duration_days', t('payments.duration_days'), {
      hint: t('payments.duration_hint'),
      isRequired: true,
      inputmode: 'numeric',
      autocomplete: 'off',
    }),
    slug === JOB_POST
      ? html`<input type="hidden" name="is_active" value="true">`
      : form.checkbox('is_active', t('payments.on_sale'), t('payments.is_on_sale_hint')),
  ]),
  html`<div class="actions">${button(t('shared.save'))}<a href="/desk/products">${t('shared.cancel')}</a></div>`,
])}`
}
