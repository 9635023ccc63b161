/** The developer documents as pages. */
import { parse } from 'node-html-parser'
import { expect, test } from 'vitest'
import { guideNames, readGuide, renderGuide, searchGuides } from '../../src/features/site/guide.views.ts'
import { errorCatalogue } from '../../src/lib/errors.ts'

test.each(guideNames)('every internal link of %s works', (name) => {
  const page = parse(readGuide(name).content.toString())
  const links = page.querySelectorAll('a').map((link) => link.getAttribute('href')!)
  expect(links.length).toBeGreaterThan(5)
  for (const href of links) {
    if (href.startsWith('https:')) continue
    const [path, id] = href.split('#') as [string, string | undefined]
    const target = guideNames.find((other) => path === `/docs/${other}`) ?? (path === '' ? name : undefined)
    expect(target, href).toBeDefined()
    if (id !== undefined) expect(readGuide(target!).content.toString(), href).toContain(`id="${id}"`)
  }
})

test('the description of the guide begins with the first words of its introduction', () => {
  expect(readGuide('guide').description).toMatch(/^In this guide, an employer registers/)
})

test('code and text are escaped, and links to documents that are not guides become text', () => {
  const page = renderGuide(
    '## Errors & `codes`\n\nSend `<b>` to [it](webhooks.md#verify-it), not [that](operations.md).\n\n```json\n{"a": "<i>"}\n```\n\n| a | b |\n|---|---|\n| `<u>` | 2 |\n',
  ).toString()
  expect(page).toContain('<h2 id="errors--codes">')
  expect(page).toContain('<a href="/docs/webhooks#verify-it">it</a>, not that.')
  expect(page).toContain('<pre tabindex="0"><code>{&quot;a&quot;: &quot;&lt;i&gt;&quot;}</code></pre>')
  expect(page).toContain('<td><code>&lt;u&gt;</code></td>')
})

test('a search finds the sections that contain every word, lists matches in headings first, and returns the anchors', () => {
  expect(searchGuides('  ')).toEqual([])
  expect(searchGuides('nowhere-to-be-found')).toEqual([])
  const found = searchGuides('VERIFY signature')
  expect(found[0]).toMatchObject({ name: 'webhooks', id: 'verify-the-signature', heading: 'Verify the signature' })
  for (const { name, id } of searchGuides('key')) {
    expect(readGuide(name).content.toString()).toContain(`id="${id}"`)
  }
})

test.each(guideNames)('%s lists each section once', (name) => {
  const { content, sections } = readGuide(name)
  const headings = parse(content.toString()).querySelectorAll('h2, h3, h4, h5, h6')
  expect(sections.map(({ id }) => id)).toEqual(headings.map((heading) => heading.getAttribute('id')))
})

test('the list of errors explains every code', () => {
  const explained = readGuide('errors').sections.map(({ id, text }) => `${id} ${text.trim().split('\n', 1)[0]}`)
  const expected = Object.entries(errorCatalogue).map(([code, { status, title }]) => `${code} **${status}: ${title}.**`)
  expect(explained).toEqual(expected)
})
