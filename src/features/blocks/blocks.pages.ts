/** Admin pages for listing, creating and deleting blocks. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { type ListQuery, parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther } from '../../pages/page.ts'
import { presentBlock } from './blocks.present.ts'
import { listBlocks } from './blocks.queries.ts'
import { BlockParams, type BlocksDeps } from './blocks.routes.ts'
import { BlockBody, blockList } from './blocks.schemas.ts'
import { createBlock, deleteBlock } from './blocks.service.ts'
import { renderBlocks } from './blocks.views.ts'

const path = '/desk/blocks'
const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const

export function registerBlockPages(pages: App, deps: Omit<BlocksDeps, 'reads'>): void {
  const { database, clock, cursorSecret, networkBlocks, addressOf } = deps

  const show = async (request: FastifyRequest, form: Form, query: ListQuery) => {
    const found = await database.read((db) => listBlocks(db, query as never, clock.now()))
    return renderBlocks(request.page, form, listed(request, found, presentBlock, query))
  }
  const again = (request: FastifyRequest, form: Form) =>
    show(request, form, parseListQuery(blockList, {}, cursorSecret).query)

  pages.get(path, { config: reading, schema: { querystring: ListQuerystring(blockList) } }, (request) =>
    show(request, Form.of({ kind: 'address' }), request.query),
  )

  pages.post(path, {
    config: { ...writing, again },
    attachValidation: true,
    schema: { body: BlockBody },
    handler: async (request, reply) => {
      const { actor, body } = request
      const faults = request.faults
      const from = addressOf(request.raw)
      const { value } = await resultOnce(request, database, async (tx) =>
        presentBlock(await createBlock(tx, { actor, body, faults, from, now: clock.now() })),
      )
      await networkBlocks.refresh()
      return seeOther(reply, path, t('blocks.created', { value }))
    },
  })

  pages.post(`${path}/:id/delete`, { config: writing, schema: { params: BlockParams } }, async (request, reply) => {
    await doOnce(request, database, (tx) => deleteBlock(tx, request.actor, request.params.id, clock.now()))
    await networkBlocks.refresh()
    return seeOther(reply, path, t('blocks.deleted'))
  })
}
