import { afterEach, describe, expect, test } from 'vitest'
import { ADMIN_KEY, type Answer, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { chromiumPath, complaintsOf, noticeOf, openContext } from '../support/browser.ts'
import { visitor } from '../support/pages.ts'
import { begin, entitlementsOf } from '../support/payments.ts'
import { png } from '../support/pictures.ts'

const board = useBoard()

/** Returns the path of a payment's checkout page. */
const pageOf = ({ checkout_url }: { checkout_url: string }) => checkout_url.slice(ORIGIN.length)

/** Sends the request that a browser sends when the user clicks the checkout page's button. */
const click = (path: string) =>
  board.call('POST', path, { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } })

/** Returns the visible text, with each cell and paragraph on its own line. */
function visible({ text }: Answer): string[] {
  const body = /<body>(.*)<\/body>/s.exec(text)![1]!
  return body
    .replaceAll(/<svg.*?<\/svg>/gs, '')
    .replaceAll(/<\/(?:p|h1|td|th|button|header|li)>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function expectPageHeaders({ headers }: Answer): void {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-robots-tag')).toBe('noindex')
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  )
}

describe('the checkout page without JavaScript', () => {
  test('shows no button and accepts no payment if the payment would buy nothing', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer)
    const body = { job_id: payment.job_id, products: ['job-post'] }
    const sibling = expectStatus(await board.post('/v1/employers/payments', employer.key, body), 201).body.data
    board.clock.advance(1)
    expectStatus(await click(pageOf(payment)), 303)
    for (const obstacle of ['made in the meantime', 'was deleted']) {
      const page = expectStatus(await board.get(pageOf(sibling)), 200)
      expect(page.text).toContain(obstacle)
      expect(page.text).not.toContain('<button')
      expectStatus(await click(pageOf(sibling)), 303)
      expect(await entitlementsOf(board, payment.job_id)).toHaveLength(1)
      await board.delete(`/v1/jobs/${payment.job_id}`, employer.key)
    }
  })

  test('shows the job, the products, the total and a button to anyone with the link', async () => {
    const payment = await begin(board, await board.employer(), ['job-post', 'featured'])
    const page = await board.get(pageOf(payment))
    expect(page.status).toBe(200)
    expectPageHeaders(page)
    expect(visible(page)).toEqual([
      'Test payment. No money is charged on this page.',
      'Job Marketplace',
      'Checkout',
      'For the job Battery engineer',
      'Product',
      'Price',
      'Job post',
      '199.00 USD',
      'Featured in lists',
      '99.00 USD',
      'Total',
      '298.00 USD',
      'Pay (test)',
      `Payment reference ${payment.reference}`,
      'Back to the job',
      'View the payment',
      'Back to Job Marketplace',
    ])
    expect(page.text).toContain('<form method="post"><button type="submit">')
    expect(page.text).not.toMatch(/<script|\son\w+=|src=|https?:/)
  })

  test('accepts the payment when the button is clicked, and then shows a confirmation', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer)
    board.clock.advance(1_000)
    const answer = await click(pageOf(payment))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, pageOf(payment)])
    const page = await board.get(answer.headers.get('location')!)
    expect(visible(page)).toContain('Paid. Thank you. Your job has been updated.')
    expect(page.text).not.toContain('<form')
    expect(page.text).toContain(`<a href="/employer/jobs/${payment.job_id}">Back to the job</a>`)
    const { data } = (await board.get(`/v1/employers/payments/${payment.id}`, employer.key)).body
    expect(data).toEqual({
      ...payment,
      status: 'paid',
      checkout_url: null,
      paid_at: board.clock.now().toISOString(),
      invoice_number: expect.stringMatching(/^TEST-/),
    })
    expect((await board.post(`/v1/jobs/${payment.job_id}/activate`, employer.key)).status).toBe(200)
  })

  test('does not change a paid payment after further clicks, even ten at once', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer)
    await click(pageOf(payment))
    const before = (await board.get(`/v1/employers/payments/${payment.id}`, employer.key)).body
    board.clock.advance(1_000)
    const answers = await Promise.all(Array.from({ length: 10 }, () => click(pageOf(payment))))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(303))
    expect((await board.get(`/v1/employers/payments/${payment.id}`, employer.key)).body).toEqual(before)
    expect(await entitlementsOf(board, payment.job_id)).toHaveLength(1)
  })

  test('does not change the payment when a visitor views the page', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer)
    await board.get(pageOf(payment))
    await board.call('HEAD', pageOf(payment))
    expect((await board.get(`/v1/employers/payments/${payment.id}`, employer.key)).body.data).toEqual(payment)
  })

  test.each(['x', 'A'.repeat(32), '%00', '%3Cscript%3E', 'a%2Fb'])(
    'shows an error page for the unknown token %s, for GET and POST',
    async (token) => {
      for (const answer of [await board.get(`/checkout/${token}`), await click(`/checkout/${token}`)]) {
        expect(answer.status).toBe(404)
        expectPageHeaders(answer)
        expect(visible(answer)).toEqual([
          'Job Marketplace',
          'Not found',
          'This payment link is invalid.',
          'Back to Job Marketplace',
        ])
      }
    },
  )

  test('escapes a hostile title and product name', async () => {
    const employer = await board.employer()
    const title = `</b><script>alert(1)</script>"'&<img src=x onerror=alert(1)>`
    const { id } = await board.job(employer, { title })
    await board.put('/v1/admin/products/urgent', ADMIN_KEY, { name: '<i>Urgent</i>' })
    const page = await board.get(pageOf(await begin(board, employer, ['urgent'], id)))
    expect(page.text).not.toMatch(/<script|<img|<i>/)
    expect(page.text).toContain(
      '<b>&lt;/b&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;img src=x onerror=alert(1)&gt;</b>',
    )
    expect(page.text).toContain('&lt;i&gt;Urgent&lt;/i&gt;')
  })

  test('formats amounts for their currency', async () => {
    const employer = await board.employer()
    expectStatus(await board.put('/v1/admin/products/highlighted', ADMIN_KEY, { currency: 'JPY', amount: 2900 }), 200)
    expect(visible(await board.get(pageOf(await begin(board, employer, ['highlighted']))))).toContain('2,900 JPY')
    expectStatus(await board.put('/v1/admin/products/highlighted', ADMIN_KEY, { currency: 'KWD', amount: 2900 }), 200)
    expect(visible(await board.get(pageOf(await begin(board, employer, ['highlighted']))))).toContain('2.900 KWD')
  })

  test('shows the original price of the payment after the product price changed', async () => {
    const payment = await begin(board, await board.employer(), ['job-post', 'featured'])
    await board.put('/v1/admin/products/job-post', ADMIN_KEY, { amount: 1 })
    const lines = visible(await board.get(pageOf(payment)))
    await board.put('/v1/admin/products/job-post', ADMIN_KEY, { amount: 19_900 })
    expect(lines.slice(lines.indexOf('Job post'))).toEqual([
      'Job post',
      '199.00 USD',
      'Featured in lists',
      '99.00 USD',
      'Total',
      '298.00 USD',
      'Pay (test)',
      `Payment reference ${payment.reference}`,
      'Back to the job',
      'View the payment',
      'Back to Job Marketplace',
    ])
  })

  test('states that the job was deleted', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer)
    await board.delete(`/v1/jobs/${payment.job_id}`, employer.key)
    expect(visible(await board.get(pageOf(payment)))).toContain('For a deleted job')
  })

  test('has a URL that is in no list of jobs, employers or settled payments, and in no event or log line', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer)
    await click(pageOf(payment))
    await board.get(pageOf(payment))
    const token = pageOf(payment).split('/').at(-1)!
    for (const path of ['/v1/jobs', '/v1/employers', '/v1/employers/jobs', '/v1/employers/payments']) {
      expect((await board.get(`${path}?limit=100`, ADMIN_KEY)).text).not.toContain(token)
    }
    expect(JSON.stringify(await board.events())).not.toContain(token)
    expect(board.log).not.toContain(token)
  })

  test('has the logo and the contact email, and links to the board and its legal pages if the website is on', async () => {
    const operator = { key: ADMIN_KEY }
    const logo = { ...operator, body: png(64, 32), headers: { 'content-type': 'application/octet-stream' } }
    expectStatus(await board.call('PUT', '/v1/admin/board/logo', logo), 200)
    const page = { title: 'Terms & <so>', text: 'Text' }
    expectStatus(await board.put('/v1/admin/board/pages/terms', ADMIN_KEY, page), 200)
    expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, { contact_email: 'hello@gear.example' }), 200)
    const path = pageOf(await begin(board, await board.employer()))
    const read = async () => {
      const { document } = await (await visitor(board)).get(path)
      return {
        logo: document.querySelector('header img')?.getAttribute('src'),
        links: document.querySelectorAll('header a, footer a').map((link) => link.getAttribute('href')),
      }
    }
    const shown = await read()
    expect(shown).toEqual({
      logo: expect.stringMatching(/^\/board\/logo\//),
      links: ['/', '/', '/pages/terms', 'mailto:hello@gear.example'],
    })
    for (const target of [shown.logo!, '/', '/pages/terms']) expect((await board.get(target)).status).toBe(200)
    expect((await board.get(path)).text).toContain('<a href="/pages/terms">Terms &amp; &lt;so&gt;</a>')
    await board.restart({ PAGES: 'off' })
    expect(await read()).toEqual({ logo: shown.logo, links: ['mailto:hello@gear.example'] })
    await board.restart()
    await board.delete('/v1/admin/board/logo', ADMIN_KEY)
    await board.delete('/v1/admin/board/pages/terms', ADMIN_KEY)
    await board.put('/v1/admin/board', ADMIN_KEY, { contact_email: null })
  })

  describe('PAYMENTS=manual', () => {
    afterEach(() => board.restart())

    test('shows the reference and no button, and ignores a forged click', async () => {
      await board.restart({ PAYMENTS: 'manual' })
      const employer = await board.employer()
      const payment = await begin(board, employer)
      const page = await board.get(pageOf(payment))
      expectPageHeaders(page)
      expect(page.text).not.toMatch(/<form|<button/)
      const lines = visible(page)
      expect(lines).not.toContain('Test payment. No money is charged on this page.')
      expect(lines).toContain(
        `The operator of this board confirms payments manually. Pay as agreed, and include the reference ${payment.reference}.`,
      )
      expect((await click(pageOf(payment))).status).toBe(303)
      expect((await board.get(`/v1/employers/payments/${payment.id}`, employer.key)).body.data).toEqual(payment)
      await board.post(`/v1/admin/payments/${payment.id}/mark-paid`, ADMIN_KEY)
      expect(visible(await board.get(pageOf(payment)))).toContain('Paid. Thank you. Your job has been updated.')
    })
  })
})

