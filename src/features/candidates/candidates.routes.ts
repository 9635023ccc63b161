import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database, Reads } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf, resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { narrowKeyRefusal } from '../../lib/dangerous-acts.ts'
import { AppError, accountGone } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import { ListEnvelope, ListQuerystring, presentList, SearchMetaSchema } from '../../lists/routes.ts'
import { eraseCandidate, exportCandidate, type PersonalData } from './candidates.personal-data.ts'
import { presentCandidate, presentFoundCandidate, presentFoundCandidateDetail } from './candidates.present.ts'
import { findCandidate, findVisibleCandidate, listCandidates } from './candidates.queries.ts'
import {
  CandidateBody,
  CandidateExportSchema,
  CandidateRegisteredSchema,
  CandidateRegistrationBody,
  CandidateSchema,
  candidateList,
  FoundCandidateDetailSchema,
  FoundCandidateSchema,
} from './candidates.schemas.ts'
import { registerCandidate, updateCandidateProfile } from './candidates.service.ts'

export interface CandidatesDeps {
  database: Database
  reads: Reads
  searches: SearchReads
  clock: Clock
  cursorSecret: Uint8Array
  settings: { origin: string }
  /** Export and erasure in other features. */
  personalData: readonly PersonalData[]
  /** Called after the erasure of an account. */
  forgetAccount: (accountId: string) => void
}

const tags = ['Candidates']
const CandidateParams = Strict({ id: Type.String({ pattern: idPattern('candidate') }) })

export function registerCandidates(app: App, deps: CandidatesDeps): void {
  registerCandidateList(app, deps)
  registerProfile(app, deps)
}

function registerCandidateList(app: App, deps: CandidatesDeps): void {
  const { database, reads, searches, clock, cursorSecret, settings } = deps
  const { origin } = settings
  const getVisibleCandidate = async (request: FastifyRequest) => {
    const { id } = request.params as { id: string }
    const candidate = await reads.read((db) => findVisibleCandidate(db, ownerOf(request.actor), id))
    if (!candidate) throw new AppError('not_found')
    return candidate
  }

  app.post(
    '/candidates',
    {
      config: { access: 'registration', limit: 'registration' },
      schema: {
        operationId: 'registerCandidate',
        tags,
        summary: 'Register a candidate; the API key is shown once',
        body: CandidateRegistrationBody,
        response: { 201: Envelope(Ref(CandidateRegisteredSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      return answerPost(request, reply, database, async (tx) => {
        const { candidate, apiKey } = await registerCandidate(tx, request.body, clock.now())
        const profile = presentCandidate(candidate, origin)
        return {
          status: 201,
          headers: { location: '/v1/candidates/profile', etag: resourceTag(profile), 'cache-control': 'no-store' },
          body: { data: { ...profile, api_key: apiKey } },
          bodyWithoutSecret: { data: { ...profile, api_key: null } },
          accountId: candidate.id,
        }
      })
    },
  )

  app.get(
    '/candidates',
    {
      config: { access: { kinds: ['employer', 'admin'], scope: 'candidates:read' }, charges: ['search-time'] },
      schema: {
        operationId: 'listCandidates',
        tags,
        summary: 'List searchable candidates and applicants of the calling employer; operators see all',
        querystring: ListQuerystring(candidateList),
        response: { 200: ListEnvelope(Ref(FoundCandidateSchema), { search: Type.Optional(SearchMetaSchema) }) },
      },
    },
    async (request, reply) => {
      const employerId = ownerOf(request.actor)
      const { chargedTo, query } = request
      const page = await searches.read(chargedTo, (db) => listCandidates(db, employerId, query, cursorSecret))
      return presentList(request, reply, page, presentFoundCandidate)
    },
  )

  app.get(
    '/candidates/:id',
    {
      config: {
        access: { kinds: ['employer', 'admin'], scope: 'candidates:read' },
        guard: getVisibleCandidate,
      },
      schema: {
        operationId: 'getCandidate',
        tags,
        summary: 'Get a searchable candidate or an applicant of the calling employer; operators can get anyone',
        params: CandidateParams,
        response: { 200: Envelope(Ref(FoundCandidateDetailSchema)) },
      },
    },
    async (request) => ({ data: presentFoundCandidateDetail(await getVisibleCandidate(request)) }),
  )
}

function registerProfile(app: App, deps: CandidatesDeps): void {
  const { database, reads, clock, settings, personalData, forgetAccount } = deps
  const { origin } = settings

  app.get(
    '/candidates/profile',
    {
      config: { access: { kinds: ['candidate'], scope: 'profile:read' } },
      schema: {
        operationId: 'getCandidateProfile',
        tags,
        summary: "Get the calling candidate's profile",
        response: { 200: Envelope(Ref(CandidateSchema)) },
      },
    },
    async (request) => {
      const candidate = await reads.read((db) => findCandidate(db, request.actor.accountId))
      if (!candidate) throw accountGone()
      return { data: presentCandidate(candidate, origin) }
    },
  )

  app.put(
    '/candidates/profile',
    {
      config: { access: { kinds: ['candidate'], scope: 'profile:write' } },
      attachValidation: true,
      schema: {
        operationId: 'updateCandidateProfile',
        tags,
        summary: 'Change the profile; absent members keep their values',
        body: CandidateBody,
        response: { 200: Envelope(Ref(CandidateSchema)), ...problems(409) },
      },
    },
    async (request) => {
      const faults = bodyFaultsOf(request)
      const { accountId } = request.actor
      const precondition = preconditionOf(request)
      const mover = { refusal: narrowKeyRefusal(request.actor) }
      const candidate = await database.inTx((tx) =>
        updateCandidateProfile(tx, {
          origin,
          id: accountId,
          body: request.body,
          faults,
          precondition,
          now: clock.now(),
          mover,
        }),
      )
      return { data: presentCandidate(candidate, origin) }
    },
  )

  app.delete(
    '/candidates/profile',
    {
      config: { access: { kinds: ['candidate'], scope: 'profile:write' }, needs: 'whole-key' },
      schema: {
        operationId: 'deleteCandidateProfile',
        tags,
        summary: 'Erase the calling candidate and all personal data, immediately and permanently',
        description: 'Employers keep anonymous stubs of the applications.',
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { accountId } = request.actor
      const precondition = preconditionOf(request)
      await database.inTx((tx) =>
        eraseCandidate(tx, { origin, personalData, candidateId: accountId, precondition, now: clock.now() }),
      )
      forgetAccount(accountId)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/candidates/export',
    {
      config: { access: { kinds: ['candidate'], scope: 'profile:read' }, isAlwaysNew: true },
      schema: {
        operationId: 'exportCandidate',
        tags,
        summary: 'Export all stored data of the calling candidate',
        response: { 200: Envelope(Ref(CandidateExportSchema)) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.actor
      const exported = await reads.read((db) =>
        exportCandidate(db, { origin, personalData, candidateId: accountId, now: clock.now() }),
      )
      return reply.header('cache-control', 'no-store').send({ data: exported })
    },
  )
}
