export { moverOnPage } from './address-change.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { createEntrance, createSignIn, renderSessionsOf } from './sessions.pages.ts'
export {
  beginSession,
  enter,
  enterByEmail,
  isAddressChange,
  leaveAddress,
  type Mover,
  registerByEmail,
  sessionFinder,
} from './sessions.service.ts'
export { renderSignIn } from './sessions.views.ts'
