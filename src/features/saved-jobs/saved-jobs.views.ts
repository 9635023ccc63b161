import { badge, button, buttonLink, day, emptyState, pagination, postForm, wayTo } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { formatSalary, isAppliedForHere } from '../jobs/index.ts'
import type { SavedJob } from './saved-jobs.schemas.ts'

/** Renders the button that saves a job or removes a saved job. Afterward, the browser returns to the current page. */
export function renderSaveButton(page: PageContext, id: string, isSaved: boolean): Html {
  return postForm(
    page,
    `/jobs/${id}/${isSaved ? 'unsave' : 'save'}`,
    html`<input type="hidden" name="_return_to" value="${page.path}">${button(isSaved ? '★ Saved' : '☆ Save', {
      variant: 'secondary',
      title: isSaved ? 'Remove from saved jobs' : 'Save this job',
    })}`,
    { class: 'inline save' },
  )
}

export function renderSaveLink(id: string): Html {
  return buttonLink('☆ Save', `/sign-in?return_to=${encodeURIComponent(`/jobs/${id}`)}`)
}

export function renderSavedJobs(page: PageContext, saved: readonly SavedJob[], numbers: PageNumbers): Html {
  return htmlPage(page, { title: 'Saved jobs' })`<h1>Saved jobs</h1>
${
  saved.length > 0
    ? html`<ul class="job-list">${saved.map((entry) => html`<li>${renderSavedJob(page, entry)}</li>`)}</ul>`
    : emptyState('No saved jobs yet', html`<p>Jobs that you save appear here. <a href="/jobs">Browse jobs</a>.</p>`)
}
${pagination(page, numbers)}`
}

function renderSavedJob(page: PageContext, { job_id: id, saved_at, job }: SavedJob): Html {
  // Jobs with an external application URL have no apply button here. The job's own page links to that URL.
  const isOurs = isAppliedForHere(job, page.origin)
  return html`<article class="job-card">
<h2><a href="/jobs/${id}">${job.title}</a></h2>
<p>${job.company}</p>
<p class="meta"><span>${job.location}</span>${job.salary && html`<span>${formatSalary(job.salary)}</span>`}<span>Saved ${day(saved_at)}</span></p>
${!job.is_active && html`<p class="badges">${badge('No longer open', 'warn')}</p>`}
<div class="card-actions">${job.is_active && isOurs && page.has('/jobs/:id/apply') && wayTo(page, 'Apply', `/jobs/${id}/apply`, 'primary')}${renderSaveButton(page, id, true)}</div>
</article>`
}
