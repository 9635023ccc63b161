/** Serves invoices and receipts as PDF in the API, in the employer dashboard and in the admin area. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { type Ready, sendReady } from '../../http/representation.ts'
import { attachment } from '../../lib/content-disposition.ts'
import { found } from '../../lib/errors.ts'
import { ownerOf } from '../../lib/scopes.ts'
import type { Kit } from '../feature.ts'
import { renderInvoice } from './invoices.pdf.ts'
import { findInvoice } from './invoices.queries.ts'
import { type InvoiceRow, invoiceNumber } from './invoices.schemas.ts'
import { PaymentParams } from './payments.routes.ts'

const PDF = 'application/pdf'
const header = (description: string) => ({ type: 'string', description })

async function sendInvoice(request: FastifyRequest, reply: FastifyReply, invoice: InvoiceRow) {
  const body = await renderInvoice(invoice)
  const name = `${invoice.document.kind}-${invoiceNumber(invoice)}.pdf`
  reply.header('content-disposition', attachment(name))
  return sendReady(request, reply, { body } satisfies Ready, PDF)
}

/**
 * Returns a function that finds the invoice of the payment in a request's path, if the caller is the payment's employer
 * or an admin.
 */
const invoiceGetter =
  ({ reads }: Pick<Kit, 'reads'>) =>
  async ({ actor, params }: ResourceRequest) =>
    found(await reads.read((db) => findInvoice(db, params.id, ownerOf(actor))))

export function registerInvoices(app: App, kit: Kit): void {
  const getInvoice = invoiceGetter(kit)

  app.get('/employers/payments/:id/invoice', {
    config: {
      access: { kinds: ['employer', 'admin'], scope: 'payments:read' },
      produces: 'anything',
      limit: 'invoices',
      guard: getInvoice,
    },
    schema: {
      operationId: 'getInvoice',
      summary: "Download a completed payment's invoice as a PDF, or a receipt if the operator has set no legal name",
      description:
        'The document is issued once, with a consecutive number. Later changes to names, addresses and prices do not affect it.',
      params: PaymentParams,
      response: {
        200: Type.Unsafe<Buffer>({
          headers: {
            ETag: header('For If-None-Match.'),
            'Content-Disposition': header('`attachment`, with the file name.'),
          },
          content: { [PDF]: { schema: {} } },
        }),
      },
    },
    handler: async (request, reply) => sendInvoice(request, reply, await getInvoice(request)),
  })
}

export function registerInvoicePages(pages: App, kit: Kit): void {
  // Reads from the primary, because a replica may lack the latest changes.
  const getInvoice = invoiceGetter({ reads: kit.database })
  for (const { path, kind, scope } of [
    { path: '/employer/payments/:id/invoice', kind: 'employer', scope: 'payments:read' },
    { path: '/desk/payments/:id/invoice', kind: 'admin', scope: 'admin:read' },
  ] as const) {
    pages.get(
      path,
      { config: { access: { kinds: [kind], scope }, limit: 'invoices' }, schema: { params: PaymentParams } },
      async (request, reply) => {
        const invoice = await getInvoice(request)
        return sendInvoice(request, reply.header('cache-control', 'private, no-cache'), invoice)
      },
    )
  }
}
