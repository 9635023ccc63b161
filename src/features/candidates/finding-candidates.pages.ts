/**
 * Employer pages for finding candidates. The pages use the same queries as GET /v1/candidates and
 * GET /v1/candidates/{id}.
 */
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { QueryOf } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { listed, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { presentFoundCandidate, presentFoundCandidateDetail } from './candidates.present.ts'
import { findVisibleCandidate, listCandidates } from './candidates.queries.ts'
import { candidateList } from './candidates.schemas.ts'
import { renderFoundCandidate, renderFoundCandidates } from './finding-candidates.views.ts'

const reading = { access: { kinds: ['employer'], scope: 'candidates:read' } } as const
const CandidateParams = Strict({ id: Type.String({ pattern: idPattern('candidate') }) })

type CandidateQuery = QueryOf<typeof candidateList>

/** Sorts a search by relevance, unless the reader chose an order. */
function ordered(query: CandidateQuery, url: string): CandidateQuery {
  const isChosen = new URLSearchParams(url.split('?')[1]).get('sort')
  if (isChosen || query.applied.search === undefined) return query
  return { ...query, sort: [{ field: 'relevance', direction: 'desc' }] }
}

export function registerFindingCandidatePages(pages: App, { database, searches, clock }: Kit): void {
  pages.get('/employer/candidates', {
    config: {
      ...reading,
      charges: ['search-time'],
      again: async (request, form) => renderFoundCandidates(request.page, { form, applied: {}, now: clock.now() }),
    },
    schema: { querystring: ListQuerystring(candidateList) },
    handler: async (request) => {
      const { accountId } = signedIn(request)
      const { chargedTo } = request
      const query = ordered(request.query, request.raw.url!)
      const rows = await searches.read(chargedTo, (db) => listCandidates(db, accountId, query))
      const { applied } = query
      const skills = [applied.skills ?? []].flat().join(', ')
      const [order] = query.sort
      const form = Form.of({ ...applied, skills, sort: order!.field })
      const list = listed(request, rows, presentFoundCandidate, query)
      return renderFoundCandidates(request.page, { form, applied, list, now: clock.now() })
    },
  })

  pages.get('/employer/candidates/:id', { config: reading, schema: { params: CandidateParams } }, async (request) => {
    const { accountId } = signedIn(request)
    const row = found(await database.read((db) => findVisibleCandidate(db, accountId, request.params.id)))
    return renderFoundCandidate(request.page, presentFoundCandidateDetail(row), clock.now())
  })
}
