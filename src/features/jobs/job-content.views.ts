import { DAY_MS } from '../../lib/time.ts'
import { card, day, facts, outsideLink, prose, withQuery } from '../../pages/components.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import { formatSalary } from './jobs.present.ts'
import { experienceLevels, type JobDetail } from './jobs.schemas.ts'

export const levelNames: Readonly<Record<string, string>> = Object.fromEntries(
  experienceLevels.map((level) => [level, level.charAt(0).toUpperCase() + level.slice(1)]),
)

export function ageOf(postedAt: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(postedAt)) / DAY_MS)
  if (days <= 0) return 'today'
  return days === 1 ? 'yesterday' : `${days} days ago`
}

/** Renders a job's content with a notice above it and the application section beside it. */
export function renderJobContent(
  catalogue: Catalogue,
  job: JobDetail,
  { notice, applying, now }: { notice: Content; applying: Content; now: Date },
): Html {
  const { title, company, location, salary, type, category, remote, posted_at, expires_at, employer_id } = job
  const list = (heading: string, items: readonly string[]) =>
    items.length > 0 && html`<h2>${heading}</h2><ul>${items.map((text) => html`<li>${text}</li>`)}</ul>`
  return html`<h1>${title}</h1>
<p class="lead"><a href="/companies/${employer_id}">${company}</a> · ${location}</p>
${notice}
<div class="split">
<div>
${prose(job.description)}
${list('Requirements', job.requirements)}
${list('Benefits', job.benefits)}
${job.skills.length > 0 && html`<h2>Skills</h2><ul class="chips">${job.skills.map((skill) => html`<li><a class="chip" href="${withQuery('/jobs', { skills: skill })}">${skill}</a></li>`)}</ul>`}
</div>
<aside>${card([
    applying,
    facts([
      ['Pay', salary && formatSalary(salary)],
      ['Location', location],
      ['Remote', remote ? 'Yes' : 'No'],
      ['Type', nameOfSlug(catalogue.types, type)],
      ['Experience', job.experience_level && levelNames[job.experience_level]],
      ['Category', nameOfSlug(catalogue.categories, category)],
      ['Posted', html`${day(posted_at)}, ${ageOf(posted_at, now)}`],
      [job.is_active ? 'Open until' : 'Was open until', expires_at && day(expires_at)],
      ['Website', job.company_website && outsideLink(job.company_website)],
      ['Contact', job.contact_email && html`<a href="mailto:${job.contact_email}">${job.contact_email}</a>`],
    ]),
  ])}</aside>
</div>`
}
