export { registerEmailPages } from './emails.pages.ts'
export { registerEmails } from './emails.routes.ts'
export { EmailSchema } from './emails.schemas.ts'
