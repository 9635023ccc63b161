import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, test } from 'vitest'
import { type Account, ADMIN_KEY, expectStatus } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { begin, UNKNOWN_PAYMENT } from '../support/payments.ts'

const SELLER = {
  ...{ seller_name: 'Gearwright Ltd', seller_address: '1 Example Street\nLeeds', seller_vat_id: 'GB123456789' },
  ...{ vat_rate: 20, prices_include_vat: false, contact_email: 'hello@board.example' },
}
const BUYER = { billing_name: 'Halden Drive Ltd', billing_address: '2 Example Road\nLeeds', vat_id: 'GB987654321' }

describeOperation(
  'getInvoice',
  ({ board, status }) => {
    const pathOf = (id: string) => `/v1/employers/payments/${id}/invoice`
    const setBoard = async (body: object) => expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200)
    const settle = async (id: string) =>
      expectStatus(await board.post(`/v1/admin/payments/${id}/mark-paid`, ADMIN_KEY), 200).body.data
    const pay = async (employer: Account, products?: string[]) => settle((await begin(board, employer, products)).id)
    const textOf = async (id: string, key = ADMIN_KEY) => {
      const { bytes } = expectStatus(await board.get(pathOf(id), key), 200)
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })
      return text.replace(/\s+/g, ' ')
    }
    const numberOf = ({ invoice_number }: { invoice_number: string }) =>
      Number(/^INV-(\d{6})$/.exec(invoice_number)![1])
    const request = async () => {
      const employer = await board.employer()
      return { method: 'GET', path: pathOf((await pay(employer)).id), key: employer.key }
    }

    status(200, () => {
      test('shows the seller, the buyer, the lines, VAT and the number', async () => {
        await setBoard(SELLER)
        const employer = await board.employer()
        expectStatus(await board.put('/v1/employers/profile', employer.key, BUYER), 200)
        const payment = await pay(employer, ['job-post', 'featured'])
        expect(payment).toMatchObject({ amount: 35_760, vat_rate: 20, vat_amount: 5_960, status: 'paid' })
        const answer = await board.get(pathOf(payment.id), employer.key)
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
        expect(answer.headers.get('content-disposition')).toBe(
          `attachment; filename=invoice-${payment.invoice_number}.pdf`,
        )
        const text = await textOf(payment.id, employer.key)
        for (const part of [
          ...['Gearwright Ltd', '1 Example Street Leeds', 'VAT ID: GB123456789', 'hello@board.example'],
          ...['Halden Drive Ltd', '2 Example Road Leeds', 'VAT ID: GB987654321'],
          ...[`Invoice ${payment.invoice_number}`, 'Battery engineer', `Payment reference ${payment.reference}`],
          ...['Job post 199.00 USD', 'Featured in lists 99.00 USD', 'Net 298.00 USD', 'VAT (20%) 59.60 USD'],
          ...['Total 357.60 USD', 'Paid 2 Mar 2026'],
        ]) {
          expect(text).toContain(part)
        }
      })

      test('never changes, even if names, prices or the seller change, or the account is deleted', async () => {
        await setBoard(SELLER)
        const employer = await board.employer()
        const { id } = await pay(employer)
        const before = await textOf(id)
        await setBoard({ seller_name: 'Somebody Else', vat_rate: 7, contact_email: null })
        await board.put('/v1/employers/profile', employer.key, {
          name: 'Renamed',
          billing_name: 'Renamed',
          vat_id: 'X',
        })
        await board.put('/v1/admin/products/job-post', ADMIN_KEY, { name: 'Other', amount: 1 })
        expectStatus(await board.delete('/v1/employers/profile', employer.key), 204)
        expect(await textOf(id)).toBe(before)
        await board.put('/v1/admin/products/job-post', ADMIN_KEY, { name: 'Job post', amount: 19_900 })
        for (const change of [
          'delete from invoice',
          "update invoice set document = '{}'",
          `update invoice set number = 0 where payment_id = '${id}'`,
        ]) {
          await expect(board.database.withClient((client) => client.query(change))).rejects.toThrow(
            'invoices cannot be changed',
          )
        }
      })

      test('shows the VAT that is included in the prices', async () => {
        await setBoard({ ...SELLER, prices_include_vat: true, vat_rate: 8.1 })
        const payment = await pay(await board.employer())
        expect(payment).toMatchObject({ amount: 19_900, vat_rate: 8.1, vat_amount: 1_491 })
        const text = await textOf(payment.id)
        for (const part of ['Job post 199.00 USD', 'Net 184.09 USD', 'VAT (8.1%) 14.91 USD', 'Total 199.00 USD']) {
          expect(text).toContain(part)
        }
      })

      test('is a receipt without VAT until the operator sets the seller', async () => {
        await setBoard({ ...SELLER, seller_name: null, vat_rate: null })
        const payment = await pay(await board.employer())
        const text = await textOf(payment.id)
        expect(text).toContain(`Receipt ${payment.invoice_number}`)
        expect(text).not.toMatch(/Invoice|VAT,|Net/)
      })

      test('shows Latin, Greek, Cyrillic and Japanese names, and boxes for characters of other scripts', async () => {
        const employer = await board.employer()
        const billing_name = 'Żółć Œuvre Ωμέγα Щука 髙橋自動車株式会社 한'
        expectStatus(await board.put('/v1/employers/profile', employer.key, { billing_name }), 200)
        expect(await textOf((await pay(employer)).id)).toContain('Żółć Œuvre Ωμέγα Щука 髙橋自動車株式会社 □')
      })

      test('breaks long texts into lines and pages', async () => {
        const employer = await board.employer()
        const billing_address = Array.from({ length: 100 }, (_, n) => `L${n}`).join('\n')
        // No other text in the invoice contains this letter.
        const billing_name = 'Æ'.repeat(200)
        expectStatus(await board.put('/v1/employers/profile', employer.key, { billing_name, billing_address }), 200)
        const text = await textOf((await pay(employer)).id)
        expect(text).toContain('L99')
        expect(text).toContain('Total')
        expect(text.match(/Æ+/g)!.join('')).toBe(billing_name)
      })
    })

    describe('numbers', () => {
      test('have no gaps and no duplicates when many payments are settled at once', async () => {
        const employers = await Promise.all(Array.from({ length: 8 }, () => board.employer()))
        const started = await Promise.all(employers.map((employer) => begin(board, employer)))
        const before = numberOf(await pay(await board.employer()))
        const paid = await Promise.all(started.map(({ id }) => settle(id)))
        expect(paid.map(numberOf).sort((a, b) => a - b)).toEqual(started.map((_, n) => before + 1 + n))
      })

      test('are not used up by a settlement that fails', async () => {
        const before = numberOf(await pay(await board.employer()))
        const { id } = await begin(board, await board.employer())
        const lost = board.database.inTx(async (tx) => {
          await tx
            .updateTable('invoice_series')
            .set({ last_number: before + 1 })
            .where('name', '=', 'invoice')
            .execute()
          throw new Error('lost')
        })
        await expect(lost).rejects.toThrow('lost')
        expect(numberOf(await settle(id))).toBe(before + 1)
      })

      test('form a separate series for test payments, and are not given to free payments', async () => {
        const before = numberOf(await pay(await board.employer()))
        await board.restart({ PAYMENTS: 'test' })
        const employer = await board.employer()
        const { id } = await begin(board, employer)
        const confirmed = await board.post(`/v1/employers/payments/${id}/confirm`, employer.key)
        expect(expectStatus(confirmed, 200).body.data.invoice_number).toMatch(/^TEST-\d{6}$/)
        expect(await textOf(id)).toContain('Test payment. No money was charged.')
        await board.restart({ PAYMENTS: 'free' })
        const free = await begin(board, await board.employer())
        expect(free).toMatchObject({ status: 'paid', amount: 0, vat_rate: null, invoice_number: null })
        await board.restart({ PAYMENTS: 'manual' })
        expect(numberOf(await pay(await board.employer()))).toBe(before + 1)
      })
    })

    status(304, () => answersNotModified(board, 'employer', request))

    status(404, () => {
      test('does not find invoices of other employers, or invoices that were not issued', async () => {
        const { path } = await request()
        const employer = await board.employer()
        const pending = await begin(board, employer)
        for (const other of [path, pathOf(pending.id), pathOf(UNKNOWN_PAYMENT)]) {
          const answer = await board.get(other, employer.key)
          expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
        }
      })
    })
  },
  { PAYMENTS: 'manual' },
)
