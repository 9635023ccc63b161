/** The public directory of companies, and each company's page. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { AppError, found } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { MARKDOWN_TYPE } from '../../lib/markdown-text.ts'
import { Strict } from '../../lib/schema.ts'
import { describePage } from '../../lists/meta.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring, setLink } from '../../lists/routes.ts'
import { withQuery } from '../../pages/components.ts'
import { Form } from '../../pages/forms.ts'
import { seeOther, showPage } from '../../pages/page.ts'
import { besideListed } from '../board/index.ts'
import type { Kit } from '../feature.ts'
import { listOwnJobs, ownJobList, presentJobListItem } from '../jobs/index.ts'
import { companyMarkdown, directoryMarkdown } from './directory.markdown.ts'
import { listDirectory, listIndustries } from './directory.queries.ts'
import { renderCompany, renderDirectory } from './directory.views.ts'
import { presentEmployer } from './employers.present.ts'
import { findClaimant, findShownEmployer } from './employers.queries.ts'
import { directoryList } from './employers.schemas.ts'

const INDUSTRIES_MAX = 100
/** Maximum age of the cached list of industries in milliseconds. Computing the list reads all companies. */
const INDUSTRIES_MS = 600_000

/** The path may end in `.md`, for the Markdown version. */
const CompanyParams = Strict({ id: Type.String({ pattern: `${idPattern('employer').slice(0, -1)}(?:\\.md)?$` }) })

export function registerCompanies(pages: App, kit: Kit): void {
  registerDirectory(pages, kit)
  registerCompany(pages, kit)
}

function registerDirectory(pages: App, { searches, clock, settings }: Kit): void {
  let known: { readMs: number; industries: readonly string[] } | undefined

  const industriesFor = async (request: FastifyRequest): Promise<readonly string[]> => {
    if (!known || performance.now() - known.readMs > INDUSTRIES_MS) {
      const now = clock.now()
      const industries = await searches.read(request.chargedTo, (db) => listIndustries(db, INDUSTRIES_MAX, now))
      known = { readMs: performance.now(), industries }
    }
    return known.industries
  }

  const find = async ({ raw, chargedTo }: FastifyRequest, query: Parameters<typeof listDirectory>[1]) => {
    const page = await searches.read(chargedTo, (db) => listDirectory(db, query, clock.now()))
    return { items: page.rows.map(presentEmployer), ...describePage(raw.url!, query, page) }
  }

  pages.get('/companies', {
    config: {
      access: 'public',
      again: (request, form) => renderDirectory(request.page, { form, industries: known?.industries ?? [] }),
    },
    schema: { querystring: ListQuerystring(directoryList) },
    handler: async (request, reply) => {
      const found = await find(request, request.query)
      const view = { form: Form.of(request.query.applied), industries: await industriesFor(request), found }
      return showPage(setLink(reply, found.link), renderDirectory(request.page, view))
    },
  })

  pages.get('/companies.md', {
    config: { access: 'public' },
    schema: { querystring: ListQuerystring(directoryList) },
    handler: async (request, reply) => {
      const { items, meta, link } = await find(request, request.query)
      const { next_cursor: cursor } = meta.pagination
      const next = cursor === null ? null : withQuery(request.page.path, { page: null, cursor })
      return setLink(reply, link)
        .type(MARKDOWN_TYPE)
        .send(directoryMarkdown(settings.origin, items, next))
    },
  })
}

function registerCompany(pages: App, kit: Kit): void {
  const { database, searches, clock, cursorSecret, settings, catalogue } = kit
  const offerBeside = besideListed(kit)

  pages.get(
    '/companies/:id',
    { config: { access: 'public' }, schema: { params: CompanyParams } },
    async (request, reply) => {
      const id = request.params.id.replace(/\.md$/, '')
      const { page } = request.query as Record<string, string>
      const raw = { state: 'active', ...(page !== undefined && { page }) }
      const { query, faults } = parseListQuery(ownJobList, raw, cursorSecret)
      if (faults.length > 0) throw new AppError('not_found')
      const now = clock.now()
      const employer = await database.read((db) => findShownEmployer(db, id, now))
      if (!employer) {
        const claimant = found(await database.read((db) => findClaimant(db, id)))
        return seeOther(reply, `/companies/${claimant}`)
      }
      const listing = { now, exchange: kit.rates.now }
      const listed = await searches.read(request.chargedTo, (db) => listOwnJobs(db, id, query, listing))
      const { meta } = describePage(request.raw.url!, query, listed)
      const { logo_url: company_logo_url } = employer
      const items = listed.rows.map((row) => ({
        ...presentJobListItem({ ...row, company_logo_url }, settings.origin),
        is_urgent: row.is_urgent,
        is_highlighted: row.is_highlighted,
      }))
      const company = presentEmployer(employer)
      if (request.params.id !== id) {
        return reply.type(MARKDOWN_TYPE).send(companyMarkdown(settings.origin, company, items))
      }
      const beside = await offerBeside(request.page, items)
      return renderCompany(request.page, catalogue, {
        ...{ company, found: { items, meta }, beside, now },
        isUnclaimed: employer.account_id === null,
      })
    },
  )
}
