/** Pages with schema.org's JobPosting in JSON-LD: one page, or the pages of a sitemap. */
import { boundedParser, isEscaped, unescapeHtml } from './html.ts'
import { linesFormat, parseBounded } from './json.ts'
import { BadDocument, type FetchText, type ForeignPosting, type Format, Unreadable } from './posting.ts'
import { deadlineOf, joinPlace, type Members, membersOf, numberOf, someText, textOf, timeOf } from './values.ts'

/** Maximum number of pages with the site's origin. They are fetched one after the other. */
const PAGES_MAX = 2_000
/** Maximum number of URLs in a sitemap, as in the sitemap protocol. Parsing a million URLs would take seconds. */
const ADDRESSES_MAX = 50_000
/** Maximum number of scripts that are read in a page. Each takes time, even if it is empty. */
const SCRIPTS_MAX = 1_000
/** Maximum number of sitemaps with the site's origin in a sitemap index. */
const SITEMAPS_MAX = 50

export const jobPosting: Format = {
  async *collect(url, fetchText) {
    const text = await fetchText(url)
    if (text === undefined) throw new BadDocument('invalid_document', 'The page does not exist.')
    const sitemap = sitemapIn(text)
    if (!sitemap) {
      const found = postingsIn(text, url.href)
      if (found.length === 0) throw new BadDocument('invalid_document', 'The page has no JobPosting in JSON-LD.')
      return yield* found
    }
    for (const page of await pagesOf(url, sitemap, fetchText)) {
      try {
        const html = await fetchText(page)
        // If a page is gone, its posting has ended.
        if (html !== undefined) yield* postingsIn(html, page.href)
      } catch (error) {
        if (!(error instanceof BadDocument)) throw error
        yield { isUnreadable: true, page: page.href }
      }
    }
  },
  ...linesFormat(adapt),
}

interface Sitemap {
  kind: 'urlset' | 'sitemapindex'
  addresses: string[]
}

/** Returns the URLs in a sitemap, or undefined if the text is not a sitemap. */
function sitemapIn(text: string): Sitemap | undefined {
  let root: string | undefined
  let isOpen = false
  let isComplete = false
  const addresses: string[] = []
  const parser = boundedParser(
    {
      onopentag(name) {
        root ??= name
        isOpen = name === 'loc'
        if (isOpen) addresses.push('')
      },
      ontext(part) {
        if (isOpen) addresses[addresses.length - 1] += part
      },
      onclosetag(name, isImplied) {
        isOpen = false
        isComplete ||= name === root && !isImplied
      },
    },
    { xmlMode: true },
  )
  parser.end(text)
  if (root !== 'urlset' && root !== 'sitemapindex') return undefined
  if (!isComplete) throw new BadDocument('cut_document', 'The sitemap ends too early.')
  return { kind: root, addresses }
}

/**
 * Returns the pages in a sitemap, or in the sitemaps of a sitemap index. Omits pages and sitemaps with another origin.
 */
async function pagesOf(url: URL, { kind, addresses }: Sitemap, fetchText: FetchText): Promise<URL[]> {
  if (addresses.length > ADDRESSES_MAX) {
    throw new BadDocument('too_many_postings', `The sitemap lists more than ${ADDRESSES_MAX} URLs.`)
  }
  const own = addresses
    .map((address) => URL.parse(address.trim(), url))
    .filter((address) => address !== null && address.origin === url.origin) as URL[]
  if (kind === 'urlset') {
    if (own.length <= PAGES_MAX) return own
    throw new BadDocument('too_many_postings', `The sitemap lists more than ${PAGES_MAX} pages.`)
  }
  if (own.length > SITEMAPS_MAX) {
    throw new BadDocument('too_many_postings', `The sitemap index lists more than ${SITEMAPS_MAX} sitemaps.`)
  }
  const pages: URL[] = []
  for (const address of own) {
    const sitemap = sitemapIn((await fetchText(address)) ?? '')
    if (sitemap?.kind !== 'urlset') throw new BadDocument('invalid_document', `${address} is not a sitemap.`)
    pages.push(...(await pagesOf(url, { kind: 'urlset', addresses: [...sitemap.addresses] }, fetchText)))
    if (pages.length > PAGES_MAX) {
      throw new BadDocument('too_many_postings', `The sitemaps list more than ${PAGES_MAX} pages.`)
    }
  }
  return pages
}

