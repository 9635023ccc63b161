import { documentText, factsText, linkText, listText, plainText } from '../../lib/markdown-text.ts'
import { t } from '../../locale/messages.ts'
import { jobLine } from '../board/index.ts'
import type { JobListItem } from '../jobs/index.ts'
import { openJobs } from './directory.views.ts'
import type { presentEmployer } from './employers.present.ts'
import type { Employer } from './employers.schemas.ts'

/** Renders a page of the directory. `next` is the path of the next page, or null on the last page. */
export const directoryMarkdown = (origin: string, companies: readonly Employer[], next: string | null): string =>
  documentText([
    `# ${t('companies.title')}`,
    `${origin}/companies`,
    listText(
      companies.map(({ id, name, industry, location, open_positions }) => {
        const facts = [industry, location, openJobs(open_positions)].filter((text) => text !== null)
        return `${linkText(name, `${origin}/companies/${id}.md`)}: ${plainText(facts.join(' · '))}`
      }),
    ),
    next !== null && linkText(t('shared.next'), origin + next),
  ])

/** Renders a company's page as Markdown. The description is already Markdown. */
export function companyMarkdown(
  origin: string,
  company: ReturnType<typeof presentEmployer>,
  jobs: readonly JobListItem[],
): string {
  const { id, name, industry, location, website, verified_domain, description } = company
  return documentText([
    `# ${plainText(name)}`,
    `${origin}/companies/${id}`,
    factsText([
      [t('companies.industry'), industry],
      [t('companies.location'), location],
      [t('companies.employees'), company.employee_count],
      [t('companies.website'), website],
      [t('companies.verified_domain'), verified_domain],
    ]),
    description,
    `## ${t('companies.open_jobs_label')}`,
    jobs.length > 0 ? listText(jobs.map((job) => jobLine(origin, job))) : t('companies.no_open_jobs'),
  ])
}
