import { jsonFormat } from './json.ts'
import type { ForeignPosting, Format } from './posting.ts'
import { deadlineOf, joinPlace, listOf, type Members, membersOf, numberOf, someText, textOf, timeOf } from './values.ts'

/** The JSON Feed of a Teamtailor career site, whose host is the board, such as `careers.voltaire.example`. */
export const teamtailor: Format = {
  urlOf: (board) => `https://${board}/jobs.json`,
  ...jsonFormat((root) => membersOf(root).items, adapt),
}

const oneOrMore = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

function adapt(item: Members): ForeignPosting {
  const posting = membersOf(item._jobposting)
  const url = textOf(item.url)
  const places = oneOrMore(posting.jobLocation)
    .map((place) => membersOf(membersOf(place).address))
    .map(({ addressLocality, addressRegion, addressCountry }) => {
      return joinPlace(addressLocality, addressRegion, someText(addressCountry) ?? membersOf(addressCountry).name)
    })
  const pay = membersOf(posting.baseSalary)
  const { minValue, maxValue, value, unitText } = membersOf(pay.value)
  const [min = null, max = null] = [numberOf(minValue) ?? numberOf(value), numberOf(maxValue) ?? numberOf(value)]
  return {
    id: numberIn(url) ?? (textOf(membersOf(posting.identifier).value) || textOf(item.id)),
    title: textOf(item.title) || textOf(posting.title),
    company: someText(membersOf(posting.hiringOrganization).name),
    locations: places,
    isRemote: textOf(posting.jobLocationType) === 'TELECOMMUTE',
    description: textOf(posting.description) || textOf(item.content_html),
    type: someText(listOf(posting.employmentType)[0]) ?? someText(posting.employmentType),
    postedAt: timeOf(item.date_published) ?? timeOf(posting.datePosted),
    expiresAt: deadlineOf(posting.validThrough),
    ...((min !== null || max !== null) && {
      salary: { min, max, currency: textOf(pay.currency), period: textOf(unitText) },
    }),
    url: someText(url),
    applyUrl: someText(url),
  }
}

/** Returns the number in `…/jobs/123-title`. The document also has other IDs, but only this one is in every variant of the document. */
function numberIn(url: string): string | undefined {
  const [digits] = /^\d+/.exec(url.split('/jobs/')[1] ?? '') ?? []
  return digits
}