/** Returns the postings of a page, with the canonical URL of the page or, without one, its own URL. */
function postingsIn(html: string, page: string): Members[] {
  const scripts: string[] = []
  let isOpen = false
  let canonical: string | undefined
  const parser = boundedParser({
    onopentag(name, { type, rel, href }) {
      const isScript = name === 'script' && type?.trim().toLowerCase() === 'application/ld+json'
      isOpen = isScript && scripts.length < SCRIPTS_MAX
      if (isOpen) scripts.push('')
      if (name === 'link' && rel === 'canonical' && href) canonical = href
    },
    ontext(part) {
      if (isOpen) scripts[scripts.length - 1] += part
    },
    onclosetag() {
      isOpen = false
    },
  })
  parser.end(html)
  const address = (canonical && URL.parse(canonical, page)?.href) ?? page
  return scripts.flatMap((script) => {
    try {
      return nodesIn(parseBounded(Buffer.from(script))).map((node) => ({ ...node, page: address }))
    } catch {
      return script.includes('JobPosting') ? [{ isUnreadable: true, page: address }] : []
    }
  })
}

/** Maximum nesting depth of the lists and graphs that are searched. */
const DEPTH_MAX = 4

/** Returns the job postings in JSON-LD, which may be an object, a list or a graph. */
function nodesIn(value: unknown, depth = 0): Members[] {
  if (depth > DEPTH_MAX) return []
  if (Array.isArray(value)) return value.flatMap((one) => nodesIn(one, depth + 1))
  const node = membersOf(value)
  if (listOrOne(node['@type']).some((type) => textOf(type).split('/').at(-1) === 'JobPosting')) return [node]
  return nodesIn(node['@graph'] ?? [], depth + 1)
}

const listOrOne = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

function adapt(node: Members): ForeignPosting {
  const page = someText(node.page)
  if (node.isUnreadable === true) throw new Unreadable(`The JSON-LD of ${page} is not valid JSON in UTF-8.`)
  const posting = readJobPosting(node)
  return { ...posting, id: posting.id || (page ?? ''), url: page, applyUrl: page }
}

/** Reads a JobPosting. The returned `id` is empty if the JobPosting has no identifier. */
export function readJobPosting(node: Members): ForeignPosting {
  const places = listOrOne(node.jobLocation)
    .map((place) => membersOf(place).address)
    .map((address) => {
      const { addressLocality, addressRegion, addressCountry } = membersOf(address)
      const country = someText(addressCountry) ?? membersOf(addressCountry).name
      return joinPlace(addressLocality, addressRegion, country) || textOf(address)
    })
  const pay = membersOf(node.baseSalary)
  const { minValue, maxValue, value, unitText } = membersOf(pay.value)
  const exact = numberOf(value) ?? numberOf(pay.value)
  const [min = null, max = null] = [numberOf(minValue) ?? exact, numberOf(maxValue) ?? exact]
  const description = textOf(node.description)
  const employer = membersOf(node.hiringOrganization)
  return {
    id: textOf(membersOf(node.identifier).value) || textOf(node.identifier),
    title: textOf(node.title),
    company: someText(employer.name) ?? someText(node.hiringOrganization),
    companyWebsite: someText(employer.sameAs),
    locations: places,
    isRemote: textOf(node.jobLocationType) === 'TELECOMMUTE',
    description: isEscaped(description) ? unescapeHtml(description) : description,
    type: someText(listOrOne(node.employmentType)[0]),
    postedAt: timeOf(node.datePosted),
    expiresAt: deadlineOf(node.validThrough),
    ...((min !== null || max !== null) && {
      salary: { min, max, currency: textOf(pay.currency), period: textOf(unitText) || textOf(pay.unitText) },
    }),
  }
}
