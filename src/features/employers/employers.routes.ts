import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { type Ready, sendReady } from '../../http/representation.ts'
import { acceptUploads, declaredTypeOf, readUpload, UploadBody } from '../../http/upload.ts'
import { narrowKeyRefusal } from '../../lib/dangerous-acts.ts'
import { found } from '../../lib/errors.ts'
import { pictureTypes } from '../../lib/pictures.ts'
import { Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentEmployer, presentEmployerDetail, presentEmployerProfile } from './employers.present.ts'
import { findPicture, listEmployers } from './employers.queries.ts'
import {
  EmployerBody,
  EmployerDetailSchema,
  EmployerProfileSchema,
  EmployerRegisteredSchema,
  EmployerRegistrationBody,
  EmployerSchema,
  employerList,
} from './employers.schemas.ts'
import {
  closeEmployer,
  encodeEmployerPicture,
  getOwnEmployer,
  getShownEmployer,
  registerEmployer,
  setEmployerPicture,
  updateEmployerProfile,
} from './employers.service.ts'

const EmployerParams = Strict({ id: Id('employer') })
const writing = { kinds: ['employer'], scope: 'profile:write' } as const

export async function registerEmployers(app: App, kit: Kit): Promise<void> {
  const { database, reads, searches, clock, settings, keyRing } = kit
  const getEmployer = async ({ params }: ResourceRequest) => ({
    data: presentEmployerDetail(await reads.read((db) => getShownEmployer(db, params.id, clock.now()))),
  })

  app.post('/employers', {
    config: { access: 'registration', limit: 'registration' },
    schema: {
      operationId: 'registerEmployer',
      summary: 'Register an employer; the API key is shown once',
      body: EmployerRegistrationBody,
      response: { 201: Envelope(Ref(EmployerRegisteredSchema)) },
    },
    handler: async ({ body }, reply) =>
      answerPost(reply, database, async (tx) => {
        const { employer, apiKey } = await registerEmployer(tx, body, clock.now())
        const { id } = employer
        const shown = presentEmployerDetail(employer)
        return {
          headers: {
            location: `/v1/employers/${id}`,
            etag: resourceTag(shown),
            'cache-control': 'no-store',
          },
          body: { data: { ...shown, api_key: apiKey } },
          bodyWithoutSecret: { data: { ...shown, api_key: null } },
          accountId: id,
        }
      }),
  })

  app.get('/employers', {
    config: { access: {}, takesPublishable: true, charges: ['search-time'] },
    schema: {
      operationId: 'listEmployers',
      summary: 'List employers',
      querystring: ListQuerystring(employerList),
      response: { 200: ListEnvelope(Ref(EmployerSchema)) },
    },
    handler: async ({ query, chargedTo }, reply) => {
      const page = await searches.read(chargedTo, (db) => listEmployers(db, query, clock.now()))
      return presentList(reply, page, presentEmployer)
    },
  })

  app.get('/employers/:id', {
    config: { access: {}, takesPublishable: true, guard: getEmployer },
    schema: {
      operationId: 'getEmployer',
      summary: 'Get an employer',
      params: EmployerParams,
      response: { 200: Envelope(Ref(EmployerDetailSchema)) },
    },
    handler: getEmployer,
  })

  app.get('/employers/profile', {
    config: { access: { kinds: ['employer'], scope: 'profile:read' } },
    schema: {
      operationId: 'getEmployerProfile',
      summary: "Get the calling employer's profile",
      response: { 200: Envelope(Ref(EmployerProfileSchema)) },
    },
    handler: async ({ actor }) => {
      const employer = await reads.read((db) => getOwnEmployer(db, actor.accountId, clock.now()))
      return { data: presentEmployerProfile(employer) }
    },
  })

  app.put('/employers/profile', {
    config: { access: writing },
    attachValidation: true,
    schema: {
      operationId: 'updateEmployerProfile',
      summary: "Change the calling employer's profile; absent fields keep their values",
      body: EmployerBody,
      response: { 200: Envelope(Ref(EmployerProfileSchema)), ...problems(409) },
    },
    handler: async ({ actor, body, faults, precondition }) => {
      const mover = { refusal: narrowKeyRefusal(actor) }
      const change = { id: actor.accountId, body, faults, mover }
      const employer = await database.inTx((tx) =>
        updateEmployerProfile(tx, { ...change, precondition, now: clock.now() }),
      )
      return { data: presentEmployerProfile(employer) }
    },
  })

  app.delete('/employers/profile', {
    config: { access: writing, needs: 'whole-key' },
    schema: {
      operationId: 'deleteEmployerProfile',
      summary: "Permanently close the calling employer's account",
      description:
        "Deletes the employer's jobs, webhooks, keys and sessions. Candidates keep their applications. Payments are not refunded.",
      response: { 204: NoContent },
    },
    handler: async ({ actor, precondition }) => {
      const { accountId } = actor
      await database.inTx((tx) => closeEmployer(tx, { settings, id: accountId, precondition, now: clock.now() }))
      keyRing.forgetAccount(accountId)
    },
  })

  for (const picture of pictures) await registerPicture(app, kit, picture)
}

