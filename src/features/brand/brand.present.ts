import { hash } from 'node:crypto'
import type { BoardPageTable } from '../../db/schema.ts'
import { billingOf } from '../../lib/billing.ts'
import type { Brand } from '../../lib/brand.ts'
import { readPicture } from '../../lib/pictures.ts'
import { isLanguage, languages } from '../../locale/languages.ts'
import { englishOf } from '../../locale/messages.ts'
import type { BrandRow } from './brand.queries.ts'
import { type Board, type BoardPage, commonPages } from './brand.schemas.ts'

/** The board's name and descriptions until an admin sets the name. */
export const defaults = {
  name: 'Job Marketplace',
  tagline: englishOf('brand.default_tagline')!,
  description: englishOf('brand.default_description')!,
}

/** A stored logo. Its file name changes whenever its content does. */
export interface Logo {
  file: string
  type: string
  bytes: Buffer
  size: { width: number; height: number }
}

export function logoOf({ logo_type: type, logo_bytes: stored }: Pick<BrandRow, 'logo_type' | 'logo_bytes'>) {
  if (type === null || stored === null) return undefined
  const bytes = Buffer.from(stored)
  const picture = readPicture(bytes)
  // Never happens, because stored files have already been checked.
  if (!picture?.size) return undefined
  const file = `${hash('sha256', bytes).slice(0, 16)}.${picture.type}`
  return { file, type, bytes, size: picture.size } satisfies Logo
}

const common: readonly string[] = commonPages

/** Compares pages for sorting: first the common pages, then the others by title. */
function compare(a: { slug: string; title: string }, b: { slug: string; title: string }): number {
  const rank = ({ slug }: { slug: string }) => (common.includes(slug) ? common.indexOf(slug) : common.length)
  return rank(a) - rank(b) || a.title.localeCompare(b.title, 'en') || (a.slug < b.slug ? -1 : 1)
}

export function brandOf(row: BrandRow, pages: readonly Pick<BoardPageTable, 'slug' | 'title'>[]): Brand {
  const { name, tagline, description } = row
  const logo = logoOf(row)
  return {
    ...(name === null ? defaults : { name, tagline, description }),
    logo: logo ? { path: `/board/logo/${logo.file}`, ...logo.size } : null,
    accentColor: row.accent_color,
    contactEmail: row.contact_email,
    languages: languages.filter((language) => row.languages.includes(language)),
    defaultLanguage: isLanguage(row.default_language) ? row.default_language : 'en',
    pages: pages.map(({ slug, title }) => ({ slug, title })).sort(compare),
    billing: billingOf(row),
    isSetUp: name !== null,
  }
}

export interface BoardSettings {
  origin: string
  defaultCurrency: string
  hasWebsite: boolean
}

export function presentBoard(brand: Brand, { origin, defaultCurrency, hasWebsite }: BoardSettings): Board {
  const legal = brand.pages.map(({ slug, title }) => ({ slug, title, url: `${origin}/pages/${slug}` }))
  return {
    name: brand.name,
    tagline: brand.tagline,
    description: brand.description,
    logo_url: brand.logo === null ? null : origin + brand.logo.path,
    accent_color: brand.accentColor,
    contact_email: brand.contactEmail,
    languages: [...brand.languages],
    default_language: brand.defaultLanguage,
    ...brand.billing,
    default_currency: defaultCurrency,
    legal: hasWebsite ? legal : [],
  }
}

export function presentPage({ slug, title, text, language, updated_at }: BoardPageTable): BoardPage {
  return { slug, title, text, language, updated_at: updated_at.toISOString() }
}
