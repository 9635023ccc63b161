export { registerBlockPages } from './blocks.pages.ts'
export { registerBlocks } from './blocks.routes.ts'
export { BlockSchema } from './blocks.schemas.ts'
export { NetworkBlocks } from './blocks.service.ts'
