/** Branding: where the board's name, logo, color and legal pages appear, and the admin pages that change them. */
import { XMLParser } from 'fast-xml-parser'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { faultOf, visitor } from '../support/pages.ts'
import { jpeg, png } from '../support/pictures.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard({ MAIL_FROM: 'Somebody <jobs@mail.example>' })
const admin = { key: ADMIN_KEY }
const put = async (body: object) => expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200).body.data
const write = async (slug: string, page: object) =>
  expectStatus(await board.put(`/v1/admin/board/pages/${slug}`, ADMIN_KEY, { title: slug, text: 'Text', ...page }), 200)
const putLogo = async (bytes: Buffer) => {
  const request = { key: ADMIN_KEY, body: bytes, headers: { 'content-type': 'application/octet-stream' } }
  return expectStatus(await board.call('PUT', '/v1/admin/board/logo', request), 200).body.data.logo_url as string
}
const open = async (path: string) => (await visitor(board)).get(path)

describe('a board that nobody has set up', () => {
  test('reminds the operator to set it up, and shows a mark with the first letter of its name', async () => {
    const operator = await visitor(board, admin)
    const desk = await operator.get('/desk')
    expect(desk.document.querySelector('main a[href="/desk/board"]')?.textContent).toBe('Set up board')
    expect(desk.document.querySelector('.brand text')?.textContent).toBe('J')
    expect(desk.document.querySelector('.foot a[href^="/pages/"]')).toBeNull()
    expect((await operator.get('/register/candidate')).document.querySelector('a[href="/pages/privacy"]')).toBeNull()
  })

  test('shows the suggested tagline in the reader’s language', async () => {
    const titleOf = async (path: string) => (await open(path)).document.querySelector('h1')!.textContent
    expect(await titleOf('/')).toBe('Jobs in the automotive and technology sector')
    expect(await titleOf('/ja')).toBe('自動車・テクノロジー業界の求人')
    expect((await open('/de/jobs')).document.querySelector('.foot p')!.textContent).toBe(
      'Jobs in der Automobil- und Technologiebranche.',
    )
    expect((await open('/de/index.md')).text).toContain('Technologiebranche, von der Werkstatt bis zum Softwarehaus')
    expect((await open('/fr/jobs.atom')).text).toContain('<subtitle>Emplois dans l’automobile')
    // Forms and the API contain the stored text. Pages translate the text only while it is unchanged.
    const operator = await visitor(board, admin)
    const field = (await operator.get('/de/desk/board')).document.querySelector('[name="tagline"]')!
    expect(field.getAttribute('value')).toBe('Jobs in the automotive and technology sector.')
  })

  test('sends emails with the configured sender', async () => {
    const me = await visitor(board)
    const { email } = (await board.get('/v1/candidates/profile', (await board.candidate()).key)).body.data
    await me.submit(await me.get('/sign-in'), '/sign-in/link', { email })
    await runTask(board, 'mail')
    const mail = (await mailsIn(board.config.dataDir)).at(-1)!
    expect(mail.from).toEqual({ name: 'Somebody', address: 'jobs@mail.example' })
    expect(mail.subject).toBe('Your sign-in link for Job Marketplace')
  })

  test('is set up with one form, after which the overview no longer shows a reminder', async () => {
    const operator = await visitor(board, admin)
    const form = await operator.get('/desk/board')
    const logo = new File([new Uint8Array(png(40, 20))], 'our logo.png')
    const fields = { name: 'Gearwright', tagline: 'Jobs in cars and code', accent_color: '#8a1c5b', _logo: logo }
    const saved = await operator.submit(form, '/desk/board', fields)
    expect([saved.status, saved.path, saved.seen.includes('Settings saved.')]).toEqual([200, '/desk/board', true])
    const { data } = (await board.get('/v1/board')).body
    expect(data).toMatchObject({ name: 'Gearwright', tagline: 'Jobs in cars and code', accent_color: '#8a1c5b' })
    expect(data.logo_url).toMatch(/\.png$/)
    expect((await operator.get('/desk')).document.querySelector('main a[href="/desk/board"]')).toBeNull()
  })
})

