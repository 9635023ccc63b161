export { type BoardSettings, presentBoard } from './brand.present.ts'
export { BoardBody } from './brand.schemas.ts'
export { getBilling, getBrand, getSeller, isBoardSetUp, LiveBrand, updateBoard } from './brand.service.ts'
