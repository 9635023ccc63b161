/**
 * Draws an invoice as a PDF with one A4 page, or more if it has many lines. The same invoice always yields the same
 * bytes.
 */
import { readFileSync } from 'node:fs'
import { type Run, runsOf, unpackWoff, type Weight } from '../../files/fonts.ts'
import { formatAmount } from '../../lib/money.ts'
import { formatDay } from '../../locale/formats.ts'
import { isLanguage } from '../../locale/languages.ts'
import { inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import { type InvoiceDocument, type InvoiceRow, invoiceNumber } from './invoices.schemas.ts'

type Document = PDFKit.PDFDocument

/** Edges of the printed area, in points. An A4 page is 595 × 842 points. */
const TOP = 56
const LEFT = 56
const RIGHT = 539
const BOTTOM = 770

interface Style {
  size?: number
  weight?: Weight
  color?: string
  /** Maximum width of a line, in points. */
  width?: number
  align?: 'left' | 'right'
}

const INK = '#1a1d21'
const SOFT = '#575b62'

/** Writes text, chooses fonts by character, and tracks the position of the next line. */
class Sheet {
  readonly doc: Document
  y = TOP

  constructor(doc: Document) {
    this.doc = doc
  }

  #widthOf(runs: readonly Run[], size: number): number {
    return runs.reduce((width, { text, font }) => width + this.#use(font, size).widthOfString(text), 0)
  }

  #use({ name, path }: Run['font'], size: number): Document {
    // Registers each font only once, because registering it again would embed it again. fontkit would unpack the
    // outlines in a WOFF file again for each character.
    if (!this.#known.has(name)) this.doc.registerFont(name, unpackWoff(readFileSync(path)))
    this.#known.add(name)
    return this.doc.font(name).fontSize(size)
  }
  readonly #known = new Set<string>()

  /** Breaks a text into lines that fit: at line breaks, at spaces or, in overlong words, between any two characters. */
  #lines(text: string, weight: Weight, size: number, width: number): string[] {
    const fits = (line: string) => this.#widthOf(runsOf(line, weight), size) <= width
    return text.split('\n').flatMap((paragraph) => {
      const lines: string[] = []
      let line = ''
      for (const word of paragraph.split(' ')) {
        const longer = line === '' ? word : `${line} ${word}`
        if (fits(longer)) {
          line = longer
          continue
        }
        if (line !== '') lines.push(line)
        line = ''
        for (const character of word) {
          if (!fits(line + character)) {
            lines.push(line)
            line = ''
          }
          line += character
        }
      }
      return [...lines, line]
    })
  }

  /**
   * Writes a text at the current position, and adds pages if needed. Returns the position below the text, but does not
   * move there.
   */
  text(text: string, x: number, { size = 10, weight = '400', color = INK, align, width = 200 }: Style = {}): number {
    let y = this.y
    for (const line of this.#lines(text, weight, size, width)) {
      if (y + size > BOTTOM) {
        this.doc.addPage()
        y = TOP
      }
      const runs = runsOf(line, weight)
      let at = align === 'right' ? x - this.#widthOf(runs, size) : x
      for (const run of runs) {
        const doc = this.#use(run.font, size).fillColor(color)
        doc.text(run.text, at, y + size, { lineBreak: false, baseline: 'alphabetic' })
        at += doc.widthOfString(run.text)
      }
      y += size * 1.45
    }
    return y
  }

  rule(color = '#d7d3ca'): void {
    this.doc.moveTo(LEFT, this.y).lineTo(RIGHT, this.y).lineWidth(0.7).strokeColor(color).stroke()
  }

  /** Begins a new page if less than this height remains. */
  need(height: number): void {
    if (this.y + height <= BOTTOM) return
    this.doc.addPage()
    this.y = TOP
  }
}

