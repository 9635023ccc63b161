import { keyIn } from '../../http/authenticate.ts'
import { defineFeature } from '../feature.ts'
import { registerBlockPages } from './blocks.pages.ts'
import { registerBlocks } from './blocks.routes.ts'
import { BlockSchema } from './blocks.schemas.ts'
import { NetworkBlocks } from './blocks.service.ts'

/** Blocked email addresses, email domains and networks. */
export const blocks = defineFeature({
  name: 'blocks',
  isOptional: true,
  personalColumns: {
    block: {
      columns: ['value', 'reason'],
      purpose: 'blocks an email address, an email domain or a network',
      until: 'the operator deletes the block',
    },
  },
  schemas: [BlockSchema],
  navigation: [{ menu: 'desk', href: '/desk/blocks', text: 'menu.blocks', rank: 50, group: 'menu.operations' }],
  open(kit) {
    const networkBlocks = new NetworkBlocks(kit, ({ headers }) =>
      kit.keyRing.isOperatorKey(keyIn(headers.authorization ?? '')),
    )
    return {
      api: (v1) => registerBlocks(v1, { ...kit, networkBlocks }),
      pages: (pages) => registerBlockPages(pages, { ...kit, networkBlocks }),
      refresh: () => networkBlocks.refresh(),
      isBlocked: networkBlocks.refuses,
    }
  },
})
