import { jsonFormat } from './json.ts'
import type { ForeignPosting, ForeignSalary, Format } from './posting.ts'
import { joinPlace, listOf, type Members, membersOf, numberOf, someText, textOf, timeOf } from './values.ts'

export const ashby: Format = {
  urlOf: (board) =>
    `https://api.ashbyhq.com/posting-api/job-board/${encodeURIComponent(board)}?includeCompensation=true`,
  ...jsonFormat((root) => membersOf(root).jobs, adapt),
}

function adapt(job: Members): ForeignPosting | undefined {
  // An unlisted posting can be reached only through its link.
  if (job.isListed === false) return undefined
  const url = someText(job.jobUrl)
  const workplace = textOf(job.workplaceType).toLowerCase()
  return {
    id: textOf(job.id) || (url?.split('/').at(-1) ?? ''),
    title: textOf(job.title),
    company: someText(job.organizationName),
    locations: [placeOf(job), ...listOf(job.secondaryLocations).map(membersOf).map(placeOf)],
    isRemote: workplace === '' ? job.isRemote === true : workplace === 'remote',
    isHybrid: workplace === 'hybrid',
    description: textOf(job.descriptionHtml) || textOf(job.descriptionPlain),
    isMarkdown: textOf(job.descriptionHtml) === '',
    type: someText(job.employmentType),
    postedAt: timeOf(job.publishedAt),
    ...(job.shouldDisplayCompensationOnJobPostings !== false && salaryOf(membersOf(job.compensation))),
    url,
    applyUrl: someText(job.applyUrl) ?? url,
  }
}

function placeOf({ location, address }: Members): string {
  const { addressLocality, addressRegion, addressCountry } = membersOf(membersOf(address).postalAddress)
  // Locations are often named after offices. A location with a town can be geocoded.
  return textOf(addressLocality) ? joinPlace(addressLocality, addressRegion, addressCountry) : textOf(location)
}

/** Returns the first salary. Equity and bonuses are not salaries. */
function salaryOf(compensation: Members): { salary?: ForeignSalary } {
  const tiers = listOf(compensation.compensationTiers).flatMap((tier) => listOf(membersOf(tier).components))
  const found = [...listOf(compensation.summaryComponents), ...tiers]
    .map(membersOf)
    .find(({ compensationType }) => compensationType === 'Salary')
  if (!found) return {}
  const { minValue, maxValue, currencyCode, interval } = found
  const [min = null, max = null] = [numberOf(minValue), numberOf(maxValue)]
  return { salary: { min, max, currency: textOf(currencyCode), period: textOf(interval) } }
}
