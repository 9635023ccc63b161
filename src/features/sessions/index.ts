export { moverOnPage } from './address-change.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { createEntrance, createSignIn, renderSessionsOf } from './sessions.pages.ts'

export {
  enter,
  enterByEmail,
  isAddressChange,
  leaveAddress,
  type Mover,
  registerByEmail,
  sessionFinder,
} from './sessions.service.ts'
