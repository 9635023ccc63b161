/** Emails as files, and their format. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, expect, test } from 'vitest'
import { oneLine, renderHtml, renderText } from '../../src/mail/layout.ts'
import { createMailTransport } from '../../src/mail/transport.ts'

const folder = join(mkdtempSync(join(tmpdir(), 'board-mail-files-')), 'mail')
afterAll(() => rmSync(join(folder, '..'), { recursive: true }))
const transport = createMailTransport({
  url: undefined,
  folder,
  from: () => 'Jobs <jobs@board.example>',
  host: 'board.example',
})
const mail = {
  id: 'mail_1',
  to: 'ünïcode@mail.example',
  subject: 'Größe: 自動車 '.repeat(20).trim(),
  text: `${'long '.repeat(2_000)}\n.\n..dots\nFrom here\n`,
  html: '<p>ü</p>',
  unsubscribeUrl: `https://board.example/unsubscribe/${'x'.repeat(300)}`,
  date: new Date('2026-03-02T09:00:00Z'),
}

test('an email is one file named by its id, readable only by its owner, and identical when rewritten', async () => {
  expect(transport.isIdempotent).toBe(true)
  expect(await transport.deliver(mail)).toEqual({ outcome: 'sent' })
  expect(await transport.deliver(mail)).toEqual({ outcome: 'sent' })
  expect(readdirSync(folder)).toEqual(['mail_1.eml'])
  expect(statSync(join(folder, 'mail_1.eml')).mode & 0o777).toBe(0o600)
})

test('a written email is parsed as intended', async () => {
  await transport.deliver(mail)
  const bytes = readFileSync(join(folder, 'mail_1.eml'))
  const read = await PostalMime.parse(bytes)
  expect(read.subject).toBe(mail.subject)
  expect(read.to).toEqual([{ name: '', address: mail.to }])
  expect(read.text!.replaceAll('\r\n', '\n').trim()).toBe(mail.text.trim())
  expect(read.messageId).toBe('<mail_1@board.example>')
  expect(read.headers.find(({ key }) => key === 'list-unsubscribe')!.value).toBe(`<${mail.unsubscribeUrl}>`)
  for (const line of bytes.toString('latin1').split('\r\n')) expect(line.length).toBeLessThan(999)
})

test('no text of a message becomes markup or an extra line', () => {
  const message = {
    subject: 'x',
    paragraphs: ['<script>alert(1)</script>'],
    items: [{ title: 'a\r\n\u2028b\u0000c', lines: ['1 < 2 & "3"'], url: 'https://x.example/?a="b"&c' }],
    link: { text: 'All', url: 'https://x.example/' },
    reason: '<b>',
    unsubscribeId: 'x',
    neutral: { subject: 'Neutral', paragraph: 'Neutral.' },
  }
  const footer = { unsubscribeUrl: 'https://x.example/u', neverUrl: 'https://x.example/n' }
  const face = { name: '<i>Board</i>', tagline: 'Jobs\nfor all' }
  const html = renderHtml(message, footer, face)
  expect(html).not.toMatch(/<script|<b>[^<]*<br>|<i>|"b"/)
  expect(html).toContain('a b c')
  expect(html).toContain('href="https://x.example/?a=&quot;b&quot;&amp;c"')
  expect(renderText(message, footer, face)).toBe(
    '<script>alert(1)</script>\n\na b c\n1 < 2 & "3"\nhttps://x.example/?a="b"&c\n\nAll:\nhttps://x.example/\n\n-- \n<i>Board</i>\nJobs for all\n<b>\nUnsubscribe: https://x.example/u\nStop all emails to this address: https://x.example/n\n',
  )
  expect(oneLine('  a \u0085 b\t')).toBe('a b')
})
