export { type BoardSettings, presentBoard } from './brand.present.ts'
export { BoardBody, writableBoardMembers } from './brand.schemas.ts'
export { getBilling, getBrand, getSeller, isBoardSetUp, LiveBrand, updateBoard } from './brand.service.ts'
