import { jsonFormat } from './json.ts'
import type { ForeignPosting, Format } from './posting.ts'
import { deadlineOf, joinPlace, listOf, type Members, membersOf, numberOf, someText, textOf, timeOf } from './values.ts'

export const recruitee: Format = {
  urlOf: (board) => `https://${encodeURIComponent(board)}.recruitee.com/api/offers/`,
  ...jsonFormat((root) => membersOf(root).offers, adapt),
}

function adapt(offer: Members): ForeignPosting | undefined {
  if (textOf(offer.status) !== '' && offer.status !== 'published') return undefined
  const places = listOf(offer.locations)
    .map(membersOf)
    .map(({ city, state, country }) => joinPlace(city, state, country))
  const salary = membersOf(offer.salary)
  // Each bound is a text or null.
  const [min = null, max = null] = [numberOf(salary.min), numberOf(salary.max)]
  const requirements = textOf(offer.requirements)
  return {
    id: textOf(offer.id),
    title: textOf(offer.title),
    company: someText(offer.company_name),
    locations: places.some(Boolean) ? places : [textOf(offer.location)],
    // An offer that is also hybrid or on site is not fully remote.
    isRemote: offer.remote === true && offer.hybrid !== true && offer.on_site !== true,
    isHybrid: offer.hybrid === true || (offer.remote === true && offer.on_site === true),
    description: `${textOf(offer.description)}${requirements && `<h3>Requirements</h3>${requirements}`}`,
    type: someText(offer.employment_type_code),
    level: someText(offer.experience_code),
    postedAt: timeOf(offer.published_at) ?? timeOf(offer.created_at),
    expiresAt: deadlineOf(offer.close_at),
    ...((min !== null || max !== null) && {
      salary: { min, max, currency: textOf(salary.currency), period: textOf(salary.period) },
    }),
    url: someText(offer.careers_url),
    applyUrl: someText(offer.careers_apply_url) ?? someText(offer.careers_url),
  }
}
