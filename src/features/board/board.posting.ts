/** Converts jobs to schema.org job postings (https://schema.org/JobPosting) that follow Google's guidelines. */
import { countryOf, type Place, resolvePlaces, stateOf } from '../../geo/gazetteer.ts'
import { escapeHtml } from '../../lib/html.ts'
import { renderMarkdown } from '../../lib/markdown.ts'
import { t } from '../../locale/messages.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import { isAppliedForHere, type JobCompany, type JobDetail, jobPath } from '../jobs/index.ts'

const employmentTypes: Readonly<Record<string, string>> = {
  'full-time': 'FULL_TIME',
  'part-time': 'PART_TIME',
  contract: 'CONTRACTOR',
  freelance: 'CONTRACTOR',
  temporary: 'TEMPORARY',
  internship: 'INTERN',
  volunteer: 'VOLUNTEER',
}

/** Returns the description, the requirements and the benefits as HTML, which search engines expect. */
export function descriptionOf({
  description,
  requirements,
  benefits,
}: Pick<JobDetail, 'description' | 'requirements' | 'benefits'>): string {
  const list = (title: string, items: readonly string[]) =>
    items.length === 0
      ? ''
      : `<h3>${title}</h3><ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
  return renderMarkdown(description) + list(t('job.requirements'), requirements) + list(t('job.benefits'), benefits)
}

function salaryOf(salary: NonNullable<JobDetail['salary']>) {
  const { min, max, currency, period } = salary
  const range =
    min !== null && min === max ? { value: min } : { minValue: min ?? undefined, maxValue: max ?? undefined }
  return {
    '@type': 'MonetaryAmount',
    currency,
    value: { '@type': 'QuantitativeValue', ...range, unitText: period.toUpperCase() },
  }
}

function placeOf(name: string, country: string | undefined, place?: Place) {
  return {
    '@type': 'Place',
    address: {
      '@type': 'PostalAddress',
      addressLocality: name,
      addressRegion: place && stateOf(place),
      addressCountry: country,
    },
    geo: place && { '@type': 'GeoCoordinates', latitude: place.lat, longitude: place.lon },
  } as const
}

/**
 * Returns the workplaces. For remote jobs, omits locations without a known town, such as countries: applicants can live
 * there, but have no workplace there.
 */
function placesOf({ locations, remote }: JobDetail) {
  const places = locations.flatMap((location) => {
    const known = resolvePlaces(location).map((place) => placeOf(place.name, place.country, place))
    return known.length > 0 || remote ? known : [placeOf(location, countryOf(location))]
  })
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()]
}

const oneOrAll = <T>(items: readonly T[]) => (items.length > 1 ? items : items[0])

/** Returns the posting. JSON omits its undefined members. */
export function jobPosting(
  job: JobDetail,
  catalogue: Catalogue,
  origin: string,
  { industry, verifiedDomain }: Pick<JobCompany, 'industry' | 'verifiedDomain'>,
) {
  const places = placesOf(job)
  const countries = [...new Set(job.locations.flatMap((location) => countryOf(location) ?? []))]
  const isOurs = isAppliedForHere(job, origin)
  const orNone = <T>(items: readonly T[], join: (items: readonly T[]) => string) =>
    items.length > 0 ? join(items) : undefined
  return {
    '@context': 'https://schema.org',
    '@type': 'JobPosting',
    title: job.title,
    description: descriptionOf(job),
    identifier: { '@type': 'PropertyValue', name: job.company, value: job.id },
    url: `${origin}${jobPath(job)}`,
    datePosted: job.posted_at,
    validThrough: job.expires_at ?? undefined,
    employmentType: employmentTypes[job.type] ?? 'OTHER',
    hiringOrganization: {
      '@type': 'Organization',
      name: job.company,
      url: `${origin}/companies/${job.employer_id}`,
      sameAs: job.company_website ?? undefined,
      logo: job.company_logo_url ?? undefined,
      identifier: verifiedDomain
        ? { '@type': 'PropertyValue', name: t('companies.verified_domain'), value: verifiedDomain }
        : undefined,
    },
    jobLocation: oneOrAll(places),
    jobLocationType: job.remote ? 'TELECOMMUTE' : undefined,
    applicantLocationRequirements: job.remote
      ? oneOrAll(countries.map((name) => ({ '@type': 'Country', name })))
      : undefined,
    baseSalary: job.salary ? salaryOf(job.salary) : undefined,
    directApply: isOurs,
    industry: industry ?? undefined,
    occupationalCategory: nameOfSlug(catalogue.categories, job.category),
    skills: orNone(job.skills, (skills) => skills.join(', ')),
    qualifications: orNone(job.requirements, (lines) => lines.join('\n')),
    jobBenefits: orNone(job.benefits, (lines) => lines.join('\n')),
  }
}
