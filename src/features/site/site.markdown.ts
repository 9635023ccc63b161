import type { Brand } from '../../lib/brand.ts'
import { documentText, linkText, listText, plainText } from '../../lib/markdown-text.ts'
import { descriptionOf, taglineOf } from '../../locale/brand.ts'
import { t } from '../../locale/messages.ts'
import { jobLine, type MarkedJob } from '../board/index.ts'
import { shownName } from '../catalogue/index.ts'
import type { Counted } from './site.views.ts'

interface FrontLists {
  total: number
  jobs: readonly MarkedJob[]
  categories: readonly Counted[]
  companies: readonly { id: string; name: string; job_count: number }[]
}

export function frontMarkdown(
  origin: string,
  brand: Brand,
  { total, jobs, categories, companies }: FrontLists,
): string {
  const { name, pages } = brand
  const [tagline, description] = [taglineOf(brand), descriptionOf(brand)]
  const link = (text: string, path: string) => linkText(text, origin + path)
  const section = (title: string, items: readonly string[]) => items.length > 0 && `## ${title}\n\n${listText(items)}`
  const offered = categories.filter(({ job_count }) => job_count > 0)
  return documentText([
    `# ${plainText(name)}`,
    tagline && plainText(tagline),
    description && plainText(description),
    total === 0 ? t('site.first_jobs') : t('site.open_jobs_now', { total }),
    section(t('site.newest_jobs'), [
      ...jobs.map((job) => jobLine(origin, job)),
      ...(total > jobs.length ? [link(t('shared.all_jobs'), '/jobs.md')] : []),
    ]),
    section(
      t('site.by_category'),
      offered.map((one) => `${link(shownName(one), `/jobs.md?category=${one.slug}`)}: ${one.job_count}`),
    ),
    section(t('site.hiring_now'), [
      ...companies.map(({ id, name, job_count }) => `${link(name, `/companies/${id}.md`)}: ${job_count}`),
      link(t('site.all_companies'), '/companies.md'),
    ]),
    section(
      t('brand.legal_pages'),
      pages.map(({ slug, title }) => link(title, `/pages/${slug}.md`)),
    ),
  ])
}
