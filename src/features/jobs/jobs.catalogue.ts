/** The configured categories and types: what the board offers before anybody posts. Any other slug is welcome too. */

export interface NamedSlug {
  slug: string
  name: string
}

export const configuredCategories: readonly NamedSlug[] = [
  { slug: 'vehicle-engineering', name: 'Vehicle engineering' },
  { slug: 'electrical-electronics', name: 'Electrical and electronics' },
  { slug: 'powertrain-battery', name: 'Powertrain and battery' },
  { slug: 'autonomous-driving', name: 'Autonomous driving' },
  { slug: 'manufacturing-production', name: 'Manufacturing and production' },
  { slug: 'quality-testing', name: 'Quality and testing' },
  { slug: 'vehicle-service', name: 'Vehicle service' },
  { slug: 'sales-dealership', name: 'Sales and dealership' },
  { slug: 'supply-chain-logistics', name: 'Supply chain and logistics' },
  { slug: 'motorsport', name: 'Motorsport' },
  { slug: 'software-engineering', name: 'Software engineering' },
  { slug: 'embedded-software', name: 'Embedded software' },
  { slug: 'data-ai', name: 'Data and AI' },
  { slug: 'devops-cloud', name: 'DevOps and cloud' },
  { slug: 'cybersecurity', name: 'Cybersecurity' },
  { slug: 'it-support', name: 'IT support' },
  { slug: 'product-management', name: 'Product management' },
  { slug: 'design-ux', name: 'Design and UX' },
  { slug: 'marketing', name: 'Marketing' },
  { slug: 'finance', name: 'Finance' },
  { slug: 'human-resources', name: 'Human resources' },
  { slug: 'operations', name: 'Operations' },
]

export const configuredTypes: readonly NamedSlug[] = [
  { slug: 'full-time', name: 'Full-time' },
  { slug: 'part-time', name: 'Part-time' },
  { slug: 'contract', name: 'Contract' },
  { slug: 'temporary', name: 'Temporary' },
  { slug: 'internship', name: 'Internship' },
  { slug: 'apprenticeship', name: 'Apprenticeship' },
  { slug: 'freelance', name: 'Freelance' },
  { slug: 'volunteer', name: 'Volunteer' },
]

/** The name of a slug; one that is not configured is made readable. */
export function nameOfSlug(known: readonly NamedSlug[], slug: string): string {
  return known.find((entry) => entry.slug === slug)?.name ?? nameOf(slug)
}

/** The configured ones in their order, then the others that have jobs, by slug; each with its count. */
export function withCounts(
  configured: readonly NamedSlug[],
  counted: readonly { slug: string; job_count: number }[],
): (NamedSlug & { job_count: number })[] {
  const counts = new Map(counted.map(({ slug, job_count }) => [slug, job_count]))
  const known = new Set(configured.map(({ slug }) => slug))
  const others = [...counts.keys()].filter((slug) => !known.has(slug)).sort()
  const all = [...configured, ...others.map((slug) => ({ slug, name: nameOf(slug) }))]
  return all.map((entry) => ({ ...entry, job_count: counts.get(entry.slug) ?? 0 }))
}

function nameOf(slug: string): string {
  const text = slug.replaceAll('-', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
