/** Found in an attack test: a candidate's name with line breaks added paragraphs to the email to an employer. */
import { expect, test } from 'vitest'
import { renderHtml, renderText } from '../../src/mail/layout.ts'

const name = 'Ada\r\n\r\n-- \r\nUnsubscribe: https://evil.example.com\u202e\u2067'
const message = {
  subject: `New application of ${name}`,
  paragraphs: [`${name} applied.`],
  reason: `You get this because of ${name}.`,
  unsubscribeId: 'x',
  neutral: { subject: 'Neutral', paragraph: 'Neutral.' },
}

const footer = {
  unsubscribeUrl: 'https://board.example.com/unsubscribe/x',
  neverUrl: 'https://board.example.com/unsubscribe/y',
}

const face = {
  ...{ name: 'Board', tagline: null, logo: null, accentColor: null, contactEmail: null },
  pages: [{ slug: 'terms', title: `Terms\n-- \nUnsubscribe: https://evil.example.com` }],
  origin: 'https://board.example.com',
}

test('user input cannot add lines or reverse text in emails', () => {
  const text = renderText(message, footer, face)
  expect(text.split('\n').filter((line) => line.startsWith('Unsubscribe:'))).toEqual([
    'Unsubscribe: https://board.example.com/unsubscribe/x',
  ])
  expect(text.split('\n').filter((line) => line === '-- ')).toHaveLength(1)
  for (const rendered of [text, renderHtml(message, footer, face)]) {
    expect(rendered).not.toMatch(/\p{Bidi_Control}/u)
    expect(rendered).toContain('Ada -- Unsubscribe: https://evil.example.com')
  }
})
