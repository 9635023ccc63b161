/** Files for search engines: the sitemap (sitemaps.org) and robots.txt. */
import { escapeXml } from '../../lib/xml.ts'

/** Maximum URLs per file in the sitemap protocol. */
export const JOBS_PER_SITEMAP = 50_000
const PIECE = 1_000

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

export function sitemapIndex(origin: string, parts: number): string {
  const entries = Array.from(
    { length: parts },
    (_, n) => `<sitemap><loc>${escapeXml(`${origin}/sitemaps/jobs-${n + 1}.xml`)}</loc></sitemap>\n`,
  )
  return `${HEAD}<sitemapindex ${NAMESPACE}>\n${entries.join('')}</sitemapindex>\n`
}

/** Yields one sitemap file in chunks. */
export function* sitemap(origin: string, ids: readonly string[]): Generator<string> {
  yield `${HEAD}<urlset ${NAMESPACE}>\n`
  const start = `<url><loc>${escapeXml(origin)}/jobs/`
  for (let at = 0; at < ids.length; at += PIECE) {
    yield ids
      .slice(at, at + PIECE)
      .map((id) => `${start}${id}</loc></url>\n`)
      .join('')
  }
  yield '</urlset>\n'
}

/** Returns a robots.txt that excludes private pages and the API. */
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
