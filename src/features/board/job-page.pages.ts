/** The public page of one job. */
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { tellAge } from '../../http/representation.ts'
import { AppError, isForLater } from '../../lib/errors.ts'
import { MARKDOWN_TYPE } from '../../lib/markdown-text.ts'
import { Strict } from '../../lib/schema.ts'
import { splitLanguage } from '../../locale/languages.ts'
import { Form } from '../../pages/forms.ts'
import { showPage } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import {
  assertVisible,
  findJob,
  findJobCompany,
  idOfJobPath,
  isActive,
  type JobCompany,
  type JobDetail,
  jobPath,
  jobPathPattern,
  type NoteView,
  presentJobDetail,
} from '../jobs/index.ts'
import { besideListed } from './beside.pages.ts'
import { jobMarkdown } from './board.markdown.ts'
import { jobPosting } from './board.posting.ts'
import { findSimilar } from './board.similar.ts'
import { type Ending, type JobView, renderJob, renderRemovedJob } from './job-page.views.ts'
import { titleOfSearch } from './search.views.ts'

/** The path may end in `.md`, for the Markdown version. */
const Params = Strict({ id: Type.String({ pattern: `${jobPathPattern.slice(0, -1)}(?:\\.md)?$` }) })

/**
 * Maximum number of cached companies, and their maximum age in milliseconds. A job's page may show company data this
 * old.
 */
const COMPANIES_MAX = 5_000
const COMPANY_MS = 30_000
const UNKNOWN: JobCompany = { industry: null, location: null, verifiedDomain: null, about: null }

/**
 * Returns a function that finds a company. If the database does not respond, that function returns `UNKNOWN`, so that
 * the page still appears.
 */
function companyFinder(database: Database): (employerId: string) => Promise<JobCompany> {
  const companies = new LRUCache<string, JobCompany>({ max: COMPANIES_MAX, ttl: COMPANY_MS })
  const readCompany = async (employerId: string) => {
    const company = (await database.read((db) => findJobCompany(db, employerId))) ?? UNKNOWN
    companies.set(employerId, company)
    return company
  }
  return async (employerId) => {
    const kept = companies.get(employerId)
    if (kept) return kept
    const read = () => readCompany(employerId)
    try {
      return await (database.presence?.orWhileSilent(read, () => UNKNOWN) ?? read())
    } catch (error) {
      if (error instanceof AppError && isForLater(error)) return UNKNOWN
      throw error
    }
  }
}

export function registerJobPage(pages: App, kit: Kit, noteView: NoteView): void {
  const { database, clock, settings, lists, catalogue } = kit
  const { origin } = settings
  const besideOne = kit.collect('besideOne')
  const belowOne = kit.collect('belowOne')
  const offerBeside = besideListed(kit)
  const findCompany = companyFinder(database)

  /** Reads a job only if it is public. The owner of a job that is not public has a separate preview. */
  const readJob = async (id: string) => {
    const row = await database.read((db) => findJob(db, id))
    if (row?.removed_at) throw new RemovedJob()
    assertVisible(row, undefined)
    return row
  }

  /**
   * Returns the job, its employer's ID, and how and when the job ended. Uses the cache if the job is on the board.
   * Returns undefined if the operator removed the job.
   */
  const find = async (id: string) => {
    let closedAt: Date | null = null
    const read = async () => {
      const row = await readJob(id)
      closedAt = row.closed_at
      const { number, employer_id } = row
      const now = clock.now()
      return { number, employer_id, is_active: isActive(row, now), detail: presentJobDetail(row, { origin, now }) }
    }
    try {
      const { bytes, employerId } = lists.cachedDetail(id) ?? (await lists.detail(id, read))
      const { data: job }: { data: JobDetail } = JSON.parse(bytes.toString())
      return { job, employerId, ending: endingOf(job, closedAt, clock.now()) }
    } catch (error) {
      if (error instanceof RemovedJob) return undefined
      throw error
    }
  }

  pages.get('/jobs/:id', {
    config: { access: 'public' },
    schema: { params: Params },
    handler: async (request, reply) => {
      const { method, headers, page } = request
      const [path = '', query] = request.raw.url!.split(/\?(.*)/s, 2)
      const isMarkdown = path.endsWith('.md')
      const id = idOfJobPath(`/jobs/${request.params.id.replace(/\.md$/, '')}`)!
      const found = await find(id)
      if (found === undefined) return showPage(reply, renderRemovedJob(page), 410)
      const { job, employerId, ending } = found
      const canonical = isMarkdown ? `${jobPath(job)}.md` : jobPath(job)
      // Not cached: if a title is later changed back, two cached redirects would point to each other.
      if (path !== canonical) {
        return reply
          .header('cache-control', 'no-cache')
          .redirect(query === undefined ? canonical : `${canonical}?${query}`, 301)
      }
      tellAge(reply, lists.staleSinceMs)
      const status = job.is_active ? 200 : 410
      if (isMarkdown)
        return reply
          .code(status)
          .type(MARKDOWN_TYPE)
          .send(jobMarkdown(catalogue, job, origin))
      if (job.is_active) noteView({ id, employer_id: employerId }, { actor: page.actor, isPage: true, method, headers })
      const offer = async (offers: typeof besideOne) =>
        (await Promise.all(offers.map((each) => each(page, [job])))).map((each) => each(job))
      const similar = await findSimilar(kit, job, request.chargedTo)
      const company = await findCompany(employerId)
      const original = job.is_active && job.duplicate_of !== null ? await find(job.duplicate_of) : undefined
      const view = {
        job,
        original: original && jobPath(original.job),
        company,
        ending,
        similar,
        beside: await offerBeside(page, similar),
        posting: job.is_active ? jobPosting(job, catalogue, origin, company) : undefined,
        now: clock.now(),
        actions: await offer(besideOne),
        below: await offer(belowOne),
        back: resultsBehind(request, origin),
      }
      return showPage(reply, renderJob(page, catalogue, view), status)
    },
  })
}

/** Thrown for a job that the operator removed. Browsers get a special page. */
class RemovedJob extends Error {}

function endingOf({ is_active, expires_at }: JobDetail, closedAt: Date | null, now: Date): Ending | undefined {
  if (is_active) return undefined
  if (closedAt !== null) return { kind: 'closed', at: closedAt.toISOString() }
  return expires_at === null || new Date(expires_at) > now ? { kind: 'closed' } : { kind: 'ended', at: expires_at }
}

/** Returns the list of jobs from which the visitor came, if it is on this board and the browser reports it. */
function resultsBehind({ headers }: FastifyRequest, origin: string): JobView['back'] {
  const url = URL.parse(headers.referer ?? '')
  if (url?.origin !== origin || splitLanguage(url.pathname).rest !== '/jobs') return undefined
  const form = Form.of(Object.fromEntries(url.searchParams))
  const isAboutAll = form.value('search') === '' && form.value('location') === ''
  return { path: `/jobs${url.search}`, ...(!isAboutAll && { title: titleOfSearch(form) }) }
}
