/** Markdown versions of a job's page and of lists of jobs. */
import { documentText, factsText, linkText, listText, plainText } from '../../lib/markdown-text.ts'
import { t } from '../../locale/messages.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import {
  formatSalary,
  isAppliedForHere,
  type JobDetail,
  type JobListItem,
  jobPath,
  levelName,
  locationInShort,
  workplaceName,
} from '../jobs/index.ts'
import type { FeedOf } from './board.feeds.ts'

/** Returns one line about a job, with a link to its Markdown version. */
export function jobLine(
  origin: string,
  job: Pick<JobListItem, 'id' | 'title' | 'company' | 'location' | 'locations' | 'salary'>,
) {
  const facts = [job.company, locationInShort(job), job.salary && formatSalary(job.salary)].filter((text) => text)
  return `${linkText(job.title, `${origin}${jobPath(job)}.md`)}: ${plainText(facts.join(' · '))}`
}

export const markdownFeed = (jobs: readonly JobListItem[], { origin, list, title }: FeedOf): string =>
  documentText([`# ${plainText(title)}`, origin + list, listText(jobs.map((job) => jobLine(origin, job)))])

/** Renders a job. The description is already Markdown. */
export function jobMarkdown(catalogue: Catalogue, job: JobDetail, origin: string): string {
  const { title, company, salary, type, category, experience_level, is_active, expires_at, skills } = job
  const url = `${origin}${jobPath(job)}`
  const section = (heading: string, items: readonly string[]) =>
    items.length > 0 && `## ${heading}\n\n${listText(items.map(plainText))}`
  return documentText([
    `# ${plainText(t('job.at_company', { title, company }))}`,
    !is_active && t('board.closed'),
    factsText([
      [t('job.pay'), salary ? formatSalary(salary) : t('job.not_stated')],
      [t('job.location'), job.locations.join('; ')],
      [t('job.workplace'), job.workplace !== 'on_site' && workplaceName(job.workplace)],
      [t('job.type'), nameOfSlug(catalogue.types, type)],
      [t('job.category'), nameOfSlug(catalogue.categories, category)],
      [t('job.experience'), experience_level && levelName(experience_level)],
      [t('job.posted'), job.posted_at.slice(0, 10)],
      [t('job.apply_by'), is_active && expires_at?.slice(0, 10)],
    ]),
    is_active && linkText(t('job.apply'), isAppliedForHere(job, origin) ? url : job.application_url),
    linkText(t('job.all_at', { company }), `${origin}/companies/${job.employer_id}.md`),
    job.description,
    section(t('job.requirements'), job.requirements),
    section(t('job.benefits'), job.benefits),
    section(t('job.skills'), skills),
  ])
}
