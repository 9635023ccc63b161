import { linesFormat, membersIn } from './json.ts'
import { BadDocument, type ForeignPosting, type Format } from './posting.ts'
import { joinPlace, type Members, membersOf, someText, textOf, timeOf } from './values.ts'

/** Maximum number of postings per page of the host's list. */
const PAGE = 100

/** SmartRecruiters' public postings: a paginated list, and a response with the text of each posting. */
export const smartrecruiters: Format = {
  urlOf: (board) => `https://api.smartrecruiters.com/v1/companies/${encodeURIComponent(board)}/postings`,
  async *collect(url, fetchText) {
    for (let offset = 0; ; ) {
      const page = membersIn(await fetchText(new URL(`${url.pathname}?limit=${PAGE}&offset=${offset}`, url)))
      const { content, totalFound } = page
      if (!Array.isArray(content)) throw new BadDocument('invalid_document', 'The response has no list of postings.')
      for (const entry of content.map(membersOf)) {
        if (isHidden(entry)) continue
        const detail = await fetchText(new URL(`${url.pathname}/${encodeURIComponent(textOf(entry.id))}`, url))
        // The posting may have ended since the list was fetched.
        if (detail !== undefined) yield { ...entry, ...membersIn(detail) }
      }
      offset += content.length
      if (typeof totalFound !== 'number' || offset >= totalFound) return
      if (content.length === 0) {
        throw new BadDocument('cut_document', `The host lists only ${offset} of ${totalFound} postings.`)
      }
    }
  },
  ...linesFormat(adapt),
}

const isHidden = ({ visibility, active }: Members) =>
  active === false || (textOf(visibility) !== '' && visibility !== 'PUBLIC')

function adapt(posting: Members): ForeignPosting | undefined {
  if (isHidden(posting)) return undefined
  const { city, region, country, remote, hybrid } = membersOf(posting.location)
  const { jobDescription, qualifications, additionalInformation } = membersOf(membersOf(posting.jobAd).sections)
  const [work, needs, more] = [jobDescription, qualifications, additionalInformation].map((section) =>
    textOf(membersOf(section).text),
  )
  // Omits the section about the company, which is the same in all of its postings.
  const description = [work, needs && `<h3>Qualifications</h3>${needs}`, more].filter(Boolean).join('\n')
  const { id, label } = membersOf(posting.typeOfEmployment)
  return {
    id: textOf(posting.id),
    title: textOf(posting.name),
    company: someText(membersOf(posting.company).name),
    // Countries are lowercase codes.
    locations: [joinPlace(city, region, textOf(country).toUpperCase())],
    isRemote: remote === true && hybrid !== true,
    isHybrid: hybrid === true,
    description,
    // The ID is sometimes wrong, such as `permanent` with the label Full-time.
    type: someText(label) ?? someText(id),
    level: someText(membersOf(posting.experienceLevel).id),
    language: someText(membersOf(posting.language).code),
    postedAt: timeOf(posting.releasedDate),
    url: someText(posting.postingUrl),
    applyUrl: someText(posting.applyUrl) ?? someText(posting.postingUrl),
  }
}
