import { linesFormat, membersIn } from './json.ts'
import { BadDocument, type ForeignPosting, type Format } from './posting.ts'
import { joinPlace, type Members, membersOf, numberOf, someText, textOf, timeOf } from './values.ts'

/** BambooHR's careers page: a list, and a response with the text of each posting. Both structures are undocumented. */
export const bamboohr: Format = {
  urlOf: (board) => `https://${encodeURIComponent(board)}.bamboohr.com/careers/list`,
  async *collect(url, fetchText) {
    const { result, meta } = membersIn(await fetchText(url))
    if (!Array.isArray(result)) throw new BadDocument('invalid_document', 'The response has no list of postings.')
    const total = numberOf(membersOf(meta).totalCount) ?? 0
    if (result.length < total) {
      throw new BadDocument('cut_document', `The host lists only ${result.length} of ${total} postings.`)
    }
    for (const entry of result.map(membersOf)) {
      const page = new URL(encodeURIComponent(textOf(entry.id)), url)
      const detail = await fetchText(new URL(`${page.pathname}/detail`, page))
      // The posting may have ended since the list was fetched.
      if (detail === undefined) continue
      const { jobOpening } = membersOf(membersIn(detail).result)
      yield { ...entry, jobOpening, page: page.href }
    }
  },
  ...linesFormat(adapt),
}

function adapt(entry: Members): ForeignPosting {
  const opening = membersOf(entry.jobOpening)
  // Uses the first location with a town. Parts of different locations must not be mixed.
  const places = [opening.location, entry.atsLocation, entry.location].map(membersOf)
  const { city, state, province, addressCountry, country } =
    places.find((place) => textOf(place.city) !== '') ?? places[0]!
  const url = someText(opening.jobOpeningShareUrl) ?? someText(entry.page)
  return {
    id: textOf(entry.id),
    title: textOf(entry.jobOpeningName) || textOf(opening.jobOpeningName),
    locations: [joinPlace(city, someText(state) ?? province, someText(addressCountry) ?? country)],
    // `locationType` is 0 for on site, 1 for remote and 2 for hybrid. BambooHR's own `isRemote` is null in practice.
    isRemote: textOf(entry.locationType) === '1',
    isHybrid: textOf(entry.locationType) === '2',
    description: textOf(opening.description),
    type: someText(entry.employmentStatusLabel) ?? someText(opening.employmentStatusLabel),
    postedAt: timeOf(opening.datePosted),
    url,
    applyUrl: url,
  }
}
