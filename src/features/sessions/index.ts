export { renderSessionsOf } from './admin-sessions.pages.ts'
export { Authorities } from './sessions.authorities.ts'
export { createSignIn, type SignIn } from './sessions.pages.ts'
export { beginSession, leaveAddress, Sessions } from './sessions.service.ts'
