import { t } from '../../locale/messages.ts'
import { badge, day, emptyState, logo, pagination, postForm, wayTo, withQuery } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { linkingTo, rich } from '../../pages/text.ts'
import { cardClass, tagsOf } from '../board/index.ts'
import { formatSalary, isAppliedForHere, type JobListItem, jobPath } from '../jobs/index.ts'
import type { MarkedSavedJob } from './saved-jobs.schemas.ts'

type Job = Pick<JobListItem, 'id' | 'title'>

/** Renders the icon button that saves or unsaves a card's job. */
export function renderSaveButton(page: PageContext, job: Job, isSaved: boolean): Html {
  const text = t(isSaved ? 'saved_jobs.saved_title' : 'saved_jobs.save_title', { title: job.title })
  return saveForm(
    page,
    job,
    isSaved,
    html`<button class="save" type="submit" aria-pressed="${String(isSaved)}" aria-label="${text}" title="${isSaved ? t('saved_jobs.remove') : t('saved_jobs.save')}">${icon('bookmark')}</button>`,
  )
}

/** Renders the button on a job's own page. */
export function renderLargeSaveButton(page: PageContext, job: Job, isSaved: boolean): Html {
  return saveForm(
    page,
    job,
    isSaved,
    html`<button class="btn full" type="submit" aria-pressed="${String(isSaved)}">${icon('bookmark')}${isSaved ? t('saved_jobs.saved') : t('saved_jobs.save')}</button>`,
  )
}

/** Renders the form around a save button. After submitting it, the browser returns to the job on the current page. */
function saveForm(page: PageContext, { id }: Job, isSaved: boolean, submit: Html): Html {
  const back = html`<input type="hidden" name="_return_to" value="${page.path}">`
  return postForm(page, `/jobs/${id}/${isSaved ? 'unsave' : 'save'}`, [back, submit], { 'data-in-place': id })
}

/**
 * Renders the link for visitors. If registration is open, it leads to the registration page, because most visitors have
 * no account.
 */
export function renderSaveLink({ isRegistrationOpen, has }: PageContext, id: string): Html {
  const entrance = isRegistrationOpen && has('/register/candidate') ? '/register/candidate' : '/sign-in'
  return html`<a class="btn full" href="${withQuery(entrance, { return_to: `/jobs/${id}/save` })}">${icon('bookmark')}${t('saved_jobs.save')}</a>`
}

export function renderSavedJobs(
  page: PageContext,
  { items: saved, pagination: numbers }: Listed<MarkedSavedJob>,
): Html {
  return htmlPage(page, { title: t('saved_jobs.title') })`<h1>${t('saved_jobs.title')}</h1>
${
  saved.length > 0
    ? html`<ul class="jobs">${saved.map((entry) => html`<li>${renderSavedJob(page, entry)}</li>`)}</ul>`
    : emptyState(t('saved_jobs.none'), html`<p>${rich('saved_jobs.none_text', { link: linkingTo('/jobs') })}</p>`)
}
${pagination(page, numbers)}`
}

function renderSavedJob(page: PageContext, { job_id: id, saved_at, job }: MarkedSavedJob): Html {
  // A job with an external application URL has no apply button here. The job's own page links to that URL.
  const isOurs = isAppliedForHere(job, page.origin)
  const tags = job.is_active ? tagsOf(job) : [badge(t('saved_jobs.closed'), 'warn')]
  return html`<article id="${id}" class="${cardClass(job)}">
${logo({ name: job.company, url: job.company_logo_url })}
<div>${tags.length > 0 && html`<p class="job-tags">${tags}</p>`}<h2 class="job-title"><a class="job-link" href="${jobPath({ id, title: job.title })}">${job.title}</a></h2>
<p class="job-by"><b>${job.company}</b><span>${job.location}</span></p></div>
<div class="job-end">${renderSaveButton(page, { id, title: job.title }, true)}</div>
<div class="job-text"><ul class="meta">${job.salary && html`<li class="pay">${icon('pay')}${formatSalary(job.salary)}</li>`}<li>${icon('bookmark')}${rich('saved_jobs.saved_on', { day: day(saved_at) })}</li></ul>
${job.is_active && isOurs && page.has('/jobs/:id/apply') && html`<p class="over-link">${wayTo(page, t('job.apply'), `/jobs/${id}/apply`)}</p>`}</div>
</article>`
}
