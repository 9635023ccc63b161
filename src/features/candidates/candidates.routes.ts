import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { problems } from '../../http/openapi.ts'
import { AppError } from '../../lib/errors.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { presentCandidate } from './candidates.present.ts'
import { findCandidate } from './candidates.queries.ts'
import { CandidateRegisteredSchema, CandidateRegistrationBody, CandidateSchema } from './candidates.schemas.ts'
import { registerCandidate } from './candidates.service.ts'

export interface CandidatesDeps {
  database: Database
  clock: Clock
}

export function registerCandidates(app: App, { database, clock }: CandidatesDeps): void {
  app.post(
    '/candidates',
    {
      config: { access: 'registration' },
      schema: {
        operationId: 'registerCandidate',
        tags: ['Candidates'],
        summary: 'Register a candidate; the API key is shown once',
        body: CandidateRegistrationBody,
        response: { 201: Envelope(Ref(CandidateRegisteredSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      const { candidate, apiKey } = await database.inTx((tx) => registerCandidate(tx, request.body, clock.now()))
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('location', '/v1/candidates/profile')
        .send({ data: { ...presentCandidate(candidate), api_key: apiKey } })
    },
  )

  app.get(
    '/candidates/profile',
    {
      config: { access: { kinds: ['candidate'], scope: 'profile:read' } },
      schema: {
        operationId: 'getCandidateProfile',
        tags: ['Candidates'],
        summary: "The calling candidate's own profile",
        response: { 200: Envelope(Ref(CandidateSchema)) },
      },
    },
    async (request) => {
      const candidate = await database.read((db) => findCandidate(db, request.actor.accountId))
      if (!candidate) throw new AppError('not_found')
      return { data: presentCandidate(candidate) }
    },
  )
}
