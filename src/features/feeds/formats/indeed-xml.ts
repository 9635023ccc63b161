import type { ForeignPosting, Format } from './posting.ts'
import { salaryInText } from './salary-text.ts'
import { deadlineOf, joinPlace, someText, timeOf } from './values.ts'
import { type XmlItem, xmlFormat } from './xml.ts'

/** The XML format that job boards exchange, as Indeed documents it. */
export const indeedXml: Format = xmlFormat({ root: 'source', item: 'job' }, adapt)

function adapt(job: XmlItem): ForeignPosting {
  const text = (name: string) => job.get(name)?.[0]?.trim() ?? ''
  const remote = text('remotetype').toLowerCase()
  const pay = text('salary')
  const salary = salaryInText(pay)
  return {
    id: text('referencenumber') || text('requisitionid'),
    title: text('title'),
    company: someText(text('company')) ?? someText(text('sourcename')),
    locations: [joinPlace(text('city'), text('state'), text('country')) || text('location')],
    isRemote: remote.includes('remote') && !remote.includes('hybrid'),
    isHybrid: remote.includes('hybrid'),
    description: text('description'),
    type: someText(text('jobtype')),
    level: someText(text('experience')),
    postedAt: timeOf(text('date')),
    expiresAt: deadlineOf(text('expirationdate')),
    ...(salary && { salary }),
    ...(pay !== '' && !salary && { notes: [{ code: 'salary_ignored', detail: 'The salary text is unclear.' }] }),
    url: someText(text('url')),
    applyUrl: someText(text('url')),
  }
}
