/** Tests the limits of what documents and hosts of feeds can make the service do. */
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { Pace } from '../../src/features/feeds/feeds.fetch.ts'
import { batchesOf } from '../../src/features/feeds/feeds.pass.ts'
import { normalizePosting } from '../../src/features/feeds/feeds.postings.ts'
import { blocksOf, takeLists } from '../../src/features/feeds/formats/html.ts'
import { type FormatName, formatOf } from '../../src/features/feeds/formats/index.ts'
import { type XmlItem, xmlFormat } from '../../src/features/feeds/formats/xml.ts'

const SITE = 'https://a.example'

const read = (format: FormatName, document: string) =>
  Array.fromAsync(formatOf(format).read(Readable.from([Buffer.from(document)])))

const collect = (page: string) => Array.fromAsync(formatOf('job_posting').collect!(new URL(SITE), async () => page))

test('a robots.txt with many agents and delays is read within a second', async () => {
  const robots = `${'User-agent: a\n'.repeat(18_000)}User-agent: *\n${'Crawl-delay: 9\n'.repeat(17_000)}`
  const waits: number[] = []
  const start = performance.now()
  await new Pace(async (ms) => waits.push(ms)).turn('a.example', async () => robots)
  expect(performance.now() - start).toBeLessThan(1_000)
  expect(waits.map((ms) => Math.ceil(ms / 1_000))).toEqual([9])
})

test('an XML posting keeps a limited number of characters, including the paths of its elements', async () => {
  const items: XmlItem[] = []
  const format = xmlFormat({ root: 'source', item: 'job' }, (item) => {
    items.push(item)
    throw new Error('No posting')
  })
  const name = 'a'.repeat(100_000)
  const elements = Array.from({ length: 100 }, (_, n) => `<b${n}>x</b${n}>`).join('')
  const document = `<source><job><${name}>${elements}</${name}></job></source>`
  await Array.fromAsync(format.read(Readable.from([Buffer.from(document)])))
  expect([...items[0]!.keys()].join('').length).toBeLessThan(1_048_576)
})

test('a sitemap has at most 50,000 URLs', async () => {
  const sitemap = (count: number) => `<urlset>${'<loc>https://b.example</loc>'.repeat(count)}</urlset>`
  expect(await collect(sitemap(50_000))).toEqual([])
  await expect(collect(sitemap(50_001))).rejects.toMatchObject({ code: 'too_many_postings' })
})

test('at most 1,000 scripts of a page are read', async () => {
  const script = '<script type="application/ld+json">{"@type": "JobPosting"}</script>'
  expect(await collect(script.repeat(1_001))).toHaveLength(1_000)
})

test('a JSON document has at most two million values', async () => {
  const document = (more: number) => `{"offers":[],"more":[${'0,'.repeat(more - 1)}0]}`
  expect(await read('recruitee', document(1_999_996))).toEqual([])
  await expect(read('recruitee', document(1_999_997))).rejects.toMatchObject({ code: 'invalid_document' })
})

test.each([
  ['values', { values: Array(20_000).fill(0) }],
  ['characters', { text: 'a'.repeat(1_048_576) }],
])('a JSON posting with too many %s is refused', async (_what, more) => {
  const refusal = { refusal: { code: 'invalid_posting' } }
  expect(await read('lever', JSON.stringify([{ id: '1', ...more }, { id: '2' }]))).toMatchObject([refusal, {}])
})

test('HTML with a link across many blocks becomes a limited text', () => {
  const link = `<a href="https://a.example/${'a'.repeat(2_000)}">`
  const text = blocksOf(link + '<p>x'.repeat(1_000)).map(({ markdown }) => markdown)
  expect(text.join('').length).toBeLessThan(510_000)
  expect(blocksOf(`<a href="https://a.example/${'a'.repeat(3_000)}">x</a>`)[0]!.markdown).toBe('x')
})

test('100,000 list items are read within a second', () => {
  const start = performance.now()
  expect(takeLists(blocksOf(`<ul>${'<li>x'.repeat(99_000)}`)).rest).toHaveLength(99_000)
  expect(performance.now() - start).toBeLessThan(1_000)
})

test('postings with long texts make small batches', async () => {
  const lengths = [1_500_000, 1_500_000, 1_500_000, 100]
  const batches = await Array.fromAsync(batchesOf(Readable.from(lengths.map((length) => ({ length })))))
  expect(batches.map((batch) => batch.length)).toEqual([2, 2])
})

test('each distinct character of a long name is checked once', () => {
  const exec = vi.spyOn(RegExp.prototype, 'exec')
  const foreign = { id: '1', title: `${'ab'.repeat(5_000)}\u202e`, locations: ['Leipzig'], description: 'Text' }
  const posting = normalizePosting(foreign, { company: 'Voltaire', now: new Date() })
  const { length } = exec.mock.calls
  exec.mockRestore()
  expect(posting).toHaveProperty('job')
  // Splitting the name into words also makes a call per character when `exec` is watched.
  expect(length).toBeLessThan(20_000)
})
