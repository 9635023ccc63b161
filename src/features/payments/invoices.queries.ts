import type { Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import type { InvoiceDocument, InvoiceRow } from './invoices.schemas.ts'

/**
 * Issues an invoice with the next number of its series. The series stays locked until the transaction ends, so numbers
 * are unique and without gaps. Callers must take this lock last.
 */
export function insertInvoice(
  tx: Tx,
  { payment_id, series, issued_at, document }: Omit<InvoiceRow, 'number'>,
): Promise<number> {
  return statement<{ number: number }>`
    with next as (
      update invoice_series set last_number = last_number + 1 where name = ${series} returning last_number)
    insert into invoice (payment_id, series, number, issued_at, document)
    select ${payment_id}, ${series}, last_number, ${issued_at}, ${JSON.stringify(document)}::jsonb from next
    returning number`.oneValue(tx)
}

/** Returns the invoice of a payment by this employer, or of any payment if `employerId` is null. */
export async function findInvoice(
  reader: Reader,
  paymentId: string,
  employerId: string | null,
): Promise<InvoiceRow | undefined> {
  const row = await reader
    .selectFrom('invoice')
    .innerJoin('payment', 'payment.id', 'invoice.payment_id')
    .selectAll('invoice')
    .where('payment.id', '=', paymentId)
    .$if(employerId !== null, (query) => query.where('payment.employer_id', '=', employerId))
    .executeTakeFirst()
  return (
    row && { ...row, series: row.series as InvoiceRow['series'], document: row.document as unknown as InvoiceDocument }
  )
}
