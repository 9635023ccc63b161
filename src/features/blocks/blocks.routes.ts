import type { App } from '../../http/app.ts'
import { answerPost } from '../../http/idempotency.ts'
import { Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentBlock } from './blocks.present.ts'
import { listBlocks } from './blocks.queries.ts'
import { BlockBody, BlockSchema, blockList } from './blocks.schemas.ts'
import { createBlock, deleteBlock, type NetworkBlocks } from './blocks.service.ts'

export type BlocksDeps = Kit & { networkBlocks: NetworkBlocks }

export const BlockParams = Strict({ id: Id('block') })

export function registerBlocks(app: App, deps: BlocksDeps): void {
  const { database, reads, clock, networkBlocks, addressOf } = deps
  const writing = { kinds: ['admin'], scope: 'admin:write' } as const

  app.get('/admin/blocks', {
    config: { access: { kinds: ['admin'], scope: 'admin:read' } },
    schema: {
      operationId: 'listBlocks',
      summary: 'List blocked email addresses, email domains and networks',
      querystring: ListQuerystring(blockList),
      response: { 200: ListEnvelope(Ref(BlockSchema)) },
    },
    handler: async ({ query }, reply) =>
      presentList(reply, await reads.read((db) => listBlocks(db, query, clock.now())), presentBlock),
  })

  app.post('/admin/blocks', {
    config: { access: writing },
    attachValidation: true,
    schema: {
      operationId: 'createBlock',
      summary: 'Block an email address, an email domain or a network',
      body: BlockBody,
      response: { 201: Envelope(Ref(BlockSchema)) },
    },
    handler: async ({ actor, body, faults, raw }, reply) =>
      answerPost(reply, database, async (tx) => {
        const block = await createBlock(tx, { actor, body, faults, from: addressOf(raw), now: clock.now() })
        const data = presentBlock(block)
        const onceCommitted = () => networkBlocks.refresh()
        return { headers: { location: '/v1/admin/blocks' }, body: { data }, onceCommitted }
      }),
  })

  app.delete('/admin/blocks/:id', {
    config: { access: writing },
    schema: {
      operationId: 'deleteBlock',
      summary: 'Delete a block',
      params: BlockParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      await database.inTx(async (tx) => {
        await deleteBlock(tx, actor, params.id, clock.now())
        precondition(undefined)
      })
      await networkBlocks.refresh()
    },
  })
}