describe('the name', () => {
  beforeEach(() =>
    put({ name: 'Fish & <Chips>', tagline: 'Jobs "at" sea', description: 'A <b>board</b>', accent_color: null }),
  )

  test('is in the header and the title, escaped, with the tagline in the footer', async () => {
    const { document, text } = await open('/jobs')
    expect(document.querySelector('.brand')!.textContent).toContain('Fish & <Chips>')
    expect(text).toContain('<title>Jobs · Fish &amp; &lt;Chips&gt;</title>')
    expect(document.querySelector('.foot p')!.textContent).toBe('Jobs "at" sea')
    expect(text).not.toContain('<Chips>')
    expect(document.querySelector('meta[name="description"]')!.getAttribute('content')).toBe('A <b>board</b>')
  })

  test('is in the structured data of the home page and in og:site_name', async () => {
    const home = await open('/')
    const data = JSON.parse(home.document.querySelector('script[type="application/ld+json"]')!.textContent)
    expect(data).toMatchObject({ '@type': 'WebSite', name: 'Fish & <Chips>', url: `${ORIGIN}/` })
    expect(home.document.querySelector('h1')!.textContent).toBe('Jobs "at" sea')
    const { id } = await board.activeJob(await board.employer())
    const job = await open(`/jobs/${id}`)
    expect(job.document.querySelector('meta[property="og:site_name"]')!.getAttribute('content')).toBe('Fish & <Chips>')
  })

  test('is in the Atom, RSS and XML feeds', async () => {
    const read = async (path: string) => new XMLParser({ processEntities: true }).parse((await board.get(path)).text)
    expect((await read('/jobs.atom')).feed.title).toBe('Jobs · Fish & <Chips>')
    expect((await read('/jobs.rss?search=van')).rss.channel.title).toBe('Jobs for “van” · Fish & <Chips>')
    expect((await read('/jobs.xml')).source.publisher).toBe('Fish & <Chips>')
  })

  test('is in the OpenAPI document and the API reference, even after another change', async () => {
    const title = async () => (await board.get('/v1/openapi.json')).body.info.title
    expect(await title()).toBe('Fish & <Chips> API')
    expect((await board.get('/v1/docs')).text).toContain('<title>API reference · Fish &amp; &lt;Chips&gt;</title>')
    await put({ name: 'Renamed' })
    expect(await title()).toBe('Renamed API')
    expect((await board.get('/v1/docs')).text).toContain('<title>API reference · Renamed</title>')
  })

  test('is in the icon and the web manifest', async () => {
    const { document } = await open('/')
    const icon = await board.get(document.querySelector('link[rel="icon"]')!.getAttribute('href')!)
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(icon.text).toContain('<title>Fish &amp; &lt;Chips&gt;</title>')
    const manifest = await board.get(document.querySelector('link[rel="manifest"]')!.getAttribute('href')!)
    expect(manifest.headers.get('content-type')).toContain('application/manifest+json')
    expect(JSON.parse(manifest.text)).toMatchObject({
      name: 'Fish & <Chips>',
      icons: [
        { src: '/icon.svg', sizes: 'any' },
        { src: '/apple-touch-icon.png', sizes: '180x180', type: 'image/png' },
        { src: '/icon-192.png', sizes: '192x192' },
        { src: '/icon-512.png', sizes: '512x512' },
      ],
    })
  })

  test('is the sender of emails, and in their subject, text and HTML', async () => {
    const me = await visitor(board)
    const { email } = (await board.get('/v1/candidates/profile', (await board.candidate()).key)).body.data
    await me.submit(await me.get('/sign-in'), '/sign-in/link', { email })
    await runTask(board, 'mail')
    const mail = (await mailsIn(board.config.dataDir)).at(-1)!
    expect(mail.from).toEqual({ name: 'Fish & <Chips>', address: 'jobs@mail.example' })
    expect(mail.subject).toBe('Your sign-in link for Fish & <Chips>')
    expect(mail.text).toContain('Fish & <Chips>\nJobs "at" sea\n')
    expect(mail.html).toContain('<b style="font-size:18px">Fish &amp; &lt;Chips&gt;</b>')
  })
})

