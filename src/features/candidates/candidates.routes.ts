import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { narrowKeyRefusal } from '../../lib/dangerous-acts.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import { ListEnvelope, ListQuerystring, presentList, SearchMetaSchema } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { eraseCandidate, exportCandidate, getOwnCandidate } from './candidates.personal-data.ts'
import { presentCandidate, presentFoundCandidate, presentFoundCandidateDetail } from './candidates.present.ts'
import { findVisibleCandidate, listCandidates } from './candidates.queries.ts'
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

const searching = { kinds: ['employer', 'admin'], scope: 'candidates:read' } as const
const reading = { kinds: ['candidate'], scope: 'profile:read' } as const
const writing = { kinds: ['candidate'], scope: 'profile:write' } as const
const CandidateParams = Strict({ id: Id('candidate') })

export function registerCandidates(app: App, kit: Kit): void {
  const { database, reads, searches, clock, settings, keyRing } = kit
  const { origin } = settings
  const getVisibleCandidate = async ({ actor, params }: ResourceRequest) =>
    found(await reads.read((db) => findVisibleCandidate(db, ownerOf(actor), params.id)))
  const of = (request: FastifyRequest) => ({
    origin,
    personalData: kit.collect('personalData'),
    candidateId: request.actor.accountId,
    now: clock.now(),
  })

  app.post('/candidates', {
    config: { access: 'registration', limit: 'registration' },
    schema: {
      operationId: 'registerCandidate',
      summary: 'Register a candidate; the API key is shown once',
      body: CandidateRegistrationBody,
      response: { 201: Envelope(Ref(CandidateRegisteredSchema)) },
    },
    handler: async ({ body }, reply) =>
      answerPost(reply, database, async (tx) => {
        const { candidate, apiKey } = await registerCandidate(tx, body, clock.now())
        const profile = presentCandidate(candidate, origin)
        return {
          headers: { location: '/v1/candidates/profile', etag: resourceTag(profile), 'cache-control': 'no-store' },
          body: { data: { ...profile, api_key: apiKey } },
          bodyWithoutSecret: { data: { ...profile, api_key: null } },
          accountId: candidate.id,
        }
      }),
  })

  app.get('/candidates', {
    config: { access: searching, charges: ['search-time'] },
    schema: {
      operationId: 'listCandidates',
      summary: "List searchable candidates and the calling employer's applicants; admins see all candidates",
      querystring: ListQuerystring(candidateList),
      response: { 200: ListEnvelope(Ref(FoundCandidateSchema), { search: Type.Optional(SearchMetaSchema) }) },
    },
    handler: async ({ actor, query, chargedTo }, reply) => {
      const employerId = ownerOf(actor)
      const page = await searches.read(chargedTo, (db) => listCandidates(db, employerId, query))
      return presentList(reply, page, presentFoundCandidate)
    },
  })

  app.get('/candidates/:id', {
    config: { access: searching, guard: getVisibleCandidate },
    schema: {
      operationId: 'getCandidate',
      summary: "Get a searchable candidate or one of the calling employer's applicants; admins can get any candidate",
      params: CandidateParams,
      response: { 200: Envelope(Ref(FoundCandidateDetailSchema)) },
    },
    handler: async (request) => ({ data: presentFoundCandidateDetail(await getVisibleCandidate(request)) }),
  })

  app.get('/candidates/profile', {
    config: { access: reading },
    schema: {
      operationId: 'getCandidateProfile',
      summary: "Get the calling candidate's profile",
      response: { 200: Envelope(Ref(CandidateSchema)) },
    },
    handler: async ({ actor }) => {
      const candidate = await reads.read((db) => getOwnCandidate(db, actor.accountId))
      return { data: presentCandidate(candidate, origin) }
    },
  })

  app.put('/candidates/profile', {
    config: { access: writing },
    attachValidation: true,
    schema: {
      operationId: 'updateCandidateProfile',
      summary: "Change the calling candidate's profile; absent fields keep their values",
      body: CandidateBody,
      response: { 200: Envelope(Ref(CandidateSchema)), ...problems(409) },
    },
    handler: async ({ actor, body, faults, precondition }) => {
      const mover = { refusal: narrowKeyRefusal(actor) }
      const change = { origin, id: actor.accountId, body, faults, mover }
      const candidate = await database.inTx((tx) =>
        updateCandidateProfile(tx, { ...change, precondition, now: clock.now() }),
      )
      return { data: presentCandidate(candidate, origin) }
    },
  })

  app.delete('/candidates/profile', {
    config: { access: writing, needs: 'whole-key' },
    schema: {
      operationId: 'deleteCandidateProfile',
      summary: 'Erase the calling candidate and all of their personal data, immediately and permanently',
      description: 'Employers keep anonymous stubs of the applications.',
      response: { 204: NoContent },
    },
    handler: async (request) => {
      await database.inTx((tx) => eraseCandidate(tx, { ...of(request), precondition: request.precondition }))
      keyRing.forgetAccount(request.actor.accountId)
    },
  })

  app.get('/candidates/export', {
    config: { access: reading, isAlwaysNew: true },
    schema: {
      operationId: 'exportCandidate',
      summary: 'Export all stored data about the calling candidate',
      response: { 200: Envelope(Ref(CandidateExportSchema)) },
    },
    handler: async (request, reply) => {
      const data = await reads.read((db) => exportCandidate(db, of(request)))
      return reply.header('cache-control', 'no-store').send({ data })
    },
  })
}
