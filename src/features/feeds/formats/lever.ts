import { escapeText } from './html.ts'
import { jsonFormat } from './json.ts'
import type { ForeignPosting, Format } from './posting.ts'
import { isMembers, listOf, type Members, membersOf, numberOf, someText, textOf, textsOf, timeOf } from './values.ts'

/** Lever's postings: a bare array. The prefix `eu/` in a board name selects the European host. */
export const lever: Format = {
  urlOf(board) {
    const isEuropean = board.startsWith('eu/')
    const site = encodeURIComponent(isEuropean ? board.slice('eu/'.length) : board)
    return `https://api.${isEuropean ? 'eu.' : ''}lever.co/v0/postings/${site}?mode=json`
  },
  ...jsonFormat((root) => root, adapt),
}

function adapt(posting: Members): ForeignPosting {
  const { location, allLocations, commitment } = membersOf(posting.categories)
  const places = textsOf(allLocations)
  const range = membersOf(posting.salaryRange)
  return {
    id: textOf(posting.id),
    title: textOf(posting.text),
    locations: places.length > 0 ? places : [textOf(location)],
    isRemote: textOf(posting.workplaceType) === 'remote',
    isHybrid: textOf(posting.workplaceType) === 'hybrid',
    description: htmlOf(posting),
    type: someText(commitment),
    postedAt: timeOf(posting.createdAt),
    ...(isMembers(posting.salaryRange) && {
      salary: {
        min: numberOf(range.min) ?? null,
        max: numberOf(range.max) ?? null,
        currency: textOf(range.currency),
        // The intervals are words such as per-year-salary.
        period: textOf(range.interval),
      },
    }),
    url: someText(posting.hostedUrl),
    applyUrl: someText(posting.applyUrl) ?? someText(posting.hostedUrl),
  }
}

/** Joins the parts of a posting. `description` already contains `opening`. */
function htmlOf(posting: Members): string {
  const lists = listOf(posting.lists)
    .map(membersOf)
    // The items of a list have no list element around them.
    .map(({ text, content }) => `<h3>${escapeText(textOf(text))}</h3><ul>${textOf(content)}</ul>`)
  return [textOf(posting.description), ...lists, textOf(posting.salaryDescription), textOf(posting.additional)].join(
    '\n',
  )
}