describe('the color', () => {
  afterEach(() => put({ accent_color: null }))

  test('is in a separate style sheet after the common style sheet, in the theme color and in the icon', async () => {
    await put({ accent_color: '#FFCC00' })
    const { document, text } = await open('/jobs')
    const sheets = document.querySelectorAll('link[rel="stylesheet"]').map((link) => link.getAttribute('href')!)
    expect(sheets).toEqual([expect.stringMatching(/^\/assets\/app\./), '/assets/brand.ffcc00.css'])
    const sheet = await board.get(sheets[1]!)
    expect([sheet.status, sheet.text]).toEqual([200, ':root{--brand:#ffcc00}\n'])
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(sheet.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(document.querySelector('meta[name="theme-color"]')!.getAttribute('content')).toBe('#ffcc00')
    expect((await board.get('/icon.svg')).text).toContain('fill="#ffcc00"')
    expect(text).not.toMatch(/ style=/)
  })

  test('is in the PNG icons, behind the first letter of the name', async () => {
    const home = await open('/')
    const touch = home.document.querySelector('link[rel="apple-touch-icon"]')!.getAttribute('href')!
    for (const [name, accent_color, letter] of [
      ['Gearwright', '#ffcc00', [26, 29, 33]],
      ['Voltaire', '#102a54', [255, 255, 255]],
    ] as const) {
      await put({ name, accent_color })
      for (const [path, side] of [
        [touch, 180],
        ['/icon-192.png', 192],
        ['/icon-512.png', 512],
      ] as const) {
        const response = await fetch(`${board.address}${path}`)
        expect([response.status, response.headers.get('content-type')], path).toEqual([200, 'image/png'])
        expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
        const { data, info } = await sharp(await response.arrayBuffer())
          .removeAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true })
        expect([info.width, info.height]).toEqual([side, side])
        const pixels = Array.from({ length: side * side }, (_, n) => [...data.subarray(n * 3, n * 3 + 3)].join())
        const ground = [1, 3, 5].map((at) => Number.parseInt(accent_color.slice(at, at + 2), 16)).join()
        expect(pixels[0]).toBe(ground)
        const share = pixels.filter((pixel) => pixel === letter.join()).length / pixels.length
        expect(share, `${name} ${path}`).toBeGreaterThan(0.03)
        expect(share, `${name} ${path}`).toBeLessThan(0.3)
      }
    }
  })

  test('is optional: without a color, pages have only the common style sheet', async () => {
    const { document } = await open('/jobs')
    expect(document.querySelectorAll('link[rel="stylesheet"]')).toHaveLength(1)
  })

  test.each(['red', 'ffcc0', 'ffcc000', 'FFCC00', '%23ffcc00', 'ffcc00}', '000000.x'])(
    'no style sheet exists for %s',
    async (color) => {
      expect((await board.get(`/assets/brand.${color}.css`)).status).toBe(404)
    },
  )
})

