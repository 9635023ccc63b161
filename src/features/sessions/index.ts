export { Authorities } from './sessions.authorities.ts'
export { createSignIn, renderSessionsOf, type SignIn } from './sessions.pages.ts'

export { beginSession, leaveAddress, sessionFinder } from './sessions.service.ts'
