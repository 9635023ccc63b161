import { readJobPosting } from './job-posting.ts'
import { jsonFormat } from './json.ts'
import type { ForeignPosting, Format } from './posting.ts'
import { type Members, membersOf, someText, textOf, timeOf } from './values.ts'

/** The JSON Feed of a Teamtailor career site. The board is the site's host, such as `careers.voltaire.example`. */
export const teamtailor: Format = {
  urlOf: (board) => `https://${board}/jobs.json`,
  ...jsonFormat((root) => membersOf(root).items, adapt),
}

function adapt(item: Members): ForeignPosting {
  const posting = readJobPosting(membersOf(item._jobposting))
  const url = textOf(item.url)
  return {
    ...posting,
    id: numberIn(url) ?? (posting.id || textOf(item.id)),
    title: textOf(item.title) || posting.title,
    description: posting.description || textOf(item.content_html),
    postedAt: timeOf(item.date_published) ?? posting.postedAt,
    url: someText(url),
    applyUrl: someText(url),
  }
}

/**
 * Returns the number in `…/jobs/123-title`. The document also contains other IDs, but only this ID is in every variant
 * of the document.
 */
function numberIn(url: string): string | undefined {
  const [digits] = /^\d+/.exec(url.split('/jobs/')[1] ?? '') ?? []
  return digits
}
