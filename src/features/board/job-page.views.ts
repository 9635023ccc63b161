import { plainTextOf } from '../../lib/markdown.ts'
import { sharedJob } from '../../lib/share-picture.ts'
import { t } from '../../locale/messages.ts'
import { day, message } from '../../pages/components.ts'
import { type Content, type Html, html, jsonScript } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { markdownLink, socialTags } from '../../pages/social.ts'
import { linkingTo, rich } from '../../pages/text.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import { isAppliedForHere, type JobCompany, type JobDetail, jobPath, renderJobContent } from '../jobs/index.ts'
import type { MarkedJob } from './board.lists.ts'
import type { jobPosting } from './board.posting.ts'
import { type BesideJob, renderJobCards } from './board.views.ts'

/** How and when a job left the board. The time is unknown if an earlier release closed the job before its expiry. */
export type Ending = { kind: 'ended'; at: string } | { kind: 'closed'; at?: string }

export interface JobView {
  job: JobDetail
  /** The path of the job that lists show instead of this copy, if any. */
  original: string | undefined
  company: JobCompany
  /** Undefined if the job is open. */
  ending: Ending | undefined
  similar: readonly MarkedJob[]
  /** Returns the buttons that other features add to each similar job. */
  beside: BesideJob
  /** Undefined if the job is not open. */
  posting: ReturnType<typeof jobPosting> | undefined
  now: Date
  /** Actions that the current visitor can take. */
  actions: readonly Content[]
  below: readonly Content[]
  /** The search results that the visitor came from. */
  back: { path: string; title?: string } | undefined
}

export function renderJob(page: PageContext, catalogue: Catalogue, view: JobView): Html {
  const { job, company, ending, similar, beside, posting, now } = view
  const canonical = jobPath(job)
  const fullTitle = t('job.at_company', { title: job.title, company: job.company })
  const description = plainTextOf(job.description, 160)
  const actions = [job.is_active && renderApply(page, job), ...view.actions].filter(Boolean)
  return htmlPage(page, {
    title: fullTitle,
    description,
    canonical: view.original ?? canonical,
    modules: ['share.js', 'in-place.js', 'recent.js'],
    head: [
      socialTags(page, { title: fullTitle, description, path: canonical, picture: sharedJob(job, page.brand) }),
      markdownLink(`${canonical}.md`),
      posting && jsonScript('application/ld+json', posting),
    ],
  })`${renderCrumbs(catalogue, view)}
${renderJobContent(catalogue, job, {
  notice: ending && message(html`<p>${describeEnding(ending)}</p>`, 'warn'),
  applying: html`<div class="tight no-print${job.is_active && ' wide-only'}">${actions}</div>`,
  company,
  below: html`<div class="row small gap-top no-print">${renderSharing(fullTitle, `${page.origin}${canonical}`)}${view.below}</div>`,
  now,
})}
<p class="print-only address">${page.origin}${canonical}</p>
${similar.length > 0 && html`<section class="gap-big no-print" aria-labelledby="similar-jobs"><div class="section-head"><h2 id="similar-jobs">${t('board.similar')}</h2></div>${renderJobCards(catalogue, similar, { now, beside })}</section>`}
${job.is_active && actions.length > 0 && html`<div class="apply-bar phone-only" role="region" aria-label="${t('job.apply')}">${actions}</div>`}`
}

function renderCrumbs(catalogue: Catalogue, { job: { category }, back }: JobView): Html {
  if (back) {
    const text = back.title === undefined ? t('board.back') : t('board.back_to', { title: back.title })
    return html`<ol class="crumbs no-print"><li><a href="${back.path}">${text}</a></li></ol>`
  }
  return html`<nav class="no-print" aria-label="${t('board.breadcrumb')}"><ol class="crumbs"><li><a href="/jobs">${t('menu.jobs')}</a></li><li><a href="/jobs?category=${category}">${nameOfSlug(catalogue.categories, category)}</a></li></ol></nav>`
}

function describeEnding(ending: Ending): Content {
  if (ending.kind === 'ended') return rich('board.ended', { day: day(ending.at) })
  if (ending.at === undefined) return t('board.closed')
  return rich('board.closed_on', { day: day(ending.at) })
}

/** Renders buttons that a script shows if the browser can share or copy. */
function renderSharing(title: string, url: string): Html {
  return html`<button class="btn slim" type="button" data-share="${url}" data-title="${title}" hidden>${t('board.share')}</button>
<button class="btn slim" type="button" data-copy-link="${url}" data-copied="${t('board.link_copied')}" hidden>${icon('link')}<span>${t('board.copy_link')}</span></button><span class="hide" role="status"></span>`
}

/** Renders the page for a job that the operator removed, without the job's content. */
export function renderRemovedJob(page: PageContext): Html {
  return htmlPage(page, { title: t('board.removed'), width: 'narrow' })`
<h1>${t('board.removed')}</h1><p>${t('board.removed_text')}</p>
<p><a href="/jobs">${t('board.browse_others')}</a></p>`
}

/**
 * Renders a link to the external application or, if the website has no application form, a hint to apply through the
 * API.
 */
function renderApply({ origin, has }: PageContext, { application_url }: JobDetail): Html | undefined {
  if (!isAppliedForHere({ application_url }, origin)) {
    return html`<a class="btn main big full" href="${application_url}" rel="noopener noreferrer nofollow ugc">${t('board.apply_outside')}</a>`
  }
  return has('/jobs/:id/apply') ? undefined : html`<p>${rich('board.apply_by_api', { link: linkingTo('/docs') })}</p>`
}
