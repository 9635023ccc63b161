export { moverOnPage } from './address-change.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { renderSessionsOf } from './sessions.pages.ts'

export { isAddressChange, leaveAddress, type Mover, registerByEmail, sessionFinder } from './sessions.service.ts'
