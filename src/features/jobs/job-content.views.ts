import { utcDay } from '../../lib/time.ts'
import { type Workplace, workplaces } from '../../lib/workplaces.ts'
import { t } from '../../locale/messages.ts'
import { ago, badge, day, logo, markdown, outsideLink, withQuery } from '../../pages/components.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { rich } from '../../pages/text.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import type { JobCompany } from './job-company.ts'
import { formatSalary } from './jobs.present.ts'
import { experienceLevels, type JobDetail } from './jobs.schemas.ts'

type Level = (typeof experienceLevels)[number]

const isLevel = (level: string): level is Level => experienceLevels.includes(level as Level)

const isWorkplace = (workplace: string): workplace is Workplace => workplaces.includes(workplace as Workplace)

/** Returns the name of an experience level, or the level itself if it is unknown. */
export const levelName = (level: string): string => (isLevel(level) ? t(`job.level_${level}`) : level)

/** Returns the location of a job and the number of its other locations, if any, such as `Berlin + 2 more`. */
export const locationInShort = ({ location, locations }: { location: string; locations: readonly string[] }): string =>
  locations.length > 1 ? t('job.locations', { location, count: locations.length - 1 }) : location

/** Returns the name of a workplace, or the workplace itself if it is unknown. */
export const workplaceName = (workplace: string): string => (isWorkplace(workplace) ? t(`job.${workplace}`) : workplace)

export interface JobContent {
  /** The level of the title's heading. Default: 1. */
  level?: 1 | 2
  notice: Content
  /** The actions below the facts. */
  applying: Content
  company: JobCompany | undefined
  /** Links below the text. */
  below?: Content
  now: Date
}

/** Renders a job's content: its heading and text, with its facts and its company beside them. */
export function renderJobContent(
  catalogue: Catalogue,
  job: JobDetail,
  { level = 1, notice, applying, company: more, below, now }: JobContent,
): Html {
  const { title, company, posted_at, employer_id } = job
  const location = locationInShort(job)
  const list = (heading: string, items: readonly string[]) =>
    items.length > 0 && html`<h2>${heading}</h2><ul>${items.map((text) => html`<li>${text}</li>`)}</ul>`
  return html`<div class="split">
<article>
<header class="flow head-gap">
<div class="row top-line nowrap-row">${logo({ name: company, url: job.company_logo_url }, 'big')}<div class="grow">${level === 1 ? html`<h1>${title}</h1>` : html`<h2 class="h1">${title}</h2>`}
<p class="gap-1"><a href="/companies/${employer_id}">${company}</a> <span class="soft">· ${location && `${location} · `}${ago(posted_at, now)}</span></p></div></div>
${renderInShort(catalogue, job)}
${notice}
</header>
${markdown(job.description, job.language)}
<div class="prose job-lists">
${list(t('job.requirements'), job.requirements)}
${list(t('job.benefits'), job.benefits)}
${job.skills.length > 0 && html`<h2>${t('job.skills')}</h2><p class="row">${job.skills.map((skill) => html`<a class="chip" href="${withQuery('/jobs', { skills: skill })}">${skill}</a> `)}</p>`}
</div>
${below}
</article>
<aside class="flow stick" aria-label="${t('job.facts_and_company')}">
<section class="panel flow"><h2 class="hide">${t('job.facts')}</h2>${renderJobFacts(catalogue, job, now)}${applying}</section>
${renderCompany(job, more)}
</aside>
</div>`
}

/** Renders the most important facts for phones, where the full facts follow the text. */
function renderInShort(catalogue: Catalogue, { salary, type, workplace, experience_level }: JobDetail): Html {
  const others = [
    nameOfSlug(catalogue.types, type),
    workplace !== 'on_site' && workplaceName(workplace),
    experience_level && levelName(experience_level),
  ]
  return html`<ul class="chips phone-only" aria-label="${t('job.in_short')}"><li class="tag t-accent">${salary ? formatSalary(salary) : t('job.pay_not_stated')}</li>${others.map((text) => text && html`<li class="tag">${text}</li>`)}</ul>`
}

type JobFacts = Pick<
  JobDetail,
  | 'salary'
  | 'location'
  | 'locations'
  | 'workplace'
  | 'type'
  | 'experience_level'
  | 'posted_at'
  | 'expires_at'
  | 'is_active'
>

/**
 * Renders a job's facts, each with an icon. Omits facts without a value (except the pay), the workplace of an on-site
 * job, and the expiry of a job that is not active.
 */
export function renderJobFacts(catalogue: Catalogue, job: JobFacts, now: Date): Html {
  const { salary, location, locations, workplace, type, experience_level, posted_at, expires_at } = job
  const items: [IconName, string, Content][] = [
    ['pay', t('job.pay'), salary ? formatSalary(salary) : t('job.not_stated')],
    [
      'pin',
      t('job.location'),
      locations.length > 1
        ? locations.map((one, index) => html`${index > 0 && html`<br>`}${one}`)
        : location &&
          html`${location}${workplace !== 'remote' && html`<br><span class="small no-print">${outsideLink(mapOf(location), t('job.map'))}</span>`}`,
    ],
    ['globe', t('job.workplace'), workplace !== 'on_site' && workplaceName(workplace)],
    ['briefcase', t('job.type'), nameOfSlug(catalogue.types, type)],
    ['level', t('job.experience'), experience_level && levelName(experience_level)],
    ['clock', t('job.posted'), day(posted_at)],
    [
      'calendar',
      t('job.apply_by'),
      job.is_active && expires_at && html`${day(expires_at)} ${daysLeft(expires_at, now)}`,
    ],
  ]
  return html`<dl class="facts">${items.map(
    ([name, term, value]) => value && html`<div>${icon(name)}<dt>${term}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

const mapOf = (location: string) => withQuery('https://www.openstreetmap.org/search', { query: location })

function daysLeft(expiresAt: string, now: Date): Html {
  const days = utcDay(new Date(expiresAt)) - utcDay(now)
  return html`<span class="small soft">(${t('job.days_left', { days: Math.max(days, 0) })})</span>`
}

function renderCompany(job: JobDetail, more: JobCompany | undefined): Html {
  const { employer_id, company, company_logo_url, company_website, contact_email } = job
  const facts = [more?.industry, more?.location].filter((text) => text).join(', ')
  return html`<section class="panel flow"><div class="row top-line nowrap-row">${logo({ name: company, url: company_logo_url })}<div class="grow"><h2 class="h3"><a href="/companies/${employer_id}">${company}</a></h2>
${facts !== '' && html`<p class="small soft">${facts}</p>`}${company_website && html`<p class="small">${outsideLink(company_website)}</p>`}${more?.verifiedDomain && html`<p class="small">${badge(t('job.verified', { domain: more.verifiedDomain }), 'good')}</p>`}</div></div>
${more?.about && html`<p class="small">${more.about}</p>`}
${contact_email && html`<p class="small">${rich('job.questions', { email: html`<a href="mailto:${contact_email}">${contact_email}</a>` })}</p>`}
<p class="small no-print"><a href="/companies/${employer_id}">${t('job.all_at', { company })}</a></p></section>`
}