export const PICTURE_BYTES_MAX = 2_097_152
/** Maximum size of an upload, in bytes. In base64, a picture of the maximum size is larger by a third. */
export const PICTURE_UPLOAD_BYTES_MAX = 2 * PICTURE_BYTES_MAX

const pictures = [
  { kind: 'logo', path: '/employers/logo', name: 'Logo', pixels: '512' },
  { kind: 'cover', path: '/employers/cover', name: 'Cover', pixels: '1,600' },
] as const

async function registerPicture(app: App, kit: Kit, { kind, path, name, pixels }: (typeof pictures)[number]) {
  const { database, clock, settings } = kit
  const { origin } = settings
  const types = Object.values(pictureTypes)

  // Registers the upload in a separate Fastify scope, whose body parser accepts pictures.
  await app.register(async (plugin) => {
    const scope = plugin as unknown as App
    acceptUploads(scope, types)
    scope.put(path, {
      bodyLimit: PICTURE_UPLOAD_BYTES_MAX,
      config: { access: writing, limit: 'uploads' },
      attachValidation: true,
      schema: {
        operationId: `updateEmployer${name}`,
        summary: `Set the ${kind}: PNG, JPEG or WebP, at most 2 MiB and 4,096 pixels wide and high`,
        description: `The content determines the type. The service stores a WebP without metadata, at most ${pixels} pixels wide and high. \`${kind}_url\` becomes its URL.`,
        body: UploadBody(types),
        response: { 200: Envelope(Ref(EmployerProfileSchema)), ...problems(408) },
      },
      handler: async (request) => {
        const { accountId: id } = request.actor
        const upload = await readUpload(request, PICTURE_BYTES_MAX)
        const sent = { account: id, declared: declaredTypeOf(request), pointer: '#' }
        const bytes = await encodeEmployerPicture(kind, upload.bytes, sent)
        const change = { id, kind, origin, precondition: request.precondition, now: clock.now() }
        return { data: presentEmployerProfile(await database.inTx((tx) => setEmployerPicture(tx, bytes, change))) }
      },
    })
  })

  app.delete(path, {
    config: { access: writing },
    schema: {
      operationId: `deleteEmployer${name}`,
      summary: `Remove the ${kind}`,
      response: { 204: NoContent, ...problems(404) },
    },
    handler: async ({ actor, precondition }) => {
      const { accountId: id } = actor
      const change = { id, kind, origin, precondition, now: clock.now() }
      await database.inTx((tx) => setEmployerPicture(tx, undefined, change))
    },
  })
}

/** Serves uploaded pictures outside `/v1` and the website, because other websites show them. */
export function registerPictureFiles(root: App, { database }: Kit): void {
  root.get<{ Params: { file: string } }>('/pictures/:file', async (request, reply) => {
    const body = found(await database.read((db) => findPicture(db, request.params.file)))
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return sendReady(request, reply, { body } satisfies Ready, pictureTypes.webp)
  })
}
