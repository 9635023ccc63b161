/** What the checkout page of test payments shows instead of a real form: one that cannot be filled in. */

export const testBanner = '<p class="test"><b>Test payment.</b> No money moves on this page.</p>'

export const checkoutStyle = ''

export function renderTestCard(): string {
  return '<form method="post"><button type="submit">Pay (test)</button></form>'
}