describe.runIf(chromiumPath !== undefined)('the checkout page in Chromium', () => {
  test('shows a sample form without input fields, identifies itself as a test and fits a phone screen', async () => {
    const path = pageOf(await begin(board, await board.employer(), ['job-post', 'featured', 'urgent']))
    for (const width of [360, 1_280]) {
      const context = await openContext(board, { width })
      const page = await context.newPage()
      await page.goto(path)
      expect(await page.getByRole('img', { name: 'Sample card form without fields' }).count()).toBe(1)
      expect(await page.locator('input, select, textarea, [contenteditable]').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      // The banner stays at the top of the window while the page scrolls.
      await page.getByRole('button', { name: 'Pay (test)' }).scrollIntoViewIfNeeded()
      const banner = (await page.getByText('No money is charged on this page.').boundingBox())!
      expect([banner.x, banner.y, banner.width]).toEqual([0, 0, width])
      await context.close()
    }
  })

  test('accepts a payment with one click and no console errors', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer, ['job-post', 'urgent'])
    const context = await openContext(board)
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(pageOf(payment))
    expect(await page.getByRole('heading', { name: 'Checkout' }).textContent()).toBe('Checkout')
    await page.getByRole('button', { name: 'Pay (test)' }).click()
    await expect.poll(noticeOf(page)).toBe('Paid. Thank you. Your job has been updated.')
    expect(await page.getByText('Pay (test)').count()).toBe(0)
    // The browser requests an icon automatically.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
    await context.close()
    expect((await board.get(`/v1/employers/payments/${payment.id}`, employer.key)).body.data.status).toBe('paid')
  })
})
