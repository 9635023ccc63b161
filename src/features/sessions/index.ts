export { Authorities } from './sessions.authorities.ts'
export { renderSessionsOf } from './sessions.pages.ts'

export { leaveAddress, registerByEmail, sessionFinder } from './sessions.service.ts'
