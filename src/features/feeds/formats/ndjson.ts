import { linesOf, readMembers } from './json.ts'
import { BadDocument, type ForeignPosting, type Format, refused, UNREADABLE } from './posting.ts'
import {
  deadlineOf,
  isMembers,
  type Members,
  membersOf,
  numberOf,
  someText,
  textOf,
  textsOf,
  timeOf,
} from './values.ts'

/** Lines of jobs with the members of this board's own jobs. `id` is required, and descriptions are Markdown. */
export const ndjson: Format = {
  async *read(chunks) {
    let isFirst = true
    for await (const { text, isEnded } of linesOf(chunks)) {
      if (text?.trim() === '') continue
      let value: unknown
      try {
        value = JSON.parse(text ?? '')
      } catch {
        if (isFirst) throw new BadDocument('invalid_document', 'The first line is not valid JSON.')
        if (!isEnded) throw new BadDocument('cut_document', 'The last line is not complete.')
        yield refused(UNREADABLE, 'A line is not valid JSON in UTF-8, or is longer than 1 MiB.')
        continue
      }
      isFirst = false
      yield readMembers(value, adapt)
    }
  },
}

function adapt(job: Members): ForeignPosting {
  const salary = membersOf(job.salary)
  const { custom_questions } = job
  return {
    id: textOf(job.id),
    title: textOf(job.title),
    company: someText(job.company),
    companyWebsite: someText(job.company_website),
    companyLogo: someText(job.company_logo_url),
    locations: [textOf(job.location)],
    isRemote: job.remote === true,
    description: textOf(job.description),
    isMarkdown: true,
    requirements: textsOf(job.requirements),
    benefits: textsOf(job.benefits),
    category: someText(job.category),
    type: someText(job.type),
    level: someText(job.experience_level),
    language: someText(job.language),
    skills: textsOf(job.skills),
    postedAt: timeOf(job.posted_at),
    expiresAt: deadlineOf(job.expires_at),
    ...(isMembers(job.salary) && {
      salary: {
        min: numberOf(salary.min) ?? null,
        max: numberOf(salary.max) ?? null,
        currency: textOf(salary.currency),
        period: textOf(salary.period) || 'year',
      },
    }),
    url: someText(job.url),
    applyUrl: someText(job.application_url),
    ...(custom_questions ? { more: { custom_questions } } : {}),
  }
}
