import { linesFormat } from './json.ts'
import type { ForeignPosting, Format } from './posting.ts'
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

/** One job per line, with the fields of `import jobs`. `id` is required, and descriptions are Markdown. */
export const ndjson: Format = linesFormat(adapt)

function adapt(job: Members): ForeignPosting {
  const salary = membersOf(job.salary)
  const { custom_questions } = job
  const workplace = someText(job.workplace) ?? (job.remote === true ? 'remote' : 'on_site')
  return {
    id: textOf(job.id),
    title: textOf(job.title),
    company: someText(job.company),
    companyWebsite: someText(job.company_website),
    companyLogo: someText(job.company_logo_url),
    locations: [textOf(job.location), ...textsOf(job.locations)],
    isRemote: workplace === 'remote',
    isHybrid: workplace === 'hybrid',
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
