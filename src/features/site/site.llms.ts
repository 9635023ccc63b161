/** The file that describes this website to language models (llmstxt.org). */
import type { Brand } from '../../lib/brand.ts'
import { documentText, linkText, listText } from '../../lib/markdown-text.ts'
import { guideNames, readGuide } from './guide.views.ts'

export function llmsText(origin: string, { name, description, pages }: Brand): string {
  const link = (text: string, path: string, about: string) => `${linkText(text, origin + path)}: ${about}`
  return documentText([
    `# ${name}`,
    description !== null && `> ${description}`,
    'To get a job, a company, a documentation page or a legal page as Markdown, add `.md` to its path.',
    '## Jobs',
    listText([
      link('Home page', '/index.md', 'the newest jobs, the categories and the companies that are hiring'),
      link('Newest jobs', '/jobs.md', 'takes the filters of /jobs, such as `?search=battery&remote=true`'),
      link('Companies', '/companies.md', 'takes the filters of /companies, such as `?name=north&page=2`'),
      link('Jobs', '/jobs.jsonl', 'up to 50,000 jobs, one JSON object per line'),
      link('Sitemap', '/sitemap.xml', 'the jobs on the board, and the companies that are hiring'),
    ]),
    pages.length > 0 && '## Legal pages',
    listText(pages.map(({ slug, title }) => linkText(title, `${origin}/pages/${slug}.md`))),
    '## API',
    listText([
      link('MCP server', '/v1/mcp', 'for agents; requires an API key'),
      link('OpenAPI document', '/v1/openapi.json', 'every operation of the API'),
      ...guideNames.map((guide) => {
        const { title, description } = readGuide(guide)
        return link(title, `/docs/${guide}.md`, description)
      }),
    ]),
  ])
}