/** Renders an invoice in the language in which it was issued. */
export async function renderInvoice(invoice: InvoiceRow): Promise<Buffer> {
  // Loads the library only for the first invoice.
  const { default: PDFDocument } = await import('pdfkit')
  const { language } = invoice.document
  return inLocale({ language: isLanguage(language) ? language : 'en', timeZone: 'UTC' }, () => {
    const { document, issued_at } = invoice
    const number = invoiceNumber(invoice)
    const title =
      document.kind === 'invoice' ? t('payments.pdf_invoice', { number }) : t('payments.pdf_receipt', { number })
    const doc = new PDFDocument({
      size: 'A4',
      margin: 0,
      lang: language,
      displayTitle: true,
      font: null as unknown as string,
      info: { Title: title, Author: document.seller.name, CreationDate: issued_at, ModDate: issued_at },
    })
    const chunks: Buffer[] = []
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    const ended = new Promise<Buffer>((resolve) => doc.on('end', () => resolve(Buffer.concat(chunks))))
    draw(new Sheet(doc), invoice, title)
    doc.end()
    return ended
  })
}

function draw(sheet: Sheet, { document, issued_at }: InvoiceRow, heading: string): void {
  const { seller, buyer, isTest, job } = document
  if (isTest) {
    sheet.y = sheet.text(t('payments.pdf_test'), LEFT, { weight: '700', color: '#9a5b00', width: 480 }) + 8
  }
  sheet.y = sheet.text(seller.name, LEFT, { size: 14, weight: '700', width: 480 })
  for (const line of [seller.address, seller.vat_id && t('payments.pdf_vat_id', { id: seller.vat_id }), seller.email]) {
    if (line) sheet.y = sheet.text(line, LEFT, { size: 9, color: SOFT, width: 480 })
  }
  sheet.y += 36
  const top = sheet.y
  for (const [term, value] of [
    [t('payments.pdf_date'), formatDay(issued_at.toISOString())],
    [t('payments.pdf_paid'), formatDay(document.paid_at)],
    [t('payments.reference'), document.reference],
  ] as const) {
    sheet.text(term, 330, { size: 9, color: SOFT })
    sheet.y = sheet.text(value, RIGHT, { size: 9, align: 'right' }) + 3
  }
  const right = sheet.y
  sheet.y = top
  sheet.y = sheet.text(t('payments.pdf_bill_to'), LEFT, { size: 9, color: SOFT })
  sheet.y = sheet.text(buyer.name, LEFT, { weight: '700', width: 250 })
  for (const line of [buyer.address, buyer.vat_id && t('payments.pdf_vat_id', { id: buyer.vat_id })]) {
    if (line) sheet.y = sheet.text(line, LEFT, { width: 250 })
  }
  sheet.y = Math.max(right, sheet.y) + 36
  sheet.y = sheet.text(heading, LEFT, { size: 20, weight: '700', width: 480 }) + 2
  if (job !== '') sheet.y = sheet.text(t('payments.pdf_for_job', { title: job }), LEFT, { color: SOFT, width: 480 })
  sheet.y += 20
  drawLines(sheet, document)
}

function drawLines(sheet: Sheet, document: InvoiceDocument): void {
  const { lines, currency, net, vat, vat_rate, total, prices_include_vat } = document
  const row = (name: string, amount: number, style: Style = {}) => {
    sheet.need(40)
    const below = sheet.text(name, LEFT, { width: 340, ...style })
    sheet.text(formatAmount(amount, currency), RIGHT, { align: 'right', ...style })
    sheet.y = below + 6
    sheet.rule()
    sheet.y += 8
  }
  sheet.text(t('payments.product'), LEFT, { size: 9, color: SOFT })
  const price = vat_rate === null ? 'price' : prices_include_vat ? 'price_with_vat' : 'price_without_vat'
  sheet.y = sheet.text(t(`payments.pdf_${price}`), RIGHT, { size: 9, color: SOFT, align: 'right' }) + 4
  sheet.rule()
  sheet.y += 8
  for (const { name, amount } of lines) row(name, amount)
  if (vat_rate !== null) {
    row(t('payments.pdf_net'), net)
    row(t('payments.vat', { rate: vat_rate }), vat)
  }
  row(t('payments.total'), total, { size: 12, weight: '700' })
  sheet.y += 8
  sheet.need(30)
  sheet.text(t('payments.pdf_nothing_due'), LEFT, { width: 480 })
}
