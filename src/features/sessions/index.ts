export { moverOnPage } from './address-change.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { createArrival, createSignIn, renderSessionsOf } from './sessions.pages.ts'
export {
  beginSession,
  enter,
  isAddressChange,
  leaveAddress,
  type Mover,
  registerByEmail,
  sessionFinder,
} from './sessions.service.ts'
export { renderSignIn } from './sessions.views.ts'