describe('the logo', () => {
  afterEach(() => board.delete('/v1/admin/board/logo', ADMIN_KEY))

  test('replaces the mark, and has a fixed size to prevent layout shifts', async () => {
    const url = await putLogo(png(64, 32))
    const brand = (await open('/jobs')).document.querySelector('.top .brand')!
    const attributes = brand.querySelector('img')!.attributes
    expect(attributes).toEqual({ src: url.slice(ORIGIN.length), width: '64', height: '32', alt: '' })
    expect(brand.querySelector('svg')).toBeNull()
  })

  test('can be removed with a button', async () => {
    const operator = await visitor(board, admin)
    expect(
      (await operator.get('/desk/board')).document.querySelector('form[action="/desk/board/logo/remove"]'),
    ).toBeNull()
    await putLogo(jpeg)
    const page = await operator.submit(await operator.get('/desk/board'), '/desk/board/logo/remove')
    expect(page.seen).toContain('Logo removed.')
    expect((await board.get('/v1/board')).body.data.logo_url).toBeNull()
  })

  test.each([
    ['text', new File(['hello'], 'logo.png'), 'PNG, JPEG or WebP'],
    ['an empty file', new File([], 'logo.png'), 'empty'],
    ['a damaged picture', new File([new Uint8Array(png(8, 8).subarray(0, 30))], 'logo.png'), 'damaged'],
    ['a file of 2 MB', new File([new Uint8Array(2_097_152)], 'logo.png'), 'too large'],
    ['a file of 9 MB', new File([new Uint8Array(9_437_184)], 'logo.png'), 'too large'],
  ])('is refused if it is %s, and the form keeps the other input', async (_what, file, why) => {
    const operator = await visitor(board, admin)
    const before = (await board.get('/v1/board')).body
    const form = await operator.get('/desk/board')
    const again = await operator.submit(form, '/desk/board', { name: 'Kept', _logo: file })
    expect([413, 422]).toContain(again.status)
    expect(faultOf(again, '_logo')).toContain(why)
    expect(again.document.querySelector('[name="name"]')!.getAttribute('value')).toBe('Kept')
    expect((await board.get('/v1/board')).body).toEqual(before)
  })

  test('is not found under an unknown file name', async () => {
    for (const file of ['0000000000000000.png', '..%2Fx', 'x']) {
      expect((await board.get(`/board/logo/${file}`)).status).toBe(404)
    }
  })
})

describe('the settings page', () => {
  test('reports each error in words beside its field', async () => {
    const operator = await visitor(board, admin)
    const fields = { name: '', accent_color: 'url(//x)', contact_email: 'nobody' }
    const page = await operator.submit(await operator.get('/desk/board'), '/desk/board', fields)
    expect(page.status).toBe(422)
    expect(faultOf(page, 'name')).toBe('Enter a name.')
    expect(faultOf(page, 'accent_color')).toBe('Accent color must be a color such as #0b6472.')
    expect(faultOf(page, 'contact_email')).toBe('Enter an email address, such as name@example.com.')
    expect(page.text).not.toContain('[0-9')
  })

  test('does not overwrite a change that the admin has not seen', async () => {
    const operator = await visitor(board, admin)
    const form = await operator.get('/desk/board')
    await put({ tagline: 'From elsewhere' })
    const page = await operator.submit(form, '/desk/board', { name: 'Mine' })
    expect([page.status, page.seen.includes('changed this in the meantime')]).toEqual([412, true])
    expect((await board.get('/v1/board')).body.data.tagline).toBe('From elsewhere')
  })

  test('is read-only for keys without write access', async () => {
    const key = await board.keyWith({ id: '', key: ADMIN_KEY }, ['admin:read'])
    const page = await (await visitor(board, { key })).get('/desk/board')
    expect([page.status, page.document.querySelector('form[action="/desk/board"]')]).toEqual([200, null])
  })
})

