export { moverOnPage } from './address-change.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { createEntrance, createSignIn, renderSessionsOf, signInPage } from './sessions.pages.ts'
export {
  beginSession,
  type Entry,
  enter,
  enterByProvider,
  isAddressChange,
  leaveAddress,
  type Mover,
  registerByEmail,
  sessionFinder,
} from './sessions.service.ts'
