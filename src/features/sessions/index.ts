export { Authorities } from './sessions.authorities.ts'
export { createSignIn, renderSessionsOf, type SignIn } from './sessions.pages.ts'
export { deleteSessionsOf } from './sessions.queries.ts'
export { beginSession, leaveAddress, sessionFinder } from './sessions.service.ts'
