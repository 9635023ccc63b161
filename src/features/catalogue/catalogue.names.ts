/** Categories and types as people read them. Any slug is welcome, whether or not it is in the catalogue. */

export interface NamedSlug {
  slug: string
  name: string
}

/** What the board offers before anybody posts, each list in its order. */
export interface Catalogue {
  readonly categories: readonly NamedSlug[]
  readonly types: readonly NamedSlug[]
}

/** The name of a slug; one that is not in the catalogue is made readable. */
export function nameOfSlug(known: readonly NamedSlug[], slug: string): string {
  return known.find((entry) => entry.slug === slug)?.name ?? nameOf(slug)
}

/** Those of the catalogue in their order, then the others that have jobs, by slug; each with its count. */
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
