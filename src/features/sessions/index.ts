export { moverOnPage } from './address-change.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { createSignIn, renderSessionsOf } from './sessions.pages.ts'

export { enter, isAddressChange, leaveAddress, type Mover, registerByEmail, sessionFinder } from './sessions.service.ts'
