/**
 * The catalog of categories and job types, with their display names. Jobs may also use slugs that are not in the
 * catalog.
 */
import type { Language } from '../../locale/languages.ts'
import { currentLocale } from '../../locale/locale.ts'
import { nameInWords } from '../../locale/messages.ts'

export interface NamedSlug {
  slug: string
  name: string
}

/** Categories and types that the board offers. Both lists are in display order. */
export interface Catalogue {
  readonly categories: readonly NamedSlug[]
  readonly types: readonly NamedSlug[]
}

/**
 * Returns a slug's name in the reader's language. If the slug is not in the catalog, derives a readable name from the
 * slug.
 */
export function nameOfSlug(known: readonly NamedSlug[], slug: string): string {
  return shownName(known.find((entry) => entry.slug === slug) ?? { slug, name: nameOf(slug) })
}

/**
 * Returns an entry's name in the reader's language or, if an operator has added or renamed the entry, the name that the
 * operator chose.
 */
export function shownName(entry: NamedSlug): string {
  const { language } = currentLocale()
  let shown = shownNames.get(entry)
  if (shown?.language !== language) {
    shown = { language, name: nameInWords(`catalog.${entry.slug}`, entry.name) }
    shownNames.set(entry, shown)
  }
  return shown.name
}

/** Caches each entry's name in the language that was used last, because each list of jobs shows all names. */
const shownNames = new WeakMap<NamedSlug, { language: Language; name: string }>()

/** Returns the catalog's entries in display order, then other slugs that jobs use. Each has its job count. */
export function withCounts(
  offered: readonly NamedSlug[],
  counted: readonly { slug: string; job_count: number }[],
): (NamedSlug & { job_count: number })[] {
  const counts = new Map(counted.map(({ slug, job_count }) => [slug, job_count]))
  const known = new Set(offered.map(({ slug }) => slug))
  const others = [...counts.keys()].filter((slug) => !known.has(slug)).sort()
  const all = [
    ...offered.map(({ slug, name }) => ({ slug, name })),
    ...others.map((slug) => ({ slug, name: nameOf(slug) })),
  ]
  return all.map((entry) => ({ ...entry, job_count: counts.get(entry.slug) ?? 0 }))
}

function nameOf(slug: string): string {
  const text = slug.replaceAll('-', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
