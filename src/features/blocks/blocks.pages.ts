/** Admin pages to list, create and delete blocks. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { describePage } from '../../lists/meta.ts'
import { type ListQuery, parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { presentBlock } from './blocks.present.ts'
import { listBlocks } from './blocks.queries.ts'
import { BlockParams, type BlocksDeps } from './blocks.routes.ts'
import { BlockBody, blockList } from './blocks.schemas.ts'
import { createBlock, deleteBlock } from './blocks.service.ts'
import { renderBlocks } from './blocks.views.ts'

export function registerBlockPages(pages: App, deps: Omit<BlocksDeps, 'reads'>): void {
  const { database, clock, cursorSecret, networkBlocks, addressOf } = deps
  const writing = { kinds: ['admin'], scope: 'admin:write' } as const
  const path = '/desk/blocks'

  const show = async (request: FastifyRequest, form: Form, query: ListQuery) => {
    const found = await database.read((db) => listBlocks(db, query as never, clock.now(), cursorSecret))
    const { pagination } = describePage(path, query, found).meta
    return renderBlocks(request.page, form, found.rows.map(presentBlock), pagination)
  }
  const firstPage = () => parseListQuery(blockList, {}, cursorSecret).query

  pages.get(
    path,
    {
      config: { access: { kinds: ['admin'], scope: 'admin:read' } },
      schema: { querystring: ListQuerystring(blockList) },
    },
    async (request, reply) => showPage(reply, await show(request, Form.of({ kind: 'address' }), request.query)),
  )

  pages.post(
    path,
    {
      config: { access: writing, again: (request: FastifyRequest, form: Form) => show(request, form, firstPage()) },
      attachValidation: true,
      schema: { body: BlockBody },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const actor = signedIn(request)
      const { value } = await doOnce(request, database, async (tx) =>
        presentBlock(
          await createBlock(tx, { actor, body: request.body, faults, from: addressOf(request.raw), now: clock.now() }),
        ),
      )
      await networkBlocks.refresh()
      return seeOther(reply, path, `${value} blocked.`)
    },
  )

  pages.post(
    `${path}/:id/delete`,
    { config: { access: writing }, schema: { params: BlockParams } },
    async (request, reply) => {
      const actor = signedIn(request)
      await doOnce(request, database, (tx) => deleteBlock(tx, actor, request.params.id, clock.now()))
      await networkBlocks.refresh()
      return seeOther(reply, path, 'Block deleted.')
    },
  )
}
