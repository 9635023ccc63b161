/** Emails as files, and their format. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, expect, test } from 'vitest'
import { readableColor } from '../../src/lib/brand.ts'
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
  language: 'de',
  unsubscribeUrl: `https://board.example/unsubscribe/${'x'.repeat(300)}`,
  date: new Date('2026-03-02T09:00:00Z'),
}

const plainFace = {
  ...{ name: 'Board', tagline: null, logo: null, accentColor: null, contactEmail: null, pages: [] },
  origin: 'https://board.example',
}

test('an email is one file, named after its ID and readable only by its owner, even after a second delivery', async () => {
  expect(transport.isIdempotent).toBe(true)
  expect(await transport.deliver(mail)).toEqual({ outcome: 'sent' })
  expect(await transport.deliver(mail)).toEqual({ outcome: 'sent' })
  expect(readdirSync(folder)).toEqual(['mail_1.eml'])
  expect(statSync(join(folder, 'mail_1.eml')).mode & 0o777).toBe(0o600)
})

test('a written email has the given subject, recipient, text and headers', async () => {
  await transport.deliver(mail)
  const bytes = readFileSync(join(folder, 'mail_1.eml'))
  const read = await PostalMime.parse(bytes)
  expect(read.subject).toBe(mail.subject)
  expect(read.to).toEqual([{ name: '', address: mail.to }])
  expect(read.text!.replaceAll('\r\n', '\n').trim()).toBe(mail.text.trim())
  expect(read.messageId).toBe('<mail_1@board.example>')
  expect(read.headers.find(({ key }) => key === 'content-language')!.value).toBe('de')
  expect(read.headers.find(({ key }) => key === 'list-unsubscribe')!.value).toBe(`<${mail.unsubscribeUrl}>`)
  for (const line of bytes.toString('latin1').split('\r\n')) expect(line.length).toBeLessThan(999)
})

test('email programs do not decode the text of a subject again', async () => {
  const subject = `Engineer =?utf-8?Q?=E2=80=AEgnp?= ${'x'.repeat(100)} =?utf-8?B?SGk=?=`
  await transport.deliver({ ...mail, subject })
  const bytes = readFileSync(join(folder, 'mail_1.eml'))
  expect((await PostalMime.parse(bytes)).subject).toBe(subject)
  expect(bytes.toString().match(/^Subject:/gm)).toHaveLength(1)
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
  const face = { ...plainFace, name: '<i>Board</i>', tagline: 'Jobs\nfor all' }
  const html = renderHtml(message, footer, face)
  expect(html).not.toMatch(/<script|<b>[^<]*<br>|<i>|"b"/)
  expect(html).toContain('a b c')
  expect(html).toContain('href="https://x.example/?a=&quot;b&quot;&amp;c"')
  expect(renderText(message, footer, face)).toBe(
    '<script>alert(1)</script>\n\na b c\n1 < 2 & "3"\nhttps://x.example/?a="b"&c\n\nAll:\nhttps://x.example/\n\n-- \n<i>Board</i>\nJobs for all\n<b>\nUnsubscribe: https://x.example/u\nStop all emails to this address: https://x.example/n\n',
  )
  expect(oneLine('  a \u0085 b\t')).toBe('a b')
})

const statusMessage = {
  subject: 'Update',
  paragraphs: ['Reviewed.'],
  link: { text: 'View your application', url: 'https://board.example/me' },
  reason: 'You’re receiving this email because you applied.',
  neutral: { subject: 'Update', paragraph: 'Reviewed.' },
}

test('an email shows the logo, contact and legal pages of the board, and loads nothing from other hosts', () => {
  const face = {
    ...plainFace,
    logo: { path: '/board/logo/abc.png', width: 400, height: 100 },
    contactEmail: 'hello@board.example',
    pages: [{ slug: 'imprint', title: 'Imprint "><script>' }],
  }
  const footer = { neverUrl: 'https://board.example/n' }
  const html = renderHtml(statusMessage, footer, face)
  expect(html).toContain('<img src="https://board.example/board/logo/abc.png" alt="" width="160"')
  expect(html).toContain('href="mailto:hello@board.example"')
  expect(html).toContain('href="https://board.example/pages/imprint"')
  expect(html).not.toMatch(/<script|url\(|@import|<link/)
  expect([...html.matchAll(/src="([^"]*)"/g)].every(([, url]) => url!.startsWith('https://board.example/'))).toBe(true)
  expect(html).toContain('@media (prefers-color-scheme:dark)')
  const text = renderText(statusMessage, footer, face)
  expect(text).toContain('Contact: hello@board.example\nImprint "><script>: https://board.example/pages/imprint\n')
  expect(renderHtml(statusMessage, footer, plainFace)).not.toContain('<img')
})

test.each(['#ffff00', '#ffffff', '#000000', '#0b6472', '#ff0000'])(
  'an email uses a shade of %s with sufficient contrast',
  (accentColor) => {
    const light = readableColor({ accentColor }, 'light')
    const dark = readableColor({ accentColor }, 'dark')
    expect(contrast(light, '#f8f7f4')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(light, '#ffffff')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(dark, '#1a1d20')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(dark, '#000000')).toBeGreaterThanOrEqual(4.5)
    expect(renderHtml(statusMessage, { neverUrl: 'https://x.example' }, { ...plainFace, accentColor })).toContain(
      `background:${light};color:#fff`,
    )
  },
)

/** Returns the contrast of two colors by the formula of WCAG 2.2. */
function contrast(...colors: [string, string]): number {
  const [low, high] = colors
    .map((color) => {
      const [red, green, blue] = color.match(/\w\w/g)!.map((part) => {
        const value = Number.parseInt(part, 16) / 255
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
    })
    .sort((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}
