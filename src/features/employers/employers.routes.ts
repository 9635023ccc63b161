import { Type } from 'typebox'
import type { Database, Reads } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf, resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { JobSettings } from '../jobs/index.ts'
import { presentEmployer, presentEmployerProfile } from './employers.present.ts'
import { findEmployer, findShownEmployer, listEmployers } from './employers.queries.ts'
import {
  EmployerBody,
  EmployerProfileSchema,
  EmployerRegisteredSchema,
  EmployerRegistrationBody,
  EmployerSchema,
  employerList,
} from './employers.schemas.ts'
import { closeEmployer, registerEmployer, updateEmployerProfile } from './employers.service.ts'

export interface EmployersDeps {
  database: Database
  reads: Reads
  searches: SearchReads
  clock: Clock
  cursorSecret: Uint8Array
  settings: JobSettings
  /** Called after an account was closed. */
  forgetAccount: (accountId: string) => void
}

export function registerEmployers(app: App, deps: EmployersDeps): void {
  registerEmployerList(app, deps)
  registerProfile(app, deps)
}

function registerEmployerList(app: App, deps: EmployersDeps): void {
  const { database, reads, searches, clock, cursorSecret } = deps
  const getEmployer = async (id: string) => {
    const employer = await reads.read((db) => findShownEmployer(db, id, clock.now()))
    if (!employer) throw new AppError('not_found')
    return { data: presentEmployer(employer) }
  }

  app.post(
    '/employers',
    {
      config: { access: 'registration', limit: 'registration' },
      schema: {
        operationId: 'registerEmployer',
        tags: ['Employers'],
        summary: 'Register an employer; the API key is shown once',
        body: EmployerRegistrationBody,
        response: { 201: Envelope(Ref(EmployerRegisteredSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      return answerPost(request, reply, database, async (tx) => {
        const { employer, apiKey } = await registerEmployer(tx, request.body, clock.now())
        const { id } = employer
        const shown = presentEmployer(employer)
        return {
          status: 201,
          headers: { location: `/v1/employers/${id}`, etag: resourceTag(shown), 'cache-control': 'no-store' },
          body: { data: { ...shown, api_key: apiKey } },
          bodyWithoutSecret: { data: { ...shown, api_key: null } },
          accountId: id,
        }
      })
    },
  )

  app.get(
    '/employers',
    {
      config: { access: {}, charges: ['search-time'] },
      schema: {
        operationId: 'listEmployers',
        tags: ['Employers'],
        summary: 'List all employers',
        querystring: ListQuerystring(employerList),
        response: { 200: ListEnvelope(Ref(EmployerSchema)) },
      },
    },
    async (request, reply) => {
      const { chargedTo, query } = request
      const page = await searches.read(chargedTo, (db) => listEmployers(db, query, clock.now(), cursorSecret))
      return presentList(request, reply, page, presentEmployer)
    },
  )

  app.get(
    '/employers/:id',
    {
      config: { access: {}, guard: async (request) => getEmployer((request.params as { id: string }).id) },
      schema: {
        operationId: 'getEmployer',
        tags: ['Employers'],
        summary: 'Get an employer',
        params: Strict({ id: Type.String({ pattern: idPattern('employer') }) }),
        response: { 200: Envelope(Ref(EmployerSchema)) },
      },
    },
    async (request) => getEmployer(request.params.id),
  )
}

function registerProfile(app: App, deps: EmployersDeps): void {
  const { database, reads, clock, settings, forgetAccount } = deps
  const getEmployerRow = async (id: string) => {
    const employer = await reads.read((db) => findEmployer(db, id, clock.now()))
    if (!employer) throw new AppError('not_found')
    return employer
  }

  app.get(
    '/employers/profile',
    {
      config: { access: { kinds: ['employer'], scope: 'profile:read' } },
      schema: {
        operationId: 'getEmployerProfile',
        tags: ['Employers'],
        summary: "Get the calling employer's profile",
        response: { 200: Envelope(Ref(EmployerProfileSchema)) },
      },
    },
    async (request) => ({ data: presentEmployerProfile(await getEmployerRow(request.actor.accountId)) }),
  )

  app.put(
    '/employers/profile',
    {
      config: { access: { kinds: ['employer'], scope: 'profile:write' } },
      attachValidation: true,
      schema: {
        operationId: 'updateEmployerProfile',
        tags: ['Employers'],
        summary: 'Change the profile; absent members keep their values',
        body: EmployerBody,
        response: { 200: Envelope(Ref(EmployerProfileSchema)) },
      },
    },
    async (request) => {
      const faults = bodyFaultsOf(request)
      const { accountId } = request.actor
      const employer = await database.inTx((tx) =>
        updateEmployerProfile(tx, {
          id: accountId,
          body: request.body,
          faults,
          precondition: preconditionOf(request),
          now: clock.now(),
        }),
      )
      return { data: presentEmployerProfile(employer) }
    },
  )

  app.delete(
    '/employers/profile',
    {
      config: { access: { kinds: ['employer'], scope: 'profile:write' }, needs: 'whole-key' },
      schema: {
        operationId: 'deleteEmployerProfile',
        tags: ['Employers'],
        summary: 'Close the calling employer account permanently',
        description:
          'Its jobs are deleted, and its webhooks, keys and sessions end. Candidates keep their applications. Payments are not refunded.',
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { accountId } = request.actor
      const precondition = preconditionOf(request)
      await database.inTx((tx) => closeEmployer(tx, { settings, id: accountId, precondition, now: clock.now() }))
      forgetAccount(accountId)
      return reply.code(204).send(null)
    },
  )
}
