export { moverOnPage } from './address-change.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { createEntrance, createSignIn, renderSessionsOf, signInPage } from './sessions.pages.ts'
export {
  beginSession,
  isAddressChange,
  leaveAddress,
  type Mover,
  sessionFinder,
} from './sessions.service.ts'
export { type Entry, enter, enterByEmail, registerByEmail } from './sign-in.service.ts'
