import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { problems } from '../../http/openapi.ts'
import { type Ready, sendReady } from '../../http/representation.ts'
import { acceptUploads, declaredTypeOf, readUpload, UploadBody } from '../../http/upload.ts'
import { AppError } from '../../lib/errors.ts'
import { pictureTypes } from '../../lib/pictures.ts'
import { Envelope, NoContent, Ref } from '../../lib/schema.ts'
import type { Kit } from '../feature.ts'
import { type BoardSettings, presentBoard, presentPage } from './brand.present.ts'
import {
  BoardBody,
  BoardPageBody,
  BoardPageParams,
  BoardPageSchema,
  BoardSchema,
  LOGO_BYTES_MAX,
} from './brand.schemas.ts'
import { deletePage, encodeBoardLogo, getPage, putPage, setLogo, updateBoard } from './brand.service.ts'

/** Maximum size of an upload, in bytes. In base64, a logo of the maximum size is larger by a third. */
const LOGO_UPLOAD_BYTES_MAX = 2 * LOGO_BYTES_MAX

const reading = { kinds: ['admin'], scope: 'admin:read' } as const
const writing = { kinds: ['admin'], scope: 'admin:write' } as const

export const boardSettings = ({ settings, hasWebsite }: Pick<Kit, 'settings' | 'hasWebsite'>): BoardSettings => ({
  ...settings,
  hasWebsite,
})

export async function registerBrand(app: App, kit: Kit): Promise<void> {
  const { database, reads, clock, brand } = kit
  const settings = boardSettings(kit)
  const get = async ({ params }: ResourceRequest<{ slug: string }>) => ({
    data: presentPage(await reads.read((db) => getPage(db, params.slug))),
  })

  app.get('/board', {
    config: { access: 'public', takesPublishable: true },
    schema: {
      operationId: 'getBoard',
      summary: "Get the board's settings and legal pages; needs no API key",
      response: { 200: Envelope(Ref(BoardSchema)), ...problems(401) },
    },
    handler: async () => ({ data: presentBoard(brand.now(), settings) }),
  })

  app.put('/admin/board', {
    config: { access: writing },
    attachValidation: true,
    schema: {
      operationId: 'updateBoard',
      summary: "Change the board's settings; absent fields keep their values",
      description: 'Takes effect within two seconds, on every page and in every email.',
      body: BoardBody,
      response: { 200: Envelope(Ref(BoardSchema)) },
    },
    handler: async ({ actor, body, faults, precondition }) => {
      const change = { actor, body, faults, settings, precondition }
      const changed = await database.inTx((tx) => updateBoard(tx, { ...change, now: clock.now() }))
      await brand.refresh()
      return { data: presentBoard(changed, settings) }
    },
  })

  await registerLogo(app, kit)

  app.get('/admin/board/pages/:slug', {
    config: { access: reading, guard: get },
    schema: {
      operationId: 'getBoardPage',
      summary: 'Get a legal page',
      params: BoardPageParams,
      response: { 200: Envelope(Ref(BoardPageSchema)) },
    },
    handler: get,
  })

  app.put('/admin/board/pages/:slug', {
    config: { access: writing },
    attachValidation: true,
    schema: {
      operationId: 'updateBoardPage',
      summary: 'Publish or change a legal page (/pages/:slug on the website)',
      description:
        'Creates the page if needed; a new page needs `title` and `text`. A board can have the pages `imprint`, `privacy`, `terms` and `contact`, and up to 20 more.',
      params: BoardPageParams,
      body: BoardPageBody,
      response: { 200: Envelope(Ref(BoardPageSchema)), ...problems(409) },
    },
    handler: async ({ actor, params, body, faults, precondition }) => {
      const change = { actor, ...params, body, faults, precondition }
      const page = await database.inTx((tx) => putPage(tx, { ...change, now: clock.now() }))
      await brand.refresh()
      return { data: presentPage(page) }
    },
  })

  app.delete('/admin/board/pages/:slug', {
    config: { access: writing, guard: get },
    schema: {
      operationId: 'deleteBoardPage',
      summary: 'Delete a legal page',
      params: BoardPageParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      await database.inTx((tx) => deletePage(tx, { actor, ...params, precondition, now: clock.now() }))
      await brand.refresh()
    },
  })
}

async function registerLogo(app: App, kit: Kit): Promise<void> {
  const { database, clock, brand } = kit
  const settings = boardSettings(kit)
  const types = Object.values(pictureTypes)

  // Registers the upload in a separate Fastify scope, whose body parser accepts pictures.
  await app.register(async (plugin) => {
    const scope = plugin as unknown as App
    acceptUploads(scope, types)
    scope.put('/admin/board/logo', {
      bodyLimit: LOGO_UPLOAD_BYTES_MAX,
      config: { access: writing },
      attachValidation: true,
      schema: {
        operationId: 'updateBoardLogo',
        summary: 'Set the logo: PNG, JPEG or WebP, at most 1 MiB and 4,096 × 4,096 pixels',
        description:
          'The content determines the type. A different `image/…` media type in the request is refused. The service stores a PNG without metadata, at most 512 pixels wide and high.',
        body: UploadBody(types),
        response: { 200: Envelope(Ref(BoardSchema)), ...problems(408) },
      },
      handler: async (request) => {
        const upload = await readUpload(request, LOGO_BYTES_MAX)
        const sent = { account: request.actor.accountId, declared: declaredTypeOf(request), pointer: '#' }
        const logo = await encodeBoardLogo(upload.bytes, sent)
        const change = { actor: request.actor, settings, precondition: request.precondition, now: clock.now() }
        const changed = await database.inTx((tx) => setLogo(tx, logo, change))
        await brand.refresh()
        return { data: presentBoard(changed, settings) }
      },
    })
  })

  app.delete('/admin/board/logo', {
    config: { access: writing },
    schema: {
      operationId: 'deleteBoardLogo',
      summary: 'Remove the logo',
      response: { 204: NoContent, ...problems(404) },
    },
    handler: async ({ actor, precondition }) => {
      const change = { actor, settings, precondition, now: clock.now() }
      await database.inTx((tx) => setLogo(tx, undefined, change))
      await brand.refresh()
    },
  })
}

/** Serves the logo outside `/v1` and the website, because emails and other websites show it. */
export function registerLogoFile(root: App, { brand }: Kit): void {
  root.get<{ Params: { file: string } }>('/board/logo/:file', async (request, reply) => {
    const { file } = request.params
    // Refreshes the logo, because another process may have just changed it.
    if (brand.logo?.file !== file) await brand.refresh()
    const { logo } = brand
    if (logo?.file !== file) throw new AppError('not_found')
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return sendReady(request, reply, { body: logo.bytes } satisfies Ready, logo.type)
  })
}
