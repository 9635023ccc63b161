/** Invoices, VAT and bank transfers on pages and in emails, without JavaScript. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { visitor } from '../support/pages.ts'
import { begin } from '../support/payments.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard({ PAYMENTS: 'manual' })

const settings = {
  ...{ seller_name: 'Gearwright Ltd', vat_rate: 20, prices_include_vat: false },
  ...{ bank_account_name: 'Gearwright Ltd', bank_iban: 'GB33BUKB20201555555555', bank_bic: 'BUKBGB22' },
}
const setBoard = async (body: object) => expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200)
const pay = async (id: string) => expectStatus(await board.post(`/v1/admin/payments/${id}/mark-paid`, ADMIN_KEY), 200)

beforeAll(() => setBoard(settings))

const mailsTo = async (address: string) => {
  await runTask(board, 'mail')
  return (await mailsIn(board.config.dataDir)).filter(({ to }) => to?.some((each) => each.address === address))
}

describe('an order', () => {
  test('shows the total with VAT, which is added to or included in the prices', async () => {
    const employer = await board.employer()
    const { id } = await board.job(employer)
    const me = await visitor(board, employer)
    const path = `/employer/jobs/${id}/pay`
    const sums = async () => {
      const { document } = await me.submit(await me.get(path), path, { products: ['featured'], _do: 'sum' })
      const shown = document.querySelectorAll('.sum tr').filter((row) => !row.hasAttribute('hidden'))
      return [shown.map((row) => row.textContent), document.querySelector('.apply-bar [data-total]')!.textContent]
    }
    expect(await sums()).toEqual([
      ['Job post199.00 USD', 'Featured in lists99.00 USD', 'VAT (20%)59.60 USD', 'Total357.60 USD'],
      '357.60 USD',
    ])
    await setBoard({ prices_include_vat: true })
    expect(await sums()).toEqual([
      ['Job post199.00 USD', 'Featured in lists99.00 USD', 'Includes 20% VAT49.67 USD', 'Total298.00 USD'],
      '298.00 USD',
    ])
    await setBoard(settings)
  })

  test('links to the billing details, which only the employer sees', async () => {
    const employer = await board.employer({ name: 'Halden' })
    const { id } = await board.job(employer)
    const me = await visitor(board, employer)
    expect((await me.get(`/employer/jobs/${id}/pay`)).seen).toContain('Add billing address')
    const profile = await me.get('/employer/profile')
    const billing = { billing_name: 'Halden Drive Ltd', billing_address: '2 Example Road\r\nLeeds', vat_id: 'GB1' }
    expect((await me.submit(profile, '/employer/profile', billing)).seen).toContain('Saved.')
    const ordered = await me.get(`/employer/jobs/${id}/pay`)
    expect(ordered.seen).toMatch(/Halden Drive Ltd.*2 Example Road.*Leeds.*GB1.*Change billing details/)
    const shown = await board.get(`/v1/employers/${employer.id}`, employer.key)
    expect(shown.text).not.toMatch(/billing|vat_id/)
    expect(JSON.stringify(await board.events())).not.toContain('Halden Drive Ltd')
  })
})

describe('a pending payment', () => {
  test('shows the bank details on its page and at checkout until it is paid', async () => {
    const employer = await board.employer({ email: 'pay@halden.example' })
    const payment = await begin(board, employer)
    const me = await visitor(board, employer)
    const details = ['238.80 USD', payment.reference, 'GB33 BUKB 2020 1555 5555 55', 'BUKBGB22']
    const page = await me.get(`/employer/payments/${payment.id}`)
    const checkout = await me.get(new URL(payment.checkout_url).pathname)
    for (const detail of details)
      expect([page.seen, checkout.seen]).toEqual(Array(2).fill(expect.stringContaining(detail)))
    expect(page.document.querySelector('a[href$="/invoice"]')).toBeNull()
    await pay(payment.id)
    expect((await me.get(`/employer/payments/${payment.id}`)).seen).not.toContain('GB33')
    const mails = await mailsTo('pay@halden.example')
    // The payment arrived before the email with the bank details was sent, so the email is dropped.
    expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^Receipt INV-/)])
  })

  test('shows no bank details and causes no email if the board has none', async () => {
    const none = { bank_account_name: null, bank_iban: null, bank_bic: null, bank_note: null }
    await setBoard(none)
    const employer = await board.employer({ email: 'none@halden.example' })
    const payment = await begin(board, employer)
    const page = await (await visitor(board, employer)).get(`/employer/payments/${payment.id}`)
    expect(page.seen).toContain('Complete the payment at checkout.')
    expect(page.seen).not.toContain('Pay by bank transfer')
    expect(await mailsTo('none@halden.example')).toEqual([])
    await setBoard(settings)
  })
})

describe('emails', () => {
  test('contain the bank details before the payment, and the receipt afterward', async () => {
    const employer = await board.employer({ email: 'known@halden.example' })
    const payment = await begin(board, employer, ['job-post', 'urgent'])
    const [how] = await mailsTo('known@halden.example')
    expect(how!.subject).toBe('How to pay for your job: Battery engineer')
    for (const part of [payment.reference, 'IBAN: GB33 BUKB 2020 1555 5555 55', 'Amount: 297.60 USD']) {
      expect(how!.text).toContain(part)
    }
    const { invoice_number } = (await pay(payment.id)).body.data
    const receipt = (await mailsTo('known@halden.example')).at(-1)!
    expect(receipt.subject).toBe(`Receipt ${invoice_number} for your job: Battery engineer`)
    for (const part of ['Urgent badge: 49.00 USD', 'VAT (20%): 49.60 USD', 'Total: 297.60 USD', payment.id]) {
      expect(receipt.text).toContain(part)
    }
  })
})

describe('a paid payment', () => {
  test('links to its PDF invoice, which only its employer and admins can download', async () => {
    const employer = await board.employer()
    const { id } = await begin(board, employer)
    await pay(id)
    for (const [account, path] of [
      [employer, `/employer/payments/${id}`],
      [{ key: ADMIN_KEY }, `/desk/payments/${id}`],
    ] as const) {
      const who = await visitor(board, account)
      const link = (await who.get(path)).document.querySelector('a[href$="/invoice"]')!.getAttribute('href')!
      const file = await who.get(link)
      expect([file.status, file.headers.get('content-type'), file.text.slice(0, 5)]).toEqual([
        200,
        'application/pdf',
        '%PDF-',
      ])
    }
    const stranger = await visitor(board, await board.employer())
    expect((await stranger.get(`/employer/payments/${id}/invoice`)).status).toBe(404)
  })
})

test('admins find payments by company, email address, invoice number, reference and ID, in any state', async () => {
  const employer = await board.employer({ name: 'Żabka & Söhne 50%', email: 'Find.Me@sohne.example' })
  const pending = await begin(board, employer)
  const paid = await begin(board, employer)
  const { invoice_number } = (await pay(paid.id)).body.data
  const admin = await visitor(board, { key: ADMIN_KEY })
  const found = async (text: string) => {
    const page = await admin.get(`/desk/payments?search=${encodeURIComponent(text)}`)
    expect(page.status).toBe(200)
    return page.document
      .querySelectorAll('tbody a[href^="/desk/payments/"]')
      .map((link) => link.getAttribute('href')!.split('/').at(-1))
  }
  for (const text of ['żabka', 'ZABKA & SOHNE', '50%', ' find.me@SOHNE.example ']) {
    expect([text, (await found(text)).sort()]).toEqual([text, [pending.id, paid.id].sort()])
  }
  for (const text of [invoice_number, paid.reference, paid.reference.toLowerCase(), paid.id]) {
    expect([text, await found(text)]).toEqual([text, [paid.id]])
  }
  expect(await found('nobody at all')).toEqual([])
  const other = await board.employer()
  expect((await board.get('/v1/employers/payments?search=sohne', other.key)).body.data).toEqual([])
  expect((await board.get('/v1/employers/payments?search=sohne', employer.key)).body.data).toHaveLength(2)
})

test('the VAT and bank settings are changed on a page, which reports an IBAN with a mistyped digit', async () => {
  const admin = await visitor(board, { key: ADMIN_KEY })
  const page = await admin.get('/desk/board')
  const wrong = await admin.submit(page, '/desk/board', { bank_iban: 'GB33 BUKB 2020 1555 5555 56' })
  expect([wrong.status, wrong.seen.includes('Enter a valid IBAN. Check it for typos.')]).toEqual([422, true])
  const saved = await admin.submit(page, '/desk/board', { vat_rate: '8.1', prices_include_vat: 'true' })
  expect(saved.seen).toContain('Settings saved.')
  expect((await board.get('/v1/board')).body.data).toMatchObject({ vat_rate: 8.1, prices_include_vat: true })
  expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, settings), 200)
})