describe('legal pages', () => {
  const hostile =
    '# Us\n\n**Bold** <script>alert(1)</script> [x](javascript:alert(1)) [y](https://y.example)\n\n<!-- c -->'

  test('are shown as HTML in their language, and linked in every footer', async () => {
    await write('imprint', { title: 'Impressum & <so>', text: hostile, language: 'de' })
    const page = await open('/pages/imprint')
    expect([page.status, page.document.querySelectorAll('h1').length]).toEqual([200, 1])
    const article = page.document.querySelector('article')!
    expect(article.getAttribute('lang')).toBe('de')
    expect(article.querySelector('.prose h2')!.textContent).toBe('Us')
    expect(article.querySelectorAll('script, [href^="javascript"]')).toEqual([])
    expect(article.querySelector('.prose a')!.getAttribute('href')).toBe('https://y.example')
    expect(page.document.querySelector('link[rel="canonical"]')!.getAttribute('href')).toBe(`${ORIGIN}/pages/imprint`)
    const twin = page.document.querySelector('link[type="text/markdown"]')!.getAttribute('href')!
    expect([twin, (await open(twin)).text]).toEqual(['/pages/imprint.md', `# Impressum & \\<so>\n\n${hostile}\n`])
    expect((await open('/llms.txt')).text).toContain(`- [Impressum & \\<so>](${ORIGIN}/pages/imprint.md)`)
    for (const path of ['/', '/jobs', '/nowhere']) {
      const link = (await open(path)).document.querySelector('.foot a[href="/pages/imprint"]')
      expect(link!.innerHTML, path).toBe('Impressum &amp; &lt;so&gt;')
    }
  })

  test('return 404 if they do not exist', async () => {
    for (const slug of ['unknown', 'Imprint', '__proto__', '%00']) {
      expect((await open(`/pages/${slug}`)).status, slug).toBe(404)
    }
  })

  test('can be previewed without being published', async () => {
    const operator = await visitor(board, admin)
    const path = '/desk/board/pages/terms'
    const form = await operator.get(path)
    expect(form.document.querySelector('[name="title"]')!.getAttribute('value')).toBe('Terms of use')
    const preview = await operator.submit(form, path, { text: hostile, _preview: 'true' })
    expect([preview.status, preview.document.querySelectorAll('.prose strong').length]).toEqual([200, 1])
    expect(preview.text).not.toContain('<script>alert')
    expect((await open('/pages/terms')).status).toBe(404)
    const saved = await operator.submit(preview, path)
    expect([saved.path, saved.seen.includes('“Terms of use” published.')]).toEqual(['/desk/board', true])
    const { text } = (await board.get('/v1/admin/board/pages/terms', ADMIN_KEY)).body.data
    expect(text).toBe(hostile)
  })

  test('are added, changed and deleted', async () => {
    const operator = await visitor(board, admin)
    const fields = { slug: 'about-us', title: 'About us', text: 'We are few.' }
    const added = await operator.submit(await operator.get('/desk/board/new-page'), '/desk/board/new-page', fields)
    expect(added.seen).toContain('“About us” published.')
    const twice = await operator.submit(await operator.get('/desk/board/new-page'), '/desk/board/new-page', fields)
    expect([twice.status, faultOf(twice, 'slug')]).toEqual([422, 'Another page already has this slug.'])
    const path = '/desk/board/pages/about-us'
    await operator.submit(await operator.get(path), path, { text: 'We are many.' })
    expect((await open('/pages/about-us')).seen).toContain('We are many.')
    await operator.submit(await operator.get(path), `${path}/delete`)
    expect((await open('/pages/about-us')).status).toBe(404)
    expect((await operator.get(path)).status).toBe(404)
  })

  test('need a title and text', async () => {
    const operator = await visitor(board, admin)
    const path = '/desk/board/pages/contact'
    const page = await operator.submit(await operator.get(path), path, { title: '', text: ' ' })
    expect(page.status).toBe(422)
    expect(faultOf(page, 'title')).toBe('Enter a title.')
    expect(faultOf(page, 'text')).toBe('Enter text.')
  })

  test('the privacy notice is linked where people register and apply', async () => {
    await write('privacy', { title: 'Privacy notice' })
    const candidate = await board.candidate()
    const { id } = await board.activeJob(await board.employer())
    const pages = [
      await open('/register/candidate'),
      await open('/register/employer'),
      await (await visitor(board, candidate)).get(`/jobs/${id}/apply`),
    ]
    for (const page of pages) {
      expect(page.document.querySelector('form a[href="/pages/privacy"]')?.textContent, page.path).toBe(
        'Privacy notice',
      )
    }
  })

  test('a contact email address is in the footer, unless there is a contact page', async () => {
    await put({ contact_email: 'hello@gear.example' })
    const contacts = async () =>
      (await open('/jobs')).document
        .querySelectorAll('.foot a[href="/pages/contact"], .foot a[href^="mailto:"]')
        .map((link) => link.getAttribute('href'))
    expect(await contacts()).toEqual(['mailto:hello@gear.example'])
    await write('contact', {})
    expect(await contacts()).toEqual(['/pages/contact'])
  })
})
