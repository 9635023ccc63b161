import { escapeText } from './html.ts'
import type { ForeignPosting, Format } from './posting.ts'
import { someText, timeOf } from './values.ts'
import { type XmlItem, xmlFormat } from './xml.ts'

/** Personio's XML. If the URL named a language, texts in other languages would be missing. */
export const personio: Format = {
  urlOf: (board) => `https://${encodeURIComponent(board)}.jobs.personio.de/xml`,
  ...xmlFormat({ root: 'workzag-jobs', item: 'position' }, adapt),
}

function adapt(position: XmlItem): ForeignPosting {
  const text = (name: string) => position.get(name)?.[0]?.trim() ?? ''
  const headings = position.get('jobDescriptions/jobDescription/name') ?? []
  const texts = position.get('jobDescriptions/jobDescription/value') ?? []
  const places = [text('office'), ...(position.get('additionalOffices/office') ?? [])]
  const schedule = text('schedule')
  const kind = text('employmentType')
  return {
    id: text('id'),
    title: text('name'),
    company: someText(text('subcompany')),
    locations: places,
    isRemote: places[0]?.toLowerCase().startsWith('remote'),
    description: texts.map((value, index) => `<h3>${escapeText(headings[index] ?? '')}</h3>${value}`).join('\n'),
    // The schedule is more specific than the employment type if that type is permanent or missing.
    type: someText(kind === 'permanent' || kind === '' ? schedule : kind),
    level: someText(text('seniority')),
    postedAt: timeOf(text('createdAt')),
  }
}
