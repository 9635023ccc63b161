// Updates the order's lines and total when a choice changes. Must compute VAT as the server does.
const order = document.querySelector('[data-order]')
const form = order?.closest('form')

function update() {
  const { order: currency, digits, vat, included } = order.dataset
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const number = new Intl.NumberFormat(document.documentElement.lang, decimals)
  const format = (amount) => `${number.format(amount / 10 ** digits)} ${currency}`
  const chosen = new Set(new FormData(form).getAll('products'))
  let sum = 0
  for (const line of order.querySelectorAll('[data-product]')) {
    line.hidden = !chosen.has(line.dataset.product)
    if (!line.hidden) sum += Number(line.dataset.amount)
  }
  const rate = Number(vat ?? 0)
  const tax = Math.round((sum * rate) / (included ? 10_000 + rate : 10_000))
  for (const cell of form.querySelectorAll('[data-vat-sum]')) cell.textContent = format(tax)
  for (const cell of form.querySelectorAll('[data-total]')) cell.textContent = format(included ? sum : sum + tax)
}

if (form) {
  form.querySelector('[name="_do"]').remove()
  form.addEventListener('change', update)
  update()
}
