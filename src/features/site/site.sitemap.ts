/**
 * Files for search engines: the sitemap (sitemaps.org) and robots.txt. The sitemap lists the board's own pages in each
 * language. It lists each job and company only once, because their texts are in one language.
 */
import type { Brand } from '../../lib/brand.ts'
import { escapeXml, xmlElement } from '../../lib/xml.ts'
import type { Language } from '../../locale/languages.ts'

/** Maximum number of URLs per file in the sitemap protocol. */
export const URLS_PER_SITEMAP = 50_000
const PIECE = 1_000

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** Returns the index of all sitemap files for these numbers of jobs and companies. */
export function sitemapIndex(origin: string, counts: Readonly<Record<'jobs' | 'companies', number>>): string {
  const parts = Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: Math.ceil(count / URLS_PER_SITEMAP) }, (_, n) => `${kind}-${n + 1}`),
  )
  const entries = ['pages', ...parts].map(
    (file) => `<sitemap><loc>${escapeXml(`${origin}/sitemaps/${file}.xml`)}</loc></sitemap>\n`,
  )
  return `${HEAD}<sitemapindex ${NAMESPACE}>\n${entries.join('')}</sitemapindex>\n`
}

/** Returns the entries of a page, one per language of the board. If there are several, each links to all of them. */
function entriesOf({ origin, brand, inLanguage }: Site, path: string): string {
  const link = (language: string, href: string) =>
    `<xhtml:link rel="alternate" hreflang="${language}" href="${escapeXml(origin + href)}"/>`
  const links = [
    ...brand.languages.map((language) => link(language, inLanguage(language, path))),
    link('x-default', inLanguage(brand.defaultLanguage, path)),
  ]
  const alternates = brand.languages.length > 1 ? links.join('') : ''
  return brand.languages
    .map((language) => `<url><loc>${escapeXml(origin + inLanguage(language, path))}</loc>${alternates}</url>\n`)
    .join('')
}

interface Site {
  origin: string
  brand: Brand
  has(path: string): boolean
  inLanguage(language: Language, path: string): string
}

/** Returns the sitemap file of the board's own pages. */
export function pagesSitemap(site: Site): string {
  const legal = site.brand.pages.map(({ slug }) => `/pages/${slug}`)
  const paths = [...['/', '/jobs', '/companies', '/docs'].filter((path) => site.has(path)), ...legal]
  const entries = paths.map((path) => entriesOf(site, path)).join('')
  return `${HEAD}<urlset ${NAMESPACE} xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${entries}</urlset>\n`
}

/** A URL in a sitemap, with the time of its last change if that time is known exactly. */
interface Listed {
  path: string
  changed?: Date | undefined
}

/** Yields one sitemap file in chunks. `listedOf` returns the entries of the resources with the given IDs. */
export async function* sitemap(
  origin: string,
  ids: readonly string[],
  listedOf: (ids: readonly string[]) => Promise<readonly Listed[]>,
): AsyncGenerator<string> {
  yield `${HEAD}<urlset ${NAMESPACE}>\n`
  const start = `<url><loc>${escapeXml(origin)}`
  for (let at = 0; at < ids.length; at += PIECE) {
    const listed = await listedOf(ids.slice(at, at + PIECE))
    yield listed.map(({ path, changed }) => `${start}${path}</loc>${lastmod(changed)}</url>\n`).join('')
  }
  yield '</urlset>\n'
}

const lastmod = (time: Date | undefined) => xmlElement('lastmod', time?.toISOString())

/** Returns a robots.txt that excludes the API, sign-in, private pages and search suggestions. */
export function robots(origin: string): string {
  const closed = [
    '/v1/',
    '/account',
    '/sign-in',
    '/me/',
    '/employer/',
    '/console',
    '/desk',
    '/jobs/suggestions',
    '/jobs/places',
  ]
  return `User-agent: *\n${closed.map((path) => `Disallow: ${path}\n`).join('')}\nSitemap: ${origin}/sitemap.xml\n`
}
