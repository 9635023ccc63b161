/** The pictures that other websites show with links to jobs, companies and the board. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { sendReady } from '../../http/representation.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import { type ShareContent, sharedBoard, sharedCompany, sharedJob, sharePath } from '../../lib/share-picture.ts'
import { taglineOf } from '../../locale/brand.ts'
import { currentLocale, inLocale } from '../../locale/locale.ts'
import { getShownEmployer } from '../employers/index.ts'
import type { Kit } from '../feature.ts'
import { assertVisible, findJob } from '../jobs/index.ts'
import { SharePictures } from './share-pictures.service.ts'

const File = Type.String({ pattern: '^[0-9a-f]{32}\\.png$' })
const ParamsOf = (kind: 'job' | 'employer') => Strict({ id: Type.String({ pattern: idPattern(kind) }), file: File })

export function registerSharePictures(pages: App, kit: Kit): void {
  const { database, clock, brand } = kit
  const pictures = new SharePictures(kit)
  const access = { access: 'public' } as const

  const send = async (request: FastifyRequest, reply: FastifyReply, content: ShareContent) => {
    const path = sharePath(content)
    // Redirects the URLs of outdated pictures to the current picture.
    if (request.raw.url !== path) return reply.header('cache-control', 'no-cache').redirect(path, 302)
    const body = await pictures.draw(content, request.chargedTo)
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    // The picture is the same for everyone.
    reply.header('vary', 'accept-encoding')
    return sendReady(request, reply, { body }, 'image/png')
  }

  pages.get(
    '/share/jobs/:id/:file',
    { config: access, schema: { params: ParamsOf('job') } },
    async (request, reply) => {
      const row = await database.read((db) => findJob(db, request.params.id))
      if (row?.removed_at) throw new AppError('not_found')
      assertVisible(row, undefined)
      return send(request, reply, sharedJob(row, brand.now()))
    },
  )

  pages.get(
    '/share/companies/:id/:file',
    { config: access, schema: { params: ParamsOf('employer') } },
    async (request, reply) => {
      const employer = await database.read((db) => getShownEmployer(db, request.params.id, clock.now()))
      return send(request, reply, sharedCompany(employer, brand.now()))
    },
  )

  pages.get('/share/board/:file', { config: access, schema: { params: Strict({ file: File }) } }, (request, reply) => {
    const now = brand.now()
    const inEach = now.languages.map((language) =>
      inLocale({ ...currentLocale(), language }, () => sharedBoard(now, taglineOf(now))),
    )
    const named = inEach.find((content) => sharePath(content) === request.raw.url)
    return send(request, reply, named ?? sharedBoard(now, taglineOf(now)))
  })
}
